/// Where a stop comes from: signals, the dashboard, tests. The run reads it once per tick.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

/// The stop level (docs/supervision.md). It only rises, until an explicit play or test is accepted.
/// Any thread; safe in signal handlers.
class StopRequest {
 public:
  /// One level further: slow down, hold now, release. Stays at the third.
  void raise() noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_weak(seen, pressed(seen, level_of(seen) + 1))) {
    }
  }
  /// At least this level.
  void raise_to(StopLevel level) noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_weak(seen, pressed(seen, static_cast<std::uint32_t>(level)))) {
    }
  }
  [[nodiscard]] StopLevel level() const noexcept {
    return static_cast<StopLevel>(level_of(word_.load(std::memory_order_relaxed)));
  }

  /// All presses until now; for rearm.
  [[nodiscard]] std::uint32_t seen() const noexcept {
    return word_.load(std::memory_order_acquire);
  }
  /// Back to no stop, unless a stop was requested since `seen`, or the third level was reached:
  /// then false, and nothing has changed.
  bool rearm(std::uint32_t seen) noexcept {
    if (level_of(seen) >= kHighest) return false;
    return word_.compare_exchange_strong(seen, seen & ~kLevelMask);
  }

 private:
  static constexpr auto kHighest = static_cast<std::uint32_t>(StopLevel::kRelease);
  static constexpr std::uint32_t kLevelMask = 3;
  static constexpr std::uint32_t kPress = 4;

  static constexpr std::uint32_t level_of(std::uint32_t state) noexcept {
    return state & kLevelMask;
  }
  // one press more, the level not below `level`
  static constexpr std::uint32_t pressed(std::uint32_t state, std::uint32_t level) noexcept {
    const std::uint32_t wanted = level > kHighest ? kHighest : level;
    const std::uint32_t now = level_of(state);
    return ((state & ~kLevelMask) + kPress) | (wanted > now ? wanted : now);
  }

  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);  // signal handlers call raise()
  std::atomic<std::uint32_t> word_{0};  // level in the low bits, presses above
};

}  // namespace kagami::runtime
