/// How long a board goes without a command while its targets change.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "drivers/link/samples.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::runtime {

/// From the tick in which a target was published, or the time at which the last command took
/// effect, to the time at which the next one does. Cycle code.
class CommandGap {
 public:
  /// A longer gap is an event, ns.
  static constexpr std::int64_t kLimitNs = 100'000'000;
  /// ns, a round that lasts longer has commanded no board for kLimitNs.
  static constexpr std::int64_t kLongestRoundNs = 150'000'000;
  static constexpr std::int64_t kStallNs = 15'000'000;  ///< between ticks

  /// `targets` as published with this tick.
  void step(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
            int num_boards, std::int64_t now_ns, EventList& events) noexcept;
  /// ns, of all boards since the start.
  [[nodiscard]] std::int64_t longest_ns() const noexcept { return std::max(longest_ns_, open_ns_); }

 private:
  struct Board {
    std::uint32_t sequence = 0;  // of the last acknowledged command
    std::int64_t effective_ns = 0;
    std::int64_t since_ns = -1;  // nothing acknowledged since then
    bool reported = false;
  };
  void end_gap(Board& board, int index, std::int64_t end_ns, EventList& events) noexcept;

  std::array<Board, kMaxBoards> boards_{};
  std::uint64_t round_ = 0;      // of the newest sample
  std::int64_t round_ns_ = 0;    // tick that had it first, later by the stalls since then
  std::int64_t now_ns_ = 0;      // of the last tick
  std::int64_t longest_ns_ = 0;  // of those that have ended
  std::int64_t open_ns_ = 0;     // the longest of those that last
};

}  // namespace kagami::runtime
