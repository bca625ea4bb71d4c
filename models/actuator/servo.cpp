// Servo model, docs/math/servo.md. e = target + trim - q, S stall torque, b = S / free speed,
// v the speed at the step's start, v+ = v + h a at its end, J the rotor inertia.
//   u   = kp e                                                     (servo-1)
//   tau = u - (b + kde + h kp) v+ - J a     while |u - kde v| < S  (servo-2)
//   tau = +-S - b v+ - J a                  saturated              (servo-3)
//   tau_0 = u - d v, inertia = J + h d, d the damping in front of v+  (servo-4)
//   friction: d += F / max(|v|, v_creep) + c_v, F = F_c + F_s exp(-(v/v_s)^2) + mu |T|  (servo-5)
//   T = u - (b + kde) v or +-S - b v, what the gear transmits; 0 inside its play
#include "models/actuator/servo.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/trig.hpp"

namespace kagami::models {
namespace {

// below this speed dry friction is replaced by a steep viscous one: a stuck joint creeps at most
// so fast
constexpr double kCreepSpeed = 1e-3;  // rad/s

// e towards zero by half of `width`
double shrink(double e, double width) noexcept {
  const double rest = std::abs(e) - 0.5 * width;
  return rest > 0.0 ? std::copysign(rest, e) : 0.0;
}

// (exp(x) - 1) / x without loss of digits at 0
double exp_quotient(double x) noexcept {
  if (std::abs(x) > 1e-2) return (trig::exp(x) - 1.0) / x;
  return 1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0))));
}

}  // namespace

double friction_damping(const ServoParameters& s, double v, double transmitted) noexcept {
  double friction = s.coulomb_friction + s.load_friction * std::abs(transmitted);
  if (s.static_friction > 0.0) {
    const double share = v / s.stribeck_speed;
    friction += s.static_friction * trig::exp(-share * share);
  }
  return friction / std::max(std::abs(v), kCreepSpeed) + s.viscous_friction;  // (servo-5)
}

void TargetFilter::set_step(double h) noexcept {
  h_ = h;
  E1_ = T1_ > 0.0 ? trig::exp(-h / T1_) : 0.0;
  E2_ = T2_ > 0.0 ? trig::exp(-h / T2_) : 0.0;
  if (T1_ <= 0.0) {
    G_ = 0.0;
  } else if (T2_ <= 0.0) {
    G_ = E1_;
  } else if (T1_ >= T2_) {
    G_ = E1_ * (h / T2_) * exp_quotient(h / T1_ - h / T2_);
  } else {
    G_ = E2_ * (h / T2_) * exp_quotient(h / T2_ - h / T1_);
  }
}

double TargetFilter::step(double u0, double u1) noexcept {
  // deviations from the ramp that the filters would follow for ever
  const double slope = (u1 - u0) / h_;
  const double lag1 = slope * T1_;
  const double lag2 = slope * (T1_ + T2_);
  const double y1 = x1_ - u0 + lag1;
  const double y2 = x2_ - u0 + lag2;
  x1_ = u1 - lag1 + E1_ * y1;
  x2_ = u1 - lag2 + G_ * y1 + E2_ * y2;
  return x2_;
}

ServoDrive servo_drive(const ServoParameters& s, double target, double q, double v, double h,
                       double voltage) noexcept {
  const double e = shrink(target + s.trim - q, s.dead_band + s.backlash);  // one of them is 0
  ServoDrive drive;
  // inside the play of the gear the motor does not touch the joint
  if (s.backlash > 0.0 && e == 0.0) {
    drive.friction = friction_damping(s, v, 0.0);
    drive.tau_0 = -drive.friction * v;
    drive.inertia = h * drive.friction;
    return drive;
  }
  const double S = s.stall_torque * voltage;
  const double b = s.stall_torque / s.free_speed;
  const double u = s.kp * e;  // (servo-1)
  drive.saturated = std::abs(u - s.kde * v) >= S;
  const double torque = drive.saturated ? std::copysign(S, u - s.kde * v) : u;
  const double line = drive.saturated ? b : b + s.kde;
  drive.friction = friction_damping(s, v, torque - line * v);
  const double d = drive.friction + (drive.saturated ? b : line + h * s.kp);
  drive.tau_0 = torque - d * v;  // (servo-4)
  drive.inertia = s.rotor_inertia + h * d;
  drive.rotor = s.rotor_inertia;
  return drive;
}

ServoDrive servo_released(const ServoParameters& s, double v, double h) noexcept {
  ServoDrive drive;
  drive.friction = friction_damping(s, v, 0.0);
  drive.tau_0 = -drive.friction * v;
  drive.inertia = s.rotor_inertia + h * drive.friction;
  drive.rotor = s.rotor_inertia;
  return drive;
}

}  // namespace kagami::models
