/// What the parts of a LiveControl share.
#pragma once

#include <mutex>

#include "runtime/app/assemble.hpp"
#include "runtime/app/seen_row.hpp"
#include "runtime/threads/stop_request.hpp"

namespace kagami::runtime {

/// One mutex among the callers and the writer; the cycle takes none. It guards everything of the
/// parts but the stop.
struct LiveShared {
  explicit LiveShared(StopRequest& request) : stop(request) {}

  StopRequest& stop;
  mutable std::mutex mutex;
  const RunSetup* setup = nullptr;  ///< null: no run
  SeenRow seen{};

  /// With the mutex held.
  [[nodiscard]] bool is_open() const noexcept { return setup != nullptr; }
};

}  // namespace kagami::runtime
