#include "runtime/threads/end_watch.hpp"

#include <gtest/gtest.h>

namespace kagami::runtime {
namespace {

constexpr std::int64_t kMs = 1'000'000;

CycleOutput at(Phase phase) {
  CycleOutput out{};
  out.phase = phase;
  return out;
}

TEST(EndWatch, EndsWhenNothingMovesTheRobotAnyMore) {
  for (const Phase phase : {Phase::kDone, Phase::kHeld, Phase::kReleased, Phase::kRefused}) {
    EndWatch watch;
    EXPECT_FALSE(watch.is_over(at(Phase::kPlaying), 0));
    EXPECT_TRUE(watch.is_over(at(phase), kMs));
    EXPECT_FALSE(watch.gave_up());
  }
}

TEST(EndWatch, WaitsForTheLastCommandOfAHold) {
  EndWatch watch;
  CycleOutput held = at(Phase::kHeld);
  held.targets.sequence = 1;
  EXPECT_FALSE(watch.is_over(held, 0));
  held.targets.sequence = 2;
  EXPECT_FALSE(watch.is_over(held, kMs));
  held.confirmed = true;
  EXPECT_TRUE(watch.is_over(held, 2 * kMs));
}

TEST(EndWatch, WaitsAWhileForTheBoardsToConfirmAHold) {
  EndWatch watch;
  CycleOutput held = at(Phase::kHeld);
  held.targets.sequence = 1;
  EXPECT_FALSE(watch.is_over(held, 0));
  EXPECT_FALSE(watch.is_over(held, EndWatch::kConfirmNs - 1));
  EXPECT_TRUE(watch.is_over(held, EndWatch::kConfirmNs));
  EXPECT_FALSE(watch.gave_up());
}

TEST(EndWatch, WatchesAHeldRobotForAFurtherStop) {
  EndWatch watch;
  watch.wait_when_held(1000 * kMs);
  EXPECT_FALSE(watch.is_over(at(Phase::kStopping), 0));
  EXPECT_FALSE(watch.is_over(at(Phase::kHeld), 10 * kMs));
  EXPECT_FALSE(watch.is_over(at(Phase::kHeld), 1009 * kMs));
  EXPECT_TRUE(watch.is_over(at(Phase::kHeld), 1010 * kMs));
}

TEST(EndWatch, StaysReleasedUntilTheFlagIsRaisedWhenConfigured) {
  for (const Phase phase : {Phase::kReleasing, Phase::kReleased}) {
    std::atomic<bool> finished{false};
    EndWatch watch;
    watch.wait_for(&finished);
    watch.stay_released();
    EXPECT_FALSE(watch.is_over(at(phase), 0));
    EXPECT_FALSE(watch.is_over(at(phase), 3'600'000 * kMs));
    finished = true;
    EXPECT_TRUE(watch.is_over(at(phase), 3'600'001 * kMs));
    EXPECT_EQ(watch.gave_up(), phase == Phase::kReleasing);
  }
}

TEST(EndWatch, EndsAfterAReleaseByDefault) {
  const std::atomic<bool> finished{false};
  EndWatch watch;
  watch.wait_for(&finished);
  EXPECT_FALSE(watch.is_over(at(Phase::kHeld), 0));
  EXPECT_TRUE(watch.is_over(at(Phase::kReleased), kMs));
}

TEST(EndWatch, HasNoTimeLimitForAMotionHoweverLong) {
  EndWatch watch;
  for (const Phase phase : {Phase::kLeadIn, Phase::kPlaying, Phase::kSettling, Phase::kStopping}) {
    EXPECT_FALSE(watch.is_over(at(phase), 0));
    EXPECT_FALSE(watch.is_over(at(phase), 3'600'000 * kMs));
  }
}

TEST(EndWatch, EndsForBoardsThatNeverGiveAReading) {
  EndWatch watch;
  EXPECT_FALSE(watch.is_over(at(Phase::kWaiting), 5 * kMs));
  EXPECT_FALSE(watch.is_over(at(Phase::kWaiting), 5 * kMs + EndWatch::kFirstReadingNs - 1));
  EXPECT_TRUE(watch.is_over(at(Phase::kWaiting), 5 * kMs + EndWatch::kFirstReadingNs));
  EXPECT_TRUE(watch.gave_up());
}

TEST(EndWatch, EndsForAReleaseThatIsNotConfirmedCountedFromItsOwnBegin) {
  EndWatch watch;
  EXPECT_FALSE(watch.is_over(at(Phase::kPlaying), 0));
  EXPECT_FALSE(watch.is_over(at(Phase::kReleasing), 9000 * kMs));
  EXPECT_FALSE(watch.is_over(at(Phase::kReleasing), 9000 * kMs + EndWatch::kReleaseNs - 1));
  EXPECT_TRUE(watch.is_over(at(Phase::kReleasing), 9000 * kMs + EndWatch::kReleaseNs));
  EXPECT_TRUE(watch.gave_up());
}

}  // namespace
}  // namespace kagami::runtime
