#include "models/base/number_text.hpp"

#include <array>
#include <charconv>

namespace kagami {

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace kagami
