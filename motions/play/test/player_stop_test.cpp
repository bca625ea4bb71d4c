#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/base/angle.hpp"
#include "models/test/support/no_alloc.hpp"
#include "motions/play/player.hpp"
#include "motions/test/small_player.hpp"

namespace kagami::motions {
namespace {

using test::kDt;
using test::kKnee;
using test::Recording;
using test::run_until;
using test::small_player;

// worst distance from a polyline through the poses in the space of all joints; rad
double distance_to_path(const JointArray<double>& q, const std::vector<JointArray<double>>& path) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t p = 1; p < path.size(); ++p) {
    double dot = 0.0;
    double length2 = 0.0;
    for (std::size_t j = 0; j < kMaxJoints; ++j) {
      const double d = path[p][j] - path[p - 1][j];
      dot += (q[j] - path[p - 1][j]) * d;
      length2 += d * d;
    }
    const double s = length2 > 0.0 ? std::min(1.0, std::max(0.0, dot / length2)) : 0.0;
    double gap2 = 0.0;
    for (std::size_t j = 0; j < kMaxJoints; ++j) {
      const double gap = q[j] - path[p - 1][j] - s * (path[p][j] - path[p - 1][j]);
      gap2 += gap * gap;
    }
    best = std::min(best, std::sqrt(gap2));
  }
  return best;
}

class PlayerBothModes : public ::testing::TestWithParam<PlayMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, PlayerBothModes,
                         ::testing::Values(PlayMode::kKeyframe, PlayMode::kStream,
                                           PlayMode::kRamp));

TEST_P(PlayerBothModes, SpeedChangeRampsWithoutAJump) {
  Player player = small_player(GetParam());
  PlayCommand before;
  do {
    player.step(kDt, before);
  } while (before.phase == PlayPhase::kLeadIn || before.motion_time < 0.15);
  player.set_speed(0.4);
  double last_rate = 1.0;
  PlayCommand after;
  for (int i = 0; i < 300; ++i) {
    player.step(kDt, after);
    const double rate = (after.motion_time - before.motion_time) / kDt;
    ASSERT_LE(rate, last_rate + 1e-6);
    ASSERT_GT(rate, last_rate - 0.006);  // the ramp's steepest slope is 0.6 * 1.5 / 0.2 s
    for (std::size_t j = 0; j < 17; ++j) {
      ASSERT_LT(std::abs(after.q_ref[j] - before.q_ref[j]), 4.0 * kDt);  // rad
    }
    last_rate = rate;
    before = after;
  }
  EXPECT_NEAR(last_rate, 0.4, 1e-9);
}

TEST_P(PlayerBothModes, SlowDownStopsInTimeAndOnThePath) {
  // the path: every place a run without a stop comes through
  Player whole = small_player(GetParam());
  std::vector<JointArray<double>> path;
  for (const PlayCommand& tick : run_until(whole, PlayPhase::kDone).ticks) {
    path.push_back(tick.q_ref);
  }
  for (const int tick_of_stop : {0, 90, 300, 560, 600, 800, 1000}) {
    SCOPED_TRACE(tick_of_stop);
    Player player = small_player(GetParam());
    PlayCommand command;
    for (int i = 0; i < tick_of_stop; ++i) player.step(kDt, command);
    player.slow_down(0.5);
    int ticks = 0;
    do {
      const JointArray<double> before = command.q_ref;
      player.step(kDt, command);
      ++ticks;
      for (std::size_t j = 0; j < 17 && ticks + tick_of_stop > 1; ++j) {
        // rad per tick; a streamed leg at code 3 peaks at 15/8 of 294 deg/s = 9.6 rad/s
        EXPECT_LT(std::abs(command.q_ref[j] - before[j]), 10.0 * kDt);
      }
      EXPECT_TRUE(command.target_is_new);
      EXPECT_EQ(command.target, command.q_ref);
      // rad; the path is known at ticks, and its corners are rounded by at most one tick's travel
      if (ticks % 8 == 0) {
        EXPECT_LT(distance_to_path(command.q_ref, path), 0.008);
      }
    } while (command.phase == PlayPhase::kStopping && ticks < 1000);
    EXPECT_EQ(command.phase, PlayPhase::kHeld);
    EXPECT_LE(ticks, 501);
    const JointArray<double> held = command.q_ref;
    player.step(kDt, command);
    EXPECT_FALSE(command.target_is_new);
    EXPECT_EQ(command.q_ref, held);
    EXPECT_EQ(command.qd_ref, JointArray<double>{});
  }
}

