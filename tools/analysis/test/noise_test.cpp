#include "tools/analysis/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

/// A sine of 1 Hz, read 50 times a second; the readings differ by normal noise.
ReadingPairs sine(double amplitude_deg, double noise_deg, double half_width, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, 1.0);
  ReadingPairs pairs;
  for (double t = 0.0; t < 20.0; t += 0.02) {
    const double q = amplitude_deg * std::sin(2.0 * std::numbers::pi * t);
    pairs.time.push_back(t);
    pairs.simulated.push_back(to_rad(q));
    pairs.measured.push_back(to_rad(q + noise_deg * noise(random)));
    pairs.half_width.push_back(half_width);
  }
  return pairs;
}

TEST(Noise, ResolutionIsThatOfAUniformRoundingError) {
  const Noise noise = noise_of(sine(20.0, 0.0, 0.0, 1));
  EXPECT_NEAR(to_deg(noise.resolution), 1.0 / std::sqrt(12.0), 0.02);
  EXPECT_EQ(noise.timing, 0.0);
}

TEST(Noise, OfAJointAtRestIsHalfADegree) {
  EXPECT_NEAR(to_deg(noise_of(sine(0.0, 0.0, 0.002, 1)).rms()), 0.5, 1e-9);
}

TEST(Noise, OfTheTimeOfReadingIsSpeedTimesItsDeviation) {
  // RMS speed of the sine times the standard deviation of a uniform error of +-3 ms
  const Noise noise = noise_of(sine(20.0, 0.0, 0.003, 1));
  const double speed = 20.0 * 2.0 * std::numbers::pi / std::sqrt(2.0);  // deg/s
  EXPECT_NEAR(to_deg(noise.timing), speed * 0.003 / std::sqrt(3.0), 0.002);
  EXPECT_NEAR(noise.rms(), std::hypot(noise.resolution, noise.timing), 1e-12);
}

TEST(Noise, OfRepeatedRunsIsWhatTheyDifferBy) {
  ReadingPairs run = sine(20.0, 0.8, 0.0, 1);
  ReadingPairs other = sine(20.0, 0.8, 0.0, 2);
  // equal in both: no noise
  for (ReadingPairs* pairs : {&run, &other}) {
    for (std::size_t i = 0; i < pairs->size(); ++i) {
      pairs->measured[i] += to_rad(4.0 * std::sin(3.0 * pairs->time[i]));
    }
  }
  // their clocks began at other times
  for (double& t : run.time) t += 0.9;
  for (double& t : other.time) t += 3.3;
  const auto repetition = repetition_noise(run, {other});
  ASSERT_TRUE(repetition);
  EXPECT_NEAR(to_deg(*repetition), 0.8, 0.05);
  EXPECT_FALSE(repetition_noise(run, {}));
  EXPECT_FALSE(repetition_noise({}, {other}));
}

}  // namespace
}  // namespace kagami::tools
