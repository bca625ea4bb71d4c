#include "models/base/trig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace kagami::trig {
namespace {

// distance of a double from the long double result, in units of the result's last place
double error_in_ulp(double value, long double exact) {
  const double size = std::abs(static_cast<double>(exact));
  const double ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact)) / ulp;
}

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

TEST(Trig, SineAndCosineAreWithinFourFifthsOfAUnitOverAMillionAngles) {
  std::mt19937_64 random(1);
  double worst = 0.0;
  for (int i = 0; i < 1000000; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1.0p-52 - 1.0;
    // a third each: one turn, the whole range, magnitudes from 1e-8 up
    const double scale = i % 3 == 0 ? 7.0 : i % 3 == 1 ? kLargestAngle : std::pow(10.0, i % 13 - 8);
    const double x = unit * scale;
    const SinCos got = sincos(x);
    worst = std::max(worst, error_in_ulp(got.sin, std::sin(static_cast<long double>(x))));
    worst = std::max(worst, error_in_ulp(got.cos, std::cos(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 0.8);  // units in the last place
}

TEST(Trig, AnglesNextToMultiplesOfAQuarterTurnKeepTheirDigits) {
  constexpr long double kHalfPi = 1.570796326794896619231321691639751442L;
  for (int n = 1; n < 63000; n += 7) {
    const double x = static_cast<double>(kHalfPi * n);
    for (const double angle : {x, std::nextafter(x, 0.0), -x}) {
      const SinCos got = sincos(angle);
      // the x87 reduction of long double is good to 66 bits of pi only: compare absolutely
      EXPECT_LT(std::abs(got.sin - std::sin(static_cast<long double>(angle))), 1.2e-16L);
      EXPECT_LT(std::abs(got.cos - std::cos(static_cast<long double>(angle))), 1.2e-16L);
    }
  }
}

TEST(Trig, LanesGiveTheBitsOfSingleCalls) {
  std::mt19937_64 random(2);
  for (int count = 0; count < 40; ++count) {
    std::vector<double> x(static_cast<std::size_t>(count));
    for (double& a : x) a = (static_cast<double>(random() >> 11) * 0x1.0p-53 - 0.5) * 1e3;
    if (count > 5) x[3] = 2e5;  // out of range
    if (count > 6) x[5] = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> s(x.size());
    std::vector<double> c(x.size());
    sincos(x.data(), count, s.data(), c.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) {
        EXPECT_TRUE(std::isnan(s[i]) && std::isnan(c[i]));
        continue;
      }
      EXPECT_EQ(bits(s[i]), bits(sincos(x[i]).sin));
      EXPECT_EQ(bits(c[i]), bits(sincos(x[i]).cos));
    }
  }
}

TEST(Trig, BitsAreTheSameOnEveryMachine) {
  struct Sample {
    double angle;
    double sin;
    double cos;
  };
  // as glibc 2.36 rounds them
  const std::array<Sample, 4> samples = {{{0.0, 0.0, 1.0},
                                          {0.5, 0x1.eaee8744b05f0p-2, 0x1.c1528065b7d50p-1},
                                          {1.0, 0x1.aed548f090ceep-1, 0x1.14a280fb5068cp-1},
                                          {-3.0, -0x1.210386db6d55bp-3, -0x1.fae04be85e5d2p-1}}};
  for (const Sample& one : samples) {
    EXPECT_EQ(sincos(one.angle).sin, one.sin) << one.angle;
    EXPECT_EQ(sincos(one.angle).cos, one.cos) << one.angle;
  }
}

TEST(Trig, BeyondTheRangeTheLibraryAnswers) {
  EXPECT_EQ(sin(1e6), std::sin(1e6));
  EXPECT_EQ(cos(-1e9), std::cos(-1e9));
  EXPECT_TRUE(std::isnan(sin(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE(std::isnan(cos(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Trig, TheExponentialIsWithinAUnitOverItsWholeRange) {
  std::mt19937_64 random(3);
  double worst = 0.0;
  for (int i = 0; i < 300000; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1.0p-52 - 1.0;
    const double x = unit * (i % 2 == 0 ? 700.0 : std::pow(10.0, i % 13 - 10));
    worst = std::max(worst, error_in_ulp(exp(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 1.0);  // units in the last place
  EXPECT_EQ(exp(0.0), 1.0);
  EXPECT_EQ(exp(-0.0), 1.0);
}

TEST(Trig, TheExponentialLessOneKeepsItsDigitsAboutZero) {
  std::mt19937_64 random(4);
  double worst = 0.0;
  for (int i = 0; i < 300000; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1.0p-52 - 1.0;
    const double x = unit * (i % 2 == 0 ? 40.0 : std::pow(10.0, i % 20 - 19));
    worst = std::max(worst, error_in_ulp(expm1(x), std::expm1(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 4.0);  // units in the last place: what e^x - 1 cancels at -ln 2 / 2
  EXPECT_EQ(expm1(0.0), 0.0);
  EXPECT_EQ(expm1(-800.0), -1.0);
  EXPECT_TRUE(std::isinf(expm1(800.0)));
  EXPECT_TRUE(std::isnan(expm1(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Trig, TheExponentialEndsInZeroAndInfinity) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exp(kInf), kInf);
  EXPECT_EQ(exp(710.0), kInf);
  EXPECT_TRUE(std::isfinite(exp(709.78)));
  EXPECT_EQ(exp(-kInf), 0.0);
  EXPECT_EQ(exp(-746.0), 0.0);
  EXPECT_EQ(exp(-745.0), std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::isnan(exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Trig, TheArcTangentIsWithinAUnitInAllQuadrants) {
  std::mt19937_64 random(4);
  double worst = 0.0;
  for (int i = 0; i < 300000; ++i) {
    const double y = static_cast<double>(random() >> 11) * 0x1.0p-52 - 1.0;
    double x = static_cast<double>(random() >> 11) * 0x1.0p-52 - 1.0;
    if (i % 3 == 0) x *= std::pow(10.0, i % 41 - 20);
    worst = std::max(worst, error_in_ulp(atan2(y, x), std::atan2(static_cast<long double>(y),
                                                                 static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 1.6);  // measured 1.48: the quotient rounds before the arc tangent does
  // next to half a turn the low part of pi decides
  worst = 0.0;
  for (int i = 1; i < 2000; ++i) {
    const double y = 1e-4 * i;
    worst = std::max(worst,
                     error_in_ulp(atan2(y, -1.0), std::atan2(static_cast<long double>(y), -1.0L)));
  }
  EXPECT_LT(worst, 0.6);
}

TEST(Trig, TheArcTangentTakesZerosAndInfinitiesAsTheLibraryDoes) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const double y : {0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, kInf, -kInf}) {
    for (const double x : {0.0, -0.0, 1.0, -1.0, 1e-300, -1e300, kInf, -kInf}) {
      EXPECT_EQ(bits(atan2(y, x)), bits(std::atan2(y, x))) << y << " " << x;
    }
  }
  EXPECT_TRUE(std::isnan(atan2(std::numeric_limits<double>::quiet_NaN(), 1.0)));
  EXPECT_TRUE(std::isnan(atan2(1.0, std::numeric_limits<double>::quiet_NaN())));
}

TEST(Trig, ArcSineAndCosineInvertWithinFourUnits) {
  double worst = 0.0;
  for (int i = -1000; i <= 1000; ++i) {
    const double x = i / 1000.0;
    worst = std::max(worst, error_in_ulp(asin(x), std::asin(static_cast<long double>(x))));
    if (i < 1000)
      worst = std::max(worst, error_in_ulp(acos(x), std::acos(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 4.0);  // root and quotient round before the arc tangent does
  EXPECT_EQ(acos(1.0), 0.0);
  EXPECT_TRUE(std::isnan(asin(1.0 + 1e-15)));
  EXPECT_TRUE(std::isnan(acos(-2.0)));
}

}  // namespace
}  // namespace kagami::trig
