#include "tools/analysis/lag.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr double kCoarseStep = 0.005;        // s
constexpr double kFineStep = 0.001;          // s
constexpr double kLeastRange = to_rad(3.0);  // rad
constexpr double kLeastExplained = 0.5;      // of the readings' variance
constexpr double kAlmostAsGood = 1.1;        // times the least mean square ...
constexpr double kAlmostAsGoodMore = to_rad(0.05) * to_rad(0.05);  // rad^2 ... and this on top
constexpr double kRounding = to_rad(1.0) * 0.28867513459481287;    // rad, RMS of 1 deg / sqrt(12)
constexpr double kMostUncertain = 0.002;                           // s
constexpr double kCorrelated = 5.0;  // neighbouring readings that count as one
constexpr std::size_t kFewestReadings = 20;
constexpr std::size_t kMostReadings = 4000;  // more do not make the lag better, only slower

struct Moments {
  double mean = 0.0;
  double variance = 0.0;
};

Moments moments(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  Moments m;
  for (const double value : values) m.mean += value / n;
  for (const double value : values) m.variance += (value - m.mean) * (value - m.mean) / n;
  return m;
}

/// Mean square difference as a function of the shift.
class Mismatch {
 public:
  Mismatch(const JointReadings& readings, const std::vector<double>& time,
           const std::vector<double>& simulated)
      : tick_time_(time), simulated_(simulated) {
    // only readings that every shift of the search leaves inside the curve: all shifts see the same
    const double margin = kLargestLag + kFineStep;
    std::vector<std::size_t> usable;
    for (std::size_t i = 0; i < readings.time.size(); ++i) {
      const double t = readings.time[i];
      if (t - margin >= time.front() && t + margin <= time.back()) usable.push_back(i);
    }
    const std::size_t stride = usable.size() / kMostReadings + 1;
    for (std::size_t k = 0; k < usable.size(); k += stride) {
      time_.push_back(readings.time[usable[k]]);
      angle_.push_back(readings.angle[usable[k]]);
    }
  }

  /// rad^2
  double operator()(double shift) const {
    std::vector<double> difference;
    difference.reserve(time_.size());
    for (std::size_t i = 0; i < time_.size(); ++i) {
      const double d = value_at(tick_time_, simulated_, time_[i] - shift) - angle_[i];
      if (std::isfinite(d)) difference.push_back(d);  // else ticks are missing there
    }
    return difference.empty() ? INFINITY : moments(difference).variance;
  }
  std::size_t size() const { return time_.size(); }
  double reading_variance() const { return moments(angle_).variance; }
  /// rad, largest minus least simulated angle over the readings
  double simulated_range() const {
    double least = INFINITY;
    double most = -INFINITY;
    for (const double t : time_) {
      const double q = value_at(tick_time_, simulated_, t);
      least = std::min(least, q);
      most = std::max(most, q);
    }
    return most - least;
  }

 private:
  const std::vector<double>& tick_time_;
  const std::vector<double>& simulated_;
  std::vector<double> time_;
  std::vector<double> angle_;
};

/// The coarse shift of a local minimum that is (almost) the least, nearest to zero; empty when that
/// is an end of the search.
std::optional<double> coarse_minimum(const Mismatch& mismatch) {
  const int steps = static_cast<int>(std::lround(kLargestLag / kCoarseStep));
  std::vector<double> f;
  for (int k = -steps; k <= steps; ++k) f.push_back(mismatch(k * kCoarseStep));
  const double limit = *std::min_element(f.begin(), f.end()) * kAlmostAsGood + kAlmostAsGoodMore;
  std::optional<double> nearest;
  for (int k = -steps + 1; k < steps; ++k) {
    const auto i = static_cast<std::size_t>(k + steps);
    const bool is_minimum = f[i] <= f[i - 1] && f[i] <= f[i + 1] && f[i] <= limit;
    const double shift = k * kCoarseStep;
    if (is_minimum && (!nearest || std::abs(shift) < std::abs(*nearest))) nearest = shift;
  }
  return nearest;
}

}  // namespace

std::optional<Lag> find_lag(const JointReadings& readings, const std::vector<double>& tick_time,
                            const std::vector<double>& simulated) {
  if (tick_time.size() < 2) return std::nullopt;
  const Mismatch mismatch(readings, tick_time, simulated);
  if (mismatch.size() < kFewestReadings) return std::nullopt;
  if (mismatch.simulated_range() < kLeastRange) return std::nullopt;
  const std::optional<double> coarse = coarse_minimum(mismatch);
  if (!coarse) return std::nullopt;

  // fine steps around the coarse minimum
  double best = *coarse;
  double least = mismatch(best);
  for (double shift = *coarse - kCoarseStep; shift < *coarse + kCoarseStep; shift += kFineStep) {
    const double f = mismatch(shift);
    if (f < least) {
      least = f;
      best = shift;
    }
  }
  if (least > (1.0 - kLeastExplained) * mismatch.reading_variance()) return std::nullopt;

  // parabola through three fine steps; its curvature is twice the mean square speed
  const double before = mismatch(best - kFineStep);
  const double after = mismatch(best + kFineStep);
  const double bend = before - 2.0 * least + after;
  if (!(bend > 0.0)) return std::nullopt;
  const double speed = std::sqrt(0.5 * bend) / kFineStep;  // rad/s, RMS
  const double n = static_cast<double>(mismatch.size());
  if (kRounding / (std::sqrt(n) * speed) > kMostUncertain) return std::nullopt;
  return Lag{best + 0.5 * kFineStep * (before - after) / bend,
             std::sqrt(least * kCorrelated / n) / speed};
}

}  // namespace kagami::tools
