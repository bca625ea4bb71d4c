/// Readings are compared with the shadow at their own time, not at the time of arrival.
#include <gtest/gtest.h>

#include <cmath>

#include "models/base/angle.hpp"
#include "runtime/cycle/residual.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"

namespace kagami::runtime {
namespace {

using test::ClosedLoop;
using test::FakeRobotOptions;
using test::joint_index;
using test::stream_config;

/// The KHR-1 with servos quick enough to follow 300 deg/s.
models::RobotDescription quick_robot() {
  models::RobotDescription robot = test::khr1();
  for (ServoParameters& servo : robot.servos.joints) {
    servo.filter_1 = 0.005;
    servo.filter_2 = 0.005;
    servo.free_speed = 20.0;
    servo.stall_torque = 3.0;
  }
  return robot;
}

/// The left arm swings through 170 deg and back, its middle at a little over 300 deg/s.
motions::Motion swing(const models::RobotDescription& robot) {
  return test::make_motion(
      robot,
      {{1.0, {}}, {1.0, {{"left_shoulder_pitch", -170}}}, {1.0, {{"left_shoulder_pitch", 0}}}});
}

struct Swing {
  double peak_speed = 0.0;         ///< rad/s, of the shadow
  double worst_aligned = 0.0;      ///< rad
  double worst_naive = 0.0;        ///< rad
  double worst_naive_model = 0.0;  ///< rad, naive minus what it moved since the sample
  int samples = 0;
};

Swing run_swing(const FakeRobotOptions& options) {
  const models::RobotDescription robot = quick_robot();
  const auto arm = static_cast<std::size_t>(joint_index(robot, "left_shoulder_pitch"));
  ClosedLoop loop(robot, swing(robot), stream_config(), options);
  EXPECT_TRUE(loop.run_until(Phase::kDone));
  Swing seen;
  for (const CycleRecord& row : loop.rows()) {
    if (!row.out.residual_is_new[0]) continue;
    ++seen.samples;
    const double naive = row.out.residual_naive[arm];
    const double moved = row.out.q_simulated[arm] - row.out.q_aligned[arm];
    seen.peak_speed = std::max(seen.peak_speed, std::abs(row.out.qd_simulated[arm]));
    seen.worst_aligned = std::max(seen.worst_aligned, std::abs(row.out.residual[arm]));
    seen.worst_naive = std::max(seen.worst_naive, std::abs(naive));
    seen.worst_naive_model =
        std::max(seen.worst_naive_model, std::abs(naive - row.out.residual[arm] - moved));
  }
  return seen;
}

TEST(CycleAlignment, RemovesAConstantDelayOfAMovingJoint) {
  FakeRobotOptions options;
  options.whole_degrees = false;
  options.readings_late_rounds = 5;
  const Swing seen = run_swing(options);
  EXPECT_GT(seen.samples, 300);
  EXPECT_GT(to_deg(seen.peak_speed), 300.0);
  // naive: the way of 31.8 to 33 ms at the peak speed (sampled at +4.1 ms, out at +5.9 ms and 30 ms
  // later, seen at the next tick), less a little for the change of speed within that time
  EXPECT_GT(seen.worst_naive, 0.9 * seen.peak_speed * 0.0318);
  EXPECT_LT(seen.worst_naive, 1.02 * seen.peak_speed * 0.0330);
  // aligned: the plant's steps of less than a millisecond, and a straight line between two states
  EXPECT_LT(to_deg(seen.worst_aligned), 0.2);
  EXPECT_LT(seen.worst_naive_model, 1e-12);
}

TEST(CycleAlignment, OnASlowLineTheShadowWaitsForTheNewsOfEachCommand) {
  // what a board received becomes known 34 ms later, the servos answer after 16 ms: integrating
  // without the command would leave 18 ms at 300 deg/s, more than 5 deg
  FakeRobotOptions options;
  options.whole_degrees = false;
  options.publish_delay_ns = 30'000'000;
  const Swing seen = run_swing(options);
  EXPECT_GT(seen.samples, 60);
  EXPECT_LT(to_deg(seen.worst_aligned), 0.2);
}

TEST(CycleAlignment, APerfectModelAt300DegreesPerSecondStaysWithinHalfADegree) {
  const Swing seen = run_swing({});
  EXPECT_GT(to_deg(seen.peak_speed), 300.0);
  // rounding to whole degrees is +-0.5 deg; 0.05 deg for the steps as above
  EXPECT_LT(to_deg(seen.worst_aligned), 0.55);
  const models::RobotDescription robot = quick_robot();
  ClosedLoop loop(robot, swing(robot), stream_config());
  ResidualStatistics statistics(robot.wiring);
  EXPECT_TRUE(loop.run_until(Phase::kDone));
  for (const CycleRecord& row : loop.rows()) statistics.add(row.out);
  const int arm = joint_index(robot, "left_shoulder_pitch");
  EXPECT_LE(to_deg(statistics.joint(arm).rms()), 0.5);
  EXPECT_NEAR(to_deg(statistics.joint(arm).rms()), to_deg(statistics.joint(arm).floor()), 0.02);
  EXPECT_LT(std::abs(to_deg(statistics.joint(arm).bias())), 0.1);
}

TEST(CycleAlignment, AReadingOlderThanTheHistoryIsNotCompared) {
  const models::RobotDescription robot = quick_robot();
  ClosedLoop loop(robot, swing(robot), stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.spoil = [](CycleInput& in) {
    for (drivers::BoardReading& reading : in.sample.reading) reading.sampled_ns -= 520'000'000;
  };
  int renewed = 0;
  for (int k = 0; k < 1200; ++k) renewed += loop.tick().residual_is_new[0] ? 1 : 0;
  EXPECT_EQ(renewed, 0);
}

TEST(CycleAlignment, AReadingFromTheFutureMeetsTheNewestState) {
  const models::RobotDescription robot = quick_robot();
  ClosedLoop loop(robot, swing(robot), stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(300);
  loop.spoil = [](CycleInput& in) {
    for (drivers::BoardReading& reading : in.sample.reading) reading.sampled_ns += 100'000'000;
  };
  int renewed = 0;
  for (int k = 0; k < 100; ++k) {
    const CycleOutput& out = loop.tick();
    if (!out.residual_is_new[0]) continue;
    ++renewed;
    EXPECT_EQ(out.residual[1], out.residual_naive[1]);
    EXPECT_EQ(out.q_aligned[1], out.q_simulated[1]);
  }
  EXPECT_GT(renewed, 10);
}

}  // namespace
}  // namespace kagami::runtime
