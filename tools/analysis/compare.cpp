#include "tools/analysis/compare.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "tools/analysis/lag.hpp"

namespace kagami::tools {
namespace {

constexpr double kRestRangeDeg = 2.0;  // as the cycle's own statistics

/// Sums over the samples of a joint, in deg.
struct Sums {
  std::size_t samples = 0;
  double difference = 0.0;
  double square = 0.0;
  double largest = 0.0;
  double rounding_square = 0.0;
  double least_simulated = INFINITY;
  double most_simulated = -INFINITY;

  void add(double simulated_deg, double measured_deg) {
    const double d = simulated_deg - measured_deg;
    const double rounding = simulated_deg - std::round(simulated_deg);
    ++samples;
    difference += d;
    square += d * d;
    largest = std::max(largest, std::abs(d));
    rounding_square += rounding * rounding;
    least_simulated = std::min(least_simulated, simulated_deg);
    most_simulated = std::max(most_simulated, simulated_deg);
  }
};

Sums sums_of(const JointReadings& readings, const std::vector<double>& tick_time,
             const std::vector<double>& simulated) {
  Sums sums;
  for (std::size_t i = 0; i < readings.time.size(); ++i) {
    const double q = value_at(tick_time, simulated, readings.time[i]);
    if (std::isfinite(q) && std::isfinite(readings.angle[i]))
      sums.add(to_deg(q), to_deg(readings.angle[i]));
  }
  return sums;
}

std::optional<double> difference(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::optional(*a - *b) : std::nullopt;
}

}  // namespace

Comparison compare(const RunSeries& run) {
  Comparison result;
  result.motion = run.motion;
  double square = 0.0;
  for (std::size_t j = 0; j < run.joints.size(); ++j) {
    const JointReadings& readings = run.joints[j];
    const Sums sums = sums_of(readings, run.simulated.time, run.simulated.angle[j]);
    JointComparison joint;
    joint.name = readings.name;
    joint.channel = readings.channel;
    joint.samples = sums.samples;
    if (sums.samples > 0) {
      const double n = static_cast<double>(sums.samples);
      joint.rms_deg = std::sqrt(sums.square / n);
      joint.max_deg = sums.largest;
      joint.bias_deg = sums.difference / n;
      if (sums.most_simulated - sums.least_simulated >= kRestRangeDeg)
        joint.floor_deg = std::sqrt(sums.rounding_square / n);
      if (const auto lag = find_lag(readings, run.simulated.time, run.simulated.angle[j]))
        joint.lag_ms = 1e3 * *lag;
    }
    result.samples += sums.samples;
    square += sums.square;
    result.joints.push_back(std::move(joint));
  }
  if (result.samples > 0) result.rms_deg = std::sqrt(square / static_cast<double>(result.samples));
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
