/// One hobby servo: what it makes of its target, in a form that a semi-implicit step can use.
/// Derivation in docs/math/servo.md.
#pragma once

#include "models/base/servo_parameters.hpp"

namespace kagami::models {

/// Two first-order filters in series, T1 x1' = u - x1, T2 x2' = x1 - x2: exact over a step in which
/// u moves on a straight line.
class TargetFilter {
 public:
  TargetFilter() = default;
  /// Time constants in s, >= 0 (0 = none).
  TargetFilter(double T1, double T2) noexcept : T1_(T1), T2_(T2) {}

  /// Settled at u (rad).
  void reset(double u) noexcept { x1_ = x2_ = u; }
  /// Coefficients for steps of h (s, > 0). Cycle code; needed again only when h changes.
  void set_step(double h) noexcept;
  /// u moves from u0 to u1 (rad) during one step; returns the output at its end.
  double step(double u0, double u1) noexcept;
  [[nodiscard]] double output() const noexcept { return x2_; }  ///< rad

 private:
  double T1_ = 0.0;
  double T2_ = 0.0;
  double h_ = 1.0;
  double x1_ = 0.0;
  double x2_ = 0.0;
  double E1_ = 0.0;  // exp(-h/T1)
  double E2_ = 0.0;  // exp(-h/T2)
  double G_ = 0.0;   // response of x2 to x1 after h
};

/// Torque of a servo on its joint as a linear function of the joint's acceleration during the step:
/// tau = tau_0 - inertia * a.
struct ServoDrive {
  double tau_0 = 0.0;     ///< N m
  double inertia = 0.0;   ///< kg m^2, >= 0: rotor plus what the implicit terms add
  double rotor = 0.0;     ///< kg m^2, the rotor's share of it
  double friction = 0.0;  ///< N m s/rad, the friction's share of the damping, per speed
  bool saturated = false;
};

/// Drive for one step of h seconds. `target` and `q` in rad, `v` in rad/s at the step's start;
/// voltage is the supply's ratio to nominal, 0..1. Cycle code.
ServoDrive servo_drive(const ServoParameters& s, double target, double q, double v, double h,
                       double voltage) noexcept;
/// N m s/rad: friction per speed, at v (rad/s), with that torque through the gear (N m).
double friction_damping(const ServoParameters& s, double v, double transmitted) noexcept;
/// A servo without drive: rotor inertia and gear friction alone.
ServoDrive servo_released(const ServoParameters& s, double v, double h) noexcept;

}  // namespace kagami::models
