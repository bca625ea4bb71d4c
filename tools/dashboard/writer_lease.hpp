/// How long the one that writes may be silent.
#pragma once

#include <algorithm>

namespace kagami::tools {

/// Counts looks, not time: a server that is late itself does not take that for the client's
/// silence. One thread.
class WriterLease {
 public:
  /// Looks of a whole lease, and of the hand's part of it.
  static constexpr int kLooks = 40;
  static constexpr int kHandLooks = 4;

  struct Look {
    bool ping = false;       ///< ask whether it is there
    bool hand_lost = false;  ///< what moves by its hand must stop; once in each silence
    bool lost = false;       ///< it writes no longer
  };

  /// A message or the answer to a ping came, or another one writes now.
  void renew() noexcept {
    silent_ = 0;
    is_told_ = false;
  }

  /// To be called every lease / kLooks. `needs_hand`: something moves by the writer's hand, so a
  /// silence of kHandLooks is too long.
  Look look(bool needs_hand) noexcept {
    constexpr int kFirstPing = 5;
    constexpr int kPings = 10;
    silent_ = std::min(silent_ + 1, kLooks);
    Look seen;
    seen.ping = needs_hand || silent_ % kPings == kFirstPing;
    seen.lost = silent_ >= kLooks;
    seen.hand_lost = needs_hand && !is_told_ && (silent_ >= kHandLooks || seen.lost);
    is_told_ = needs_hand && (is_told_ || seen.hand_lost);
    return seen;
  }

 private:
  int silent_ = 0;  // looks since the last word
  bool is_told_ = false;
};

}  // namespace kagami::tools
