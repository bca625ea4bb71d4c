/// Faults of a board's answers, to provoke what a driver must survive (realtime.md section 7).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kagami::drivers::virtual_robot {

/// Most bytes that may stand in front of an answer.
inline constexpr int kMaxExtraBytes = 16;

/// What goes wrong with the answers of one board. Byte numbers count from 0 within an answer.
struct BoardFaults {
  bool mute = false;                        ///< acts on commands, never answers
  bool zeros = false;                       ///< FC reads 0 on all channels, with a good check sum
  std::optional<int> drop_byte;             ///< this byte never leaves; the rest follows at once
  std::optional<int> flip_byte;             ///< one bit of this byte is inverted on the wire
  int flip_bit = 0;                         ///< 0..7, which one
  std::optional<std::uint8_t> wrong_id;     ///< answers carry this id, with a good check sum
  std::optional<std::uint8_t> acknowledge;  ///< in place of 0x06
  int extra_bytes = 0;                      ///< 0..16 bytes 0x55 in front of the answer
  double late = 0.0;                        ///< s, 0..10: on top of the latency
  int answers = 0;                          ///< how many answers are hit, then none; 0 = all

  /// Any fault at all.
  [[nodiscard]] bool any() const noexcept;
};

/// Throws ConfigError for a value out of range or faults that exclude each other (mute with any
/// other).
void check(const BoardFaults& faults);

/// From words: "mute", "zeros", "drop 3", "flip 2:7", "id 5", "ack 21", "extra 2", "late 0.005",
/// "for 10", joined by commas. Throws ConfigError that names the word.
BoardFaults parse_faults(std::string_view text);

}  // namespace kagami::drivers::virtual_robot
