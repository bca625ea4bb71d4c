#include "runtime/clock/ticker.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "drivers/test/support/manual_clock.hpp"

namespace kagami::runtime {
namespace {

constexpr std::int64_t kPeriod = 1000;

/// Runs `count` ticks on a manual clock; the wake-up of tick `late_tick` comes late by `late_ns`.
std::vector<std::int64_t> begin_times(Ticker& ticker, int count, int late_tick,
                                      std::int64_t late_ns) {
  test::ManualClock clock;
  std::vector<std::int64_t> times;
  for (int i = 0; i < count; ++i) {
    if (i == late_tick) clock.oversleep_once(late_ns);
    clock.sleep_until(ticker.due_ns());
    times.push_back(clock.now_ns());
    EXPECT_EQ(ticker.begin(clock.now_ns()).index, i);
  }
  return times;
}

TEST(Ticker, KeepsTheGridWithoutDriftWhenWakeUpsAreALittleLate) {
  Ticker ticker(100, kPeriod, LatePolicy::kSkip);
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(ticker.due_ns(), 100 + k * kPeriod);
    EXPECT_EQ(ticker.begin(ticker.due_ns() + 300).lateness_ns, 300);
  }
  EXPECT_EQ(ticker.ticks(), 1000);
  EXPECT_EQ(ticker.late(), 0);
  EXPECT_EQ(ticker.skipped(), 0);
}

TEST(Ticker, SkipsWholePeriodsAndKeepsThePhase) {
  Ticker ticker(0, kPeriod, LatePolicy::kSkip);
  const std::vector<std::int64_t> expected{0, 1000, 5300, 6000, 7000};
  EXPECT_EQ(begin_times(ticker, 5, 2, 3300), expected);
  EXPECT_EQ(ticker.late(), 1);
  EXPECT_EQ(ticker.skipped(), 3);  // the places 3000, 4000 and 5000
}

TEST(Ticker, LeavesOutTheNextPlaceRatherThanStepTwiceInHalfAPeriod) {
  Ticker ticker(0, kPeriod, LatePolicy::kSkip);
  const std::vector<std::int64_t> expected{0, 1600, 3000};
  EXPECT_EQ(begin_times(ticker, 3, 1, 600), expected);
  EXPECT_EQ(ticker.late(), 1);
  EXPECT_EQ(ticker.skipped(), 1);
}

TEST(Ticker, CatchesUpHalfAPeriodApartAndLosesNothingInsideTheBound) {
  Ticker ticker(0, kPeriod, LatePolicy::kCatchUp);
  // the places 2000, 3000, 4000, 5000 and 6000 are made up for at 5300, 5800, ...
  const std::vector<std::int64_t> expected{0, 1000, 5300, 5800, 6300, 6800, 7300, 7800, 8300, 9000};
  EXPECT_EQ(begin_times(ticker, 10, 2, 3300), expected);
  EXPECT_EQ(ticker.skipped(), 0);
}

TEST(Ticker, SkipsTicksBeyondTheBoundOfCatchingUp) {
  Ticker ticker(0, kPeriod, LatePolicy::kCatchUp);
  ticker.begin(100'000);
  EXPECT_EQ(ticker.skipped(), 100 - 1 - Ticker::kMaxBacklog);
  EXPECT_EQ(ticker.due_ns(), 100'000 + kPeriod / 2);
}

TEST(Ticker, RequestsAStopOnlyUnderThatPolicyAndAfterAWholePeriod) {
  Ticker ticker(0, kPeriod, LatePolicy::kStop);
  EXPECT_FALSE(ticker.begin(kPeriod).stop);
  EXPECT_TRUE(ticker.begin(ticker.due_ns() + kPeriod + 1).stop);
  Ticker skipping(0, kPeriod, LatePolicy::kSkip);
  EXPECT_FALSE(skipping.begin(5 * kPeriod).stop);
}

TEST(Ticker, NeverBeginsTwoTicksCloserThanHalfAPeriodWhateverTheLateness) {
  for (const LatePolicy policy : {LatePolicy::kSkip, LatePolicy::kCatchUp}) {
    std::mt19937 random(5);
    std::exponential_distribution<double> lateness(1.0 / 700.0);
    Ticker ticker(0, kPeriod, policy);
    std::int64_t now = 0;
    std::int64_t last = -kPeriod;
    for (int i = 0; i < 20'000; ++i) {
      now = std::max(now, ticker.due_ns()) + static_cast<std::int64_t>(lateness(random));
      ticker.begin(now);
      ASSERT_GE(now - last, kPeriod / 2);
      ASSERT_GE(ticker.due_ns(), now + kPeriod / 2);
      last = now;
    }
    // every place of the grid was run, skipped, or still waits inside the bound
    const std::int64_t places = now / kPeriod + 1;
    const std::int64_t accounted = ticker.ticks() + ticker.skipped();
    EXPECT_LE(places - accounted, Ticker::kMaxBacklog);
    EXPECT_LE(accounted - places, 1);
  }
}

}  // namespace
}  // namespace kagami::runtime
