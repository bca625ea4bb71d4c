/// Pauses and resumes a motion's time, and steps it forwards while paused.
#pragma once

namespace kagami::motions {

/// Cycle code: noexcept, no heap. Nothing jumps: the rate of time is ramped over kRamp, a piece is
/// a smooth step.
class Pause {
 public:
  static constexpr double kRamp = 0.2;      ///< s, from running to standing and back
  static constexpr double kMaxStep = 10.0;  ///< s, most that may wait

  void set(bool paused) noexcept;
  [[nodiscard]] bool is_set() const noexcept { return paused_; }
  /// `length` s (> 0) of the motion's own time further, its rate nowhere above `rate` (> 0). While
  /// one piece is on its way the next one waits; without a pause nothing happens.
  void step(double length, double rate) noexcept;
  /// Drops ramps and pieces: running or standing, as it is set.
  void settle() noexcept;

  /// Advances by `dt` s; returns what a piece took of the motion's time meanwhile, s.
  double advance(double dt) noexcept;
  /// 1 (running) .. 0 (standing); multiplies the motion's rate.
  [[nodiscard]] double factor() const noexcept;
  /// Rate of the piece that is on its way; adds to the motion's.
  [[nodiscard]] double step_rate() const noexcept;

 private:
  bool paused_ = false;
  double run_ = 1.0;  // value of the ramp, 1: running
  double waiting_ = 0.0;
  double rate_ = 1.0;
  double length_ = 0.0;  // of the piece on its way, 0: none
  double time_ = 1.0;    // s that it takes
  double elapsed_ = 0.0;
};

}  // namespace kagami::motions
