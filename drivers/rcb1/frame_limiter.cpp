#include "drivers/rcb1/frame_limiter.hpp"

#include <algorithm>
#include <cmath>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/time.hpp"

namespace kagami::drivers::rcb1 {

bool FrameLimiter::limit(ChannelCounts& counts, std::int64_t now_ns) const noexcept {
  if (!is_known_) return true;
  const std::int64_t since_ns = std::max<std::int64_t>(now_ns - last_ns_, 0);
  const double dt = seconds(std::min(since_ns, std::max(kPulseNs, usual_interval_ns())));
  bool unchanged = true;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > kMaxCount || last_[i] > kMaxCount) continue;  // a special code, no position
    // both ends are rounded to whole degrees: that alone can look like one more
    const double step_max = std::floor(rate_max_[i] * dt + 1.0);
    const int step = counts[i] - last_[i];
    if (std::abs(step) <= step_max) continue;
    const int allowed = static_cast<int>(step_max);
    counts[i] = static_cast<std::uint8_t>(last_[i] + (step > 0 ? allowed : -allowed));
    unchanged = false;
  }
  return unchanged;
}

void FrameLimiter::acknowledged(const ChannelCounts& counts, bool streamed,
                                std::int64_t written_ns) noexcept {
  if (is_known_ && streamed) {
    interval_ns_[next_] = written_ns - last_ns_;
    next_ = (next_ + 1) % interval_ns_.size();
    size_ = std::min(size_ + 1, interval_ns_.size());
  }
  last_ = counts;
  last_ns_ = written_ns;
  is_known_ = streamed;
}

std::int64_t FrameLimiter::usual_interval_ns() const noexcept {
  if (size_ == 0) return 0;
  return *std::min_element(interval_ns_.begin(),
                           interval_ns_.begin() + static_cast<std::ptrdiff_t>(size_));
}

}  // namespace kagami::drivers::rcb1