TEST_P(PlayerBothModes, SlowDownBrakesByHalfACosine) {
  Player player = small_player(GetParam());
  PlayCommand command;
  do {
    player.step(kDt, command);
  } while (command.phase == PlayPhase::kLeadIn || command.motion_time < 0.11);
  player.slow_down(0.5);
  double begin = -1.0;
  while (command.phase != PlayPhase::kHeld) {
    player.step(kDt, command);
    if (begin < 0.0) begin = command.motion_time;
  }
  EXPECT_NEAR(command.motion_time - begin, 0.25, kDt);  // s; integral of (1 + cos)/2 over 0.5 s
}

TEST_P(PlayerBothModes, ALaterSlowDownOnlyShortens) {
  Player player = small_player(GetParam());
  PlayCommand command;
  for (int i = 0; i < 600; ++i) player.step(kDt, command);
  player.slow_down(0.4);
  for (int i = 0; i < 100; ++i) player.step(kDt, command);
  player.slow_down(5.0);
  player.slow_down(0.1);
  int ticks = 0;
  while (command.phase != PlayPhase::kHeld && ticks < 1000) {
    player.step(kDt, command);
    ++ticks;
  }
  EXPECT_NEAR(ticks, 101, 1);
}

TEST_P(PlayerBothModes, HoldNowFreezesTheLastReference) {
  Player player = small_player(GetParam());
  PlayCommand before;
  for (int i = 0; i < 620; ++i) player.step(kDt, before);
  player.hold_now();
  PlayCommand command;
  player.step(kDt, command);
  EXPECT_EQ(command.phase, PlayPhase::kHeld);
  EXPECT_EQ(command.q_ref, before.q_ref);
  EXPECT_EQ(command.target, before.q_ref);
  EXPECT_TRUE(command.target_is_new);
  EXPECT_EQ(command.qd_ref, JointArray<double>{});
  player.slow_down(0.5);
  player.step(kDt, command);
  EXPECT_FALSE(command.target_is_new);
  EXPECT_EQ(command.phase, PlayPhase::kHeld);
}

TEST_P(PlayerBothModes, StopAfterTheMotionHoldsTheLastPose) {
  Player player = small_player(GetParam());
  run_until(player, PlayPhase::kSettling);
  player.slow_down(0.5);
  PlayCommand command;
  player.step(kDt, command);
  EXPECT_EQ(command.phase, PlayPhase::kHeld);
  EXPECT_EQ(command.target[kKnee], to_rad(62));
}

TEST_P(PlayerBothModes, RestartsAfterAStop) {
  Player player = small_player(GetParam());
  PlayCommand command;
  for (int i = 0; i < 600; ++i) player.step(kDt, command);
  player.hold_now();
  player.step(kDt, command);
  player.start(command.q_ref);
  const Recording run = run_until(player, PlayPhase::kDone);
  EXPECT_EQ(run.ticks[0].target, command.q_ref);
}

TEST_P(PlayerBothModes, EveryTickAfterSetUpTakesNoMemory) {
  Player player = small_player(GetParam(), 1.0, true);
  PlayCommand command;
  const test::NoAlloc no_alloc;
  const test::NoLock no_lock;
  player.start({});
  for (int i = 0; i < 3000; ++i) player.step(kDt, command);
  player.set_speed(1.7);
  for (int i = 0; i < 500; ++i) player.step(kDt, command);
  player.slow_down(0.3);
  for (int i = 0; i < 500; ++i) player.step(kDt, command);
  player.start(command.q_ref);
  player.step(kDt, command);
  player.hold_now();
  player.step(kDt, command);
  EXPECT_EQ(no_alloc.count(), 0);
  EXPECT_EQ(no_lock.count(), 0);
}

TEST_P(PlayerBothModes, OddTimeStepsAndNumbersDoNoHarm) {
  Player player = small_player(GetParam());
  JointArray<double> present{};
  present[kKnee] = std::numeric_limits<double>::quiet_NaN();
  player.start(present);
  PlayCommand command;
  for (const double dt : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    player.step(dt, command);
    EXPECT_EQ(command.phase, PlayPhase::kLeadIn);
    EXPECT_EQ(command.q_ref[kKnee], to_rad(20));
  }
  player.set_speed(std::nan(""));
  player.step(1000.0, command);  // one step over everything
  player.step(kDt, command);
  EXPECT_EQ(command.q_ref[kKnee], to_rad(62));
  player.set_speed(1e9);
  EXPECT_TRUE(std::isfinite(player.total_duration()));
}

