/// The longest time that a sample of the record waited in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace kagami::runtime {

/// Time from a tick to the write of the chunk that holds its sample: queue, compression and disk
/// together. One thread.
class WriteDelay {
 public:
  /// The sample of the tick at `tick_ns` was added to the open chunk.
  void add(std::int64_t tick_ns) noexcept {
    if (!oldest_ns_) oldest_ns_ = tick_ns;
  }
  /// `chunks` have left the writer until `now_ns`, kept or lost.
  void note(std::uint64_t chunks, std::int64_t now_ns) noexcept {
    if (chunks == chunks_) return;
    chunks_ = chunks;
    if (oldest_ns_) longest_ns_ = std::max(longest_ns_, now_ns - *oldest_ns_);
    oldest_ns_.reset();
  }
  [[nodiscard]] std::int64_t longest_ns() const noexcept { return longest_ns_; }

 private:
  std::optional<std::int64_t> oldest_ns_;  // of the open chunk
  std::uint64_t chunks_ = 0;
  std::int64_t longest_ns_ = 0;
};

}  // namespace kagami::runtime
