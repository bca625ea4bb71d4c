#include "tools/identify/reading_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr double kBetween = 0.04;  // s, of equal readings that are kept
constexpr double kRepeated = 0.2;  // weight of those
constexpr int kPoints = 512;
constexpr double kReach = 5.0;  // sigmas beyond the step that the table covers
constexpr double kLeastSigma = to_rad(0.03);
constexpr double kMostSigma = to_rad(3.0);
constexpr double kSigmaRatio = 1.25;  // between two that are tried

/// Standard normal distribution, below x.
double normal_below(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

/// Logarithm of the probability to read what lies `error` from the angle.
double log_probability(double error, double step, double sigma) {
  const double half = 0.5 * step;
  const double e = std::abs(error);
  return std::log(normal_below((half - e) / sigma) - normal_below((-half - e) / sigma));
}

}  // namespace

ReadingNoise::ReadingNoise(double step, double sigma) : sigma_(sigma), step_(step) {
  if (step <= 0.0) {
    most_ = -std::log(sigma * std::sqrt(2.0 * 3.14159265358979));
    return;
  }
  most_ = log_probability(0.0, step, sigma);
  spacing_ = (0.5 * step + kReach * sigma) / (kPoints - 1);
  for (int k = 0; k < kPoints; ++k) {
    const double drop = most_ - log_probability(k * spacing_, step, sigma);
    r_.push_back(std::sqrt(2.0 * std::max(0.0, drop)));
  }
}

double ReadingNoise::operator()(double error) const noexcept {
  if (r_.empty()) return error / sigma_;
  const double place = std::abs(error) / spacing_;
  const auto k = static_cast<std::size_t>(std::min(place, kPoints - 2.0));
  const double r = r_[k] + (place - static_cast<double>(k)) * (r_[k + 1] - r_[k]);
  return std::copysign(r, error);
}

double ReadingNoise::log_likelihood(std::span<const double> errors) const noexcept {
  double sum = most_ * static_cast<double>(errors.size());
  for (const double error : errors) {
    const double r = (*this)(error);
    sum -= 0.5 * r * r;
  }
  return sum;
}

InformativeReadings informative_readings(const AlignedReadings& readings, double step) {
  InformativeReadings informative;
  const std::size_t n = readings.measured.size();
  std::size_t kept = 0;  // the last one
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_first = i == 0 || readings.measured[i - 1] != readings.measured[i];
    const bool is_last = i + 1 == n || readings.measured[i + 1] != readings.measured[i];
    const bool is_new = step <= 0.0 || is_first || is_last;
    if (!is_new && readings.time[i] - readings.time[kept] < kBetween) continue;
    kept = i;
    informative.weight.push_back(is_new ? 1.0 : kRepeated);
    informative.readings.time.push_back(readings.time[i]);
    informative.readings.measured.push_back(readings.measured[i]);
    informative.readings.simulated.push_back(readings.simulated[i]);
    informative.readings.reference.push_back(readings.reference[i]);
  }
  return informative;
}

double likeliest_sigma(double step, std::span<const double> errors) {
  double best = kMostSigma;
  double most = -std::numeric_limits<double>::infinity();
  for (double sigma = kLeastSigma; sigma < kMostSigma; sigma *= kSigmaRatio) {
    const double found = ReadingNoise(step, sigma).log_likelihood(errors);
    if (found <= most) continue;
    most = found;
    best = sigma;
  }
  return best;
}

}  // namespace kagami::tools
