/// Opening a serial port in the right order, with an error that states the remedy. Set-up.
#pragma once

#include <string>
#include <vector>

#include "drivers/port/clock.hpp"
#include "drivers/port/file_descriptor.hpp"

namespace kagami::drivers::tty {

/// Opens `path` without waiting. Throws PortError: missing (with the ports found), forbidden (with
/// owner, group and the command that helps), busy (with the holder), not a terminal, anything else
/// with the system's error text.
FileDescriptor open_checked(const std::string& path);

/// Keeps others out: exclusive mode against the rude, flock against the polite and root. Throws
/// PortError naming the holder.
void claim(int fd, const std::string& path);
/// Lets the next one in. For the moment before closing; never throws.
void unclaim(int fd) noexcept;

/// Raw, 115200 8N1, no flow control, no hang-up on close, DTR low. Throws PortError.
void configure(int fd, const std::string& path);
/// DTR low: with it high the boards do not answer. Only a pseudo-terminal may lack the line.
void lower_dtr(int fd, const std::string& path);

/// Sets the adapter to deliver bytes at once. Returns a note when it still collects them for
/// longer than 1 ms, else nothing.
std::string request_low_latency(int fd, const std::string& path);
/// Reads and discards until 50 ms were quiet. Returns a note about what was there, empty when
/// nothing. Throws PortError when the line does not fall quiet within a second, or hangs up.
std::string discard_until_quiet(int fd, const std::string& path, const Clock& clock);

}  // namespace kagami::drivers::tty
