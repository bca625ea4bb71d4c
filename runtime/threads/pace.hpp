/// When a message that is sent from time to time is due.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kagami::runtime {

/// At most once in a period on average, at least half a period apart.
struct Pace {
  std::int64_t next_ns = 0;

  bool due(std::int64_t now_ns, std::int64_t period_ns) noexcept {
    if (now_ns < next_ns) return false;
    next_ns = std::max(next_ns + period_ns, now_ns + period_ns / 2);
    return true;
  }
};

}  // namespace kagami::runtime
