/// How long the client that writes may be silent.
#pragma once

#include <algorithm>

namespace kagami::tools {

/// Counts polls, not time: a server that is late itself does not take that for the client's
/// silence. One thread.
class WriterLease {
 public:
  /// Silent polls after which the lease ends, and after which a supervised motion must stop.
  static constexpr int kPolls = 40;
  static constexpr int kHandPolls = 4;

  struct Poll {
    bool ping = false;       ///< send the client a ping
    bool hand_lost = false;  ///< the supervised motion must stop; once per silence
    bool lost = false;       ///< the client loses the lease
  };

  /// The client sent a message or answered a ping, or another client took the lease.
  void renew() noexcept {
    silent_ = 0;
    is_reported_ = false;
  }

  /// To be called every lease / kPolls. `needs_hand`: a motion runs that the client has to
  /// supervise, so kHandPolls silent polls stop it.
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
