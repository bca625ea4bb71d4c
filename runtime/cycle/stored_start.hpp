/// Whether all boards have begun their stored motion.
#pragma once

#include <cstdint>

#include "drivers/link/samples.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::runtime {

/// The start is sent to each board once: after one that did not acknowledge it, that board may play
/// or not, and no other may go on alone. Cycle code.
class StoredStart {
 public:
  /// So long all acknowledgements may take.
  static constexpr std::int64_t kLimitNs = 150'000'000;

  /// `targets` as last published. True once per start, with an event: a board did not acknowledge
  /// it, hold the robot.
  [[nodiscard]] bool has_failed(const drivers::ServoTargets& targets,
                                const drivers::ServoSample& sample, int num_boards,
                                std::int64_t now_ns, EventList& events) noexcept;

  /// Index of the board that did not acknowledge it; -1: none.
  [[nodiscard]] int failed_board() const noexcept { return failed_board_; }

 private:
  std::uint32_t sequence_ = 0;  // of the start that is watched
  std::int64_t since_ns_ = 0;
  bool is_over_ = false;
  int failed_board_ = -1;
};

}  // namespace kagami::runtime
