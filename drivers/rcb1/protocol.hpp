/// Every RCB-1 command, encoded and decoded: pure functions over bytes, both sides of the line.
///
/// Source: docs/rcb1.md (command table, check-sum rule). One Request represents any command; its
/// `command` decides which fields count. Frames live in a fixed buffer: nothing here allocates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/link/samples.hpp"
#include "drivers/port/byte_port.hpp"

namespace kagami::drivers::rcb1 {

inline constexpr std::size_t kMaxFrame = 18;
inline constexpr std::uint8_t kAck = 0x06;
inline constexpr std::uint8_t kIdMagic = 0x5A;   ///< second byte of FF
inline constexpr std::uint8_t kMaxCount = 180;   ///< degrees
inline constexpr std::uint8_t kFree = 221;       ///< servo power off ("red" boards only)
inline constexpr std::uint8_t kOutputLow = 225;  ///< what unused channels carry
inline constexpr std::uint8_t kOutputHigh = 226;
inline constexpr std::uint8_t kLeaveAlone = 255;  ///< what other programs send to unused channels

enum class Command : std::uint8_t {
  kGetTrim = 0xE8,
  kSetTrim = 0xE9,
  kGetKey = 0xEC,
  kSetKey = 0xED,
  kPlayScenario = 0xEE,
  kPlayMotion = 0xEF,
  kGetSwitches = 0xF0,
  kSetSwitches = 0xF1,
  kGetScenarioSize = 0xF2,
  kSetScenarioSize = 0xF3,
  kGetScenarioEntry = 0xF4,
  kSetScenarioEntry = 0xF5,
  kGetMotionSize = 0xF6,
  kSetMotionSize = 0xF7,
  kGetPose = 0xF8,
  kSetPose = 0xF9,
  kGetHome = 0xFA,
  kStoreHome = 0xFB,
  kGetPositions = 0xFC,
  kSetPositions = 0xFD,
  kGetId = 0xFE,
  kSetId = 0xFF,
};

inline constexpr std::uint8_t kSwitchSleep = 0x01;
inline constexpr std::uint8_t kSwitchMotion = 0x02;

/// A frame of at most kMaxFrame bytes, check sum included.
struct Frame {
  std::array<std::uint8_t, kMaxFrame> bytes{};
  std::size_t size = 0;
  [[nodiscard]] std::span<const std::uint8_t> view() const noexcept { return {bytes.data(), size}; }
};

/// Any command of the host. Fields that the command does not carry are ignored.
struct Request {
  Command command = Command::kGetId;
  std::uint8_t board = 0;                   ///< 0..31
  std::uint8_t speed = 0;                   ///< 0..7: FD, F9
  std::uint8_t motion = 0;                  ///< 0..39: F9, F8, F7, F6, F5, EF
  std::uint8_t pose = 0;                    ///< 0..99: F9, F8
  std::uint8_t scenario = 0;                ///< 0..3: F5, F4, F3, F2, EE
  std::uint8_t index = 0;                   ///< 0..199: F5, F4
  std::uint8_t count = 0;                   ///< 0..100 poses (F7), 0..200 motions (F3)
  std::uint8_t bits = 0;                    ///< F1
  std::uint8_t key = 0;                     ///< ED, EC
  std::array<std::uint8_t, 3> key_bytes{};  ///< ED
  ChannelCounts counts{};                   ///< FD, F9: degrees or special codes
  std::array<std::int8_t, kChannelsPerBoard> trim_deg{};  ///< E9: -20..19
};

/// What a board answers. Fields that the command does not carry stay as they are.
struct Reply {
  std::uint8_t board = 0;
  std::uint8_t speed = 0;                                 ///< F8
  std::uint8_t motion = 0;                                ///< F4
  std::uint8_t count = 0;                                 ///< F6, F2
  std::uint8_t bits = 0;                                  ///< F0
  std::array<std::uint8_t, 3> key_bytes{};                ///< EC
  ChannelCounts counts{};                                 ///< FC, FA, F8
  std::array<std::int8_t, kChannelsPerBoard> trim_deg{};  ///< E8
};

/// (sum of all bytes) AND 0x7F.
std::uint8_t check_sum(std::span<const std::uint8_t> bytes) noexcept;

/// Bytes of the request with this first byte, check sum included; 0 for an unknown command.
std::size_t request_size(std::uint8_t command) noexcept;
/// Bytes of the answer to this command.
std::size_t reply_size(Command command) noexcept;

/// Refuses (kRefused) every field outside its range; channel counts may be 0..180 or 221..226.
[[nodiscard]] IoStatus encode_request(const Request& request, Frame& frame) noexcept;
/// The board's side: kBadSum, or kBadReply for an unknown command, a wrong length or a field out of
/// range. Channel counts may be kLeaveAlone besides: known programs send it, we never do.
[[nodiscard]] IoStatus decode_request(std::span<const std::uint8_t> bytes,
                                      Request& request) noexcept;

/// The board's side: the answer to `command`.
[[nodiscard]] IoStatus encode_reply(Command command, const Reply& reply, Frame& frame) noexcept;
/// The host's side: checks length, check sum or acknowledgement, and that `board` answered (FE:
/// any).
[[nodiscard]] IoStatus decode_reply(Command command, std::uint8_t board,
                                    std::span<const std::uint8_t> bytes, Reply& reply) noexcept;

}  // namespace kagami::drivers::rcb1
