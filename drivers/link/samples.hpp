/// What crosses between the cycle and the serial line: plain numbers, trivially copyable.
#pragma once

#include <array>
#include <cstdint>

#include "models/base/types.hpp"
#include "models/base/wiring.hpp"

namespace kagami::drivers {

using ChannelCounts = std::array<std::uint8_t, kChannelsPerBoard>;

/// What the line shall do with the targets.
enum class TargetMode : std::uint8_t {
  kNone,       ///< send no positions; readings go on
  kPositions,  ///< set positions with a speed code
  kSleep,      ///< set the sleep bit on all boards: the robot goes limp
  kPlay,       ///< play a stored motion on all boards
};

/// The newest command of the cycle. The link sends it once per `sequence`, again until
/// acknowledged.
struct ServoTargets {
  TargetMode mode = TargetMode::kNone;
  std::uint8_t speed = 0;      ///< speed code 0 (fastest) .. 7
  std::uint8_t motion = 0;     ///< stored motion 0..39, for kPlay
  bool read_positions = true;  ///< read the angles back in this round
  bool streamed = false;       ///< one of a stream: no frame may exceed the joints' rate limits
  std::uint32_t sequence = 0;  ///< grows with each new command; 0 = none yet
  std::int64_t cycle = -1;     ///< tick that computed it
  JointArray<double> angle{};  ///< rad, model joint order
};

/// The last command that a board acknowledged: the very bytes it received.
struct BoardCommand {
  TargetMode mode = TargetMode::kNone;
  std::uint8_t speed = 0;
  std::uint32_t sequence = 0;  ///< of the ServoTargets it came from; 0 = none yet
  std::int64_t cycle = -1;
  std::int64_t effective_ns = 0;  ///< when it took effect at the board (t_e of docs/rcb1.md)
  /// The frame carried the whole command. False: a step towards the target, at the rate limit; or
  /// the board fell silent after it and may have restarted.
  bool complete = false;
  std::int32_t failed = 0;  ///< commands in a row, since then, that it did not acknowledge
  ChannelCounts counts{};
};

/// One board's reading of its servos.
struct BoardReading {
  bool is_new = false;  ///< taken in this round; else the last good one, or never (sampled_ns < 0)
  std::int64_t written_ns = -1;     ///< request handed to the line (t_w0)
  std::int64_t received_ns = -1;    ///< last byte of the answer read (t_rN)
  std::int64_t sampled_ns = -1;     ///< middle of the interval in which the servos were read (t_s)
  std::int64_t uncertainty_ns = 0;  ///< half its width (sigma)
  std::int32_t failed = 0;          ///< questions in a row, since then, without a valid answer
  ChannelCounts counts{};
};

/// Since the link was built. Two sums always hold: sent = answered + silent + short_reply + bad_sum
/// + bad_reply + gone, and the bytes that left the port = bytes_in + bytes_refused + late +
/// unexpected_bytes.
struct LineCounters {
  std::uint64_t rounds = 0;
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t late = 0;  ///< bytes of an answer that came after its deadline
  std::uint64_t bad_sum = 0;
  std::uint64_t bad_reply = 0;  ///< wrong board, wrong acknowledgement, implausible value
  std::uint64_t silent = 0;     ///< no byte by the deadline
  std::uint64_t short_reply = 0;
  std::uint64_t gone = 0;  ///< commands cut off by the loss of the port
  std::uint64_t retried = 0;
  std::uint64_t refused = 0;  ///< commands that must not be sent and were not
  std::uint64_t unexpected_bytes =
      0;  ///< discarded before a command was written, or around a bad reply
  std::uint64_t bytes_out = 0;
  std::uint64_t bytes_in = 0;       ///< in accepted answers
  std::uint64_t bytes_refused = 0;  ///< in short, damaged, foreign or implausible answers
};

/// Result of one round over all boards.
struct ServoSample {
  std::uint64_t round = 0;
  std::array<BoardReading, kMaxBoards> reading{};
  std::array<BoardCommand, kMaxBoards> command{};
  JointArray<double> angle{};  ///< rad, newest good reading of each joint; NaN before the first
  bool port_gone = false;
  bool sleep_confirmed = false;  ///< every board acknowledged the sleep bit
  LineCounters counters{};
};

}  // namespace kagami::drivers
