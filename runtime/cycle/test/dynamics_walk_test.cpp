// The stock walk by every algorithm of forward dynamics, on the stand and on the floor, against
// articulated bodies: the same servos, ramps and contact, the joints compared at every step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "models/actuator/servo_driven_robot.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/disturbed.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/test/support/no_alloc.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/library.hpp"
#include "motions/play/player.hpp"

namespace kagami::runtime {
namespace {

using models::Algorithm;
using models::ServoDrivenRobot;

constexpr std::int64_t kRobotStepNs = 1'000'000;
constexpr double kSame = 1e-9;  // rad, m: rounding, grown over the walk
constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

models::RobotDescription khr1(models::BaseKind base) {
  return models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", base);
}

ServoDrivenRobot body_of(const models::RobotDescription& robot, Algorithm algorithm, bool floor) {
  const models::DynamicsChoice choice{.algorithm = algorithm, .folder = {}};
  if (!floor) return {robot.model, robot.servos, robot.wiring, choice};
  return {robot.model, robot.servos, robot.wiring, robot.boxes, models::FloorOptions{}, choice};
}

struct Sample {
  JointArray<double> q{};
  BasePose base;
};

// stands for 0.3 s, then walks; a command every 10 ms
std::vector<Sample> walk(const models::RobotDescription& robot, ServoDrivenRobot& body) {
  const motions::Motion motion =
      motions::load_motion(KAGAMI_SOURCE_DIR "/motions/data/walk_forward.json", robot.wiring);
  motions::Player player(motion, robot.wiring, {.mode = motions::PlayMode::kRamp, .settle = 0.5});
  body.reset({}, 0);
  body.disturb_from(0);
  player.start({});
  motions::PlayCommand command;
  std::vector<Sample> samples;
  for (long tick = -300; command.phase != motions::PlayPhase::kDone; ++tick) {
    if (tick >= 0) player.step(1e-3, command);
    for (int b = 0; b < 2 && tick >= 0 && tick % 10 == 0; ++b) {
      body.command(b, command.target, command.speed_code, body.time_ns());
    }
    body.step(kRobotStepNs);
    samples.push_back({body.q(), body.base()});
  }
  EXPECT_TRUE(body.is_valid());
  return samples;
}

// largest difference of joints (rad) and of the base's place (m) over the first `steps`
double largest_difference(const std::vector<Sample>& a, const std::vector<Sample>& b,
                          std::size_t steps) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (std::size_t k = 0; k < std::min({a.size(), b.size(), steps}); ++k) {
    for (std::size_t j = 0; j < a[k].q.size(); ++j) {
      largest = std::max(largest, std::abs(a[k].q[j] - b[k].q[j]));
    }
    largest = std::max({largest, std::abs(a[k].base.x - b[k].base.x),
                        std::abs(a[k].base.y - b[k].base.y), std::abs(a[k].base.z - b[k].base.z)});
  }
  return largest;
}

class Walk : public ::testing::TestWithParam<Algorithm> {
 protected:
  // the walk on the stand by the algorithm and by aba
  static void expect_same(const std::vector<Disturbance>& all = {}) {
    const models::RobotDescription robot = khr1(models::BaseKind::kFixed);
    ServoDrivenRobot reference = body_of(robot, Algorithm::kAba, false);
    ServoDrivenRobot body = body_of(robot, GetParam(), false);
    reference.disturb(all);
    body.disturb(all);
    const double difference = largest_difference(walk(robot, body), walk(robot, reference), kWhole);
    EXPECT_LT(difference, kSame);
    if (GetParam() == Algorithm::kAba) {
      EXPECT_EQ(difference, 0.0);
    } else {
      EXPECT_GT(difference, 0.0) << "the choice had no effect";
    }
    RecordProperty("difference_1e-12", std::to_string(difference * 1e12));
  }
};
INSTANTIATE_TEST_SUITE_P(Algorithms, Walk, ::testing::ValuesIn(models::kAlgorithms),
                         [](const auto& p) { return std::string(models::name(p.param)); });

TEST_P(Walk, OnTheStandIsThatOfArticulatedBodies) {
  expect_same();
}

// Contact decides between sticking and slipping: there rounding grows. aba itself, started 1e-16
// rad away, ends 2e-4 rad away, and until 4 s within 1e-11.
TEST_P(Walk, OnTheFloorIsThatOfArticulatedBodiesAsFarAsContactKeepsDigits) {
  constexpr std::size_t kKept = 4000;  // ms
  constexpr double kEnd = 2e-3;        // rad, m; ten times what rounding does
  const models::RobotDescription robot = khr1(models::BaseKind::kFloating);
  ServoDrivenRobot reference = body_of(robot, Algorithm::kAba, true);
  ServoDrivenRobot body = body_of(robot, GetParam(), true);
  const std::vector<Sample> expected = walk(robot, reference);
  const std::vector<Sample> samples = walk(robot, body);
  EXPECT_LT(largest_difference(samples, expected, kKept), kSame);
  const double difference = largest_difference(samples, expected, kWhole);
  EXPECT_LT(difference, kEnd);
  // ada from the tips to the base computes as aba does
  const bool same_bits = GetParam() == Algorithm::kAba || GetParam() == Algorithm::kAda;
  EXPECT_EQ(difference == 0.0, same_bits) << "the choice had no effect";
  EXPECT_FALSE(body.fell());
  RecordProperty("difference_1e-12", std::to_string(difference * 1e12));
}

// with the hand heavier, hybrid has no code of the model, and ada runs
TEST_P(Walk, UnderForcesAndWithAPayloadIsThatOfArticulatedBodies) {
  const models::Model model = khr1(models::BaseKind::kFixed).model;
  const std::string hand = model.body(model.num_bodies() - 1).name;
  Disturbance force;
  force.kind = DisturbanceKind::kForce;
  force.body = hand;
  force.force = Vec3(0.5, 0.2, -0.3);  // N
  force.when = {.from = 0.2, .until = 1.0};
  Disturbance payload;
  payload.kind = DisturbanceKind::kPayload;
  payload.body = hand;
  payload.mass = 0.05;  // kg
  payload.when = {.from = 1.5, .until = 2.5};
  expect_same({force, payload});
}

TEST_P(Walk, OnTheFloorWithAPayloadIsThatOfArticulatedBodiesAsFarAsContactKeepsDigits) {
  const models::RobotDescription robot = khr1(models::BaseKind::kFloating);
  Disturbance payload;
  payload.kind = DisturbanceKind::kPayload;
  payload.body = robot.model.body(robot.model.num_bodies() - 1).name;
  payload.mass = 0.01;  // kg
  payload.when = {.from = 0.5, .until = 1.5};
  ServoDrivenRobot reference = body_of(robot, Algorithm::kAba, true);
  ServoDrivenRobot body = body_of(robot, GetParam(), true);
  reference.disturb({payload});
  body.disturb({payload});
  constexpr std::size_t kKept = 2000;  // ms
  EXPECT_LT(largest_difference(walk(robot, body), walk(robot, reference), kKept), kSame);
}

TEST_P(Walk, AllocatesNothing) {
  for (const bool floor : {false, true}) {
    const models::RobotDescription robot =
        khr1(floor ? models::BaseKind::kFloating : models::BaseKind::kFixed);
    ServoDrivenRobot body = body_of(robot, GetParam(), floor);
    body.reset({}, 0);
    const test::NoAlloc guard;
    for (int k = 0; k < 20; ++k) body.step(kRobotStepNs);
    EXPECT_EQ(guard.count(), 0) << (floor ? "floor" : "stand");
  }
}

TEST(Dynamics, HybridWithoutCodeOfTheRobotIsRefused) {
  models::RobotDescription robot = khr1(models::BaseKind::kFixed);
  robot.model = models::loaded_model(robot.model, {{.body = 3, .p_BP = Vec3::Zero(), .mass = 0.1}});
  try {
    body_of(robot, Algorithm::kHybrid, false);
    FAIL() << "expected a ConfigError";
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("hybrid"), std::string::npos) << text;
    EXPECT_NE(text.find("crba, aba, dca or ada"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kagami::runtime
