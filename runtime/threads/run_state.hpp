/// How the threads of a run agree on its end.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace kagami::runtime {

class RunState {
 public:
  std::atomic<bool> cycle_is_done{false};  ///< cycle: has taken the sample of the line's last round
  /// cycle: raised when a stop's command was published; serial: lowered before it fetches that
  std::atomic<bool> stop_waits{false};

  /// Cycle: no further target moves the robot.
  void rest() noexcept {
    const std::uint32_t now = turns_.load();
    if (is_even(now)) turns_.store(now + 1);
  }
  /// Cycle: there is something to send again; false when the line has ended already.
  [[nodiscard]] bool move_on() noexcept {
    std::uint32_t now = turns_.load();
    if (is_even(now)) return true;
    return now != kLineDone && turns_.compare_exchange_strong(now, now + 1);
  }
  /// Number of the rest that is under way; 0: the robot moves, or the line has ended.
  [[nodiscard]] std::uint32_t present_rest() const noexcept {
    const std::uint32_t now = turns_.load();
    return is_even(now) || now == kLineDone ? 0 : now;
  }
  /// Serial, after a whole round within this rest: nothing is sent any more. Nothing when the cycle
  /// has moved on since, also when it rests again.
  void end_line(std::uint32_t rest) noexcept {
    if (rest != 0) turns_.compare_exchange_strong(rest, kLineDone);
  }
  [[nodiscard]] bool line_is_done() const noexcept { return turns_.load() == kLineDone; }

 private:
  static constexpr std::uint32_t kLineDone = std::numeric_limits<std::uint32_t>::max();
  static constexpr bool is_even(std::uint32_t turn) noexcept { return turn % 2 == 0; }

  std::atomic<std::uint32_t> turns_{0};  // even: moves; odd: rests; kLineDone
};

}  // namespace kagami::runtime
