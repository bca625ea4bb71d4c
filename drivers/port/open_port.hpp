/// A serial port by path and library.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/port/byte_port.hpp"
#include "drivers/port/clock.hpp"

namespace kagami::drivers {

enum class PortLibrary : std::uint8_t { kLibserial, kAsio };

/// "libserial" or "asio" (--port-library). Throws ConfigError for another name.
PortLibrary port_library(std::string_view name);

struct OpenedPort {
  std::unique_ptr<BytePort> port;
  /// Sentences for the user: slow adapter, bytes that were waiting, ModemManager's traces.
  std::vector<std::string> notes;
};

/// Opens `path` for the boards: exclusive, 115200 8N1 raw, DTR low, low latency requested, input
/// drained (takes at least 50 ms). Throws PortError with the cause and its remedy. The port borrows
/// the clock, which must follow real time.
OpenedPort open_port(const std::string& path, PortLibrary library, const Clock& clock);

}  // namespace kagami::drivers
