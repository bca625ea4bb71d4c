/// The run's state machine: its states, the signals that move it and what is done then, as one
/// table (docs/supervision.md shows it).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/channels/cycle_types.hpp"
#include "runtime/channels/supervisor_state.hpp"

namespace kagami::runtime {

/// Where a run is. `phase_of` and `group_of` are what records and answers show of it.
enum class RunState : std::uint8_t {
  kWaiting,        ///< no complete reading yet; nothing is sent
  kLeadIn,         ///< from the measured pose to the motion's first
  kPlaying,        ///< the motion and the controller lead
  kSettling,       ///< the last pose was sent, the servos arrive
  kDone,           ///< the motion's last target is held
  kTesting,        ///< a test of one joint, from a hold and back to it
  kStopping,       ///< slowing down along the path
  kTestStopping,   ///< the same of a test
  kSitting,        ///< the boards move to the sit pose
  kFaultStopping,  ///< a fault: the reference stops with its next step
  kHeld,           ///< a target is held after a stop
  kFault,          ///< a target is held because of a fault
  kRefused,        ///< the first target was refused; nothing is sent
  kReleasing,      ///< the sleep bit was requested
  kReleased,       ///< the boards confirmed it; the end of every run that reaches it
};
inline constexpr int kNumRunStates = 15;
/// "waiting", "lead-in", ...
const char* name(RunState state) noexcept;
Phase phase_of(RunState state) noexcept;
SupervisorState group_of(RunState state) noexcept;

/// Targets pass the gate and move with the reference, provided that a first one was sent.
constexpr bool follows_reference(RunState state) noexcept {
  return state != RunState::kWaiting && state < RunState::kHeld;
}
/// The end of a stop or a fault: its last command is held, or the servos are released.
constexpr bool has_stopped(RunState state) noexcept {
  return state == RunState::kHeld || state == RunState::kFault || state == RunState::kReleasing ||
         state == RunState::kReleased;
}
constexpr bool is_hold(RunState state) noexcept {
  return state == RunState::kDone || state == RunState::kHeld;
}
constexpr bool is_test(RunState state) noexcept {
  return state == RunState::kTesting || state == RunState::kTestStopping;
}

/// What happens to a run.
enum class RunSignal : std::uint8_t {
  kReading,       ///< the first complete reading
  kBegan,         ///< the lead-in has ended, the motion plays
  kArrived,       ///< the motion's last pose was sent
  kEnded,         ///< its servos had time to arrive; of a test: that pose is held again
  kSlowDown,      ///< stop ladder, first step: Ctrl-C once, SIGTERM
  kHoldNow,       ///< second step
  kRelease,       ///< third step, STOP held, or --on-stop release after a stop
  kSit,           ///< after a stop, with --on-stop sit
  kStill,         ///< the reference is at rest; of a test: the hold is back
  kFault,         ///< stale readings, lost port, a controller that gave up, implausible readings
  kRefused,       ///< the gate refused a target
  kStartRefused,  ///< the gate refused the first target
  kPlay,          ///< the user requests a motion
  kTest,          ///< the user requests a test of one joint
  kAsleep,        ///< all boards confirmed the sleep bit
};
inline constexpr int kNumRunSignals = 15;
/// "reading", "began", ...
const char* name(RunSignal signal) noexcept;

/// What is done at a transition.
enum class RunAction : std::uint8_t {
  kNone,
  kReportBegan,  ///< event: the motion begins
  kReportEnded,  ///< event: the motion has ended
  kSlowDown,     ///< along the path to a standstill
  kHoldNow,      ///< the player stops at the present command
  kPark,         ///< one target is held from now on
  kHoldRamp,     ///< the boards stop on their way to the sit pose
  kFinish,       ///< as set by --on-stop
  kSit,          ///< the sit pose to the boards
  kRelease,      ///< sleep bit to all boards
  kPlay,         ///< from the present command to the motion's first pose, then the motion
  kTest,         ///< a signal on the reference of one joint
};
inline constexpr int kNumRunActions = 12;
/// "nothing", "slow down", ...
const char* name(RunAction action) noexcept;

struct RunTransition {
  RunState from = RunState::kWaiting;
  RunSignal signal = RunSignal::kReading;
  RunState to = RunState::kWaiting;
  RunAction action = RunAction::kNone;
};
/// All of them; a signal that is not listed for a state changes nothing.
std::span<const RunTransition> run_transitions() noexcept;

/// Walks the table. Cycle code.
class RunMachine {
 public:
  /// Changes the state and returns what is to be done; empty: the state does not take the signal.
  std::optional<RunAction> take(RunSignal signal) noexcept;
  [[nodiscard]] RunState state() const noexcept { return state_; }

 private:
  RunState state_ = RunState::kWaiting;
};

}  // namespace kagami::runtime
