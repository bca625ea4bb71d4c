#include "runtime/cycle/command_gap.hpp"

#include <algorithm>

namespace kagami::runtime {

void CommandGap::step(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
                      int num_boards, std::int64_t now_ns, EventList& events) noexcept {
  for (int b = 0; b < num_boards; ++b) {
    const drivers::BoardCommand& command = sample.command[static_cast<std::size_t>(b)];
    Board& board = boards_[static_cast<std::size_t>(b)];
    const std::int64_t gap_ns = board.since_ns < 0 ? 0 : now_ns - board.since_ns;
    longest_ns_ = std::max(longest_ns_, gap_ns);
    if (gap_ns > kLimitNs && !board.reported) {
      board.reported = true;
      events.add(EventCode::kCommandGap, static_cast<double>(gap_ns) * 1e-9, b);
    }
    const bool acknowledged =
        command.sequence != board.sequence || command.effective_ns != board.effective_ns;
    const bool waits = targets.sequence != 0 && targets.mode != drivers::TargetMode::kNone &&
                       (command.sequence != targets.sequence || !command.complete);
    board.sequence = command.sequence;
    board.effective_ns = command.effective_ns;
    if (waits && !acknowledged && board.since_ns >= 0) continue;
    if (board.reported) {
      events.add(EventCode::kCommandGapEnded, static_cast<double>(gap_ns) * 1e-9, b);
    }
    board.reported = false;
    board.since_ns = waits ? now_ns : -1;
  }
}

}  // namespace kagami::runtime
