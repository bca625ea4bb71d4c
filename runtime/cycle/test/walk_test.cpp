// The stock motions on the floor: board ramps, servo models, body and contact, as the shadow uses
// them, against what a simulation study found in two other engines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "models/actuator/servo_driven_robot.hpp"
#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/test/support/no_alloc.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/library.hpp"
#include "motions/play/player.hpp"

namespace kagami::runtime {
namespace {

using models::MethodName;
using models::ServoDrivenRobot;
using motions::PlayMode;

constexpr std::int64_t kStepNs = 1'000'000;
constexpr int kRound = 10;  // ms between two commands on the line

class Floor : public ::testing::TestWithParam<MethodName> {
 protected:
  Floor()
      : robot_(models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1",
                                         models::BaseKind::kFloating)) {
    floor_.settings.method = GetParam();
  }

  [[nodiscard]] motions::Motion motion(const std::string& name) const {
    return motions::load_motion(KAGAMI_SOURCE_DIR "/motions/data/" + name + ".json", robot_.wiring);
  }
  [[nodiscard]] ServoDrivenRobot body() const {
    return {robot_.model, robot_.servos, robot_.wiring, robot_.boxes, floor_};
  }
  /// Joint angles at which servos with the targets `commanded` hold: trims added.
  [[nodiscard]] JointArray<double> held(const JointArray<double>& commanded) const {
    JointArray<double> q = commanded;
    for (std::size_t j = 0; j < robot_.servos.joints.size(); ++j) {
      q[j] += robot_.servos.joints[j].trim;
    }
    return q;
  }

  /// Stands for 0.8 s, then plays; commands in whole degrees as the line takes them.
  void play(const motions::Motion& motion, ServoDrivenRobot& body,
            const JointArray<double>& present, PlayMode mode = PlayMode::kRamp) const {
    for (int k = 0; k < 800; ++k) body.step(kStepNs);
    motions::Player player(motion, robot_.wiring, {.mode = mode, .settle = 1.5});
    player.start(present);
    motions::PlayCommand command;
    JointArray<double> commanded = present;
    bool is_new = false;
    for (long tick = 0; command.phase != motions::PlayPhase::kDone; ++tick) {
      player.step(1e-3, command);
      for (std::size_t j = 0; j < robot_.joint_names.size() && command.target_is_new; ++j) {
        commanded[j] = to_rad(std::round(to_deg(command.target[j])));
      }
      is_new = is_new || command.target_is_new;
      if (is_new && (tick % kRound == 0 || mode == PlayMode::kKeyframe)) {
        for (int b = 0; b < 2; ++b) body.command(b, commanded, command.speed_code, body.time_ns());
        is_new = false;
      }
      body.step(kStepNs);
      ASSERT_TRUE(body.is_valid());
    }
  }

  /// From standing at home.
  [[nodiscard]] ServoDrivenRobot after(const std::string& name,
                                       PlayMode mode = PlayMode::kRamp) const {
    ServoDrivenRobot robot = body();
    robot.reset(held({}), 0);
    play(motion(name), robot, {}, mode);
    return robot;
  }
  /// From lying still in the motion's first pose, turned about y by `pitch` (rad).
  [[nodiscard]] ServoDrivenRobot after_lying(const std::string& name, double pitch) const {
    const motions::Motion getup = motion(name);
    JointArray<double> first{};
    for (std::size_t j = 0; j < robot_.joint_names.size(); ++j) {
      first[j] = getup.poses[0].angle[j].value_or(0.0);
    }
    ServoDrivenRobot robot = body();
    robot.reset(held(first), {.turn = {std::cos(pitch / 2), 0.0, std::sin(pitch / 2), 0.0}}, 0);
    play(getup, robot, first);
    return robot;
  }

