// "Slicing-by-8", Kounavis & Berry 2005: table[k][b] is the CRC of byte b followed by k zero bytes,
// so that eight table look-ups that do not wait for each other advance the sum by eight bytes.
#include "runtime/record/crc32.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace kagami::runtime {
namespace {

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Table make_table() {
  Table table{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t c = b;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    table[0][b] = c;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t c = table[k - 1][b];
      table[k][b] = table[0][c & 0xFF] ^ (c >> 8);
    }
  }
  return table;
}

constexpr Table kTable = make_table();
static_assert(std::endian::native == std::endian::little,
              "the words are read as the memory has them");

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  std::uint32_t c = ~before;
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; p += 8, left -= 8) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + 4, 4);
    low ^= c;
    c = kTable[7][low & 0xFF] ^ kTable[6][(low >> 8) & 0xFF] ^ kTable[5][(low >> 16) & 0xFF] ^
        kTable[4][low >> 24] ^ kTable[3][high & 0xFF] ^ kTable[2][(high >> 8) & 0xFF] ^
        kTable[1][(high >> 16) & 0xFF] ^ kTable[0][high >> 24];
  }
  for (; left > 0; ++p, --left) {
    c = kTable[0][(c ^ static_cast<std::uint32_t>(*p)) & 0xFF] ^ (c >> 8);
  }
  return ~c;
}

}  // namespace kagami::runtime
