#include "runtime/cycle/joint_watch.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/time.hpp"

namespace kagami::runtime {

void FollowWatch::begin(const WatchedAngle& angle) noexcept {
  begun_ = true;
  begun_ns_ = angle.at_ns;
  moved_ns_ = -1;
  path_ = 0.0;
  last_simulated_ = angle.simulated;
  measured_.restart(angle.measured);
  simulated_.restart(angle.simulated);
  commanded_.restart(angle.commanded);
}

void FollowWatch::add(const WatchedAngle& angle) noexcept {
  if (!begun_) begin(angle);
  measured_.add(angle.measured);
  simulated_.add(angle.simulated);
  commanded_.add(angle.commanded);
  path_ += std::abs(angle.simulated - last_simulated_);
  last_simulated_ = angle.simulated;

  if (measured_.width() >= kReadingMoved) {
    stays_ = false;
    return begin(angle);
  }
  const double moved = std::min(simulated_.width(), commanded_.width());
  if (moved_ns_ < 0 && moved >= kModelMoved) moved_ns_ = angle.at_ns;
  if (moved_ns_ >= 0 && angle.at_ns - moved_ns_ >= kDecideNs) {
    if (measured_.width() <= kReadingStayed) {
      stays_ = true;
    } else if (!stays_) {
      begin(angle);
    }
  } else if (moved_ns_ < 0 && angle.at_ns - begun_ns_ >= kWindowNs) {
    begin(angle);
  }
}

void Slope::restart(double motion, double reading) noexcept {
  *this = Slope{};
  motion_0_ = motion;
  reading_0_ = reading;
}

void Slope::add(double motion, double reading) noexcept {
  ++count_;
  const double s = motion - motion_0_;
  const double m = reading - reading_0_;
  s_ += s;
  m_ += m;
  ss_ += s * s;
  sm_ += s * m;
}

double Slope::variance() const noexcept {
  const double mean = s_ / count_;
  return ss_ / count_ - mean * mean;
}

double Slope::value() const noexcept {
  return (sm_ / count_ - s_ / count_ * (m_ / count_)) / variance();
}

void GainWatch::add(const WatchedAngle& angle) noexcept {
  const double since = seconds(angle.at_ns - last_ns_);
  late_ = last_ns_ < 0 ? angle.measured
                       : late_ + (angle.measured - late_) * (1.0 - std::exp(-since / kLag));
  last_ns_ = angle.at_ns;
  if (begun_ && angle.at_ns - begun_ns_ >= kWindowNs) {
    judge();
    begun_ = false;
  }
  if (!begun_) {
    begun_ = true;
    begun_ns_ = angle.at_ns;
    of_model_.restart(angle.simulated, angle.measured);
    of_command_.restart(angle.commanded, angle.measured);
    of_late_.restart(angle.simulated, late_);
  }
  of_model_.add(angle.simulated, angle.measured);
  of_command_.add(angle.commanded, angle.measured);
  of_late_.add(angle.simulated, late_);
}

void GainWatch::judge() noexcept {
  const double least = std::min(of_model_.variance(), of_command_.variance());
  if (least < kLeastMotion * kLeastMotion) return;
  const double gain = std::max({of_model_.value(), of_command_.value(), of_late_.value()});
  if (gain < kLost) lost_ = true;
  if (gain > kBack) lost_ = false;
}

void OffsetWatch::begin(const WatchedAngle& angle) noexcept {
  begun_ = true;
  begun_ns_ = still_since_ns_ = angle.at_ns;
  residual_.restart(angle.residual());
  measured_.restart(angle.measured);
  simulated_.restart(angle.simulated);
  still_.restart(angle.simulated);
  last_simulated_ = angle.simulated;
  up_ = down_ = 0.0;
  rested_ = false;
}

void OffsetWatch::add_way(const WatchedAngle& angle) noexcept {
  const double way = angle.simulated - last_simulated_;
  last_simulated_ = angle.simulated;
  (way > 0.0 ? up_ : down_) += std::abs(way);
  still_.add(angle.simulated);
  if (still_.width() > kStill) {
    still_.restart(angle.simulated);
    still_since_ns_ = angle.at_ns;
  }
  rested_ = rested_ || angle.at_ns - still_since_ns_ >= kRestNs;
}

bool OffsetWatch::same_as_before(double difference, const WatchedAngle& angle) noexcept {
  const bool is_other_rest =
      had_rest_ && std::min(measured_since_rest_.width(), simulated_since_rest_.width()) >= kMoved;
  const bool is_same = is_other_rest && std::abs(difference) >= kOffset &&
                       std::abs(rest_difference_) >= kOffset &&
                       std::abs(difference - rest_difference_) <= kSpread;
  had_rest_ = true;
  rest_difference_ = difference;
  measured_since_rest_.restart(angle.measured);
  simulated_since_rest_.restart(angle.simulated);
  return is_same;
}

void OffsetWatch::add(const WatchedAngle& angle) noexcept {
  const double r = angle.residual();
  if (begun_) residual_.add(r);
  if (!begun_ || residual_.width() > kSpread) begin(angle);
  measured_.add(angle.measured);
  simulated_.add(angle.simulated);
  add_way(angle);
  const double middle = 0.5 * (residual_.least + residual_.most);
  const bool is_lag = !rested_ && std::min(up_, down_) < 0.5 * kMoved;
  if (std::abs(middle) >= kOffset && !is_lag && angle.at_ns - begun_ns_ >= kHoldsNs &&
      measured_.width() >= kMoved && simulated_.width() >= kMoved) {
    implausible_ = true;
  }
  measured_since_rest_.add(angle.measured);
  simulated_since_rest_.add(angle.simulated);
  const bool rests = angle.at_ns - std::max(begun_ns_, still_since_ns_) >= kRestNs;
  if (rests && same_as_before(middle, angle)) implausible_ = true;
  // the end: near the model for as long
  if (std::abs(r) > kOffsetEnd) {
    near_since_ns_ = -1;
  } else if (near_since_ns_ < 0) {
    near_since_ns_ = angle.at_ns;
  } else if (angle.at_ns - near_since_ns_ >= kHoldsNs) {
    implausible_ = false;
  }
}

}  // namespace kagami::runtime
