#include "tools/tune/band_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

constexpr double kFarAway = 1e6;  // rad^2

}  // namespace

BandWatch::BandWatch(const Forecast& predicted, const BandAllowance& allowance)
    : predicted_(predicted), allowance_(allowance) {
  if (predicted.t.size() < 2 || predicted.joints.empty()) {
    throw ConfigError("promote: no prediction; expected a forecast with a band");
  }
  if (!(allowance.angle >= 0.0) || !(allowance.time >= 0.0) || !(allowance.window > 0.0)) {
    throw ConfigError("promote: the allowance is below 0 or the window is empty");
  }
  dt_ = predicted.t[1] - predicted.t[0];
  end_ = predicted.t.back();
  window_ = std::min(allowance.window, 0.5 * end_);
  windows_.resize(predicted.joints.size());
}

// the widest that the band is within the allowance of time
BandWatch::Bounds BandWatch::bounds_at(const PredictedBand& band, double time) const noexcept {
  const double last = static_cast<double>(band.low.size() - 1);
  const auto row = [&](double t) {
    return static_cast<std::size_t>(std::clamp(t / dt_, 0.0, last));
  };
  Bounds b;
  const std::size_t now = row(time + 0.5 * dt_);
  b.mean = std::clamp(band.mean[now], band.low[now], band.high[now]);
  b.low = std::numeric_limits<double>::infinity();
  b.high = -b.low;
  const std::size_t end = row(time + allowance_.time + dt_);
  for (std::size_t i = row(time - allowance_.time); i <= end; ++i) {
    b.low = std::min(b.low, band.low[i]);
    b.high = std::max(b.high, band.high[i]);
  }
  return b;
}

void BandWatch::push(Window& w, double time, double error, double bound) const noexcept {
  while (w.count > 0 && (w.count == Window::kRoom || time - w.time[w.begin] > window_)) {
    w.begin = (w.begin + 1) % Window::kRoom;
    --w.count;
  }
  const std::size_t at = (w.begin + w.count) % Window::kRoom;
  w.time[at] = time;
  w.error[at] = error * error;
  w.bound[at] = bound * bound;
  ++w.count;
}

std::optional<BandExit> BandWatch::add_reading(int joint, double time, double angle) noexcept {
  if (exit_ || joint < 0 || joint >= static_cast<int>(windows_.size())) return std::nullopt;
  if (!(time >= 0.0) || time > end_) return std::nullopt;
  const auto j = static_cast<std::size_t>(joint);
  const Bounds b = bounds_at(predicted_.joints[j], time);
  const double bound = std::max(b.high - b.mean, b.mean - b.low) + allowance_.angle;
  // a NaN is as far away as can be
  push(windows_[j], time, std::isfinite(angle) ? angle - b.mean : std::sqrt(kFarAway), bound);
  const double low = b.low - allowance_.angle;
  const double high = b.high + allowance_.angle;
  if (time < window_ || (angle >= low && angle <= high)) return std::nullopt;
  // summed from the start each time, so that rounding does not accumulate
  const Window& w = windows_[j];
  double error = 0.0;
  double allowed = 0.0;
  for (std::size_t k = 0; k < w.count; ++k) {
    const std::size_t i = (w.begin + k) % Window::kRoom;
    error += w.error[i];
    allowed += w.bound[i];
  }
  if (error <= allowed) return std::nullopt;
  exit_ = BandExit{joint, time, angle, low, high};
  return exit_;
}

}  // namespace kagami::tools
