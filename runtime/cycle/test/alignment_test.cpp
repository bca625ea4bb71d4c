#include "runtime/cycle/alignment.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kagami::runtime {
namespace {

JointArray<double> all(double value) {
  JointArray<double> q{};
  q.fill(value);
  return q;
}

TEST(StateHistory, IsEmptyBeforeTheFirstState) {
  const StateHistory history;
  JointArray<double> q = all(7.0);
  EXPECT_EQ(history.at(0, q), HistoryAnswer::kTooOld);
  EXPECT_EQ(q, all(7.0));
}

TEST(StateHistory, InterpolatesALinearMotionExactly) {
  StateHistory history;
  // q = 2e-6 * t: doubles hold these products and differences closely
  std::mt19937_64 random(1);
  std::int64_t t = 0;
  for (int k = 0; k < 100; ++k) {
    history.push(t, all(2e-6 * static_cast<double>(t)));
    t += 1 + static_cast<std::int64_t>(random() % 3'000'000);
  }
  for (int k = 0; k < 1000; ++k) {
    const auto at = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(t));
    JointArray<double> q{};
    if (history.at(at, q) == HistoryAnswer::kNewest) continue;
    EXPECT_NEAR(q[0], 2e-6 * static_cast<double>(at), 1e-9 * static_cast<double>(at) * 1e-6 + 1e-9);
  }
}

TEST(StateHistory, GivesAKnownStateBackBitByBit) {
  StateHistory history;
  for (int k = 0; k < 10; ++k) history.push(1000 * k, all(0.1 * k));
  for (int k = 0; k < 10; ++k) {
    JointArray<double> q{};
    EXPECT_EQ(history.at(1000 * k, q), HistoryAnswer::kInterpolated);
    EXPECT_EQ(q[3], 0.1 * k);
  }
}

TEST(StateHistory, GivesTheNewestForATimeInTheFutureAndReportsIt) {
  StateHistory history;
  history.push(10, all(1.0));
  history.push(20, all(2.0));
  JointArray<double> q{};
  EXPECT_EQ(history.at(21, q), HistoryAnswer::kNewest);
  EXPECT_EQ(q, all(2.0));
}

TEST(StateHistory, DropsTheOldestAndRefusesTimesBeforeIt) {
  StateHistory history;
  for (int k = 0; k < 3 * kHistorySize + 7; ++k) history.push(10 * k, all(k));
  EXPECT_EQ(history.size(), kHistorySize);
  const std::int64_t oldest = 10 * (2 * kHistorySize + 7);
  JointArray<double> q{};
  EXPECT_EQ(history.at(oldest, q), HistoryAnswer::kInterpolated);
  EXPECT_EQ(q[0], 2 * kHistorySize + 7);
  EXPECT_EQ(history.at(oldest - 1, q), HistoryAnswer::kTooOld);
  EXPECT_EQ(history.at(oldest + 5, q), HistoryAnswer::kInterpolated);
  EXPECT_DOUBLE_EQ(q[0], 2 * kHistorySize + 7.5);
}

TEST(StateHistory, IgnoresAStateThatIsNotLater) {
  StateHistory history;
  history.push(10, all(1.0));
  history.push(10, all(2.0));
  history.push(9, all(3.0));
  EXPECT_EQ(history.size(), 1);
  history.clear();
  EXPECT_EQ(history.size(), 0);
}

}  // namespace
}  // namespace kagami::runtime
