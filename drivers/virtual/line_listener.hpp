/// What a program that serves a line reports to a listener.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace kagami::drivers::virtual_robot {

/// Called on the serving thread: quick, and nothing may throw. Empty functions are not called.
struct LineListener {
  /// Bytes of the host (`from_host`) or of the boards, at the server's clock.
  std::function<void(std::int64_t at_ns, bool from_host, std::span<const std::uint8_t> bytes)>
      bytes;
  /// At least every 10 ms, before the host's bytes are read.
  std::function<void(std::int64_t now_ns)> turn;
};

}  // namespace kagami::drivers::virtual_robot
