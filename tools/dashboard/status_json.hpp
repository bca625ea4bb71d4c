/// The channel /status: what a status bar shows.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/app/live_control.hpp"
#include "runtime/app/progress.hpp"

namespace kagami::tools {

/// What of a status does not change in a run.
struct StatusFacts {
  std::string record;  ///< path of the record
  std::vector<runtime::LiveMotion> motions;
};

/// "waiting", "lead-in", "playing", ...
const char* phase_name(runtime::Phase phase) noexcept;

/// kagami.Status without "writer" and "dropped", which the server adds for each client; what is not
/// known is null.
nlohmann::json status_json(const runtime::Progress& progress, const runtime::LiveStatus& live,
                           const StatusFacts& facts, std::uint64_t time_ns);

}  // namespace kagami::tools
