#include "runtime/threads/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace kagami::runtime {
namespace {

TEST(Histogram, IsZeroWhenEmpty) {
  const Histogram empty;
  EXPECT_EQ(empty.count(), 0u);
  EXPECT_EQ(empty.max_ns(), 0);
  EXPECT_EQ(empty.quantile_ns(0.5), 0);
}

TEST(Histogram, IsExactBelowSixtyFour) {
  Histogram histogram;
  for (int i = 0; i < 64; ++i) histogram.add(i);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(histogram.quantile_ns((i + 1) / 64.0), i);
}

TEST(Histogram, QuantilesLieAtMostOneBucketAboveThoseOfTheSortedValues) {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> durations(10.0, 2.5);  // ns, up to seconds
  Histogram histogram;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(static_cast<std::int64_t>(durations(random)));
    histogram.add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double p : {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(p * 20'000.0)) - 1;
    const auto exact = static_cast<double>(values[rank]);
    const auto found = static_cast<double>(histogram.quantile_ns(p));
    EXPECT_GE(found, exact) << p;
    EXPECT_LE(found, exact * (1.0 + 1.0 / 32.0) + 1.0) << p;  // one bucket is 1/32 of its value
  }
  EXPECT_EQ(histogram.max_ns(), values.back());
}

TEST(Histogram, BarsHoldEveryValueInItsRange) {
  std::mt19937_64 random(12);
  std::lognormal_distribution<double> durations(10.0, 2.5);  // ns, up to seconds
  Histogram histogram;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(static_cast<std::int64_t>(durations(random)));
    histogram.add(values.back());
  }
  std::int64_t lower = -1;
  std::uint64_t all = 0;
  for (const Histogram::Bar& bar : histogram.bars()) {
    const auto inside = std::count_if(values.begin(), values.end(), [&](std::int64_t value) {
      return value > lower && value <= bar.upper_ns;
    });
    if (all > 0) {
      EXPECT_EQ(bar.count, static_cast<std::uint64_t>(inside)) << bar.upper_ns;
    }
    lower = bar.upper_ns;
    all += bar.count;
  }
  EXPECT_EQ(all, histogram.count());
  EXPECT_TRUE(Histogram().bars().empty());
}

TEST(Histogram, HoldsNegativeAndEndlessDurations) {
  Histogram histogram;
  histogram.add(-5);
  histogram.add(INT64_MAX);
  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_EQ(histogram.quantile_ns(0.5), 0);
  EXPECT_EQ(histogram.max_ns(), INT64_MAX);
}

}  // namespace
}  // namespace kagami::runtime
