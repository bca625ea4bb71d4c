#include "motions/play/pause.hpp"

#include <algorithm>
#include <cmath>

#include "motions/play/interpolate.hpp"

namespace kagami::motions {
namespace {

constexpr double kLeastTime = 0.05;  // s, of a piece
constexpr double kPeakOfStep = 1.5;  // of a smooth step, over its mean rate

}  // namespace

void Pause::set(bool paused) noexcept {
  paused_ = paused;
  if (!paused) waiting_ = 0.0;  // a step in progress continues; the others are not needed
}

void Pause::step(double length, double rate) noexcept {
  if (!paused_ || !(length > 0.0) || !(rate > 0.0) || !std::isfinite(length)) return;
  waiting_ = std::min(kMaxStep, waiting_ + length);
  rate_ = rate;
}

void Pause::settle() noexcept {
  run_ = paused_ ? 0.0 : 1.0;
  waiting_ = length_ = elapsed_ = 0.0;
}

double Pause::advance(double dt) noexcept {
  const double goal = paused_ || length_ > 0.0 ? 0.0 : 1.0;
  const double most = dt / kRamp;
  run_ += std::clamp(goal - run_, -most, most);
  if (length_ == 0.0) {
    if (waiting_ == 0.0 || run_ > 0.0) return 0.0;
    length_ = waiting_;
    waiting_ = elapsed_ = 0.0;
    time_ = std::max(kLeastTime, kPeakOfStep * length_ / rate_);
  }
  const double before = smooth_step(elapsed_ / time_);
  elapsed_ += dt;
  const bool done = elapsed_ > time_ - kTimeSlack;
  const double taken = length_ * ((done ? 1.0 : smooth_step(elapsed_ / time_)) - before);
  if (done) length_ = elapsed_ = 0.0;
  return taken;
}

double Pause::factor() const noexcept {
  return smooth_step(run_);
}

double Pause::step_rate() const noexcept {
  if (length_ == 0.0) return 0.0;
  const double x = elapsed_ / time_;
  return length_ / time_ * 6.0 * x * (1.0 - x);  // derivative of the smooth step
}

}  // namespace kagami::motions
