#include "tools/analysis/response.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

using Complex = std::complex<double>;

constexpr double kLongestSegment = 8.0;      // s, of a segment
constexpr double kShortestSegment = 2.0;     // s
constexpr double kSegmentsOfShortRun = 4.0;  // segments that a short run is divided into
constexpr double kLowest = 0.25;             // Hz
constexpr double kHighest = 12.0;            // Hz
constexpr double kPeriods = 2.0;             // in a segment
constexpr double kReadings = 4.0;            // per period
constexpr double kLeastAmplitude = to_rad(0.5);
constexpr double kLeastCoherence = 0.9;
constexpr int kFewestSegments = 3;

/// Spectra at one frequency, summed over segments.
struct Spectra {
  double model = 0.0;     // of the model's curve
  double measured = 0.0;  // of the readings
  Complex cross{};        // model to measured
  double weight = 0.0;    // sum of squared window sums
  int segments = 0;
};

void add_segment(const ReadingPairs& pairs, std::size_t first, std::size_t end, double length,
                 double frequency, Spectra& sum) {
  const double begin = pairs.time[first];
  double window_sum = 0.0;
  double mean_model = 0.0;
  double mean_measured = 0.0;
  const auto window = [&](std::size_t i) {
    return std::pow(std::sin(std::numbers::pi * (pairs.time[i] - begin) / length), 2);
  };
  for (std::size_t i = first; i < end; ++i) {
    window_sum += window(i);
    mean_model += window(i) * pairs.simulated[i];
    mean_measured += window(i) * pairs.measured[i];
  }
  if (!(window_sum > 0.0)) return;
  mean_model /= window_sum;
  mean_measured /= window_sum;
  Complex model{};
  Complex measured{};
  for (std::size_t i = first; i < end; ++i) {
    const double angle = -2.0 * std::numbers::pi * frequency * (pairs.time[i] - begin);
    const Complex turn = window(i) * Complex(std::cos(angle), std::sin(angle));
    model += turn * (pairs.simulated[i] - mean_model);
    measured += turn * (pairs.measured[i] - mean_measured);
  }
  sum.model += std::norm(model);
  sum.measured += std::norm(measured);
  sum.cross += std::conj(model) * measured;
  sum.weight += window_sum * window_sum;
  ++sum.segments;
}

Spectra spectra_at(const ReadingPairs& pairs, double length, double frequency) {
  Spectra sum;
  std::size_t first = 0;
  std::size_t end = 0;
  for (double begin = pairs.time.front(); begin + length <= pairs.time.back();
       begin += 0.5 * length) {
    while (pairs.time[first] < begin) ++first;
    while (end < pairs.size() && pairs.time[end] < begin + length) ++end;
    const bool is_dense =
        static_cast<double>(end - first) > kReadings * frequency * length;  // no readings missing
    if (is_dense) add_segment(pairs, first, end, length, frequency, sum);
  }
  return sum;
}

}  // namespace

std::vector<ResponsePoint> frequency_response(const ReadingPairs& pairs) {
  std::vector<ResponsePoint> points;
  if (pairs.size() < 2) return points;
  const double all = pairs.time.back() - pairs.time.front();
  const double length = std::clamp(all / kSegmentsOfShortRun, kShortestSegment, kLongestSegment);
  for (double f = kLowest; f < kHighest; f *= std::numbers::sqrt2) {
    if (f * length < kPeriods) continue;
    const Spectra s = spectra_at(pairs, length, f);
    if (s.segments < kFewestSegments) continue;
    ResponsePoint point;
    point.frequency = f;
    point.amplitude = 2.0 * std::sqrt(s.model / s.weight);
    point.gain = std::abs(s.cross) / s.model;
    point.phase = std::arg(s.cross);
    point.coherence = std::norm(s.cross) / (s.model * s.measured);
    if (point.amplitude >= kLeastAmplitude && point.coherence >= kLeastCoherence) {
      points.push_back(point);
    }
  }
  return points;
}

}  // namespace kagami::tools
