/// Stable 64-bit hashes: of texts for record headers, of numbers for the running state hash.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace kagami {

/// Running hash over 64-bit words; equal sequences give equal values on every machine. Cycle code.
class StateHash {
 public:
  void add(std::uint64_t word) noexcept {
    // one round of a multiply-xorshift mixer; order matters
    value_ = (value_ ^ word) * 0x9E3779B97F4A7C15u;
    value_ ^= value_ >> 29;
  }
  void add(std::int64_t word) noexcept { add(static_cast<std::uint64_t>(word)); }
  void add(double number) noexcept { add(std::bit_cast<std::uint64_t>(number)); }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

/// FNV-1a hash of a text.
std::uint64_t text_hash(std::string_view text) noexcept;
/// 16 lower-case hexadecimal digits.
std::string hex_text(std::uint64_t value);

}  // namespace kagami
