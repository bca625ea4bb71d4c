/// The stop levels of docs/cycle.md: slow down, hold at once, release.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"

namespace kagami::runtime {
namespace {

using drivers::TargetMode;
using motions::PlayMode;
using test::ClosedLoop;
using test::khr1;
using test::small_motion;

CycleConfig mode_config(PlayMode mode) {
  CycleConfig config;
  config.play.mode = mode;
  return config;
}

double largest(const JointArray<double>& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

double largest_gap(const JointArray<double>& a, const JointArray<double>& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

/// A loop in the middle of a move.
std::unique_ptr<ClosedLoop> moving(const CycleConfig& config) {
  auto loop = std::make_unique<ClosedLoop>(khr1(), small_motion(khr1()), config);
  EXPECT_TRUE(loop->run_until(Phase::kPlaying));
  loop->run(700);
  EXPECT_EQ(loop->out().phase, Phase::kPlaying);
  EXPECT_GT(largest(loop->out().qd_ref), 0.3);  // rad/s
  return loop;
}

class StopModes : public testing::TestWithParam<PlayMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, StopModes, testing::Values(PlayMode::kKeyframe, PlayMode::kStream),
                         [](const auto& tested) {
                           return tested.param == PlayMode::kKeyframe ? "keyframe" : "stream";
                         });

TEST_P(StopModes, TheFirstStopSlowsDownAlongThePathWithinHalfASecondAndHolds) {
  const auto loop = moving(mode_config(GetParam()));
  const CycleOutput before = loop->out();
  loop->stop = StopLevel::kSlowDown;
  ASSERT_TRUE(loop->run_until(Phase::kHeld, 502));
  EXPECT_EQ(loop->events(EventCode::kStopRequested).size(), 1u);
  EXPECT_EQ(loop->events(EventCode::kHeld).size(), 1u);
  EXPECT_EQ(largest(loop->out().qd_ref), 0.0);
  EXPECT_EQ(loop->out().targets.mode, TargetMode::kPositions);
  // no step in the reference on the way, and the last target is the resting reference
  const double per_tick = largest(before.qd_ref) * 0.001 * 1.5;
  for (std::size_t k = loop->rows().size() - 400; k < loop->rows().size(); ++k) {
    EXPECT_LE(largest_gap(loop->rows()[k].out.q_ref, loop->rows()[k - 1].out.q_ref), per_tick);
  }
  EXPECT_LT(largest_gap(loop->out().targets.angle, loop->out().q_ref), 1e-12);
  // and it stays
  const std::uint32_t sequence = loop->out().targets.sequence;
  loop->run(1000);
  EXPECT_EQ(loop->out().targets.sequence, sequence);
  EXPECT_EQ(loop->out().phase, Phase::kHeld);
}

TEST(Stop, HoldsTheCommandThatWentOutWhereTheRateLimitKeptItBehind) {
  CycleConfig config = mode_config(PlayMode::kStream);
  config.rate_max.emplace().fill(0.2);  // rad/s, far below the motion: the target lags
  const auto loop = moving(config);
  ASSERT_GT(largest_gap(loop->out().targets.angle, loop->out().q_ref), 0.01);  // rad
  loop->stop = StopLevel::kHoldNow;
  loop->run(2);
  ASSERT_EQ(loop->out().phase, Phase::kHeld);
  const CycleOutput held = loop->out();
  EXPECT_EQ(held.q_ref, held.targets.angle);
  loop->run(500);
  EXPECT_EQ(loop->out().targets.sequence, held.targets.sequence);
  EXPECT_EQ(loop->out().targets.angle, held.targets.angle);
}

TEST_P(StopModes, TheSecondStopHoldsThePresentCommandAtOnce) {
  const auto loop = moving(mode_config(GetParam()));
  const JointArray<double> q_ref = loop->out().q_ref;
  loop->stop = StopLevel::kHoldNow;
  loop->tick();
  EXPECT_EQ(loop->out().phase, Phase::kHeld);
  EXPECT_LT(largest_gap(loop->out().targets.angle, q_ref), 1e-12);
  // on the line at once: a new command for boards that interpolate, the last one when streaming
  const std::int64_t age = loop->rows().back().in.tick - loop->out().targets.cycle;
  EXPECT_EQ(age, GetParam() == PlayMode::kStream ? 1 : 0);
}

TEST_P(StopModes, TheSecondStopCutsTheFirstShort) {
  const auto loop = moving(mode_config(GetParam()));
  loop->stop = StopLevel::kSlowDown;
  loop->run(100);
  EXPECT_EQ(loop->out().phase, Phase::kStopping);
  loop->stop = StopLevel::kHoldNow;
  loop->tick();
  EXPECT_EQ(loop->out().phase, Phase::kHeld);
  EXPECT_EQ(loop->events(EventCode::kStopRequested).size(), 2u);
}

TEST_P(StopModes, LevelsOnlyRise) {
  const auto loop = moving(mode_config(GetParam()));
  loop->stop = StopLevel::kRelease;
  ASSERT_TRUE(loop->run_until(Phase::kReleased, 100));
  for (const StopLevel level : {StopLevel::kHoldNow, StopLevel::kSlowDown, StopLevel::kNone}) {
    loop->stop = level;
    loop->run(20);
    EXPECT_EQ(loop->out().phase, Phase::kReleased);
    EXPECT_EQ(loop->out().targets.mode, TargetMode::kSleep);
  }
  EXPECT_EQ(loop->events(EventCode::kStopRequested).size(), 1u);
}

TEST_P(StopModes, NoLimbDropsAtTheFirstTwoStops) {
  for (const StopLevel level : {StopLevel::kSlowDown, StopLevel::kHoldNow}) {
    const auto loop = moving(mode_config(GetParam()));
    loop->stop = level;
    loop->run(3000);
    for (const CycleRecord& row : loop->rows()) ASSERT_NE(row.out.targets.mode, TargetMode::kSleep);
    EXPECT_LT(largest_gap(loop->robot.q(), loop->out().targets.angle), to_rad(3.0));
  }
}

TEST_P(StopModes, TheThirdStopRequestsSleepUntilTheBoardsConfirm) {
  const auto loop = moving(mode_config(GetParam()));
  loop->robot.confirms_sleep = false;
  loop->stop = StopLevel::kRelease;
  loop->run(500);
  EXPECT_EQ(loop->out().phase, Phase::kReleasing);
  EXPECT_EQ(loop->out().targets.mode, TargetMode::kSleep);
  ASSERT_EQ(loop->events(EventCode::kReleased).size(), 1u);
  EXPECT_EQ(loop->events(EventCode::kReleased)[0].value, 0.0);

  loop->spoil = [](CycleInput& in) { in.sample.sleep_confirmed = true; };
  loop->run(5);
  EXPECT_EQ(loop->out().phase, Phase::kReleased);
  ASSERT_EQ(loop->events(EventCode::kReleased).size(), 2u);
  EXPECT_EQ(loop->events(EventCode::kReleased)[1].value, 1.0);
  EXPECT_EQ(loop->out().targets.mode, TargetMode::kSleep);
}

TEST_P(StopModes, AnOldConfirmationDoesNotConfirmANewRequest) {
  const auto loop = moving(mode_config(GetParam()));
  loop->spoil = [](CycleInput& in) { in.sample.sleep_confirmed = true; };
  loop->stop = StopLevel::kRelease;
  loop->tick();
  EXPECT_EQ(loop->out().phase, Phase::kReleasing);  // the request has only just gone out
}

TEST_P(StopModes, SleepFreesTheShadowToo) {
  const auto loop = moving(mode_config(GetParam()));
  loop->stop = StopLevel::kRelease;
  ASSERT_TRUE(loop->run_until(Phase::kReleased, 100));
  loop->run(2000);
  // the raised arm falls back to where it hangs
  const auto arm = static_cast<std::size_t>(test::joint_index(khr1(), "left_shoulder_pitch"));
  EXPECT_GT(std::abs(loop->out().q_simulated[arm] - loop->out().targets.angle[arm]), to_rad(20.0));
}

TEST_P(StopModes, SitsDownAfterASlowDownWhenConfigured) {
  CycleConfig config = mode_config(GetParam());
  config.on_stop = OnStop::kSit;
  config.sit_pose = JointArray<double>{};
  (*config.sit_pose)[static_cast<std::size_t>(test::joint_index(khr1(), "left_knee"))] = 0.5;
  const auto loop = moving(config);
  loop->stop = StopLevel::kSlowDown;
  ASSERT_TRUE(loop->run_until(Phase::kSitting, 502));
  EXPECT_EQ(loop->out().targets.angle, *config.sit_pose);
  EXPECT_EQ(loop->out().targets.speed, 6);
  const std::uint32_t sequence = loop->out().targets.sequence;
  ASSERT_EQ(loop->events(EventCode::kSitting).size(), 1u);
  const double duration = loop->events(EventCode::kSitting)[0].value;
  ASSERT_TRUE(loop->run_until(Phase::kHeld, static_cast<int>(duration * 1000) + 2));
  EXPECT_EQ(loop->out().targets.sequence, sequence);
  EXPECT_LT(largest_gap(loop->out().q_ref, *config.sit_pose), 1e-12);
  loop->run(1000);
  EXPECT_EQ(loop->out().targets.sequence, sequence);
  EXPECT_LT(largest_gap(loop->robot.q(), *config.sit_pose), to_rad(3.0));
}

TEST_P(StopModes, ASecondStopHaltsTheSittingDown) {
  CycleConfig config = mode_config(GetParam());
  config.on_stop = OnStop::kSit;
  config.sit_pose = JointArray<double>{};
  const auto loop = moving(config);
  loop->stop = StopLevel::kSlowDown;
  ASSERT_TRUE(loop->run_until(Phase::kSitting, 502));
  loop->run(100);
  const JointArray<double> q_ref = loop->out().q_ref;
  loop->stop = StopLevel::kHoldNow;
  loop->tick();
  EXPECT_EQ(loop->out().phase, Phase::kHeld);
  EXPECT_EQ(loop->out().targets.angle, q_ref);
  EXPECT_EQ(loop->out().targets.speed, 0);
}

TEST_P(StopModes, AHoldAtOnceDoesNotSitDown) {
  CycleConfig config = mode_config(GetParam());
  config.on_stop = OnStop::kSit;
  config.sit_pose = JointArray<double>{};
  const auto loop = moving(config);
  loop->stop = StopLevel::kHoldNow;
  loop->run(1000);
  EXPECT_TRUE(loop->events(EventCode::kSitting).empty());
  EXPECT_EQ(loop->out().phase, Phase::kHeld);
}

TEST_P(StopModes, ReleasesAfterTheHoldWhenConfigured) {
  CycleConfig config = mode_config(GetParam());
  config.on_stop = OnStop::kRelease;
  const auto loop = moving(config);
  loop->stop = StopLevel::kSlowDown;
  ASSERT_TRUE(loop->run_until(Phase::kReleasing, 502));
  EXPECT_TRUE(loop->run_until(Phase::kReleased, 50));
  EXPECT_EQ(loop->events(EventCode::kHeld).size(), 1u);
}

TEST_P(StopModes, AStopAfterAFaultReleasesWhenConfigured) {
  for (const OnStop on_stop : {OnStop::kHold, OnStop::kSit, OnStop::kRelease}) {
    for (const StopLevel level : {StopLevel::kSlowDown, StopLevel::kHoldNow}) {
      CycleConfig config = mode_config(GetParam());
      config.on_stop = on_stop;
      config.sit_pose = JointArray<double>{};
      const auto loop = moving(config);
      loop->robot.is_silent = true;
      loop->run(400);
      ASSERT_EQ(loop->out().state, SupervisorState::kFault);
      loop->stop = level;
      loop->run(100);
      const bool releases = on_stop == OnStop::kRelease;
      EXPECT_EQ(loop->out().phase, releases ? Phase::kReleasing : Phase::kHeld);
      EXPECT_EQ(loop->out().targets.mode, releases ? TargetMode::kSleep : TargetMode::kPositions);
      EXPECT_EQ(loop->events(EventCode::kReleased).size(), releases ? 1u : 0u);
      EXPECT_EQ(loop->events(EventCode::kHeld).size(), 1u);
      EXPECT_TRUE(loop->events(EventCode::kSitting).empty());
    }
  }
}

TEST_P(StopModes, AStopAfterTheEndHoldsWhereItIs) {
  const auto loop = moving(mode_config(GetParam()));
  ASSERT_TRUE(loop->run_until(Phase::kDone));
  const JointArray<double> target = loop->out().targets.angle;
  loop->stop = StopLevel::kSlowDown;
  loop->run(10);
  EXPECT_EQ(loop->out().phase, Phase::kHeld);
  EXPECT_EQ(loop->out().targets.angle, target);
}

TEST_P(StopModes, AStopAfterTheEndSitsDownWhenConfigured) {
  CycleConfig config = mode_config(GetParam());
  config.on_stop = OnStop::kSit;
  config.sit_pose = JointArray<double>{};
  (*config.sit_pose)[static_cast<std::size_t>(test::joint_index(khr1(), "left_knee"))] = 0.5;
  const auto loop = moving(config);
  ASSERT_TRUE(loop->run_until(Phase::kDone));
  loop->stop = StopLevel::kSlowDown;
  loop->tick();
  EXPECT_EQ(loop->out().phase, Phase::kSitting);
  EXPECT_EQ(loop->out().targets.angle, *config.sit_pose);
}

TEST(Stop, BeforeTheStartSendsNothingAndNeverStarts) {
  ClosedLoop loop(khr1(), small_motion(khr1()), mode_config(PlayMode::kStream));
  loop.stop = StopLevel::kSlowDown;
  loop.run(100);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
  EXPECT_EQ(loop.out().targets.mode, TargetMode::kNone);
  EXPECT_EQ(loop.out().targets.sequence, 0u);
  loop.stop = StopLevel::kRelease;  // still possible: the user requests release
  EXPECT_TRUE(loop.run_until(Phase::kReleased, 50));
}

/// States in the order in which they came, each once in a row.
std::vector<SupervisorState> states_of(const ClosedLoop& loop) {
  std::vector<SupervisorState> states;
  for (const CycleRecord& row : loop.rows()) {
    if (states.empty() || states.back() != row.out.state) states.push_back(row.out.state);
  }
  return states;
}

TEST_P(StopModes, TheStatesOfARunFollowTheTable) {
  using S = SupervisorState;
  ClosedLoop played(khr1(), small_motion(khr1()), mode_config(GetParam()));
  ASSERT_TRUE(played.run_until(Phase::kDone));
  EXPECT_EQ(states_of(played), (std::vector<S>{S::kIdle, S::kHoming, S::kRunning, S::kHold}));

  const auto stopped = moving(mode_config(GetParam()));
  stopped->stop = StopLevel::kSlowDown;
  stopped->run(800);
  stopped->stop = StopLevel::kRelease;
  stopped->run(100);
  EXPECT_EQ(states_of(*stopped), (std::vector<S>{S::kIdle, S::kHoming, S::kRunning, S::kSoftStop,
                                                 S::kHold, S::kReleased}));

  const auto faulty = moving(mode_config(GetParam()));
  faulty->robot.is_gone = true;
  faulty->run(50);
  EXPECT_EQ(states_of(*faulty), (std::vector<S>{S::kIdle, S::kHoming, S::kRunning, S::kFault}));
}

TEST_P(StopModes, AStopIsConfirmedByBothBoardsOrReportedAsNotConfirmed) {
  for (const StopLevel level : {StopLevel::kSlowDown, StopLevel::kHoldNow, StopLevel::kRelease}) {
    const auto loop = moving(mode_config(GetParam()));
    loop->stop = level;
    loop->run(1800);
    ASSERT_EQ(loop->events(EventCode::kStopConfirmed).size(), 1u) << static_cast<int>(level);
    EXPECT_LT(loop->events(EventCode::kStopConfirmed)[0].value, 0.05);  // s: a few rounds
    EXPECT_TRUE(loop->events(EventCode::kStopUnconfirmed).empty());
    EXPECT_TRUE(loop->out().confirmed);

    const auto silent = moving(mode_config(GetParam()));
    silent->robot.is_silent = true;
    silent->robot.confirms_sleep = false;
    silent->stop = level;
    silent->run(1800);
    EXPECT_TRUE(silent->events(EventCode::kStopConfirmed).empty());
    ASSERT_EQ(silent->events(EventCode::kStopUnconfirmed).size(), 1u) << static_cast<int>(level);
    EXPECT_FALSE(silent->out().confirmed);
  }
}

}  // namespace
}  // namespace kagami::runtime
