/// Process that listens on a TCP port of this machine, as far as /proc shows it to this user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kagami::tools {

struct PortHolder {
  int pid = 0;
  std::string name;  ///< of the program, as the kernel keeps it: at most 15 bytes
};

/// Reads /proc/net/tcp and tcp6 and every /proc/PID/fd that may be read. Nothing where no process
/// of this user holds the port. Set-up only: reads many files.
std::optional<PortHolder> find_port_holder(std::uint16_t port);

}  // namespace kagami::tools
