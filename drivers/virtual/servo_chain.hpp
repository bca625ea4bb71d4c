/// A hobby servo of the plant, from the pulse to the row that drives the hinge.
///
/// Written apart from the twin's servo model on purpose: what they share is the parameter file.
/// Formulas: docs/math/servo.md, repeated in servo_chain.cpp.
#pragma once

#include <array>

#include "models/base/servo_parameters.hpp"

namespace kagami::drivers::virtual_robot {

/// Longest delay that fits: 0.2 s at steps of 1 ms, plus the two ends of the interpolation.
inline constexpr int kDelayCapacity = 256;

/// Pulse-period delay and two first-order filters, in steps of fixed length.
class TargetChain {
 public:
  /// `step` in s. Parameters as read_servo_set() lets them through: delay at most 0.2 s.
  TargetChain(const ServoParameters& servo, double step);
  /// All of it at rest at `target` (rad).
  void settle(double target) noexcept;
  /// One step: `target` (rad) is what the board commands at its end; returns what the P loop
  /// measures then.
  double follow(double target) noexcept;

 private:
  /// First-order filter whose input runs straight from step to step: exact for ramps.
  struct Filter {
    double lag = 0.0;    // s
    double decay = 0.0;  // exp(-step / lag), 0 = passes through
    double input = 0.0;
    double output = 0.0;
    double follow(double target, double step) noexcept;
  };

  double delayed(double target) noexcept;

  double step_;
  int whole_ = 0;      // steps of delay
  double part_ = 0.0;  // and the fraction of one
  int newest_ = 0;
  std::array<double, kDelayCapacity> past_{};
  Filter first_;
  Filter second_;
};

/// One row of the engine's solver: rate = speed - compliance * torque, |torque| <= limit.
struct MotorRow {
  double speed = 0.0;       ///< rad/s
  double compliance = 0.0;  ///< rad/s per N m
  bool is_on = false;       ///< off: the joint turns freely
};

/// P loop, dead band, motor line, rotor, gear play.
class ServoMotor {
 public:
  ServoMotor(const ServoParameters& servo, double step);
  /// The row for the next step. `target`, `angle` rad, `rate` rad/s of the joint now; `supply` is
  /// the voltage as a fraction of the nominal one.
  MotorRow drive(double target, double angle, double rate, double supply) noexcept;
  /// The row of a servo without drive: the rotor turns along.
  MotorRow coast(double rate) noexcept;
  /// After the engine's step: stores the torque of the motor. `rate` is the joint's new one.
  void finish(double rate) noexcept;
  /// N m, the most that dry friction resists in the step of the last row.
  [[nodiscard]] double dry_friction(double rate) const noexcept;
  /// Whether dry_friction depends on speed or load.
  [[nodiscard]] bool has_varying_friction() const noexcept {
    return servo_.static_friction + servo_.load_friction > 0.0;
  }
  /// N m of the motor at the end of the last step, rotor inertia not subtracted.
  [[nodiscard]] double torque() const noexcept { return torque_; }

 private:
  bool is_engaged(double driving, double rate, double free_rate) noexcept;
  /// The row of this inertia (kg m^2) and of viscous friction alone.
  [[nodiscard]] MotorRow passive(double inertia, double rate) const noexcept;

  ServoParameters servo_;
  double step_;
  double gap_ = 0.0;      // rad, gear ahead of the joint, within half the play
  double push_ = 0.0;     // N m, the row's part that does not depend on the rate
  double damping_ = 0.0;  // N m s/rad, the part that does
  double torque_ = 0.0;
  double transmitted_ = 0.0;  // N m, at the start of the step
};

}  // namespace kagami::drivers::virtual_robot
