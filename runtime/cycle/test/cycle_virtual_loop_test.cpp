// The virtual closed loop inside the cycle: loops that readings pull open are held with joint and
// gap; on the floor the sole that it keeps stays, and its records verify.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/joint_places.hpp"
#include "models/robot/state.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"
#include "runtime/cycle/verify.hpp"

namespace kagami::runtime {
namespace {

using control::ControlStatus;
using test::ClosedLoop;
using test::controlled_config;
using test::khr1;
using test::khr1_on_floor;
using test::shipped_gains;

CycleConfig on_feet() {
  CycleConfig config = controlled_config({shipped_gains("khr1_feet.json")});
  config.floor = models::FloorOptions{};
  return config;
}

/// Down on both legs and up again; arms as the shipped squat has them.
motions::Motion squat() {
  std::vector<std::pair<std::string, double>> down;
  for (const std::string side : {"left", "right"}) {
    down.insert(down.end(), {{side + "_hip_pitch", -30},
                             {side + "_knee", 53},
                             {side + "_ankle_pitch", -23},
                             {side + "_shoulder_pitch", -27}});
  }
  return test::make_motion(khr1_on_floor(), {{1.0, {}, 6}, {1.0, down, 6}, {1.0, {}, 6}});
}

// the horn of one shoulder has slipped by three degrees, and the observer uses the readings
TEST(CycleVirtualLoop, ReadingsThatPullTheLoopOpenHoldWithJointAndGap) {
  models::RobotDescription slipped = khr1();
  const auto left = static_cast<std::size_t>(test::joint_index(slipped, "left_shoulder_pitch"));
  slipped.servos.joints[left].trim += to_rad(3.0);
  std::string gains = shipped_gains("khr1_hands.json");
  gains.insert(1, R"("observer_rate": 2, )");
  const motions::Motion wave = test::make_motion(
      khr1(), {{1.0, {}, 6}, {2.0, {{"left_shoulder_pitch", -40}}, 6}, {2.0, {}, 6}});
  ClosedLoop loop(slipped, khr1(), wave, controlled_config({gains}));
  ASSERT_TRUE(loop.run_until(Phase::kHeld));
  ASSERT_EQ(loop.events(EventCode::kControlBegan).size(), 1u);
  const std::vector<Event> found = loop.events(EventCode::kControlLoopOpen);
  ASSERT_EQ(found.size(), 1u);
  const std::string joint = khr1().joint_names.at(static_cast<std::size_t>(found[0].joint));
  EXPECT_TRUE(joint.find("shoulder") != std::string::npos ||
              joint.find("elbow") != std::string::npos)
      << joint;
  EXPECT_GT(found[0].value, 0.020);  // m or rad; the first gap that is too large
  EXPECT_LT(found[0].value, 0.021);
  EXPECT_EQ(loop.out().control_status, ControlStatus::kLoopOpen);
  EXPECT_EQ(loop.out().controller, -1);
  const JointArray<double> target = loop.out().targets.angle;
  loop.run(200);
  EXPECT_EQ(loop.out().targets.angle, target);
}

/// Pose of the left sole in the right one, by joint angles.
Vec3 between_soles(const JointArray<double>& joints) {
  static const models::JointPlaces places =
      models::joint_places(khr1_on_floor().model, khr1_on_floor().joint_names);
  static models::Kinematics k(khr1_on_floor().model);
  models::State s = models::neutral_state(khr1_on_floor().model);
  models::put_q(places, joints, s.q);
  models::forward_kinematics(khr1_on_floor().model, s.q, s.v, k);
  const models::Pose left = models::frame_pose(k, khr1_on_floor().model.frame("l_sole"));
  return (models::inverse(models::frame_pose(k, khr1_on_floor().model.frame("r_sole"))) * left).p;
}

TEST(CycleVirtualLoop, KeepsTheSoleThatItDoesNotStandOnWhileItSquats) {
  ClosedLoop loop(khr1(), khr1_on_floor(), squat(), on_feet());
  const auto knee = static_cast<std::size_t>(test::joint_index(khr1_on_floor(), "left_knee"));
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  const Vec3 first = between_soles(loop.robot.q());
  Vec3 begin = first;  // the model's
  bool began = false;
  double model = 0.0;
  double robot = 0.0;
  double bent = 0.0;
  for (int k = 0; k < 10'000 && loop.out().phase != Phase::kDone; ++k) {
    loop.tick();
    robot = std::max(robot, (between_soles(loop.robot.q()) - first).norm());
    if (loop.out().controller < 0) continue;
    const Vec3 p = between_soles(loop.out().q_loop);
    if (!began) begin = p;
    began = true;
    model = std::max(model, (p - begin).norm());
    bent = std::max(bent, loop.out().q_loop[knee]);
  }
  EXPECT_EQ(loop.out().phase, Phase::kDone);
  EXPECT_EQ(loop.events(EventCode::kControlBegan).size(), 1u);
  EXPECT_LT(model, 1e-6);  // m, of the reference model; measured 5e-8
  // m: targets of whole degrees, 2 mm at a leg of 0.11 m, less what the servos smooth; measured 0.2
  // mm
  EXPECT_LT(robot, 2e-3);
  EXPECT_GT(to_deg(bent), 50.0);  // of 53
}

TEST(CycleVirtualLoop, ARunOnTheFloorVerifiesBitForBit) {
  ClosedLoop loop(khr1(), khr1_on_floor(), squat(), on_feet());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(600);
  EXPECT_EQ(loop.out().controller, 0);
  std::vector<std::byte> bytes;
  auto at = loop.rows().begin();
  CycleCore core(khr1_on_floor(), squat(), on_feet());
  const VerifyResult same = verify(
      [&](CycleRecord& row) {
        if (at == loop.rows().end()) return false;
        write_cycle_cdr(*at++, 17, bytes);
        int joints = 0;
        return read_cycle_cdr(bytes, row, joints) == CdrStatus::kOk;
      },
      core);
  EXPECT_TRUE(same.identical) << same.field << " at " << same.tick;
}

// it lies on its back: there is no floor under its sole to begin with
TEST(CycleVirtualLoop, DoesNotBeginOnAFootInTheAir) {
  CycleConfig config = on_feet();
  const double half = std::sqrt(0.5);
  config.start.turn = {half, 0.0, -half, 0.0};
  config.start.tilt = to_rad(90.0);
  ClosedLoop loop(khr1(), khr1_on_floor(), squat(), config);
  ASSERT_TRUE(loop.run_until(Phase::kHeld));
  EXPECT_TRUE(loop.events(EventCode::kControlBegan).empty());
  const std::vector<Event> found = loop.events(EventCode::kControlFootInAir);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].joint, -1);
  EXPECT_GT(found[0].value, 0.02);  // m
  EXPECT_EQ(loop.out().control_status, ControlStatus::kFootInAir);
}

TEST(CycleVirtualLoop, ItsReferenceModelLeadsTheServosHandsTogether) {
  const motions::Motion left_arm_up =
      test::make_motion(khr1(), {{1.0, {}, 6}, {1.0, {{"left_shoulder_pitch", -40}}, 6}});
  ClosedLoop loop(khr1(), khr1(), left_arm_up,
                  controlled_config({shipped_gains("khr1_hands.json")}));
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  const auto left = static_cast<std::size_t>(test::joint_index(khr1(), "left_shoulder_pitch"));
  const auto right = static_cast<std::size_t>(test::joint_index(khr1(), "right_shoulder_pitch"));
  for (const CycleRecord& row : loop.rows()) {
    if (row.out.controller < 0) continue;
    EXPECT_NEAR(row.out.q_loop[left], row.out.q_loop[right], 1e-3);  // rad: as one rod
    EXPECT_NEAR(row.out.targets.angle[left], row.out.q_loop[left], 1e-12);
  }
  EXPECT_LT(to_deg(loop.robot.q()[left]), -30.0);
  EXPECT_LT(to_deg(loop.robot.q()[right]), -30.0);  // the motion never moved it
}

}  // namespace
}  // namespace kagami::runtime
