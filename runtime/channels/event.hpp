/// What the cycle reports: a code, a joint, a number. The writer thread makes sentences of it.
///
/// Every fault raises one event at its start and one at its end, never one per cycle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kagami::runtime {

enum class EventCode : std::uint8_t {
  kNone,
  kStarted,      ///< first reading taken, lead-in begins
  kMotionBegan,  ///< lead-in over
  kMotionEnded,
  kStopRequested,  ///< value = level 1..3
  kHeld,           ///< standing still after a stop or a fault
  kReleased,       ///< sleep bits: value = 0 when requested, 1 when the boards confirmed
  kLimitClamped,   ///< joint, value = rad requested
  kRateClamped,    ///< joint, value = rad/s requested
  kTargetRefused,  ///< joint, value = the number that is not finite
  kJumpRefused,    ///< joint, value = rad between measured pose and first target
  kSampleStale,    ///< value = age in s; once per episode
  kSampleBack,     ///< the episode ended; value = its length in s
  kPortGone,
  kShadowReset,       ///< the forward model left its bounds and restarts from the measured pose
  kLimitCleared,      ///< joint, value = the furthest requested meanwhile, rad
  kRateCleared,       ///< joint, value = the most requested meanwhile, rad/s
  kTargetBack,        ///< targets are finite again
  kPortBack,          ///< value = s without the port
  kSitting,           ///< the sit pose was sent; value = s until it is reached
  kStall,             ///< no cycle ran for a while; value = s
  kShadowRestored,    ///< the forward model stayed inside its bounds for a second
  kControlBegan,      ///< a controller leads from here; value = its place in the run's list, from 0
  kControlNotFinite,  ///< joint, value = the reading or reference that is not finite; holding
  kControlOld,        ///< joint, value = s, age of the reading; holding
  kControlBadOutput,  ///< joint, value = the controller's output; holding
  kControlSaturated,  ///< joint, value = s at its limit; holding
  kControlLoopOpen,   ///< value = gap of the virtual loops (m or rad); holding
  kControlFootInAir,  ///< value = m above the floor; holding
  kControlFailed,     ///< value = control::ControlStatus; holding
  kReferenceLost,     ///< the reference model's loops could not be moved on; holding
  kSwitchRefused,     ///< value = place of the controller that cannot start here; the old one stays
  kStopConfirmed,     ///< all boards answered to the last command of a stop or fault; value = s
  kStopUnconfirmed,   ///< they did not; value = s waited
  kTuningApplied,     ///< a set of values was taken as one; value = its version
  kTuningRefused,     ///< joint = place of the value in the set, value = it; nothing was taken
  kMotionAlone,       ///< no controller leads from here, by choice
  kControlTaken,      ///< a controller of the run's own time was taken over; value = its place
  kPaused,            ///< value = s into the motion
  kResumed,           ///< value = s into the motion
  kPlayedAgain,       ///< from a hold through homing; value = the motion's place in the list
  kPlayRefused,       ///< value = SupervisorState: only a hold without a stop plays again
  kTwinNotFinite,  ///< loop twin: joint, value = the reading or reference; its last target is held
  kTwinOld,        ///< loop twin: joint, value = s; its last target is held
  kTwinBadOutput,  ///< loop twin: joint, value = its controller's output; its last target is held
  kTwinSaturated,  ///< loop twin: joint, value = s at its limit; its last target is held
  kTwinFailed,     ///< loop twin: value = control::ControlStatus; its last target is held
  kTwinBack,       ///< the loop twin's controller leads it again
  kTwinReset,      ///< the loop twin left its bounds and restarts from the measured pose;
                   ///< joint, value = rad/s
  kTwinRestored,   ///< it stayed inside them for a second
  kReferenceBounds,   ///< joint, value = rad/s of the reference model beyond its bounds; holding
  kJointTestBegan,    ///< joint, value = control::TestKind; the signal begins with this tick
  kJointTestEnded,    ///< joint, value = s of the signal; the joint returns
  kJointTestBroken,   ///< joint, value = JointTestReason
  kJointTestRefused,  ///< joint, value = JointTestReason; nothing was moved
  kReversed,          ///< the motion's time runs backwards; value = s into the motion
  kForwards,          ///< it runs forwards again; value = s into the motion
  kCommandGap,        ///< joint = board, value = s without a command while its targets change
  kCommandGapEnded,   ///< joint = board, value = the whole gap, s
  kComputerLate,      ///< no reading was requested for value s: this computer, not the boards
  kComputerBack,      ///< value = s that it lasted
  // the robot does not do what its boards acknowledged; an end's value = s that it lasted
  kDoesNotFollow,       ///< joint, value = rad, model minus reading
  kFollowsAgain,        ///< joint
  kFrozen,              ///< joint, value = rad, model minus reading: the reading never changes
  kFrozenEnded,         ///< joint
  kBoardFrozen,         ///< joint = board, value = rad that a joint moved in the model
  kBoardFrozenEnded,    ///< joint = board
  kImplausibleJoint,    ///< joint, value = rad, model minus reading, constant
  kImplausibleEnded,    ///< joint
  kBoardRestarted,      ///< joint = board, value = rad, largest change over its silence
  kBoardRestartEnded,   ///< joint = board
  kGateShortfall,       ///< joint, value = rad that the gate cuts off the reference
  kGateShortfallEnded,  ///< joint
  kModelFell,           ///< the shadow does not stand at the end of its motion
  kModelStands,         ///< it is upright again
  kStoredStartFailed,   ///< joint = board that did not acknowledge the start; value = s waited;
                        ///< holding
};
inline constexpr int kNumEventCodes = 76;

/// How loud an event is shown.
enum class EventLevel : std::uint8_t { kInfo, kWarning, kError };

/// Trivially copyable; crosses from the cycle to the writer thread.
struct Event {
  std::int64_t cycle = 0;
  EventCode code = EventCode::kNone;
  std::int16_t joint = -1;  ///< model order, -1 = none
  double value = 0.0;
};

/// What sentences call the controllers, gains and motions that events number from 0.
struct EventNames {
  std::vector<std::string> controllers{};  ///< "pid (awa_2009)", in the run's order
  std::vector<std::string> values{};       ///< "pid/left_knee/kp", of a set of values
  std::vector<std::string> motions{};      ///< in the run's order
};

/// One sentence for people, with the remedy where there is one; angles in degrees. `joint_names` in
/// model order. What has no name is shown by its number. Not cycle code: allocates.
std::string event_sentence(const Event& event, const std::vector<std::string>& joint_names,
                           const EventNames& names = {});

/// Stable name for machines: "sample_stale"; "unknown" for a code that does not exist.
const char* event_name(EventCode code) noexcept;

EventLevel event_level(EventCode code) noexcept;

}  // namespace kagami::runtime
