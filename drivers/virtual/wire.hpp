/// The two directions of the serial line, in exact time.
///
/// A byte takes 10 bits at 115200 baud = 781250/9 ns. Times are kept in ninths of a nanosecond, so
/// that no sum of bytes ever drifts; at the border they are rounded up: a byte is there at the
/// first whole nanosecond at which all of it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kagami::drivers::virtual_robot {

/// Time in ninths of a nanosecond.
using Ninths = std::int64_t;
inline constexpr Ninths kPerNs = 9;
inline constexpr Ninths kByteTime = 781'250;

constexpr Ninths to_ninths(std::int64_t ns) noexcept {
  return ns * kPerNs;
}
/// First whole nanosecond not before `t`; t >= 0.
constexpr std::int64_t to_ns(Ninths t) noexcept {
  return (t + kPerNs - 1) / kPerNs;
}

/// A byte that is complete at `end`.
struct WireByte {
  Ninths end = 0;
  std::uint8_t value = 0;
};

/// Host to boards: bytes follow each other without pause while there are any.
class InputWire {
 public:
  static constexpr std::size_t kCapacity = 4096;

  /// Returns how many bytes found room.
  std::size_t push(std::span<const std::uint8_t> bytes, std::int64_t at_ns) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t room() const noexcept { return kCapacity - size_; }
  /// The k-th byte from the front; k < size().
  [[nodiscard]] const WireByte& peek(std::size_t k) const noexcept {
    return ring_[(first_ + k) % kCapacity];
  }
  WireByte pop() noexcept;

 private:
  std::vector<WireByte> ring_ = std::vector<WireByte>(kCapacity);
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  Ninths free_at_ = 0;  // end of the last byte
};

/// Boards to host. Two boards that send at once spoil each other's bytes: the line is low where
/// either pulls it low, so the host receives the AND.
class OutputWire {
 public:
  static constexpr std::size_t kCapacity = 4096;

  /// Bytes of one answer that begins at `start`. `paced`: each is at the host when it is complete,
  /// else all of them when the last one is. Returns the end of the answer. What finds no room
  /// because the host takes nothing is lost.
  Ninths put(std::span<const std::uint8_t> bytes, Ninths start, bool paced) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return sent_.size() - taken_; }
  /// When `count` bytes are at the host; nothing when fewer are on their way.
  [[nodiscard]] std::optional<std::int64_t> due_ns(std::size_t count) const noexcept;
  /// Takes bytes that are at the host by `now_ns`; returns how many.
  std::size_t take(std::span<std::uint8_t> bytes, std::int64_t now_ns) noexcept;

 private:
  struct Sent {
    WireByte byte;
    Ninths due = 0;
  };
  void insert(const Sent& sent) noexcept;

  std::vector<Sent> sent_ = reserved();  // sorted by end
  std::size_t taken_ = 0;                // from its front

  static std::vector<Sent> reserved();
};

}  // namespace kagami::drivers::virtual_robot
