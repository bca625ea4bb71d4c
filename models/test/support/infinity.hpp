/// A number that no state and no parameter may have.
#pragma once

#include <limits>

namespace kagami::test {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace kagami::test
