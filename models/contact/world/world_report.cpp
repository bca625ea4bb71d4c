#include "models/contact/world/world_report.hpp"

namespace kagami::models {

const char* name(SystemStatus status) noexcept {
  constexpr const char* kNames[] = {"ok", "not finite", "solver"};
  return kNames[static_cast<int>(status)];
}

const char* name(WorldStatus status) noexcept {
  constexpr const char* kNames[] = {"ok", "not converged", "capacity", "solver", "not finite"};
  return kNames[static_cast<int>(status)];
}

}  // namespace kagami::models
