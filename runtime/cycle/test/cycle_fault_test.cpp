/// What the cycle does when the line, the computer, the motion or the model misbehave.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "models/base/angle.hpp"
#include "runtime/cycle/obedience.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"

namespace kagami::runtime {
namespace {

using drivers::TargetMode;
using motions::PlayMode;
using test::ClosedLoop;
using test::FakeRobotOptions;
using test::joint_index;
using test::khr1;
using test::make_motion;
using test::small_motion;
using test::stream_config;

TEST(CycleFault, RefusesToStartFarOutsideTheSoftLimitsAndSendsNothing) {
  models::RobotDescription robot = khr1();
  const auto knee = static_cast<std::size_t>(joint_index(robot, "left_knee"));
  robot.wiring.joints[knee].soft_min = to_rad(-10.0);
  FakeRobotOptions options;
  options.start[knee] = to_rad(-14.0);  // 4 deg outside, 3 are allowed
  ClosedLoop loop(robot, small_motion(robot), stream_config(), options);
  ASSERT_TRUE(loop.run_until(Phase::kRefused, 50));
  const auto refusals = loop.events(EventCode::kJumpRefused);
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].joint, static_cast<int>(knee));
  EXPECT_NEAR(refusals[0].value, to_rad(4.0), 1e-9);
  loop.run(1000);
  EXPECT_EQ(loop.out().phase, Phase::kRefused);
  EXPECT_EQ(loop.out().targets.mode, TargetMode::kNone);
  EXPECT_EQ(loop.robot.commands_received, 0u);
}

TEST(CycleFault, StartsAtTwoDegreesOutsideByClamping) {
  models::RobotDescription robot = khr1();
  const auto knee = static_cast<std::size_t>(joint_index(robot, "left_knee"));
  robot.wiring.joints[knee].soft_min = to_rad(-10.0);
  FakeRobotOptions options;
  options.start[knee] = to_rad(-12.0);
  ClosedLoop loop(robot, small_motion(robot), stream_config(), options);
  EXPECT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(1500);
  EXPECT_EQ(loop.events(EventCode::kLimitClamped).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kLimitCleared).size(), 1u);
}

TEST(CycleFault, ATargetThatIsNotFiniteIsRefusedAndTheLastSafeOneHeld) {
  // finite poses whose difference is not: the reference becomes NaN in the middle of the run
  motions::Motion motion = small_motion(khr1());
  motion.poses[2].angle[0] = 1.7e308;
  motion.poses[3].angle[0] = -1.7e308;
  ClosedLoop loop(khr1(), motion, stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kHeld, 5000));
  ASSERT_EQ(loop.events(EventCode::kTargetRefused).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kTargetRefused)[0].joint, 0);
  loop.run(500);
  for (const CycleRecord& row : loop.rows()) {
    for (const double angle : row.out.targets.angle) ASSERT_TRUE(std::isfinite(angle));
  }
  EXPECT_EQ(loop.events(EventCode::kTargetRefused).size(), 1u);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
}

TEST(CycleFault, TargetsOutsideTheSoftLimitsAreClampedAndReportedOncePerEpisode) {
  ClosedLoop loop(khr1(),
                  make_motion(khr1(), {{1.0, {}}, {1.0, {{"left_shoulder_pitch", 30}}}, {1.0, {}}}),
                  stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  loop.run(1000);
  const auto joint = static_cast<std::size_t>(joint_index(khr1(), "left_shoulder_pitch"));
  for (const CycleRecord& row : loop.rows()) {
    ASSERT_LE(row.out.targets.angle[joint], khr1().wiring.joints[joint].soft_max);
  }
  EXPECT_EQ(loop.events(EventCode::kLimitClamped).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kLimitCleared).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kLimitClamped)[0].joint, static_cast<int>(joint));
}

