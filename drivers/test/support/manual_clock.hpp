/// A clock that advances only while a thread waits on it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "drivers/port/clock.hpp"

namespace kagami::test {

class ManualClock final : public drivers::Clock {
 public:
  [[nodiscard]] std::int64_t now_ns() const noexcept override { return now_; }
  void sleep_until(std::int64_t at_ns) noexcept override { now_ = std::max(now_, at_ns); }
  void advance(std::int64_t ns) noexcept { now_ += ns; }

 private:
  std::int64_t now_ = 1'000'000'000;
};

}  // namespace kagami::test
