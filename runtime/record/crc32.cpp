#include "runtime/record/crc32.hpp"

#include <zlib.h>

namespace kagami::runtime {

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  // zlib takes a null pointer for "give me the start value"
  if (bytes.empty()) return before;
  const auto* first = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(before, first, bytes.size()));
}

}  // namespace kagami::runtime
