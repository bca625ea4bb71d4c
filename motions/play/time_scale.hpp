/// How fast the motion's own time runs: a factor that changes smoothly, and a brake to zero.
#pragma once

namespace kagami::motions {

/// Cycle code: noexcept, no heap.
class TimeScale {
 public:
  static constexpr double kMin = 0.1;   ///< slowest factor
  static constexpr double kMax = 2.0;   ///< fastest factor
  static constexpr double kRamp = 0.2;  ///< s, duration of a change

  explicit TimeScale(double factor) noexcept;

  /// Goes to `factor`, clamped to [kMin, kMax], within kRamp; a non-finite one is ignored.
  void set(double factor) noexcept;
  /// Brakes to zero by half a cosine within `within` s (> 0). A second call only shortens.
  void brake(double within) noexcept;
  void advance(double dt) noexcept;
  /// Releases the brake, as a new start does.
  void release_brake() noexcept;

  /// The factor now, without the brake.
  [[nodiscard]] double factor() const noexcept;
  /// 1 .. 0; multiplies whatever moves.
  [[nodiscard]] double brake_factor() const noexcept;
  /// The factor it is going to.
  [[nodiscard]] double goal() const noexcept { return to_; }
  [[nodiscard]] bool is_braking() const noexcept { return brake_time_ > 0.0; }
  [[nodiscard]] bool has_stopped() const noexcept {
    return is_braking() && brake_elapsed_ >= brake_time_;
  }

 private:
  double from_;
  double to_;
  double elapsed_ = kRamp;
  double brake_time_ = 0.0;  // s, 0 = not braking
  double brake_elapsed_ = 0.0;
};

}  // namespace kagami::motions
