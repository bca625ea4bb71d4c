/// Where a stop comes from: signals, the dashboard, tests. The run reads it once per tick.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/cycle/cycle_types.hpp"

namespace kagami::runtime {

/// The stop ladder of design.md section 3. Levels only rise. Any thread; safe in signal handlers.
class StopRequest {
 public:
  /// One level further: slow down, hold now, release. Stays at the third.
  void raise() noexcept {
    std::uint8_t seen = level_.load(std::memory_order_relaxed);
    while (seen < kHighest &&
           !level_.compare_exchange_weak(seen, static_cast<std::uint8_t>(seen + 1))) {
    }
  }
  /// At least this level.
  void raise_to(StopLevel level) noexcept {
    const auto wanted = static_cast<std::uint8_t>(level);
    std::uint8_t seen = level_.load(std::memory_order_relaxed);
    while (seen < wanted && !level_.compare_exchange_weak(seen, wanted)) {
    }
  }
  [[nodiscard]] StopLevel level() const noexcept {
    return static_cast<StopLevel>(level_.load(std::memory_order_relaxed));
  }

 private:
  static constexpr auto kHighest = static_cast<std::uint8_t>(StopLevel::kRelease);
  static_assert(std::atomic<std::uint8_t>::is_always_lock_free);  // signal handlers call raise()
  std::atomic<std::uint8_t> level_{0};
};

}  // namespace kagami::runtime
