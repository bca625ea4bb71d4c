#include "runtime/channels/supervisor_state.hpp"

#include <array>
#include <cstddef>

namespace kagami::runtime {

const char* name(SupervisorState state) noexcept {
  constexpr std::array<const char*, kNumSupervisorStates> kNames{
      "idle", "homing", "running", "hold", "soft stop", "released", "fault"};
  const auto index = static_cast<std::size_t>(state);
  return index < kNames.size() ? kNames[index] : "?";
}

}  // namespace kagami::runtime
