/// What the cycle reports: a code, a joint, a number. The writer thread makes sentences of it.
#pragma once

#include <cstdint>
#include <string>

namespace kagami::runtime {

enum class EventCode : std::uint8_t {
  kNone,
  kStarted,      ///< first reading taken, lead-in begins
  kMotionBegan,  ///< lead-in over
  kMotionEnded,
  kStopRequested,  ///< value = level 1..3
  kHeld,           ///< standing still after a stop
  kReleased,       ///< sleep bits asked for; value = 1 when the boards confirmed
  kLimitClamped,   ///< joint, value = rad that were asked for
  kRateClamped,    ///< joint, value = rad/s that were asked for
  kTargetRefused,  ///< joint, value = the number that is not finite
  kJumpRefused,    ///< joint, value = rad between measured pose and first target
  kSampleStale,    ///< value = age in s; once per episode
  kSampleBack,     ///< the episode ended; value = its length in s
  kPortGone,
  kShadowReset,  ///< the forward model left its bounds and restarts from the measured pose
};

/// Trivially copyable; crosses from the cycle to the writer thread.
struct Event {
  std::int64_t cycle = 0;
  EventCode code = EventCode::kNone;
  std::int16_t joint = -1;  ///< model order, -1 = none
  double value = 0.0;
};

}  // namespace kagami::runtime
