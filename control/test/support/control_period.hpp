/// The cycle's period, for tests of controllers.
#pragma once

namespace kagami::test {

inline constexpr double kDt = 1e-3;  ///< s

}  // namespace kagami::test
