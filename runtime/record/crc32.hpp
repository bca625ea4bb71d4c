/// CRC-32 as in MCAP (polynomial 0xEDB88320), by zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kagami::runtime {

/// Continues a sum; 0 starts one.
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes,
                                  std::uint32_t before = 0) noexcept;

}  // namespace kagami::runtime
