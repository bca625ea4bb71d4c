/// BytePort over libserial.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drivers/port/byte_port.hpp"
#include "drivers/port/clock.hpp"

namespace kagami::drivers {

/// Opens `path` at 115200 8N1 (order and errors: tty.hpp) and appends to `notes` what the user
/// should know. Throws PortError. The port borrows the clock, on which all its deadlines lie.
std::unique_ptr<BytePort> open_libserial_port(const std::string& path, const Clock& clock,
                                              std::vector<std::string>& notes);

}  // namespace kagami::drivers