TEST(CycleFault, WhatTheGateCutsOffIsReportedWithItsSizeAndItsEnd) {
  // 60 deg in 0.5 s through a gate that passes 20 deg/s: about 50 deg are missing at first
  CycleConfig config = stream_config();
  config.rate_max.emplace();
  config.rate_max->fill(to_rad(20.0));
  ClosedLoop loop(
      khr1(),
      make_motion(khr1(), {{1.0, {}}, {0.5, {{"left_elbow", 60}}}, {4.0, {{"left_elbow", 60}}}}),
      config);
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  const int joint = joint_index(khr1(), "left_elbow");
  const auto starts = loop.events(EventCode::kGateShortfall);
  const auto ends = loop.events(EventCode::kGateShortfallEnded);
  ASSERT_EQ(starts.size(), 1u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(starts[0].joint, joint);
  EXPECT_GT(starts[0].value, to_rad(5.0));
  EXPECT_NEAR(ends[0].value, static_cast<double>(ends[0].cycle - starts[0].cycle) * 1e-3, 1e-9);
  const Obedience& obedience = loop.core.obedience();
  EXPECT_NEAR(to_deg(obedience.worst_shortfall(joint)), 50.0, 10.0);
  EXPECT_EQ(obedience.ledger().at(RobotFault::kGateShortfall, joint).count, 1);
}

TEST(CycleFault, TargetsFasterThanTheServoAreSlowedAndStillArrive) {
  // 90 deg in 0.1 s; free speed is 353 deg/s
  ClosedLoop loop(khr1(), make_motion(khr1(), {{1.0, {}}, {0.1, {{"left_elbow", 90}}}}),
                  stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  loop.run(1000);
  const auto joint = static_cast<std::size_t>(joint_index(khr1(), "left_elbow"));
  const double step_max = khr1().servos.joints[joint].free_speed * 0.001;
  for (std::size_t k = 1; k < loop.rows().size(); ++k) {
    const double step =
        loop.rows()[k].out.targets.angle[joint] - loop.rows()[k - 1].out.targets.angle[joint];
    ASSERT_LE(std::abs(step), step_max * (1 + 1e-9));
  }
  EXPECT_EQ(loop.events(EventCode::kRateClamped).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kRateCleared).size(), 1u);
  EXPECT_NEAR(loop.out().targets.angle[joint], to_rad(90.0), 1e-12);
}

TEST(CycleFault, ReadingsOlderThanThreeHundredMillisecondsMeanHold) {
  ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(300);
  loop.robot.is_silent = true;
  loop.run(290);
  EXPECT_EQ(loop.out().phase, Phase::kPlaying);  // bridged
  EXPECT_TRUE(loop.events(EventCode::kSampleStale).empty());
  loop.run(30);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
  ASSERT_EQ(loop.events(EventCode::kSampleStale).size(), 1u);
  EXPECT_NEAR(loop.events(EventCode::kSampleStale)[0].value, 0.3005, 0.0006);  // s
  loop.run(500);
  EXPECT_EQ(loop.events(EventCode::kSampleStale).size(), 1u);
  EXPECT_TRUE(loop.events(EventCode::kSampleBack).empty());

  loop.robot.is_silent = false;
  loop.run(20);
  ASSERT_EQ(loop.events(EventCode::kSampleBack).size(), 1u);
  EXPECT_NEAR(loop.events(EventCode::kSampleBack)[0].value, 0.825, 0.02);  // s, 820 ms of silence
  loop.run(500);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);  // no motion by itself
}

TEST(CycleFault, OneSilentBoardIsEnoughToHold) {
  ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  static std::int64_t frozen_ns;
  frozen_ns = loop.rows().back().in.sample.reading[1].sampled_ns;
  loop.spoil = [](CycleInput& in) {
    in.sample.reading[1].sampled_ns = frozen_ns;
    in.sample.reading[1].failed = 3;
  };
  loop.run(320);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
}

