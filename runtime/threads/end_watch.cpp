#include "runtime/threads/end_watch.hpp"

#include <algorithm>

namespace kagami::runtime {

bool EndWatch::is_over(const CycleOutput& out, std::int64_t now_ns) noexcept {
  if (since_ns_ < 0 || out.phase != phase_) {
    phase_ = out.phase;
    since_ns_ = now_ns;
  }
  const bool command_is_new = out.targets.sequence != sequence_;
  sequence_ = out.targets.sequence;
  if (command_is_new) told_ns_ = now_ns;
  const std::int64_t waited_ns = now_ns - since_ns_;
  const bool released = out.phase == Phase::kReleased || out.phase == Phase::kReleasing;
  const bool stays =
      out.phase == Phase::kHeld || out.phase == Phase::kDone || (released && stays_released_);
  if (stays && finished_ != nullptr && !finished_->load(std::memory_order_acquire)) return false;
  if (out.phase == Phase::kHeld && waited_ns < held_wait_ns_) return false;
  const bool sent = out.targets.sequence > 0;
  const std::int64_t unanswered_ns = now_ns - std::max(since_ns_, told_ns_);
  if (out.phase == Phase::kHeld && sent && !out.confirmed && unanswered_ns < kConfirmNs) {
    return false;
  }
  if (is_at_rest(out.phase) && !command_is_new) return true;
  gave_up_ = (out.phase == Phase::kWaiting && waited_ns >= kFirstReadingNs) ||
             (out.phase == Phase::kReleasing && waited_ns >= kReleaseNs);
  return gave_up_;
}

}  // namespace kagami::runtime
