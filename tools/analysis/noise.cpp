#include "tools/analysis/noise.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr double kStep = to_rad(1.0);  // rad, in which the boards answer
constexpr double kRestRange = 2.0 * kStep;
constexpr double kOfHalfWidth = 0.57735026918962573;  // standard deviation of a uniform error
constexpr std::size_t kFewestTimes = 20;

double squared(double x) {
  return x * x;
}

double resolution_of(const ReadingPairs& pairs) {
  const auto [least, most] = std::minmax_element(pairs.simulated.begin(), pairs.simulated.end());
  if (*most - *least < kRestRange) return 0.5 * kStep;
  double sum = 0.0;
  for (const double q : pairs.simulated) sum += squared(q - kStep * std::round(q / kStep));
  return std::sqrt(sum / static_cast<double>(pairs.size()));
}

double timing_of(const ReadingPairs& pairs) {
  double sum = 0.0;
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    const double speed = (pairs.simulated[i] - pairs.simulated[i - 1]) /
                         std::max(1e-6, pairs.time[i] - pairs.time[i - 1]);
    sum += squared(speed * kOfHalfWidth * pairs.half_width[i]);
  }
  return std::sqrt(sum / static_cast<double>(pairs.size()));
}

}  // namespace

double Noise::rms() const {
  const double single = std::hypot(resolution, timing);
  return repetition ? std::max(single, *repetition) : single;
}

Noise noise_of(const ReadingPairs& pairs) {
  if (pairs.size() == 0) return {};
  return {resolution_of(pairs), timing_of(pairs), std::nullopt};
}

std::optional<double> repetition_noise(const ReadingPairs& run,
                                       const std::vector<ReadingPairs>& repeats) {
  double sum = 0.0;
  std::size_t times = 0;
  for (const ReadingPairs& other : repeats) {
    if (run.size() == 0 || other.size() == 0) continue;
    std::vector<double> time;
    std::vector<double> difference;
    for (std::size_t i = 0; i < other.size(); ++i) {
      time.push_back(other.time[i] - other.time.front());
      difference.push_back(other.difference(i));
    }
    for (std::size_t i = 0; i < run.size(); ++i) {
      const double there = value_at(time, difference, run.time[i] - run.time.front());
      if (!std::isfinite(there)) continue;
      // two runs, each with the same standard deviation
      sum += 0.5 * squared(run.difference(i) - there);
      ++times;
    }
  }
  if (times < kFewestTimes) return std::nullopt;
  return std::sqrt(sum / static_cast<double>(times));
}

}  // namespace kagami::tools