TEST(CycleFault, StallOfThisComputerIsNotAttributedToTheBoardsAndTheMotionContinues) {
  ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.tick(1'500'000'000);
  loop.run(20);
  EXPECT_TRUE(loop.events(EventCode::kSampleStale).empty());
  EXPECT_EQ(loop.events(EventCode::kStall).size(), 1u);
  EXPECT_EQ(loop.out().phase, Phase::kPlaying);
  EXPECT_TRUE(loop.run_until(Phase::kDone));
}

TEST(CycleFault, NoStallCountsForASilentBoardAlsoOneInWhichItWasReadOrASecondOne) {
  ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(300);
  static drivers::ServoSample frozen;
  frozen = loop.rows().back().in.sample;
  frozen.reading[0].sampled_ns = frozen.reading[1].sampled_ns = loop.now_ns() + 300'000;
  frozen.reading[1].failed = 3;
  frozen.round += 1;
  loop.spoil = [](CycleInput& in) { in.sample = frozen; };
  loop.tick(500'000'000);
  loop.run(100);
  loop.tick(500'000'000);
  loop.run(150);  // 0.25 s of cycles without a reading
  EXPECT_TRUE(loop.events(EventCode::kSampleStale).empty());
  EXPECT_EQ(loop.out().phase, Phase::kPlaying);
  loop.run(60);
  ASSERT_EQ(loop.events(EventCode::kSampleStale).size(), 1u);
  EXPECT_NEAR(loop.events(EventCode::kSampleStale)[0].value, 0.3005, 0.0015);  // s
}

TEST(CycleFault, BoardsThatWereNotPolledAreNotAtFault) {
  ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  static drivers::ServoSample frozen;
  frozen = loop.rows().back().in.sample;
  loop.spoil = [](CycleInput& in) { in.sample = frozen; };  // the serial thread does not run
  loop.run(500);
  EXPECT_EQ(loop.events(EventCode::kComputerLate).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kCommandGap).size(), 2u);  // one for each board
  EXPECT_TRUE(loop.events(EventCode::kSampleStale).empty());
  EXPECT_EQ(loop.out().phase, Phase::kPlaying);
  loop.run(600);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);  // a second is too much
  EXPECT_GT(loop.out().longest_command_gap, 1.0);
  EXPECT_TRUE(loop.events(EventCode::kSampleStale).empty());
}

TEST(CycleFault, UnevenTicksAreNoClampOfTheRate) {
  // 300 deg/s at the steepest, free speed is 353 deg/s
  ClosedLoop loop(khr1(), make_motion(khr1(), {{1.0, {}}, {0.55, {{"left_elbow", 90}}}}),
                  stream_config());
  loop.tick();
  constexpr std::array<std::int64_t, 4> kGapsMs{7, 1, 10, 1};
  for (std::size_t k = 0; k < 2000 && loop.out().phase != Phase::kDone; ++k) {
    loop.tick(kGapsMs[k % kGapsMs.size()] * 1'000'000);
  }
  EXPECT_EQ(loop.out().phase, Phase::kDone);
  EXPECT_TRUE(loop.events(EventCode::kRateClamped).empty());
}

TEST(CycleFault, ALostPortMeansHoldAtOnceAndItsReturnStartsNothing) {
  ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.robot.is_gone = true;
  loop.tick();
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
  loop.run(1000);
  EXPECT_EQ(loop.events(EventCode::kPortGone).size(), 1u);
  EXPECT_TRUE(loop.events(EventCode::kSampleStale).empty());  // one fault, one event
  loop.robot.is_gone = false;
  loop.run(100);
  ASSERT_EQ(loop.events(EventCode::kPortBack).size(), 1u);
  EXPECT_NEAR(loop.events(EventCode::kPortBack)[0].value, 1.001, 0.002);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
  EXPECT_TRUE(std::isfinite(loop.out().q_simulated[0]));
}

TEST(CycleFault, AFaultNeverSitsDown) {
  CycleConfig config = stream_config();
  config.on_stop = OnStop::kSit;
  config.sit_pose = JointArray<double>{};
  ClosedLoop loop(khr1(), small_motion(khr1()), config);
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.stop = StopLevel::kSlowDown;
  loop.run(50);
  loop.robot.is_gone = true;
  loop.run(1000);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
  EXPECT_TRUE(loop.events(EventCode::kSitting).empty());
}

TEST(CycleFault, SkippedTicksLeaveTheShadowOnItsPath) {
  ClosedLoop plain(khr1(), small_motion(khr1()), stream_config());
  ClosedLoop skipping(khr1(), small_motion(khr1()), stream_config());
  plain.run(2000);
  // same time line with holes of 2 to 7 ms
  while (skipping.now_ns() < plain.now_ns()) {
    const std::int64_t k = static_cast<std::int64_t>(skipping.rows().size());
    const std::int64_t gap = k % 50 == 0 ? 1 + k / 50 % 7 : 1;
    skipping.tick(std::min(gap * 1'000'000, plain.now_ns() - skipping.now_ns()));
  }
  for (std::size_t i = 0; i < 17; ++i) {
    // commands go out up to 7 ms later: 0.2 rad/s * 7 ms and a rounding of the target
    EXPECT_NEAR(skipping.out().q_simulated[i], plain.out().q_simulated[i], to_rad(1.5));
    // against its own robot the shadow stays exact but for the whole degrees
    EXPECT_LT(std::abs(skipping.out().residual[i]), to_rad(0.75));
  }
  EXPECT_TRUE(skipping.events(EventCode::kStall).empty());
}

