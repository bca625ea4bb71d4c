/// What no controller has to check for itself: inputs finite and fresh, outputs finite, no joint at
/// its limit for too long.
#pragma once

#include "control/core/controller.hpp"

namespace kagami::control {

/// Same for every controller; stated in docs/supervision.md.
struct ControlLimits {
  double max_age = 0.15;        ///< s, oldest reading that a controller may act on
  double max_saturation = 1.0;  ///< s that a joint may be at its limit without a break
};

/// Stands before and behind one controller. Never allocates; cycle code.
class ControlGuard {
 public:
  /// Throws ConfigError for limits that are not above 0.
  explicit ControlGuard(const ControlLimits& limits);

  void reset() noexcept { saturated_time_.fill(0.0); }
  /// kOk, kBadStep, kNotFinite or kOld.
  [[nodiscard]] ControlStatus check_input(const ControlInput& in) noexcept;
  /// kOk, kBadOutput (of what `drive` writes) or kSaturated. Counts `in.dt` for joints at their
  /// limit.
  [[nodiscard]] ControlStatus check_output(const ControlInput& in, ControlDrive drive,
                                           const ControlOutput& out) noexcept;
  /// Of the last status that was not kOk.
  [[nodiscard]] const ControlFinding& finding() const noexcept { return finding_; }
  /// s without a break.
  [[nodiscard]] double saturated_time(int joint) const noexcept {
    return saturated_time_[static_cast<std::size_t>(joint)];
  }

 private:
  ControlStatus found(ControlStatus status, std::size_t joint, double value) noexcept;

  ControlLimits limits_;
  ControlFinding finding_;
  JointArray<double> saturated_time_{};
};

}  // namespace kagami::control
