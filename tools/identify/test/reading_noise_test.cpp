#include "tools/identify/reading_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr double kDegree = to_rad(1.0);

TEST(ReadingNoise, IsTheProbabilityOfTheRoundedReading) {
  const double sigma = to_rad(0.2);
  const ReadingNoise noise(kDegree, sigma);
  const auto probability = [&](double e) {
    const double root = sigma * std::sqrt(2.0);
    return 0.5 * (std::erf((0.5 * kDegree - e) / root) + std::erf((0.5 * kDegree + e) / root));
  };
  for (const double error_deg : {-0.9, -0.5, -0.2, 0.1, 0.4, 0.6, 1.2}) {
    const double e = to_rad(error_deg);
    const double wanted = std::sqrt(2.0 * std::log(probability(0.0) / probability(e)));
    EXPECT_NEAR(noise(e), std::copysign(wanted, e), 0.02) << error_deg;  // between table points
  }
  EXPECT_EQ(noise(0.0), 0.0);
}

TEST(ReadingNoise, WithoutStepsIsTheErrorInDeviations) {
  EXPECT_NEAR(ReadingNoise(0.0, 0.02)(0.05), 2.5, 1e-12);
}

TEST(ReadingNoise, FindsTheNoiseOfRoundedReadings) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0.0, to_rad(0.25));
  std::vector<double> errors;
  for (int k = 0; k < 5000; ++k) {
    const double angle = to_rad(0.013 * k);
    errors.push_back(to_rad(std::round(to_deg(angle + noise(random)))) - angle);
  }
  const double found = to_deg(likeliest_sigma(kDegree, errors));
  EXPECT_GT(found, 0.2);
  EXPECT_LT(found, 0.31);  // deg; the next that is tried is 25 % away
}

TEST(InformativeReadings, KeepsTheChangesAndFewOfTheRest) {
  AlignedReadings readings;
  for (int k = 0; k < 1000; ++k) {
    readings.time.push_back(0.005 * k);
    readings.measured.push_back(static_cast<float>(k < 500 ? 0.0 : kDegree));
    readings.simulated.push_back(0.0F);
    readings.reference.push_back(0.0F);
  }
  const InformativeReadings informative = informative_readings(readings, kDegree);
  EXPECT_LT(informative.weight.size(), 150u);
  double full = 0.0;
  for (std::size_t i = 0; i < informative.weight.size(); ++i)
    full += informative.weight[i] == 1.0 ? 1.0 : 0.0;
  EXPECT_EQ(full, 4.0);  // first and last of either reading
  EXPECT_EQ(informative_readings(readings, 0.0).weight.size(), 1000u);
}

}  // namespace
}  // namespace kagami::tools
