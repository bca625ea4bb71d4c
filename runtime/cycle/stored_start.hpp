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

 private:
  std::uint32_t sequence_ = 0;  // of the start that is watched
  std::int64_t since_ns_ = 0;
  bool is_over_ = false;
};

}  // namespace kagami::runtime
