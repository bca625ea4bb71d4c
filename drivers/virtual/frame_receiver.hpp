/// Finds requests in the bytes that a board hears.
///
/// The real board's way is unknown. Legal data never look like a command byte (docs/rcb1.md), so a
/// byte of E8 or more always begins a request, and whatever was begun before is dropped.
#pragma once

#include <cstdint>

#include "drivers/rcb1/protocol.hpp"

namespace kagami::drivers::virtual_robot {

class FrameReceiver {
 public:
  enum class Heard : std::uint8_t {
    kPart,     ///< the byte belongs to a request that is not complete
    kRequest,  ///< the byte completes a good request: see request()
    kBad,      ///< the byte completes or begins a request that no board answers
    kNoise,    ///< the byte stands outside requests
  };

  /// `gap_ns`: a longer pause between two bytes drops what was begun.
  explicit FrameReceiver(std::int64_t gap_ns) : gap_ns_(gap_ns) {}

  /// One byte that was complete at `at_ns`.
  Heard hear(std::uint8_t byte, std::int64_t at_ns) noexcept;
  /// Forgets what was begun.
  void drop() noexcept { frame_.size = 0; }
  /// The last good request.
  [[nodiscard]] const rcb1::Request& request() const noexcept { return request_; }
  /// Bytes until the request that was begun is complete; 0 = none was begun.
  [[nodiscard]] std::size_t missing() const noexcept;

 private:
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
