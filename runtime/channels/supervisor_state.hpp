/// What answers show of the state of a run (run_machine.hpp has all of it).
#pragma once

#include <cstdint>

namespace kagami::runtime {

enum class SupervisorState : std::uint8_t {
  kIdle,      ///< no complete reading yet; nothing is sent
  kHoming,    ///< lead-in, from the measured pose to the motion's first
  kRunning,   ///< motion and controller lead
  kHold,      ///< a target is held: after the motion, or after a stop
  kSoftStop,  ///< slowing down along the path, or sitting down after it
  kReleased,  ///< the sleep bit was requested
  kFault,     ///< a target is held because of a fault; only a release leaves this state
};
inline constexpr int kNumSupervisorStates = 7;
/// "idle", "homing", "running", "hold", "soft stop", "released", "fault".
const char* name(SupervisorState state) noexcept;

}  // namespace kagami::runtime
