/// Indices are int here, as in Eigen; the standard containers take std::size_t.
#pragma once

#include <cstddef>

namespace kagami {

constexpr std::size_t idx(int i) noexcept {
  return static_cast<std::size_t>(i);
}

}  // namespace kagami
