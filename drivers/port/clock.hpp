/// Monotonic time as the drivers see it. The implementations live in runtime/clock.
#pragma once

#include <cstdint>

namespace kagami::drivers {

/// Nanoseconds since the clock's own epoch, never stepped back. All stamps and deadlines of one run
/// come from one Clock.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual std::int64_t now_ns() const noexcept = 0;
  /// Returns at `at_ns` or as soon after it as the machine allows; at once when it has passed. On a
  /// simulated clock everything that is due until then happens inside this call.
  virtual void sleep_until(std::int64_t at_ns) noexcept = 0;
};

/// Absolute time by which a call returns, whatever happened.
struct Deadline {
  std::int64_t at_ns = 0;
};

}  // namespace kagami::drivers
