/// Waiting on a terminal with our own deadline: what both serial libraries share. Cycle code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/port/byte_port.hpp"
#include "drivers/port/clock.hpp"

namespace kagami::drivers::tty {

enum class Wait : std::uint8_t { kReady, kExpired, kGone };

/// Waits until bytes can be read. Bytes that are there already count even when the deadline has
/// passed: after a stall of the machine the answer is in the buffer. kGone after a hang-up with
/// nothing left.
[[nodiscard]] Wait wait_readable(int fd, Deadline deadline, const Clock& clock) noexcept;
/// Waits until bytes can be written; an expired deadline is kExpired at once.
[[nodiscard]] Wait wait_writable(int fd, Deadline deadline, const Clock& clock) noexcept;
/// Bytes in the input buffer; -1 when the device is gone.
[[nodiscard]] int available(int fd) noexcept;
/// Reads and discards the pending input; returns how many bytes that were.
std::size_t discard(int fd) noexcept;

/// Fills `bytes` by calling `read_some(part, got)`, which must not wait: it is only called when
/// that many bytes are there. It returns kOk or kGone.
template <class ReadSome>
[[nodiscard]] IoStatus read_all(int fd, std::span<std::uint8_t> bytes, std::size_t& received,
                                Deadline deadline, const Clock& clock,
                                ReadSome&& read_some) noexcept {
  received = 0;
  while (received < bytes.size()) {
    const Wait wait = wait_readable(fd, deadline, clock);
    if (wait != Wait::kReady) return wait == Wait::kGone ? IoStatus::kGone : IoStatus::kTimedOut;
    const int there = available(fd);
    if (there < 0) return IoStatus::kGone;
    const std::size_t left = bytes.size() - received;
    const std::size_t now =
        static_cast<std::size_t>(there) < left ? static_cast<std::size_t>(there) : left;
    std::size_t got = 0;
    if (now > 0) {
      const IoStatus s = read_some(bytes.subspan(received, now), got);
      received += got;
      if (s != IoStatus::kOk) return s;
    }
    // woken for nothing: not for ever
    if (got == 0 && clock.now_ns() >= deadline.at_ns) return IoStatus::kTimedOut;
  }
  return IoStatus::kOk;
}

}  // namespace kagami::drivers::tty
