#include "drivers/port/open_port.hpp"

#include "drivers/port/asio_port.hpp"
#include "drivers/port/libserial_port.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers {

PortLibrary port_library(std::string_view name) {
  if (name == "libserial") return PortLibrary::kLibserial;
  if (name == "asio") return PortLibrary::kAsio;
  throw ConfigError("--port-library: '" + std::string(name) +
                    "' is unknown, expected libserial or asio");
}

OpenedPort open_port(const std::string& path, PortLibrary library, const Clock& clock) {
  OpenedPort opened;
  opened.port = library == PortLibrary::kAsio ? open_asio_port(path, clock, opened.notes)
                                              : open_libserial_port(path, clock, opened.notes);
  return opened;
}

}  // namespace kagami::drivers
