/// What the dashboard's server offers; a run implements it, or a test.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "tools/dashboard/protocol.hpp"

namespace kagami::tools {

/// How a channel's messages may be thinned out for a client that is slower than they come.
enum class Delivery : std::uint8_t {
  kNewest,    ///< the newest replaces the one before: curves, poses
  kEvery,     ///< in order, the oldest of a long queue lost: events
  kPersonal,  ///< like kNewest; an object to which each client's own state is added: status
};

struct OfferedChannel {
  Channel channel;
  Delivery delivery = Delivery::kNewest;
  bool is_state = false;  ///< who subscribes gets the newest message at once
};

/// Who may call a service.
enum class Right : std::uint8_t {
  kAnyone,  ///< every client: it only reads
  kToken,   ///< every client with the token: it stops
  kWriter,  ///< the one client that writes: it moves or changes
};

struct OfferedService {
  Service service;
  Right right = Right::kWriter;
};

/// Called on the server's thread and never for long; what takes time is answered later through
/// `done`, once, from any thread. A `done` that comes after the server's end does nothing.
class DashboardBackend {
 public:
  DashboardBackend() = default;
  DashboardBackend(const DashboardBackend&) = delete;
  DashboardBackend& operator=(const DashboardBackend&) = delete;
  virtual ~DashboardBackend() = default;

  /// "Kagami: walk_forward".
  [[nodiscard]] virtual std::string name() const = 0;
  /// The same each time, ids from 1.
  [[nodiscard]] virtual std::vector<OfferedChannel> channels() const = 0;
  [[nodiscard]] virtual std::vector<OfferedService> services() const = 0;
  /// Values of these parameters, unknown names left out; no names: all.
  [[nodiscard]] virtual std::vector<Parameter> parameters(
      std::span<const std::string> names) const = 0;
  /// All or none of them; `done` gets the reason for none, or "" when they are in force.
  virtual void set_parameters(std::vector<SetParameters::Entry> entries,
                              std::function<void(std::string)> done) = 0;
  /// `request` is an object. The answer has "ok" and, if false, "error".
  virtual void call(const std::string& service, nlohmann::json request,
                    std::function<void(nlohmann::json)> done) = 0;
  /// The writer was silent for longer than ServerSettings::dead_man_s or has disconnected; or the
  /// motion of `needs_hand` is not supervised.
  virtual void writer_lost() = 0;
  /// A motion runs that the writer has to supervise: writer_lost is called when the writer is
  /// silent for ServerSettings::lease_s / 10. Called often; must be quick.
  [[nodiscard]] virtual bool needs_hand() const { return false; }
};

}  // namespace kagami::tools