  models::RobotDescription robot_;
  models::FloorOptions floor_;
};
INSTANTIATE_TEST_SUITE_P(Methods, Floor,
                         ::testing::Values(MethodName::kRelaxed, MethodName::kMultipoint,
                                           MethodName::kVolumetric),
                         [](const auto& p) { return std::string(models::name(p.param)); });

// range of the simulation study (docs/floor.md); its two engines and their variations lie inside
TEST_P(Floor, WalksForwardByTheStudysDistance) {
  const ServoDrivenRobot robot = after("walk_forward");
  EXPECT_FALSE(robot.fell());
  EXPECT_NEAR(robot.base().x, 0.23, 0.03);               // m
  EXPECT_NEAR(to_deg(robot.base().heading), 0.0, 10.0);  // deg
  EXPECT_LT(std::abs(robot.base().y), 0.05);             // m
}

TEST_P(Floor, WalksBackwardByTheStudysDistance) {
  const ServoDrivenRobot robot = after("walk_backward");
  EXPECT_FALSE(robot.fell());
  EXPECT_NEAR(robot.base().x, -0.24, 0.03);
  EXPECT_NEAR(to_deg(robot.base().heading), 0.0, 10.0);
}

TEST_P(Floor, StepsAsideByTheStudysDistances) {
  const ServoDrivenRobot left = after("side_left");
  EXPECT_FALSE(left.fell());
  EXPECT_NEAR(left.base().y, 0.071, 0.011);  // m, 15 %
  EXPECT_NEAR(to_deg(left.base().heading), 0.0, 10.0);
  const ServoDrivenRobot right = after("side_right");
  EXPECT_FALSE(right.fell());
  EXPECT_NEAR(right.base().y, -0.100, 0.015);
  EXPECT_NEAR(to_deg(right.base().heading), 0.0, 10.0);
}

TEST_P(Floor, LiesDownAndStandsUpAgain) {
  for (const char* name : {"front_laydown", "back_laydown"}) {
    EXPECT_FALSE(after(name).fell()) << name;
  }
}

TEST_P(Floor, GetsUpFromLying) {
  constexpr double kQuarter = 1.5707963267948966;
  EXPECT_FALSE(after_lying("getup_front", kQuarter).fell());
  EXPECT_FALSE(after_lying("getup_back", -kQuarter).fell());
}

// guards against a servo model that is too kind: the lag is what lets the robot walk
TEST_P(Floor, FallsWithoutTheServosLag) {
  for (ServoParameters& servo : robot_.servos.joints) servo.filter_1 = servo.filter_2 = 0.0;
  EXPECT_TRUE(after("walk_forward").fell());
}

// and against a floor that is too kind: one code for both boards, each of which scales by itself,
// moves the legs in a third of the time that the head takes
TEST_P(Floor, FallsAsideWhenTheLegsArriveBeforeTheHead) {
  EXPECT_TRUE(after("side_left", PlayMode::kKeyframe).fell());
}

TEST_P(Floor, StandsStill) {
  ServoDrivenRobot robot = body();
  robot.reset(held({}), 0);
  for (int k = 0; k < 1000; ++k) robot.step(kStepNs);
  const BasePose start = robot.base();
  for (int k = 0; k < 5000; ++k) robot.step(kStepNs);
  EXPECT_FALSE(robot.fell());
  EXPECT_NEAR(robot.base().x, start.x, 1e-4);  // m: slip in 5 s
  EXPECT_NEAR(robot.base().y, start.y, 1e-4);
  EXPECT_NEAR(robot.base().z, 0.2519, 1e-3);  // m: height of robot.urdf, less the lean of 2 deg
  EXPECT_LT(to_deg(robot.base().tilt), 0.1);
}

// 0.1 s at the trunk from behind; what the robot can take lies between
TEST_P(Floor, TakesASmallPushAndFallsByALargeOne) {
  const auto pushed = [&](double force) {
    ServoDrivenRobot robot = body();
    robot.reset(held({}), 0);
    for (int k = 0; k < 3000; ++k) {
      if (k >= 500 && k < 600) robot.push({force, 0.0, 0.0});
      robot.step(kStepNs);
    }
    EXPECT_TRUE(robot.is_valid());
    return robot;
  };
  const ServoDrivenRobot still = pushed(0.0);
  const ServoDrivenRobot small = pushed(1.0);  // N
  EXPECT_FALSE(small.fell());
  EXPECT_LT(to_deg(small.base().tilt), 0.5);
  EXPECT_NE(small.base().x, still.base().x) << "the push arrives";
  EXPECT_TRUE(pushed(8.0).fell());  // N
}

TEST_P(Floor, LimpRobotFalls) {
  ServoDrivenRobot robot = body();
  robot.reset(held({}), 0);
  for (int b = 0; b < 2; ++b) robot.release(b, 0);
  double fastest = 0.0;
  for (int k = 0; k < 4000; ++k) {
    robot.step(kStepNs);
    for (const double speed : robot.qd()) fastest = std::max(fastest, std::abs(speed));
  }
  EXPECT_TRUE(robot.is_valid());
  EXPECT_TRUE(robot.fell());
  EXPECT_LT(fastest, 30.0);  // rad/s; 1 m/s of a fall at the length of a foot: 20
}

TEST_P(Floor, SameCallsGiveTheSameBitsAndNoStepAllocates) {
  ServoDrivenRobot a = after("side_right");
  ServoDrivenRobot b = body();
  JointArray<double> elsewhere{};
  elsewhere[0] = 0.5;
  b.reset(elsewhere, 7);  // leaves nothing behind
  for (int k = 0; k < 50; ++k) b.step(kStepNs);
  b.reset(held({}), 0);
  play(motion("side_right"), b, {});
  EXPECT_EQ(a.q(), b.q());
  EXPECT_EQ(a.torque(), b.torque());
  EXPECT_EQ(a.base().x, b.base().x);
  const test::NoAlloc no_alloc;
  for (int k = 0; k < 100; ++k) a.step(kStepNs);
  a.reset({}, 0);
  EXPECT_EQ(no_alloc.count(), 0);
}

TEST_P(Floor, RefusesWhatCannotStandOnIt) {
  const models::RobotDescription held =
      models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFixed);
  EXPECT_THROW(ServoDrivenRobot(held.model, held.servos, held.wiring, held.boxes, floor_),
               ModelError);
  EXPECT_THROW(ServoDrivenRobot(robot_.model, robot_.servos, robot_.wiring, {}, floor_),
               ModelError);
  floor_.surface.mu_static = -1.0;
  EXPECT_THROW(static_cast<void>(body()), ConfigError);
}

}  // namespace
}  // namespace kagami::runtime
