/// A gain that is changed while a controller runs: first-order ramp, so that its effect has no
/// step.
#pragma once

#include <cmath>

namespace kagami::control {

/// The step in which it is changed still has the old value. Cycle code.
class FirstOrderRamp {
 public:
  /// 1/s: half of the way in 0.07 s.
  static constexpr double kRate = 10.0;

  FirstOrderRamp() = default;
  explicit FirstOrderRamp(double value) : value_(value), wanted_(value) {}

  [[nodiscard]] double value() const noexcept { return value_; }
  [[nodiscard]] double wanted() const noexcept { return wanted_; }
  void turn(double wanted) noexcept { wanted_ = wanted; }
  /// There at once: for a start.
  void snap() noexcept { value_ = wanted_; }
  /// dt (s) on; the last millionth of the value (or of a thousandth) is taken at once.
  void advance(double dt) noexcept {
    const double left = wanted_ - value_;
    const double share = kRate * dt < 1.0 ? kRate * dt : 1.0;
    const bool is_there = std::abs(left) <= 1e-6 * std::abs(wanted_) + 1e-9;
    value_ = is_there ? wanted_ : value_ + share * left;
  }

 private:
  double value_ = 0.0;
  double wanted_ = 0.0;
};

}  // namespace kagami::control
