#include "models/base/utc_text.hpp"

#include <array>

namespace kagami {

std::string utc_text(std::time_t at, const char* format) {
  std::tm utc{};
  gmtime_r(&at, &utc);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), format, &utc);
  return {text.data(), size};
}

std::string utc_now_text() {
  return utc_text(std::time(nullptr), "%Y-%m-%dT%H:%M:%SZ");
}

}  // namespace kagami
