/// Milliseconds in the unit of all clocks.
#pragma once

#include <cstdint>

namespace kagami::test {

inline constexpr std::int64_t kMs = 1'000'000;  ///< ns

}  // namespace kagami::test
