#include "runtime/cycle/command_gap.hpp"

#include <algorithm>

#include "models/base/time.hpp"

namespace kagami::runtime {

void CommandGap::step(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
                      int num_boards, std::int64_t now_ns, EventList& events) noexcept {
  const bool is_new = sample.round != round_;
  round_ = sample.round;
  // a stalled computer ends no round
  const std::int64_t stalled_ns = now_ns - now_ns_ > kStallNs ? now_ns - now_ns_ : 0;
  round_ns_ = is_new ? now_ns : round_ns_ + stalled_ns;
  now_ns_ = now_ns;
  // within a round it is not known which boards have got their command
  const bool is_known = is_new || now_ns - round_ns_ > kLongestRoundNs;
  for (int b = 0; b < num_boards; ++b) {
    const drivers::BoardCommand& command = sample.command[static_cast<std::size_t>(b)];
    Board& board = boards_[static_cast<std::size_t>(b)];
    const bool acknowledged =
        command.sequence != board.sequence || command.effective_ns != board.effective_ns;
    // the sample of a round comes after its last exchange
    const std::int64_t commanded_ns =
        acknowledged ? std::min(command.effective_ns, now_ns) : now_ns;
    const std::int64_t gap_ns = board.since_ns < 0 ? 0 : commanded_ns - board.since_ns;
    if (is_known && gap_ns > kLimitNs && !board.reported) {
      board.reported = true;
      events.add(EventCode::kCommandGap, seconds(gap_ns), b);
    }
    const bool waits = targets.sequence != 0 && targets.mode != drivers::TargetMode::kNone &&
                       (command.sequence != targets.sequence || !command.complete);
    board.sequence = command.sequence;
    board.effective_ns = command.effective_ns;
    if (waits && !acknowledged && board.since_ns >= 0) continue;
    if (board.since_ns >= 0) end_gap(board, b, commanded_ns, events);
    board.since_ns = waits ? commanded_ns : -1;
  }
  open_ns_ = 0;
  for (const Board& board : boards_) {
    if (board.since_ns >= 0) open_ns_ = std::max(open_ns_, now_ns - board.since_ns);
  }
}

void CommandGap::end_gap(Board& board, int index, std::int64_t end_ns, EventList& events) noexcept {
  const std::int64_t length_ns = std::max<std::int64_t>(0, end_ns - board.since_ns);
  longest_ns_ = std::max(longest_ns_, length_ns);
  if (board.reported) {
    events.add(EventCode::kCommandGapEnded, seconds(length_ns), index);
  }
  board.reported = false;
}

}  // namespace kagami::runtime
