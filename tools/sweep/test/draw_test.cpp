// Random numbers of sweeps: pinned bits, logarithm against the C library, moments, independence.
#include "tools/sweep/draw.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kagami::tools {
namespace {

TEST(Draw, HasTheSameBitsForEver) {
  // by a second implementation, in Python; a change would give every random sweep other values
  EXPECT_EQ(DrawStream(7, "push", 3).bits(), 4728594585980975024u);
  EXPECT_EQ(DrawStream(7, "push", 3).uniform(), 0.25633762614618827);
  EXPECT_EQ(DrawStream(7, "push", 3).normal(), -0.4968846362748427);
}

TEST(Draw, FollowsFromSeedNameAndNumberAlone) {
  const std::uint64_t bits = DrawStream(1, "a", 0).bits();
  EXPECT_EQ(DrawStream(1, "a", 0).bits(), bits);
  EXPECT_NE(DrawStream(2, "a", 0).bits(), bits);
  EXPECT_NE(DrawStream(1, "b", 0).bits(), bits);
  EXPECT_NE(DrawStream(1, "a", 1).bits(), bits);
}

TEST(Draw, LogarithmIsThatOfTheLibrary) {
  DrawStream stream(1, "x", 0);
  for (int i = 0; i < 100000; ++i) {
    const double x =
        std::ldexp(0.5 + stream.uniform(), static_cast<int>(stream.bits() % 2000) - 1000);
    const double exact = std::log(x);
    // near 1 the relative error grows with the cancellation of neither: t is exact to an ulp
    EXPECT_LE(std::abs(natural_log(x) - exact), 4e-16 * std::max(std::abs(exact), 1e-3)) << x;
  }
  EXPECT_EQ(natural_log(1.0), 0.0);
}

// the statistic of Kolmogorov and Smirnov against a distribution function
template <class F>
double distance(std::vector<double> x, F cumulative) {
  std::sort(x.begin(), x.end());
  double most = 0.0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = cumulative(x[i]);
    most = std::max({most, std::abs(p - static_cast<double>(i) / n),
                     std::abs(p - static_cast<double>(i + 1) / n)});
  }
  return most;
}

TEST(Draw, IsUniformAndNormal) {
  constexpr int kDraws = 20000;
  std::vector<double> uniform;
  std::vector<double> normal;
  for (int k = 0; k < kDraws; ++k) {
    uniform.push_back(DrawStream(5, "u", static_cast<std::uint64_t>(k)).uniform());
    normal.push_back(DrawStream(5, "n", static_cast<std::uint64_t>(k)).normal());
  }
  // 1.95 / sqrt(n) is exceeded with probability 1e-3; the seed is fixed
  const double limit = 1.95 / std::sqrt(kDraws);
  EXPECT_LT(distance(uniform, [](double x) { return x; }), limit);
  EXPECT_LT(distance(normal, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }), limit);
  // neighbours, and the two streams, are not correlated
  double next = 0.0;
  double other = 0.0;
  for (std::size_t k = 0; k + 1 < kDraws; ++k) {
    next += normal[k] * normal[k + 1];
    other += (uniform[k] - 0.5) * normal[k];
  }
  EXPECT_LT(std::abs(next) / kDraws, 3.3 / std::sqrt(kDraws));
  EXPECT_LT(std::abs(other) / kDraws, 3.3 * std::sqrt(1.0 / 12.0 / kDraws));
}

TEST(Draw, TwelveDigitsReadBackTheSame) {
  EXPECT_EQ(with_12_digits(0.1 + 0.2), 0.3);
  EXPECT_EQ(with_12_digits(1.0 / 3.0), 0.333333333333);
  EXPECT_EQ(with_12_digits(-5e-324), -5e-324);
}

}  // namespace
}  // namespace kagami::tools
