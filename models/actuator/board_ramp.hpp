/// The pose ramp of one servo board as a function of time, past times included.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/base/types.hpp"
#include "models/base/wiring.hpp"

namespace kagami::models {

/// Between two commands each servo target moves on a straight line; with scaled rates all joints of
/// the board arrive together after SpeedTable::duration. The last kRampHistory commands are kept,
/// so a delayed value r(t - delay) is exact also for a command that becomes known late.
class BoardRamp {
 public:
  struct Value {
    double angle = 0.0;   ///< rad
    bool driven = false;  ///< false after release()
  };

  /// `joints`: indices (model order) that hang on this board.
  BoardRamp(const SpeedTable& speed, std::vector<int> joints);

  /// Forgets everything; all joints stand at `angle` (rad, model order) and are driven.
  void reset(const JointArray<double>& angle, std::int64_t at_ns) noexcept;
  /// A new pose. From effective_ns on, the ramps run from where they are then to `angle` (rad).
  /// A time before the last command's counts as the last command's.
  void command(const JointArray<double>& angle, int speed_code, std::int64_t effective_ns) noexcept;
  /// No drive from effective_ns on, until the next command. The ramps stay where they are.
  void release(std::int64_t effective_ns) noexcept;
  /// The ramp of a joint of this board at a time; older than the history: its oldest start.
  [[nodiscard]] Value at(int joint, std::int64_t time_ns) const noexcept;
  [[nodiscard]] const std::vector<int>& joints() const noexcept { return joints_; }

 private:
  static constexpr int kRampHistory = 64;  // 0.2 s of delay at 300 commands a second

  struct Segment {
    std::int64_t effective_ns = 0;
    bool driven = true;
    JointArray<double> start{};     // rad
    JointArray<double> end{};       // rad
    JointArray<double> duration{};  // s, 0 = at once
  };

  const Segment& segment(int age) const noexcept;
  Segment& push(std::int64_t effective_ns) noexcept;

  SpeedTable speed_;
  std::vector<int> joints_;
  std::array<Segment, kRampHistory> segments_{};
  int newest_ = 0;
  int size_ = 1;
};

}  // namespace kagami::models