TEST_P(PlayerBothModes, ProgressNeverRunsBackAndEndsAtOne) {
  Player player = small_player(GetParam(), 0.7);
  double last = 0.0;
  for (const PlayCommand& tick : run_until(player, PlayPhase::kDone).ticks) {
    EXPECT_GE(tick.progress, last);
    last = tick.progress;
  }
  EXPECT_EQ(last, 1.0);
}

/// Ticks until `time` of the motion.
PlayCommand play_to(Player& player, double time) {
  PlayCommand command;
  do {
    player.step(kDt, command);
  } while (command.phase == PlayPhase::kLeadIn || command.motion_time < time);
  return command;
}

TEST(PlayerPause, StopsWithoutAJumpAndResumesWhereItWas) {
  for (const PlayMode mode : {PlayMode::kStream, PlayMode::kRamp}) {
    Player player = small_player(mode);
    Player same = small_player(mode);
    PlayCommand last = play_to(player, 0.15);
    (void)play_to(same, 0.15);
    player.set_paused(true);
    double rate = 1.0;
    PlayCommand now;
    for (int i = 0; i < 1000; ++i) {
      player.step(kDt, now);
      const double next = (now.motion_time - last.motion_time) / kDt;
      EXPECT_LT(std::abs(next - rate), 1.6 * kDt / 0.2);  // steepest of a smooth step over 0.2 s
      rate = next;
      last = now;
    }
    EXPECT_EQ(rate, 0.0);
    EXPECT_EQ(now.phase, PlayPhase::kPlaying);
    EXPECT_EQ(now.qd_ref[kKnee], 0.0);
    player.set_paused(false);
    EXPECT_TRUE(run_until(player, PlayPhase::kDone).ticks.size() > 100);
  }
}

TEST(PlayerPause, AStepTakesItsLengthOfTheMotionAndNoMore) {
  Player player = small_player(PlayMode::kStream, 0.5);
  player.set_paused(true);
  PlayCommand command;
  for (int i = 0; i < 4000; ++i) player.step(kDt, command);
  const double begin = command.motion_time;
  EXPECT_LT(begin, kDt);  // s; it waits where the motion begins, what the lead-in left over
  EXPECT_EQ(command.phase, PlayPhase::kPlaying);
  player.advance_paused(0.1);
  double fastest = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double before = command.motion_time;
    player.step(kDt, command);
    fastest = std::max(fastest, (command.motion_time - before) / kDt);
  }
  EXPECT_NEAR(command.motion_time - begin, 0.1, 1e-12);  // s
  EXPECT_LT(fastest, 0.5 + 1e-3);                        // not faster than the speed that was set
  EXPECT_GT(fastest, 0.45);
  // two at once are one after the other, and a stop wins
  player.advance_paused(0.05);
  player.advance_paused(0.05);
  for (int i = 0; i < 1000; ++i) player.step(kDt, command);
  EXPECT_NEAR(command.motion_time - begin, 0.2, 1e-12);
  player.slow_down(0.5);
  EXPECT_FALSE(run_until(player, PlayPhase::kHeld).ticks.empty());
}

TEST(PlayerPause, KeyframeModeFinishesThePoseThatTheBoardsAreOnTheWayTo) {
  Player player = small_player(PlayMode::kKeyframe);
  (void)play_to(player, 0.05);
  player.set_paused(true);
  PlayCommand command;
  int commands = 0;
  for (int i = 0; i < 5000; ++i) {
    player.step(kDt, command);
    commands += command.target_is_new ? 1 : 0;
  }
  EXPECT_EQ(commands, 0);
  EXPECT_EQ(command.q_ref[kKnee], command.target[kKnee]);
  EXPECT_EQ(command.phase, PlayPhase::kPlaying);
  player.set_paused(false);
  player.step(kDt, command);
  player.step(kDt, command);
  EXPECT_TRUE(command.target_is_new);
}

TEST(PlayerLoop, CanBeTurnedOnAndOffWhileItPlays) {
  Player player = small_player(PlayMode::kStream);
  (void)play_to(player, 0.1);
  player.set_loop(true);
  PlayCommand command;
  int rounds = 0;
  double last = 0.0;
  for (int i = 0; i < 60'000 && rounds < 2; ++i) {
    player.step(kDt, command);
    rounds += command.motion_time < last ? 1 : 0;
    last = command.motion_time;
  }
  EXPECT_EQ(rounds, 2);
  player.set_loop(false);
  EXPECT_FALSE(run_until(player, PlayPhase::kDone).ticks.empty());
}

}  // namespace
}  // namespace kagami::motions
