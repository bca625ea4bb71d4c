#include "motions/play/time_scale.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/base/trig.hpp"
#include "motions/play/interpolate.hpp"

namespace kagami::motions {
namespace {}  // namespace

TimeScale::TimeScale(double factor) noexcept : from_(std::clamp(factor, kMin, kMax)), to_(from_) {}

void TimeScale::set(double factor) noexcept {
  if (!std::isfinite(factor)) return;
  from_ = this->factor();
  to_ = std::clamp(factor, kMin, kMax);
  elapsed_ = 0.0;
}

void TimeScale::brake(double within) noexcept {
  if (is_braking()) {
    // the same share of the cosine, in less time
    const double left = brake_time_ - brake_elapsed_;
    if (within >= left || left <= 0.0) return;
    const double share = brake_elapsed_ / brake_time_;
    brake_time_ = within / (1.0 - share);
    brake_elapsed_ = share * brake_time_;
    return;
  }
  brake_time_ = within;
  brake_elapsed_ = 0.0;
}

void TimeScale::advance(double dt) noexcept {
  elapsed_ = std::min(elapsed_ + dt, kRamp);
  if (!is_braking()) return;
  brake_elapsed_ += dt;
  if (brake_elapsed_ > brake_time_ - kTimeSlack) brake_elapsed_ = brake_time_;
}

void TimeScale::release_brake() noexcept {
  brake_time_ = 0.0;
  brake_elapsed_ = 0.0;
}

double TimeScale::factor() const noexcept {
  if (elapsed_ >= kRamp) return to_;
  return from_ + (to_ - from_) * smooth_step(elapsed_ / kRamp);
}

double TimeScale::brake_factor() const noexcept {
  if (!is_braking()) return 1.0;
  if (has_stopped()) return 0.0;
  return 0.5 * (1.0 + trig::cos(std::numbers::pi * brake_elapsed_ / brake_time_));
}

}  // namespace kagami::motions