TEST(CycleFault, AStallIsOneEventAndThePlayerDoesNotJump) {
  ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(600);
  const CycleOutput before = loop.out();
  loop.tick(180'000'000);
  loop.tick();
  ASSERT_EQ(loop.events(EventCode::kStall).size(), 1u);
  EXPECT_DOUBLE_EQ(loop.events(EventCode::kStall)[0].value, 0.18);
  EXPECT_NEAR(loop.out().motion_time - before.motion_time, 0.021, 0.0015);  // capped at 20 ms
  // the shadow catches up in bounded steps: 16 periods per tick
  loop.run(15);
  for (std::size_t i = 0; i < 17; ++i) {
    EXPECT_LT(std::abs(loop.out().residual[i]), to_rad(1.0));
  }
}

TEST(CycleFault, AStoppedClockIsHandled) {
  ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  for (int k = 0; k < 10; ++k) loop.tick(0);
  for (const double q : loop.out().q_simulated) EXPECT_TRUE(std::isfinite(q));
  EXPECT_EQ(loop.out().phase, Phase::kPlaying);
}

TEST(CycleFault, AShadowThatLeavesItsBoundsRestartsFromTheMeasurementOncePerEpisode) {
  models::RobotDescription robot = khr1();
  for (ServoParameters& servo : robot.servos.joints) {
    servo.kp = -1e3;  // absurd: pushes away from the target, with a motor without limit
    servo.stall_torque = 1e3;
    servo.free_speed = 1e6;
  }
  ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
  CycleConfig config = stream_config();
  config.rate_max = JointArray<double>{};
  config.rate_max->fill(6.16);
  CycleCore absurd(robot, small_motion(robot), config);
  loop.run(2000);
  int resets = 0;
  CycleOutput out;
  for (const CycleRecord& row : loop.rows()) {
    absurd.step(row.in, out);
    for (int k = 0; k < out.num_events; ++k) {
      resets += out.events[static_cast<std::size_t>(k)].code == EventCode::kShadowReset ? 1 : 0;
    }
    for (int i = 0; i < 17 && out.phase != Phase::kWaiting; ++i) {
      ASSERT_TRUE(std::isfinite(out.q_simulated[static_cast<std::size_t>(i)]));
    }
  }
  EXPECT_EQ(resets, 1);
}

TEST(CycleFault, AShadowOnTheFloorRestartsWhereItWas) {
  models::RobotDescription robot =
      models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFloating);
  ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
  loop.run(1000);
  for (ServoParameters& servo : robot.servos.joints) {
    servo.kp = -1e3;  // as above
    servo.stall_torque = 1e3;
    servo.free_speed = 1e6;
  }
  CycleConfig config = stream_config();
  config.floor = models::FloorOptions{};
  config.start = {.x = 0.3, .y = -0.2, .turn = {std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5)}};
  CycleCore absurd(robot, small_motion(robot), config);
  BasePose before;
  CycleOutput out;
  for (const CycleRecord& row : loop.rows()) {
    absurd.step(row.in, out);
    if (out.num_events > 0 && out.events[0].code == EventCode::kShadowReset) break;
    before = out.base;
  }
  ASSERT_EQ(out.events[0].code, EventCode::kShadowReset);
  ASSERT_GT(std::abs(before.y + 0.2), 1e-4);  // m: it had left its start
  // where it was, not where it began; the height is the standing robot's again
  EXPECT_NEAR(out.base.x, before.x, 1e-6);
  EXPECT_NEAR(out.base.y, before.y, 1e-6);
  EXPECT_NEAR(out.base.heading, before.heading, 1e-6);  // rad
}

TEST(CycleFault, MoreEventsThanFitAreCounted) {
  // every joint beyond its limit at once: 17 events in one cycle, room for 8
  models::RobotDescription robot = khr1();
  for (JointWiring& joint : robot.wiring.joints) joint.soft_max = joint.soft_min + 1e-3;
  FakeRobotOptions options;
  ClosedLoop loop(robot, small_motion(robot), stream_config(), options);
  ASSERT_TRUE(loop.run_until(Phase::kRefused, 50));
  EXPECT_EQ(loop.out().num_events, kMaxEventsPerCycle);
  EXPECT_GT(loop.out().events_lost, 8u);
}

}  // namespace
}  // namespace kagami::runtime
