/// Finds requests in the bytes that a board receives.
///
/// A byte of E8 or more begins a request, its command determines the length, and every byte up to
/// that length belongs to it: known programs send 255 to channels that they leave alone. A request
/// that turns out bad may have begun with a byte of noise, so the bytes behind its first one are
/// searched for another beginning. A pause drops what was begun. The real board's way is unknown.
#pragma once

#include <cstdint>

#include "drivers/rcb1/protocol.hpp"

namespace kagami::drivers::virtual_robot {

class FrameReceiver {
 public:
  enum class Reception : std::uint8_t {
    kPart,     ///< the byte belongs to a request that is not complete
    kRequest,  ///< the byte completes a good request: see request()
    kBad,      ///< the byte completes or begins a request that no board answers
    kNoise,    ///< the byte is outside requests
  };

  /// `gap_ns`: a longer pause between two bytes drops what was begun.
  explicit FrameReceiver(std::int64_t gap_ns) : gap_ns_(gap_ns) {}

  /// One byte that was complete at `at_ns`.
  Reception receive_byte(std::uint8_t byte, std::int64_t at_ns) noexcept;
  /// Drops a request that has begun.
  void drop() noexcept { frame_.size = 0; }
  /// The last good request.
  [[nodiscard]] const rcb1::Request& request() const noexcept { return request_; }
  /// Fewest further bytes after which a request may be complete, bad ones disregarded; 0 = none
  /// was begun.
  [[nodiscard]] std::size_t missing() const noexcept;

 private:
  [[nodiscard]] std::size_t size_from(std::size_t first) const noexcept;
  Reception resynchronise() noexcept;

  std::int64_t gap_ns_;
  std::int64_t last_ns_ = 0;
  rcb1::Frame frame_;
  rcb1::Request request_;
};

/// First byte of a request, and nothing else.
constexpr bool is_command_byte(std::uint8_t byte) noexcept {
  return byte >= 0xE8;
}

}  // namespace kagami::drivers::virtual_robot
