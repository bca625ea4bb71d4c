/// A line of bytes with deadlines: libserial, Boost.Asio, or in memory; tests have a scripted one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/port/clock.hpp"

namespace kagami::drivers {

enum class IoStatus : std::uint8_t {
  kOk,
  kTimedOut,  ///< deadline passed; nothing or only a part came
  kBadSum,    ///< right length, wrong check sum
  kBadReply,  ///< wrong board, wrong acknowledgement, value out of range
  kGone,      ///< the device is gone; every later call returns the same
  kRefused,   ///< the arguments must not be sent (angle out of range, free code to a blue board)
};

/// One owner, one thread. No call throws; each returns by its deadline.
class BytePort {
 public:
  virtual ~BytePort() = default;
  /// Hands all bytes to the line.
  [[nodiscard]] virtual IoStatus write(std::span<const std::uint8_t> bytes,
                                       Deadline deadline) noexcept = 0;
  /// Fills `bytes` completely or returns kTimedOut or kGone; `received` is the number of valid
  /// bytes.
  [[nodiscard]] virtual IoStatus read(std::span<std::uint8_t> bytes, std::size_t& received,
                                      Deadline deadline) noexcept = 0;
  /// Throws away what has arrived; returns how many bytes that were.
  virtual std::size_t drop_input() noexcept = 0;
};

}  // namespace kagami::drivers
