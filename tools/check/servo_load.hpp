/// What a servo has to give during a motion: torque, time at its limit, heat.
#pragma once

#include <cstddef>

#include "models/base/servo_parameters.hpp"

namespace kagami::tools {

/// Sums over the samples of one joint. The torque is the servo's on the joint, without the share
/// that its rotor takes.
class ServoLoad {
 public:
  explicit ServoLoad(const ServoParameters& servo) : servo_(servo) {}

  /// Torque (N m) and speed (rad/s) that hold for dt seconds, of the caller's sample `sample`.
  void add(double torque, double speed, double dt, std::size_t sample);

  [[nodiscard]] double stall_torque() const noexcept { return servo_.stall_torque; }
  /// N m, largest of all samples, and which.
  [[nodiscard]] double top_torque() const noexcept { return top_; }
  [[nodiscard]] std::size_t top_sample() const noexcept { return top_sample_; }
  /// N m, root of the mean square.
  [[nodiscard]] double rms_torque() const noexcept;
  /// W, mean loss in the motor's winding: its current is in proportion to its torque, and at stall
  /// it turns stall torque times free speed into heat; see docs/check.md.
  [[nodiscard]] double heat() const noexcept;
  /// s, the longest stretch in which it drove with all that it has at its speed, and where that
  /// began.
  [[nodiscard]] double longest_at_limit() const noexcept { return longest_; }
  [[nodiscard]] std::size_t limit_sample() const noexcept { return longest_sample_; }
  /// N m, largest with which it was turned against its drive; 0: never beyond the stall torque.
  [[nodiscard]] double top_braking() const noexcept { return braking_; }
  [[nodiscard]] std::size_t braking_sample() const noexcept { return braking_sample_; }

 private:
  ServoParameters servo_;
  double seconds_ = 0.0;
  double square_ = 0.0;  // N^2 m^2 s
  double top_ = 0.0;
  std::size_t top_sample_ = 0;
  double stretch_ = 0.0;
  std::size_t stretch_sample_ = 0;
  double longest_ = 0.0;
  std::size_t longest_sample_ = 0;
  double braking_ = 0.0;
  std::size_t braking_sample_ = 0;
};

}  // namespace kagami::tools
