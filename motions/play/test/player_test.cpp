#include "motions/play/player.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "motions/file/bind.hpp"
#include "motions/test/khr1_wiring.hpp"
#include "motions/test/messages.hpp"
#include "motions/test/small_player.hpp"

namespace kagami::motions {
namespace {

using test::kDt;
using test::kHead;
using test::kHipPitch;
using test::kKnee;
using test::Recording;
using test::run_until;
using test::small_motion;
using test::small_player;
using ::testing::HasSubstr;

TEST(PlayerKeyframe, SendsOneCommandPerPoseAtHandComputedTimes) {
  Player player = small_player(PlayMode::kKeyframe);
  const Recording run = run_until(player, PlayPhase::kDone);
  ASSERT_EQ(run.commands.size(), 5u);
  // present: 10 deg at code 7; first pose: 20 deg at code 7; b: 30 deg at 3; c: 60 deg at 6;
  // d: 2 deg counts as 10 at 5
  const double present = 10 * 0.0178;
  const double first = present + 20 * 0.0178;
  const double b = first + 30 * 0.0034;
  const double c = b + 60 * 0.0086;
  const double d = c + 10 * 0.0038;
  EXPECT_EQ(run.commands[0], 0u);
  EXPECT_NEAR(run.time_of(1), present, kDt);  // commands go out at ticks
  EXPECT_NEAR(run.time_of(2), first, kDt);
  EXPECT_NEAR(run.time_of(3), b, kDt);
  EXPECT_NEAR(run.time_of(4), c, kDt);
  EXPECT_NEAR(static_cast<double>(run.ticks.size() - 1) * kDt, d + 0.5, 2 * kDt);
  EXPECT_NEAR(player.total_duration(), d + 0.5, 1e-12);
  const std::vector<int> codes = {7, 7, 3, 6, 5};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    EXPECT_EQ(run.ticks[run.commands[i]].speed_code, codes[i]) << i;
  }
  EXPECT_EQ(run.ticks[run.commands[3]].target[kKnee], to_rad(60));
  EXPECT_EQ(run.ticks.back().progress, 1.0);
  EXPECT_NEAR(run.ticks.back().motion_time, d - first, 1e-12);
}

TEST(PlayerKeyframe, FirstCommandIsThePresentPose) {
  Player player = small_player(PlayMode::kKeyframe);
  JointArray<double> present{};
  for (std::size_t j = 0; j < 17; ++j) present[j] = 0.01 * static_cast<double>(j);
  player.start(present);
  PlayCommand command;
  player.step(kDt, command);
  EXPECT_TRUE(command.target_is_new);
  EXPECT_EQ(command.target, present);
  EXPECT_EQ(command.q_ref, present);
  EXPECT_EQ(command.speed_code, 7);
  EXPECT_EQ(command.phase, PlayPhase::kLeadIn);
}

TEST(PlayerKeyframe, ReferenceIsEachBoardsOwnScaledRamp) {
  Player player = small_player(PlayMode::kKeyframe);
  const Recording run = run_until(player, PlayPhase::kDone);
  // towards b: head 10 -> 40 alone on board 0; knee 20 -> 0 and hip 0 -> -10 together on board 1
  const double begin = 10 * 0.0178 + 20 * 0.0178;
  for (std::size_t i = run.commands[2]; i < run.commands[3]; ++i) {
    const double t = static_cast<double>(i) * kDt - begin;
    const double head = std::min(1.0, t / (30 * 0.0034));
    const double leg = std::min(1.0, t / (20 * 0.0034));
    EXPECT_NEAR(run.ticks[i].q_ref[kHead], to_rad(10 + 30 * head), 1e-9);  // rad, sums of dt
    EXPECT_NEAR(run.ticks[i].q_ref[kKnee], to_rad(20 - 20 * leg), 1e-9);
    EXPECT_NEAR(run.ticks[i].q_ref[kHipPitch], to_rad(-10 * leg), 1e-9);
  }
}

TEST(PlayerKeyframe, UnscaledBoardsMoveEveryChannelAtOneRate) {
  RobotWiring wiring = test::khr1_wiring();
  wiring.speed.scaled = false;
  Player player(small_motion(), wiring, {});
  player.start({});
  const Recording run = run_until(player, PlayPhase::kDone);
  const PlayCommand& at = run.ticks[run.commands[2] + 20];
  EXPECT_NEAR(at.qd_ref[kKnee], to_rad(-1 / 0.0034), 1e-9);      // rad/s
  EXPECT_NEAR(at.qd_ref[kHipPitch], to_rad(-1 / 0.0034), 1e-9);  // rad/s
}

TEST(PlayerKeyframe, ScalesTheTimelineAndTakesTheSlowestCodeThatArrivesInTime) {
  Player player = small_player(PlayMode::kKeyframe, 0.5);
  const Recording run = run_until(player, PlayPhase::kDone);
  ASSERT_EQ(run.commands.size(), 5u);
  EXPECT_NEAR(run.time_of(3) - run.time_of(2), 30 * 0.0034 / 0.5, 2 * kDt);
  EXPECT_EQ(run.ticks[run.commands[2]].speed_code, 5);  // 0.0068 s/deg: 6 would need 0.0086
  EXPECT_EQ(run.ticks[run.commands[3]].speed_code, 6);  // 0.0172 s/deg: 7 would need 0.0178
}

TEST(PlayerKeyframe, ReferenceFollowsTheCodeThatWasSent) {
  Player player = small_player(PlayMode::kKeyframe, 0.5);
  const Recording run = run_until(player, PlayPhase::kDone);
  // towards b at half speed: 0.204 s until the next command, but code 5 brings the head in 0.114 s
  const std::size_t begin = run.commands[2];
  for (std::size_t i = begin + 1; i < run.commands[3]; ++i) {
    const double t = static_cast<double>(i - begin) * kDt;
    const double expected = to_rad(10 + 30 * std::min(1.0, t / (30 * 0.0038)));
    EXPECT_NEAR(run.ticks[i].q_ref[kHead], expected, to_rad(1 / 0.0038) * kDt);  // rad, one tick
  }
}

TEST(PlayerKeyframe, RunsNoFasterThanTheFastestCode) {
  Player player = small_player(PlayMode::kKeyframe, 2.0);
  const Recording run = run_until(player, PlayPhase::kDone);
  ASSERT_EQ(run.commands.size(), 5u);
  EXPECT_NEAR(run.time_of(3) - run.time_of(2), 30 * 0.0028, 2 * kDt);
  EXPECT_EQ(run.ticks[run.commands[2]].speed_code, 0);
  EXPECT_NEAR(run.time_of(4) - run.time_of(3), 60 * 0.0043, 2 * kDt);
  EXPECT_EQ(run.ticks[run.commands[3]].speed_code, 5);
  EXPECT_NEAR(player.total_duration(), 30 * 0.0178 + 30 * 0.0028 + 60 * 0.0043 + 10 * 0.0028 + 0.5,
              1e-12);
}

TEST(PlayerKeyframe, LoopGoesFromTheLastPoseToTheFirstAndRestartsTime) {
  Player player = small_player(PlayMode::kKeyframe, 1.0, true);
  EXPECT_EQ(player.total_duration(), std::numeric_limits<double>::infinity());
  PlayCommand command;
  std::vector<JointArray<double>> targets;
  double last_time = 0.0;
  int wraps = 0;
  for (int i = 0; i < 3000; ++i) {
    player.step(kDt, command);
    if (command.target_is_new) targets.push_back(command.target);
    if (command.motion_time < last_time) ++wraps;
    last_time = command.motion_time;
    EXPECT_LE(command.progress, 1.0);
  }
  ASSERT_GE(targets.size(), 10u);
  EXPECT_EQ(targets[5], targets[1]);
  EXPECT_EQ(targets[6], targets[2]);
  EXPECT_GE(wraps, 2);
  EXPECT_EQ(command.phase, PlayPhase::kPlaying);
}

TEST(PlayerRamp, BothBoardsArriveTogetherOnStraightLines) {
  Player player = small_player(PlayMode::kRamp);
  const Recording run = run_until(player, PlayPhase::kDone);
  EXPECT_EQ(run.commands.size(), run.ticks.size() - 1);  // a command at every tick but the last
  const double T = 30 * 0.0034;                          // towards b: the head's 30 deg at code 3
  std::size_t seen = 0;
  for (const PlayCommand& tick : run.ticks) {
    if (tick.phase != PlayPhase::kPlaying || tick.motion_time > T - kDt) continue;
    const double part = tick.motion_time / T;
    EXPECT_NEAR(tick.q_ref[kHead], to_rad(10 + 30 * part), 1e-9);  // rad, sums of dt
    EXPECT_NEAR(tick.q_ref[kKnee], to_rad(20 - 20 * part), 1e-9);
    EXPECT_NEAR(tick.qd_ref[kKnee], to_rad(-20) / T, 1e-9);
    EXPECT_EQ(tick.target, tick.q_ref);
    EXPECT_EQ(tick.speed_code, 0);
    ++seen;
  }
  EXPECT_GT(seen, 90u);
  EXPECT_EQ(run.ticks.back().q_ref[kKnee], to_rad(62));
  // b, c (60 deg at code 6) and d (10 deg at code 5), as the keyframe mode takes
  EXPECT_NEAR(run.ticks.back().motion_time, T + 60 * 0.0086 + 10 * 0.0038, 1e-12);
}

TEST(PlayerStream, FirstCommandIsThePresentPoseAndEveryTickHasANewTarget) {
  Player player = small_player(PlayMode::kStream);
  JointArray<double> present{};
  present[kKnee] = 0.4;
  player.start(present);
  const Recording run = run_until(player, PlayPhase::kDone);
  EXPECT_EQ(run.ticks[0].target, present);
  EXPECT_GE(run.commands.size(), run.ticks.size() - 1);
  EXPECT_EQ(run.ticks[100].speed_code, 0);
  EXPECT_EQ(run.ticks.back().q_ref[kKnee], to_rad(62));
}

TEST(PlayerStream, LeadInPeaksAtItsSpeed) {
  Player player = small_player(PlayMode::kStream);
  JointArray<double> present{};
  present[kKnee] = to_rad(-60);  // 80 deg to go
  player.start(present);
  const Recording run = run_until(player, PlayPhase::kPlaying);
  double peak = 0.0;
  for (const PlayCommand& tick : run.ticks) peak = std::max(peak, std::abs(tick.qd_ref[kKnee]));
  EXPECT_NEAR(peak, 1.0, 1e-5);  // rad/s; the peak falls between two ticks
  EXPECT_NEAR(static_cast<double>(run.ticks.size() - 1) * kDt, 15.0 / 8.0 * to_rad(80), 2 * kDt);
}

TEST(PlayerStream, PassesEveryPoseAndNeverLeavesTheirRange) {
  Player player = small_player(PlayMode::kStream);
  const Motion motion = small_motion();
  const Recording run = run_until(player, PlayPhase::kSettling);
  const double c = motion.poses[1].duration + motion.poses[2].duration;
  for (const PlayCommand& tick : run.ticks) {
    EXPECT_LE(tick.q_ref[kKnee], to_rad(62) + 1e-12);
    EXPECT_GE(tick.q_ref[kKnee], -1e-12);
    if (tick.phase == PlayPhase::kPlaying && std::abs(tick.motion_time - c) < 1e-6) {
      EXPECT_NEAR(tick.q_ref[kKnee], to_rad(60), 1e-9);
    }
  }
}

TEST(PlayerStream, VelocityIsTheDerivativeAndAccelerationHasNoSteps) {
  Player player = small_player(PlayMode::kStream);
  const Recording run = run_until(player, PlayPhase::kDone);
  for (std::size_t i = 2; i + 2 < run.ticks.size(); ++i) {
    for (const std::size_t j : {kHead, kKnee, kHipPitch}) {
      const double difference =
          (run.ticks[i + 1].q_ref[j] - run.ticks[i - 1].q_ref[j]) / (2.0 * kDt);
      // h^2 q'''/6 plus steps of q''' at the poses; q''' below 60 D/T^3 = 3e4 rad/s^3
      ASSERT_NEAR(run.ticks[i].qd_ref[j], difference, 0.03) << i;
      const double a0 = (run.ticks[i].qd_ref[j] - run.ticks[i - 1].qd_ref[j]) / kDt;
      const double a1 = (run.ticks[i + 1].qd_ref[j] - run.ticks[i].qd_ref[j]) / kDt;
      // a step of the velocity by 1 deg/s would show as 17 rad/s^2 more
      ASSERT_LT(std::abs(a1 - a0), 3e4 * kDt + 1.0) << i;
    }
  }
}

TEST(Player, TotalDurationIsWhatARunTakes) {
  for (const PlayMode mode : {PlayMode::kKeyframe, PlayMode::kStream, PlayMode::kRamp}) {
    for (const double speed : {0.3, 1.0, 1.15, 2.0}) {
      Player player = small_player(mode, speed);
      const double planned = player.total_duration();
      const Recording run = run_until(player, PlayPhase::kDone);
      EXPECT_NEAR(static_cast<double>(run.ticks.size() - 1) * kDt, planned, 3 * kDt);
    }
  }
}

TEST(Player, RefusesWhatItCannotPlay) {
  const RobotWiring wiring = test::khr1_wiring();
  const auto message = [&](const Motion& motion, const PlayOptions& options) {
    return test::error_of<ConfigError>([&] { Player(motion, wiring, options); });
  };
  const Motion good = small_motion();
  EXPECT_THAT(message({}, {}), HasSubstr("expected at least 1 pose"));
  Motion m = good;
  m.joints.pop_back();
  EXPECT_THAT(message(m, {}), HasSubstr("not bound"));
  m = good;
  std::swap(m.joints[0], m.joints[1]);
  EXPECT_THAT(message(m, {}), HasSubstr("not bound"));
  m = good;
  m.poses[1].angle[3].reset();
  EXPECT_THAT(message(m, {}), HasSubstr("not bound"));
  m = good;
  m.poses[1].duration = 0.0;
  EXPECT_THAT(message(m, {}), HasSubstr("not bound"));
  m = good;
  m.poses[1].speed.reset();
  EXPECT_THAT(message(m, {}), HasSubstr("expected stream mode"));
  EXPECT_EQ(default_mode(m), PlayMode::kStream);
  EXPECT_EQ(default_mode(good), PlayMode::kKeyframe);

  PlayOptions options;
  options.speed = 2.1;
  EXPECT_THAT(message(good, options), HasSubstr("small: speed 2.1 is outside [0.1, 2]"));
  options = {};
  options.lead_in_speed = 0.0;
  EXPECT_THAT(message(good, options), HasSubstr("[0.01, 10] rad/s"));
  options = {};
  options.settle = std::nan("");
  EXPECT_THAT(message(good, options), HasSubstr("[0, 60] s"));
}

// 7 deg/s in steps of 0.1 s are 0.7 deg: rounded in the file they would be 5 to 9 deg/s
TEST(Player, AConstantSpeedStaysConstantBetweenWholeDegrees) {
  Motion m;
  m.name = "slow";
  m.joints = {"head_yaw"};
  for (int i = 0; i <= 50; ++i) m.poses.push_back({"", {to_rad(0.7 * i)}, std::nullopt, 0.1});
  for (const PlayMode mode : {PlayMode::kStream, PlayMode::kRamp}) {
    Player player(bind_motion(m, test::khr1_wiring()), test::khr1_wiring(), {.mode = mode});
    const test::Recording run = test::run_until(player, PlayPhase::kSettling);
    int checked = 0;
    for (const PlayCommand& tick : run.ticks) {
      const bool is_inside = tick.motion_time > 0.2 && tick.motion_time < 4.8;
      if (tick.phase != PlayPhase::kPlaying || !is_inside) continue;
      EXPECT_NEAR(to_deg(tick.qd_ref[test::kHead]), 7.0, 1e-6) << tick.motion_time;
      ++checked;
    }
    EXPECT_GT(checked, 4000);
  }
}

}  // namespace
}  // namespace kagami::motions
