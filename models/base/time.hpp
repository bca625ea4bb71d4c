/// Seconds and the nanoseconds of clocks.
#pragma once

#include <cstdint>

namespace kagami {

inline constexpr double kSecondsPerNs = 1e-9;

constexpr double seconds(std::int64_t time_ns) noexcept {
  return static_cast<double>(time_ns) * kSecondsPerNs;
}

}  // namespace kagami
