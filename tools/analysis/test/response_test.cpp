#include "tools/analysis/response.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr double kTau = 0.08;  // s, of a first-order lag

/// Sum of sines, deg; their answer behind a first-order lag 1 / (1 + i w tau) in closed form.
struct LaggedSines {
  std::vector<double> frequency;  // Hz
  double amplitude_deg = 5.0;

  [[nodiscard]] ReadingPairs pairs(double seconds, double step_deg, unsigned seed = 1) const {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> jitter(-0.004, 0.004);  // s: the line is not regular
    ReadingPairs pairs;
    for (double t = 0.0; t < seconds; t += 0.02) {
      const double at = t + jitter(random);
      double model = 0.0;
      double robot = 0.0;
      for (const double f : frequency) {
        const double w = 2.0 * std::numbers::pi * f;
        model += amplitude_deg * std::sin(w * at + f);
        robot +=
            amplitude_deg / std::hypot(1.0, w * kTau) * std::sin(w * at + f - std::atan(w * kTau));
      }
      if (step_deg > 0.0) robot = step_deg * std::round(robot / step_deg);
      pairs.time.push_back(at);
      pairs.simulated.push_back(to_rad(model));
      pairs.measured.push_back(to_rad(robot));
      pairs.half_width.push_back(0.0);
    }
    return pairs;
  }
};

void expect_lag(const ResponsePoint& point, double gain_tolerance, double phase_tolerance_deg) {
  const double wt = 2.0 * std::numbers::pi * point.frequency * kTau;
  EXPECT_NEAR(point.gain, 1.0 / std::hypot(1.0, wt), gain_tolerance) << point.frequency;
  EXPECT_NEAR(to_deg(point.phase), -to_deg(std::atan(wt)), phase_tolerance_deg) << point.frequency;
}

TEST(FrequencyResponse, OfAFirstOrderLagIsTheClosedForm) {
  const LaggedSines sines{{0.5, 1.0, 2.0}};
  const std::vector<ResponsePoint> points = frequency_response(sines.pairs(60.0, 0.0));
  int at_a_sine = 0;
  for (const ResponsePoint& point : points) {
    for (const double f : sines.frequency) {
      if (std::abs(point.frequency - f) > 1e-6) continue;
      expect_lag(point, 0.005, 0.5);
      EXPECT_NEAR(to_deg(point.amplitude), 5.0, 0.1);
      ++at_a_sine;
    }
  }
  EXPECT_EQ(at_a_sine, 3);
}

TEST(FrequencyResponse, WholeDegreesChangeItLittle) {
  const std::vector<ResponsePoint> points = frequency_response(LaggedSines{{1.0}}.pairs(60.0, 1.0));
  ASSERT_FALSE(points.empty());
  for (const ResponsePoint& point : points) {
    if (std::abs(point.frequency - 1.0) < 1e-6) expect_lag(point, 0.05, 1.5);  // 5 deg in 10 steps
  }
}

TEST(FrequencyResponse, WhatTheMotionDoesNotExciteIsLeftOut) {
  for (const ResponsePoint& point : frequency_response(LaggedSines{{0.5}}.pairs(60.0, 0.0))) {
    EXPECT_LT(point.frequency, 0.8);
  }
  EXPECT_TRUE(frequency_response(LaggedSines{{}}.pairs(60.0, 0.0)).empty());
  EXPECT_TRUE(frequency_response({}).empty());
  EXPECT_TRUE(frequency_response(LaggedSines{{1.0}}.pairs(1.0, 0.0)).empty()) << "too short";
}

TEST(FrequencyResponse, ReadingsThatDoNotFollowHaveNone) {
  ReadingPairs pairs = LaggedSines{{1.0}}.pairs(60.0, 0.0);
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0.0, to_rad(5.0));
  for (double& angle : pairs.measured) angle = noise(random);
  EXPECT_TRUE(frequency_response(pairs).empty());
}

}  // namespace
}  // namespace kagami::tools
