#include "runtime/clock/ticker.hpp"

#include <algorithm>

namespace kagami::runtime {

Ticker::Tick Ticker::begin(std::int64_t now_ns) noexcept {
  const std::int64_t half_ns = period_ns_ / 2;
  Tick tick{.index = ticks_++, .lateness_ns = now_ns - due_ns_};
  tick.stop = policy_ == LatePolicy::kStop && tick.lateness_ns > period_ns_;
  if (tick.lateness_ns > half_ns) ++late_;

  grid_ns_ += period_ns_;
  if (policy_ == LatePolicy::kCatchUp) {
    // what is too far back is given up; the rest follows half a period apart
    skip_to_at_least(now_ns - kMaxBacklog * period_ns_);
    due_ns_ = std::max(grid_ns_, now_ns + half_ns);
  } else {
    skip_to_at_least(now_ns + half_ns);
    due_ns_ = grid_ns_;
  }
  return tick;
}

void Ticker::skip_to_at_least(std::int64_t at_ns) noexcept {
  if (grid_ns_ >= at_ns) return;
  const std::int64_t places = (at_ns - grid_ns_ + period_ns_ - 1) / period_ns_;
  grid_ns_ += places * period_ns_;
  skipped_ += places;
}

}  // namespace kagami::runtime
