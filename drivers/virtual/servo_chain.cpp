// Servo of the plant: the model of docs/math/servo.md as one motor row of ODE. Ours.
//
//   e   target - angle, shrunk by half the dead band           u = kp e
//   S   stall torque at the present supply                     b = stall / free speed
//   h   step       J   rotor inertia at the joint              v = present rate
//
//   |u - kde v| < S:   den = b + kde + h kp + J/h,   num = u + (J/h) v       (servo-1)
//   else:              den = b + J/h,                num = +-S + (J/h) v     (servo-2)
//   row:               rate = num/den - torque/den                           (servo-3)
//   motor torque:      u - (b + kde + h kp) rate   or   +-S - b rate         (servo-4)
//
// Ours: inside the dead band the loop has no stiffness, so h kp is left out there; gear play; the
// row of a servo without drive, den = J/h, num = (J/h) v. Viscous friction c is a part of den
// everywhere; dry friction F_c + F_s exp(-(v/v_s)^2) + mu |T| is another row of the engine, T what
// the gear transmits.
#include "drivers/virtual/servo_chain.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::drivers::virtual_robot {
namespace {

// below this the exact filter would divide by almost nothing: it passes its input through
constexpr double kShortestLag = 1e-6;  // s

double shrunk(double error, double half_band) {
  if (std::abs(error) <= half_band) return 0.0;
  return error - std::copysign(half_band, error);
}

}  // namespace

TargetChain::TargetChain(const ServoParameters& servo, double step) : step_(step) {
  const double steps = std::min(servo.delay / step, 1.0 * (kDelayCapacity - 2));
  // a delay of whole steps must not fall one short by the division's rounding
  whole_ = static_cast<int>(std::floor(steps + 1e-9));
  part_ = std::max(0.0, steps - whole_);
  if (servo.filter_1 > kShortestLag) first_ = {servo.filter_1, std::exp(-step / servo.filter_1)};
  if (servo.filter_2 > kShortestLag) second_ = {servo.filter_2, std::exp(-step / servo.filter_2)};
}

void TargetChain::settle(double target) noexcept {
  past_.fill(target);
  first_.input = first_.output = target;
  second_.input = second_.output = target;
}

double TargetChain::delayed(double target) noexcept {
  newest_ = (newest_ + 1) % kDelayCapacity;
  past_[static_cast<std::size_t>(newest_)] = target;
  const int later = (newest_ - whole_ + kDelayCapacity) % kDelayCapacity;
  const int earlier = (later - 1 + kDelayCapacity) % kDelayCapacity;
  const double at_later = past_[static_cast<std::size_t>(later)];
  return at_later + part_ * (past_[static_cast<std::size_t>(earlier)] - at_later);
}

// y' = (x - y)/lag with x straight from `input` to `target`: x - lag s is the particular solution,
// s the slope of x
double TargetChain::Filter::follow(double target, double step) noexcept {
  if (lag == 0.0) return output = target;
  const double slope_lag = (target - input) / step * lag;
  output = target - slope_lag + (output - input + slope_lag) * decay;
  input = target;
  return output;
}

double TargetChain::follow(double target) noexcept {
  return second_.follow(first_.follow(delayed(target), step_), step_);
}

ServoMotor::ServoMotor(const ServoParameters& servo, double step) : servo_(servo), step_(step) {}

MotorRow ServoMotor::drive(double target, double angle, double rate, double supply) noexcept {
  const double S = servo_.stall_torque * supply;
  const double b = servo_.stall_torque / servo_.free_speed;
  const double e = shrunk(target + servo_.trim - angle, 0.5 * servo_.dead_band);
  const double u = servo_.kp * e;
  const double wanted = u - servo_.kde * rate;
  const bool is_saturated = std::abs(wanted) >= S;
  if (is_saturated) {
    push_ = std::copysign(S, wanted);  // (servo-2)
    damping_ = b;
  } else {
    const double kp = e == 0.0 ? 0.0 : servo_.kp;
    push_ = u;  // (servo-1)
    damping_ = b + servo_.kde + step_ * kp;
  }

  const double driving = is_saturated ? push_ : wanted;
  transmitted_ = driving - b * rate;
  if (!is_engaged(transmitted_, rate, driving / b)) {
    push_ = damping_ = transmitted_ = 0.0;
    return passive(0.0, rate);
  }
  const double den = damping_ + servo_.viscous_friction + servo_.rotor_inertia / step_;
  const double num = push_ + servo_.rotor_inertia / step_ * rate;
  return {num / den, 1.0 / den, true};  // (servo-3)
}

MotorRow ServoMotor::coast(double rate) noexcept {
  push_ = damping_ = transmitted_ = 0.0;
  return passive(servo_.rotor_inertia, rate);
}

MotorRow ServoMotor::passive(double inertia, double rate) const noexcept {
  const double den = inertia / step_ + servo_.viscous_friction;
  if (den == 0.0) return {};
  if (servo_.viscous_friction == 0.0) return {rate, step_ / inertia, true};
  return {inertia / step_ * rate / den, 1.0 / den, true};
}

double ServoMotor::dry_friction(double rate) const noexcept {
  const double share = rate / servo_.stribeck_speed;
  return servo_.coulomb_friction + servo_.static_friction * std::exp(-share * share) +
         servo_.load_friction * std::abs(transmitted_);
}

void ServoMotor::finish(double rate) noexcept {
  torque_ = push_ - damping_ * rate;  // (servo-4)
}

// Gear play: the motor pushes only with the flank that it leans on. Between the flanks it runs at
// its own speed under the same drive, its rotor without inertia, until it meets the other one.
bool ServoMotor::is_engaged(double torque, double rate, double free_rate) noexcept {
  const double half = 0.5 * servo_.backlash;
  if (half == 0.0) return true;
  if (torque > 0.0 && gap_ >= half) return true;
  if (torque < 0.0 && gap_ <= -half) return true;
  gap_ = std::clamp(gap_ + (free_rate - rate) * step_, -half, half);
  return false;
}

}  // namespace kagami::drivers::virtual_robot
