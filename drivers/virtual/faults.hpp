/// Faults of a board, its servos and its answers, to provoke what a driver and a supervisor must
/// survive (docs/virtual_robot.md, "Faults").
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/wiring.hpp"

namespace kagami::drivers::virtual_robot {

/// Most bytes that may stand in front of an answer.
inline constexpr int kMaxExtraBytes = 16;

/// One bit for each channel of a board, 0..11.
using ChannelSet = std::bitset<kChannelsPerBoard>;

/// What goes wrong with one board. Byte numbers count from 0 within an answer, channels from 0
/// within the board.
struct BoardFaults {
  // the board on the line
  bool mute = false;  ///< acts on commands, never answers
  bool off = false;   ///< receives nothing; its servos keep their last pulse
  bool reset =
      false;  ///< restarts: no drive, no reception; bits and pose are lost, then as at power-on
  bool echo = false;  ///< the host's bytes come back as they are sent
  // its answers
  bool ack_only = false;                    ///< acknowledges, but answers no question
  bool zeros = false;                       ///< FC reads 0 on all channels, with a good check sum
  std::optional<int> drop_byte;             ///< this byte never leaves; the rest follows at once
  std::optional<int> flip_byte;             ///< one bit of this byte is inverted on the wire
  int flip_bit = 0;                         ///< 0..7, which one
  std::optional<std::uint8_t> wrong_id;     ///< answers carry this id, with a good check sum
  std::optional<std::uint8_t> acknowledge;  ///< in place of 0x06
  int extra_bytes = 0;                      ///< 0..16 bytes 0x55 in front of the answer
  double late = 0.0;                        ///< s, 0..10: on top of the latency
  // its readings
  ChannelSet frozen;  ///< FC repeats the fault's first reading
  std::array<std::int16_t, kChannelsPerBoard> offset_deg{};            ///< added to FC, -180..180
  std::array<std::optional<std::uint8_t>, kChannelsPerBoard> reads{};  ///< FC reads this, 0..255
  // its servos
  bool never_follows = false;  ///< pulses stay as they are; commands are acknowledged
  bool no_sleep = false;       ///< the sleep bit is acknowledged and ignored
  ChannelSet stuck;            ///< the shaft stays where it is, with drive or without
  ChannelSet limp;             ///< the servo gives no torque
  // when
  double from = 0.0;                                       ///< s after the host's first byte
  double until = std::numeric_limits<double>::infinity();  ///< s, not included
  int answers = 0;  ///< how many answers within that time are hit, then none; 0 = all

  /// Any fault at all.
  [[nodiscard]] bool any() const noexcept;
};

/// Throws ConfigError for a value out of range or faults that exclude each other (mute with any
/// other of the answers).
void check(const BoardFaults& faults);

/// From items joined by commas: docs/virtual_robot.md, "Faults". Throws ConfigError that names the
/// item.
BoardFaults parse_faults(std::string_view text);

/// The items of parse_faults for `--help`.
inline constexpr const char* kFaultItems =
    "mute, off, reset, echo, ackonly, zeros, drop K, flip K:BIT, id N, ack N, extra N, late "
    "SECONDS, frozen [CHANNEL], offset CHANNEL:DEG, reads CHANNEL:VALUE, neverfollow, nosleep, "
    "stuck CHANNEL, limp [CHANNEL], from SECONDS, until SECONDS, for N";

/// A fault and the index of the board that has it.
struct PlacedFaults {
  int board = 0;
  BoardFaults faults;
};

/// "1:mute, from 2"; "*:mute" is two, one for each board. Throws ConfigError that names the text.
std::vector<PlacedFaults> parse_placed_faults(const std::string& text);

}  // namespace kagami::drivers::virtual_robot
