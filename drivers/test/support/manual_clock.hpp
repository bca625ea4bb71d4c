/// A clock that advances only while a thread waits on it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "drivers/port/clock.hpp"

namespace kagami::test {

class ManualClock final : public drivers::Clock {
 public:
  explicit ManualClock(std::int64_t now_ns = 0) : now_ns_(now_ns) {}
  [[nodiscard]] std::int64_t now_ns() const noexcept override { return now_ns_; }
  void sleep_until(std::int64_t at_ns) noexcept override {
    now_ns_ = std::max(now_ns_, at_ns + oversleep_ns_);
    oversleep_ns_ = 0;
  }
  /// Moves on by `ns` (a stalled machine, a slow step).
  void advance(std::int64_t ns) noexcept { now_ns_ += ns; }
  /// The next sleep ends this much too late; once.
  void oversleep_once(std::int64_t ns) noexcept { oversleep_ns_ = ns; }

 private:
  std::int64_t now_ns_;
  std::int64_t oversleep_ns_ = 0;
};

}  // namespace kagami::test
