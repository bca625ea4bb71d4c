#include "tools/tune/band_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/errors.hpp"

namespace kagami::tools {

BandWatch::BandWatch(const SideRun& predicted, const BandAllowance& allowance)
    : predicted_(predicted), allowance_(allowance) {
  if (predicted.t.size() < 2 || predicted.joints.empty()) {
    throw ConfigError("promote: nothing was predicted; expected a side run with a band");
  }
  if (!(allowance.angle >= 0.0) || !(allowance.time >= 0.0) || allowance.readings < 1) {
    throw ConfigError("promote: an allowance below 0, or less than one reading");
  }
  dt_ = predicted.t[1] - predicted.t[0];
  end_ = predicted.t.back();
}

std::optional<BandExit> BandWatch::see(int joint, double time, double angle) noexcept {
  if (exit_ || joint < 0 || joint >= static_cast<int>(predicted_.joints.size()))
    return std::nullopt;
  if (!(time >= 0.0) || time > end_) return std::nullopt;
  const auto j = static_cast<std::size_t>(joint);
  const PredictedBand& band = predicted_.joints[j];
  // the widest that the band is within the allowance of time
  const double last = static_cast<double>(band.low.size() - 1);
  const auto begin =
      static_cast<std::size_t>(std::clamp(std::floor((time - allowance_.time) / dt_), 0.0, last));
  const auto end =
      static_cast<std::size_t>(std::clamp(std::ceil((time + allowance_.time) / dt_), 0.0, last));
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t i = begin; i <= end; ++i) {
    low = std::min(low, band.low[i]);
    high = std::max(high, band.high[i]);
  }
  low -= allowance_.angle;
  high += allowance_.angle;
  if (angle >= low && angle <= high) {
    outside_[j] = 0;
    return std::nullopt;
  }
  // a NaN is outside too
  if (++outside_[j] < allowance_.readings) return std::nullopt;
  exit_ = BandExit{joint, time, angle, low, high};
  return exit_;
}

}  // namespace kagami::tools
