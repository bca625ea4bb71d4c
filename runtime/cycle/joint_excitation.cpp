#include "runtime/cycle/joint_excitation.hpp"

#include <algorithm>
#include <cmath>

#include "motions/play/interpolate.hpp"

namespace kagami::runtime {
namespace {

using control::SignalPoint;
using control::TestKind;

constexpr double kTimeSlack = 1e-9;  // s; sums of dt miss whole times by less
constexpr double kSteepest = 1.5;    // of a smooth step, where it is half done
constexpr std::uint8_t kStreamCode = 0;

bool is_between(double q, const JointWiring& joint) noexcept {
  return q >= joint.soft_min + JointTest::kMargin && q <= joint.soft_max - JointTest::kMargin;
}

}  // namespace

std::optional<JointTestReason> why_not(const control::JointSignal& signal, const JointWiring* joint,
                                       double base) noexcept {
  if (joint == nullptr) return JointTestReason::kNoJoint;
  if (!control::is_possible(signal)) return JointTestReason::kSignal;
  bool fits = false;
  switch (signal.kind) {
    case TestKind::kStep:
    case TestKind::kRamp:
      fits = std::isfinite(base) && is_between(base + signal.size, *joint);
      break;
    case TestKind::kChirp:
      fits = is_between(base + signal.size, *joint) && is_between(base - signal.size, *joint);
      break;
    case TestKind::kRelay:
      fits = is_between(base, *joint);
      break;
  }
  if (!fits) return JointTestReason::kRange;
  return std::nullopt;
}

void JointTest::begin(const control::JointSignal& signal, const JointWiring& joint, double base,
                      const JointArray<double>& held) noexcept {
  stage_ = JointTestStage::kSettling;
  shown_ = JointTestStage::kNone;
  signal_ = signal;
  base_ = base;
  held_ = held;
  range_ = {std::max(joint.soft_min + kMargin, base - kRelayReach),
            std::min(joint.soft_max - kMargin, base + kRelayReach)};
  time_ = within_ = 0.0;
  scale_ = motions::TimeScale(1.0);
  relay_sign_ = 1.0;
  relay_began_ = false;
}

void JointTest::return_to_held(const JointArray<double>& from) noexcept {
  double way = is_relay() ? 0.0 : std::abs(signal_.size);
  for (std::size_t j = 0; j < from.size(); ++j) way = std::max(way, std::abs(from[j] - held_[j]));
  return_time_ = std::max(kReturnTime, kSteepest * way / kReturnSpeed);
  from_ = from;
  stage_ = JointTestStage::kReturning;
  within_ = 0.0;
}

SignalPoint JointTest::point() const noexcept {
  if (stage_ == JointTestStage::kRunning && time_ > 0.0) return signal_at(signal_, time_);
  if (stage_ != JointTestStage::kReturning) return {};
  // the signal continues and fades: no size is exceeded, and no speed jumps
  const SignalPoint on = signal_at(signal_, time_);
  const double x = std::min(within_ / return_time_, 1.0);
  const double left = 1.0 - motions::smooth_step(x);
  const double fall = -6.0 * x * (1.0 - x) / return_time_;  // 1/s, of left
  return {on.offset * left, on.rate * left + on.offset * fall};
}

JointTestStage JointTest::step(double dt, const JointArray<double>& sent,
                               motions::PlayCommand& command) noexcept {
  shown_ = stage_;
  const auto j = static_cast<std::size_t>(signal_.joint);
  const SignalPoint now = point();
  command.q_ref[j] = base_ + now.offset;
  command.qd_ref[j] = now.rate * scale_.brake_factor();
  command.target = shown_ == JointTestStage::kNone ? held_ : command.q_ref;
  if (shown_ == JointTestStage::kReturning) {
    const double left = 1.0 - motions::smooth_step(within_ / return_time_);
    for (std::size_t i = 0; i < from_.size(); ++i) {
      command.target[i] = held_[i] + left * (from_[i] - held_[i]);
    }
  }
  command.target_is_new = true;
  command.speed_code = kStreamCode;
  advance(dt, sent);
  return shown_;
}

void JointTest::advance(double dt, const JointArray<double>& sent) noexcept {
  const double passed = dt * scale_.brake_factor();
  scale_.advance(dt);
  if (stage_ == JointTestStage::kRunning && time_ > signal_.seconds - kTimeSlack)
    return_to_held(sent);
  if (stage_ == JointTestStage::kReturning && within_ > return_time_ - kTimeSlack) {
    stage_ = JointTestStage::kNone;
    return;
  }
  if (stage_ != JointTestStage::kSettling) time_ += passed;
  within_ += passed;
  if (stage_ == JointTestStage::kSettling && within_ > kSettleTime - kTimeSlack) {
    stage_ = JointTestStage::kRunning;
    time_ = 0.0;
  }
}

bool JointTest::drive(double dt, double reading, double& target) noexcept {
  if (!is_relay() || shown_ != JointTestStage::kRunning) return true;
  if (!relay_began_) relay_target_ = target;
  relay_began_ = true;
  // away from the error, turned by one beyond the hysteresis
  const double error = base_ - reading;
  if (relay_sign_ * error < -signal_.relay_hysteresis) relay_sign_ = -relay_sign_;
  const double next =
      relay_target_ + relay_sign_ * signal_.relay_speed * scale_.brake_factor() * dt;
  const bool stays = next >= range_.lowest && next <= range_.highest;
  if (stays) relay_target_ = next;
  target = relay_target_;
  return stays;
}

}  // namespace kagami::runtime
