/// How long the one that writes may be silent.
#pragma once

#include <algorithm>

namespace kagami::tools {

/// Counts polls, not time: a server that is late itself does not take that for the client's
/// silence. One thread.
class WriterLease {
 public:
  /// Polls of a whole lease, and of a motion that needs the hand.
  static constexpr int kPolls = 40;
  static constexpr int kHandPolls = 4;

  struct Poll {
    bool ping = false;       ///< ask whether it is there
    bool hand_lost = false;  ///< what moves by its hand must stop; once in each silence
    bool lost = false;       ///< it writes no longer
  };

  /// A message or the answer to a ping came, or another one writes now.
  void renew() noexcept {
    silent_ = 0;
    is_reported_ = false;
  }

  /// To be called every lease / kPolls. `needs_hand`: something moves by the writer's hand, so a
  /// silence of kHandPolls is too long.
  Poll poll(bool needs_hand) noexcept {
    constexpr int kFirstPing = 5;
    constexpr int kPings = 10;
    silent_ = std::min(silent_ + 1, kPolls);
    Poll result;
    result.ping = needs_hand || silent_ % kPings == kFirstPing;
    result.lost = silent_ >= kPolls;
    result.hand_lost = needs_hand && !is_reported_ && (silent_ >= kHandPolls || result.lost);
    is_reported_ = needs_hand && (is_reported_ || result.hand_lost);
    return result;
  }

 private:
  int silent_ = 0;  // polls since the last message
  bool is_reported_ = false;
};

}  // namespace kagami::tools
