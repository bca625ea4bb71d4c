/// How long a board goes without a command while its targets change.
#pragma once

#include <array>
#include <cstdint>

#include "drivers/link/samples.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::runtime {

/// Times from the cycle's side: from the tick in which a target was published, or a board
/// acknowledged the last one, to the tick that has the next acknowledgement. Cycle code.
class CommandGap {
 public:
  /// A longer gap is an event, ns.
  static constexpr std::int64_t kLimitNs = 100'000'000;

  /// `targets` as published with this tick.
  void step(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
            int num_boards, std::int64_t now_ns, EventList& events) noexcept;
  /// ns, of all boards since the start.
  [[nodiscard]] std::int64_t longest_ns() const noexcept { return longest_ns_; }

 private:
  struct Board {
    std::uint32_t sequence = 0;  // of the last acknowledged command
    std::int64_t effective_ns = 0;
    std::int64_t since_ns = -1;  // nothing acknowledged since then
    bool reported = false;
  };
  std::array<Board, kMaxBoards> boards_{};
  std::int64_t longest_ns_ = 0;
};

}  // namespace kagami::runtime
