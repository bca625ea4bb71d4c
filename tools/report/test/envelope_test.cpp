#include "tools/report/envelope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kagami::tools {
namespace {

struct Point {
  double time = 0.0;
  double value = 0.0;
};

/// Noise with rare peaks of one sample, at irregular times and with gaps.
std::vector<Point> peaky_curve(std::mt19937& random, std::size_t count) {
  std::normal_distribution<double> noise(0.0, 1.0);
  std::exponential_distribution<double> wait(1000.0);  // 1/s
  std::vector<Point> curve;
  double time = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    time += wait(random);
    if (random() % 5000 == 0) time += 3.0;
    const bool is_peak = random() % 400 == 0;
    curve.push_back({time, noise(random) + (is_peak ? (random() % 2 == 0 ? 90.0 : -90.0) : 0.0)});
  }
  return curve;
}

/// Every stretch has the least and the greatest of all points in it, in their order, or none.
void expect_all_extremes(const Envelope& envelope, const std::vector<Point>& curve) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < envelope.stretches().size(); ++k) {
    const auto place = [&](const Point& p) {
      return static_cast<std::size_t>(p.time / envelope.width());
    };
    const std::size_t first = next;
    while (next < curve.size() && place(curve[next]) == k) ++next;
    const Extremes found = envelope.stretches()[k];
    if (first == next) {
      EXPECT_TRUE(std::isnan(found.first) && std::isnan(found.second)) << k;
      continue;
    }
    const auto [least, greatest] =
        std::minmax_element(curve.begin() + static_cast<std::ptrdiff_t>(first),
                            curve.begin() + static_cast<std::ptrdiff_t>(next),
                            [](const Point& a, const Point& b) { return a.value < b.value; });
    const Extremes expected =
        least <= greatest
            ? Extremes{static_cast<float>(least->value), static_cast<float>(greatest->value)}
            : Extremes{static_cast<float>(greatest->value), static_cast<float>(least->value)};
    EXPECT_EQ(found.first, expected.first) << k;
    EXPECT_EQ(found.second, expected.second) << k;
  }
  EXPECT_EQ(next, curve.size()) << "points beyond the last stretch";
}

TEST(Envelope, KeepsEveryExtremeOfEveryStretchAtEveryWidth) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::vector<Point> curve = peaky_curve(random, 30'000);
    Envelope envelope(0.005, 256);  // small: it has to widen many times
    for (const Point& p : curve) envelope.add(p.time, p.value);
    EXPECT_LE(envelope.stretches().size(), 256u);
    EXPECT_GT(envelope.width(), 0.1);  // s
    expect_all_extremes(envelope, curve);
    const Envelope wide = envelope.widened(1.0);
    EXPECT_GE(wide.width(), 1.0);
    expect_all_extremes(wide, curve);
  }
}

TEST(Envelope, TellsHowLongAGapMayBe) {
  Envelope slow(0.005, 8192);
  for (int k = 0; k < 50; ++k) slow.add(0.2 * k, 1.0);
  EXPECT_NEAR(slow.longest_bridge(), 0.8, 0.05);  // s: four distances
  Envelope quick(0.005, 8192);
  for (int k = 0; k < 500; ++k) quick.add(0.01 * k, 1.0);
  EXPECT_DOUBLE_EQ(quick.longest_bridge(), 0.06);
}

TEST(Envelope, ShiftKeepsTheValues) {
  Envelope envelope(0.01, 1024);
  envelope.add(0.505, -7.0);
  envelope.add(0.508, 9.0);
  const Envelope later = envelope.shifted(0.25);
  EXPECT_EQ(later.range().first, -7.0F);
  EXPECT_EQ(later.range().second, 9.0F);
  EXPECT_EQ(later.stretches().size(), 76u);  // 0.75 s
  EXPECT_TRUE(envelope.shifted(-1.0).is_empty()) << "before the run";
}

TEST(Envelope, HostileTimesAndValuesAreLeftOutOrFit) {
  Envelope envelope(0.005, 64);
  envelope.add(-1.0, 5.0);
  envelope.add(NAN, 5.0);
  envelope.add(INFINITY, 5.0);
  envelope.add(1.0, NAN);
  envelope.add(1.0, INFINITY);
  EXPECT_TRUE(envelope.is_empty());
  EXPECT_TRUE(std::isnan(envelope.range().first));
  envelope.add(0.0, 1.0);
  envelope.add(1e300, 2.0);
  EXPECT_LE(envelope.stretches().size(), 64u);
  EXPECT_EQ(envelope.range().second, 2.0F);
}

}  // namespace
}  // namespace kagami::tools
