/// The dashboard's server: the page, the robot's files and a WebSocket that speaks the Foxglove
/// protocol, on a thread of its own. docs/dashboard.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "tools/dashboard/dashboard_backend.hpp"
#include "tools/dashboard/request_guard.hpp"

namespace kagami::tools {

struct ServerSettings {
  GuardSettings guard{};    ///< port 0: any that is free
  int more_ports = 0;       ///< further ports to try, one after another, where that one is taken
  double dead_man_s = 0.0;  ///< s without a message of the controlling client; 0: never. 0..60
  /// The writer is one no longer after so many s without a message or an answer to a ping, and a
  /// tenth of it ends what needs its hand (DashboardBackend::needs_hand). 0.04..60
  double lease_s = 2.0;
  double handshake_s = 5.0;   ///< s for a whole request, and for an answer to be taken. 0.01..60
  double idle_s = 10.0;       ///< s without a byte of a client until it is left. 0.1..600
  double goodbye_s = 0.3;     ///< s at most that say_goodbye waits for the clients. 0..60
  int max_clients = 16;       ///< WebSockets; as many connections again may ask for files
  double max_rate_hz = 60.0;  ///< of telemetry, per client
  double rate_hz = 30.0;      ///< unless the client requests another: /ws?rate=60
  /// The remedy where the port is taken: what the user may do.
  std::string other_port = "another one by --port, or the next free one by --next-port";
};

/// A file that the server sends. Names are compared byte for byte: no path leaves the list.
struct ServedFile {
  std::string path;  ///< "/", "/assets/app.js", "/robot/robot.urdf"
  std::string type;  ///< value of Content-Type
  std::string etag;  ///< value of ETag, quotes included
  std::string raw;
  std::string gzip{};      ///< the same for Content-Encoding: gzip; empty: none
  bool is_public = false;  ///< has no data of the robot: needs no token
};

/// Since the start.
struct ServerCounters {
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;    ///< by Host, Origin, token, too many clients, a wrong protocol
  std::uint64_t malformed = 0;  ///< messages
  std::uint64_t flooded = 0;    ///< clients closed because they sent too much
  std::uint64_t evicted = 0;    ///< connections without a request that made place for newer ones
  std::uint64_t dropped = 0;    ///< frames that slow clients never saw
  std::uint64_t sent = 0;       ///< messages
  int clients = 0;              ///< now
};

/// An address that cannot be listened on. Exit code 1.
class AddressError : public Error {
 public:
  using Error::Error;
};

class ServerCore;

/// Listens from its construction on and until its destruction.
class DashboardServer {
 public:
  /// Throws ConfigError for settings out of range, AddressError for an address that cannot be had,
  /// with who has it where that can be known. `side` outlives the server.
  DashboardServer(const ServerSettings& settings, DashboardBackend& side,
                  std::vector<ServedFile> files);
  ~DashboardServer();
  DashboardServer(const DashboardServer&) = delete;
  DashboardServer& operator=(const DashboardServer&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;
  /// A message of that channel; time in ns since the epoch. Any thread but the cycle's: takes a
  /// lock and memory. Never waits for a client.
  void publish(std::uint32_t channel, std::uint64_t time_ns, std::string payload);
  /// The run's time, ns since the epoch: what clients take for now. Any thread; never waits.
  void publish_time(std::uint64_t time_ns) noexcept;
  /// Tells those who watch them. Any thread but the cycle's.
  void publish_parameters(std::vector<Parameter> parameters);
  /// Before the end: closes all clients with a sentence how it ended, so that they can tell an end
  /// from a loss. Waits ServerSettings::goodbye_s at most for them. Any thread but the server's.
  void say_goodbye(const std::string& how);
  [[nodiscard]] ServerCounters counters() const;

 private:
  std::unique_ptr<ServerCore> core_;
};

/// What the page's build embedded, ready for the server.
std::vector<ServedFile> embedded_page();

}  // namespace kagami::tools
