#include "tools/analysis/compare.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "tools/analysis/lag.hpp"
#include "tools/analysis/reading_pairs.hpp"

namespace kagami::tools {
namespace {

constexpr double kRestRangeDeg = 2.0;   // as the cycle's own statistics
constexpr double kResolutionDeg = 0.5;  // half of the whole degrees in which the boards answer

/// Sums over readings, in deg.
struct Sums {
  std::size_t samples = 0;
  double difference = 0.0;
  double absolute = 0.0;
  double square = 0.0;
  double largest = 0.0;
  double noise_square = 0.0;
  std::size_t within_resolution = 0;

  void add(double d) {
    ++samples;
    difference += d;
    absolute += std::abs(d);
    square += d * d;
    largest = std::max(largest, std::abs(d));
    if (std::abs(d) <= kResolutionDeg) ++within_resolution;
  }
  void add(const Sums& other) {
    samples += other.samples;
    difference += other.difference;
    absolute += other.absolute;
    square += other.square;
    largest = std::max(largest, other.largest);
    noise_square += other.noise_square;
    within_resolution += other.within_resolution;
  }
  /// What joint and whole robot have in common.
  template <class Result>
  void put_into(Result& result) const {
    if (samples == 0) return;
    const double n = static_cast<double>(samples);
    result.rms_deg = std::sqrt(square / n);
    result.mean_abs_deg = absolute / n;
    result.max_deg = largest;
    result.bias_deg = difference / n;
    result.noise_deg = std::sqrt(noise_square / n);
    result.share_within_resolution = static_cast<double>(within_resolution) / n;
  }
};

bool is_moving(const ReadingPairs& pairs) {
  const auto [least, most] = std::minmax_element(pairs.simulated.begin(), pairs.simulated.end());
  return to_deg(*most - *least) >= kRestRangeDeg;
}

/// The pairs of the same joint in other runs.
std::vector<ReadingPairs> pairs_in(const std::vector<RunSeries>& runs, const std::string& joint) {
  std::vector<ReadingPairs> all;
  for (const RunSeries& run : runs) {
    for (std::size_t j = 0; j < run.joints.size(); ++j) {
      if (run.joints[j].name == joint) all.push_back(reading_pairs(run, j));
    }
  }
  return all;
}

std::optional<double> difference(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::optional(*a - *b) : std::nullopt;
}

}  // namespace

Comparison compare(const RunSeries& run, const std::vector<RunSeries>& repeats) {
  Comparison result;
  result.motion = run.motion;
  Sums all;
  for (std::size_t j = 0; j < run.joints.size(); ++j) {
    const JointReadings& readings = run.joints[j];
    const ReadingPairs pairs = reading_pairs(run, j);
    JointComparison joint;
    joint.name = readings.name;
    joint.channel = readings.channel;
    joint.samples = pairs.size();
    if (joint.samples > 0) {
      Noise noise = noise_of(pairs);
      noise.repetition = repetition_noise(pairs, pairs_in(repeats, joint.name));
      Sums sums;
      for (std::size_t i = 0; i < pairs.size(); ++i) sums.add(to_deg(pairs.difference(i)));
      const double noise_deg = to_deg(noise.rms());
      sums.noise_square = static_cast<double>(sums.samples) * noise_deg * noise_deg;
      sums.put_into(joint);
      const double beyond = *joint.rms_deg * *joint.rms_deg - noise_deg * noise_deg;
      joint.beyond_noise_deg = std::sqrt(std::max(0.0, beyond));
      if (is_moving(pairs)) joint.floor_deg = to_deg(noise.resolution);
      joint.holds = find_holds(pairs);
      joint.response = frequency_response(pairs);
      if (const auto lag = find_lag(readings, run.simulated.time, run.simulated.angle[j])) {
        joint.lag_ms = 1e3 * lag->seconds;
        joint.lag_sigma_ms = 1e3 * lag->sigma;
      }
      all.add(sums);
    }
    result.joints.push_back(std::move(joint));
  }
  result.samples = all.samples;
  all.put_into(result);
  return result;
}

std::vector<JointChange> changes(const Comparison& run, const Comparison& baseline) {
  std::vector<JointChange> result;
  for (const JointComparison& joint : run.joints) {
    JointChange change;
    change.name = joint.name;
    const auto same = std::find_if(baseline.joints.begin(), baseline.joints.end(),
                                   [&](const JointComparison& b) { return b.name == joint.name; });
    if (same != baseline.joints.end()) {
      change.rms_deg = difference(joint.rms_deg, same->rms_deg);
      change.max_deg = difference(joint.max_deg, same->max_deg);
      change.bias_deg = difference(joint.bias_deg, same->bias_deg);
      change.lag_ms = difference(joint.lag_ms, same->lag_ms);
    }
    result.push_back(std::move(change));
  }
  return result;
}

}  // namespace kagami::tools
