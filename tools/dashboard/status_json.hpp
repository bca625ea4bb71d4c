/// The channel /status: what a status bar shows.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/app/live_control.hpp"
#include "runtime/threads/progress.hpp"

namespace kagami::tools {

/// A promotion that was taken back without a request.
struct RollbackView {
  std::string joint;   ///< that left its band
  std::string reason;  ///< a sentence
  std::int64_t tick = -1;
  std::uint64_t time_ns = 0;  ///< since the epoch, by the run's clock
};

/// What a status has besides the run's progress.
struct StatusFacts {
  std::string record;  ///< path of the record
  std::vector<runtime::MotionSummary> motions{};
  std::optional<RollbackView> rollback{};  ///< the last one
};

/// "waiting", "lead-in", "playing", ...
const char* phase_name(runtime::Phase phase) noexcept;

/// kagami.Status without "writer" and "dropped", which the server adds for each client; what is not
/// known is null.
nlohmann::json status_json(const runtime::Progress& progress, const runtime::LiveStatus& live,
                           const StatusFacts& facts, std::uint64_t time_ns);

}  // namespace kagami::tools
