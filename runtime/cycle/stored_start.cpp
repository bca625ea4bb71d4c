#include "runtime/cycle/stored_start.hpp"

#include "models/base/idx.hpp"
#include "models/base/time.hpp"

namespace kagami::runtime {

bool StoredStart::has_failed(const drivers::ServoTargets& targets,
                             const drivers::ServoSample& sample, int num_boards,
                             std::int64_t now_ns, EventList& events) noexcept {
  if (targets.mode != drivers::TargetMode::kPlay) return false;
  if (targets.sequence != sequence_) {
    sequence_ = targets.sequence;
    since_ns_ = now_ns;
    is_over_ = false;
  }
  if (is_over_) return false;
  bool is_begun = true;
  for (int b = 0; b < num_boards; ++b) {
    const drivers::BoardCommand& command = sample.command[idx(b)];
    if (command.sequence == sequence_) continue;
    is_begun = false;
    if (command.failed == 0 && now_ns - since_ns_ < kLimitNs) continue;
    events.add(EventCode::kStoredStartFailed, seconds(now_ns - since_ns_), b);
    is_over_ = true;
    failed_board_ = b;
    return true;
  }
  is_over_ = is_begun;
  return false;
}

}  // namespace kagami::runtime
