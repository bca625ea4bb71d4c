#include "runtime/channels/event.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "models/base/angle.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {
namespace {

struct EventText {
  const char* name;
  EventLevel level;
};

constexpr EventLevel kInfo = EventLevel::kInfo;
constexpr EventLevel kWarning = EventLevel::kWarning;
constexpr EventLevel kError = EventLevel::kError;

// in the order of EventCode
constexpr std::array<EventText, kNumEventCodes> kTexts{{
    {"none", kInfo},
    {"started", kInfo},
    {"motion_began", kInfo},
    {"motion_ended", kInfo},
    {"stop_requested", kWarning},
    {"held", kWarning},
    {"released", kWarning},
    {"limit_clamped", kWarning},
    {"rate_clamped", kWarning},
    {"target_refused", kError},
    {"jump_refused", kError},
    {"sample_stale", kError},
    {"sample_back", kInfo},
    {"port_gone", kError},
    {"shadow_reset", kError},
    {"limit_cleared", kInfo},
    {"rate_cleared", kInfo},
    {"target_back", kInfo},
    {"port_back", kInfo},
    {"sitting", kInfo},
    {"stall", kWarning},
    {"shadow_restored", kInfo},
    {"control_began", kInfo},
    {"control_not_finite", kError},
    {"control_old", kError},
    {"control_bad_output", kError},
    {"control_saturated", kError},
    {"control_loop_open", kError},
    {"control_foot_in_air", kError},
    {"control_failed", kError},
    {"reference_lost", kError},
    {"switch_refused", kWarning},
    {"stop_confirmed", kInfo},
    {"stop_unconfirmed", kError},
    {"tuning_applied", kInfo},
    {"tuning_refused", kError},
    {"motion_alone", kInfo},
    {"control_taken", kInfo},
    {"paused", kInfo},
    {"resumed", kInfo},
    {"played_again", kInfo},
    {"play_refused", kWarning},
    {"twin_not_finite", kWarning},
    {"twin_old", kWarning},
    {"twin_bad_output", kWarning},
    {"twin_saturated", kWarning},
    {"twin_failed", kWarning},
    {"twin_back", kInfo},
    {"twin_reset", kWarning},
    {"twin_restored", kInfo},
    {"reference_bounds", kError},
    {"joint_test_began", kInfo},
    {"joint_test_ended", kInfo},
    {"joint_test_broken", kWarning},
    {"joint_test_refused", kWarning},
    {"reversed", kInfo},
    {"forwards", kInfo},
    {"command_gap", kWarning},
    {"command_gap_ended", kInfo},
    {"computer_late", kWarning},
    {"computer_back", kInfo},
    {"does_not_follow", kError},
    {"follows_again", kInfo},
    {"frozen", kError},
    {"frozen_ended", kInfo},
    {"board_frozen", kError},
    {"board_frozen_ended", kInfo},
    {"implausible_joint", kError},
    {"implausible_ended", kInfo},
    {"board_restarted", kError},
    {"board_restart_ended", kInfo},
    {"gate_shortfall", kWarning},
    {"gate_shortfall_ended", kInfo},
    {"model_fell", kError},
    {"model_stands", kInfo},
}};

/// "12.3 deg", also for numbers that are not finite.
std::string number(double value, int digits, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, value, unit);
  if (std::abs(value) >= 1e6 || !std::isfinite(value)) {
    std::snprintf(text.data(), text.size(), "%.3g %s", value, unit);
  }
  return text.data();
}

std::string degrees(double angle) {
  return number(to_deg(angle), 1, "deg");
}
std::string degrees_per_second(double rate) {
  return number(to_deg(rate), 0, "deg/s");
}
std::string seconds(double time) {
  return number(time, 2, "s");
}

std::string joint_name(const Event& event, const std::vector<std::string>& names) {
  const int joint = event.joint;
  if (joint >= 0 && joint < static_cast<int>(names.size())) {
    return names[static_cast<std::size_t>(joint)];
  }
  return joint < 0 ? std::string("a joint") : "joint " + std::to_string(joint);
}

std::string board_name(const Event& event) {
  return "Board " + std::to_string(event.joint);
}

std::string stop_sentence(double level) {
  if (level <= 1.0) return "Stop: slowing down along the path, then holding.";
  if (level <= 2.0) return "Stop: holding the present command at once.";
  return "Stop: releasing the servos of both boards; the robot goes limp, support it.";
}

/// The enumeration's value that an event carries; a number that is none becomes its last.
std::uint8_t small_number(double value) {
  return value >= 0.0 && value < 255.0 ? static_cast<std::uint8_t>(value) : std::uint8_t{255};
}

std::string test_kind_name(double kind) {
  constexpr std::array<const char*, 4> kKinds{"step", "ramp", "relay", "chirp"};
  const std::uint8_t index = small_number(kind);
  return index < kKinds.size() ? kKinds[index] : "?";
}

std::string reason_name(double reason) {
  return name(static_cast<JointTestReason>(small_number(reason)));
}

std::string released_sentence(double confirmed) {
  if (confirmed > 0.0) return "The boards confirmed the sleep bit: the servos are free.";
  return "Asked the boards to sleep; not confirmed yet.";
}

}  // namespace

std::string event_sentence(const Event& event, const std::vector<std::string>& joint_names) {
  const std::string joint = joint_name(event, joint_names);
  switch (event.code) {
    case EventCode::kNone:
      return "Nothing happened.";
    case EventCode::kStarted:
      return "First reading of all boards taken; moving from the measured pose to the first pose.";
    case EventCode::kMotionBegan:
      return "The motion begins.";
    case EventCode::kMotionEnded:
      return "The motion has ended.";
    case EventCode::kStopRequested:
      return stop_sentence(event.value);
    case EventCode::kHeld:
      return "Holding: the boards keep the present command.";
    case EventCode::kReleased:
      return released_sentence(event.value);
    case EventCode::kLimitClamped:
      return joint + ": " + degrees(event.value) +
             " is outside its soft limits and was clamped; change the motion or soft_limits_deg in "
             "robot.json.";
    case EventCode::kRateClamped:
      return joint + ": " + degrees_per_second(event.value) +
             " is more than the servo can do and was slowed; play with a lower --speed.";
    case EventCode::kTargetRefused:
      return joint + ": the target is not finite (" + number(event.value, 3, "rad") +
             "); holding the last safe target. Check the motion and the gains.";
    case EventCode::kJumpRefused:
      return "The robot is " + degrees(event.value) + " away from the first target at " + joint +
             "; nothing was sent. Move it closer by hand, or check home and sign of that joint.";
    case EventCode::kSampleStale:
      return "No fresh reading for " + seconds(event.value) +
             "; holding. Check the cable and the boards' power.";
    case EventCode::kSampleBack:
      return "Readings are back after " + seconds(event.value) + "; still holding, start again.";
    case EventCode::kPortGone:
      return "The port is gone; holding, the boards keep their pose. Check the USB cable.";
    case EventCode::kShadowReset:
      return joint + ": the shadow model moved with " + degrees_per_second(event.value) +
             " and left its bounds; it restarts from the measured pose, and the comparison is "
             "invalid there. Check masses and servo parameters.";
    case EventCode::kLimitCleared:
      return joint + ": targets are inside its soft limits again.";
    case EventCode::kRateCleared:
      return joint + ": targets are slow enough again; the fastest was " +
             degrees_per_second(event.value) + ".";
    case EventCode::kCommandGap:
      return "Board " + std::to_string(event.joint) + " got no command for " +
             seconds(event.value) + " while its targets changed.";
    case EventCode::kCommandGapEnded:
      return "Board " + std::to_string(event.joint) + " gets commands again, after " +
             seconds(event.value) + "; it approaches the targets at the limited rate.";
    case EventCode::kComputerLate:
      return "This computer has not polled the boards for " + seconds(event.value) +
             ": other programs keep it busy, or it was suspended. The boards are not at fault.";
    case EventCode::kComputerBack:
      return "This computer polls the boards again, after " + seconds(event.value) + ".";
    case EventCode::kTargetBack:
      return "Targets are finite again.";
    case EventCode::kPortBack:
      return "The port is back after " + seconds(event.value) + "; still holding, start again.";
    case EventCode::kSitting:
      return "Going to the sit pose, " + seconds(event.value) + " at a slow speed code.";
    case EventCode::kStall:
      return "The computer did not run the cycle for " + seconds(event.value) +
             "; skipped ticks are counted. Close other programs or allow real-time priority.";
    case EventCode::kShadowRestored:
      return "The forward model has been inside its bounds for a second.";
    case EventCode::kControlBegan:
      return "Controller " + std::to_string(static_cast<int>(event.value) + 1) +
             " of this run leads now.";
    case EventCode::kControlNotFinite:
      return joint + ": what the controller is shown is not finite (" +
             number(event.value, 3, "rad") + "); holding. Check the line and the motion.";
    case EventCode::kControlOld:
      return joint + ": the newest reading is " + number(event.value * 1e3, 0, "ms") +
             " old, too old for a controller; holding. Check the cable, read every round.";
    case EventCode::kControlBadOutput:
      return joint + ": the controller's answer is not finite (" + number(event.value, 3, "") +
             "); holding. Check the gains.";
    case EventCode::kControlSaturated:
      return joint + ": at its limit for " + seconds(event.value) +
             "; holding. Is it blocked? Else lower the gains or the motion's speed.";
    case EventCode::kControlLoopOpen:
      return "The virtual loop is open by " + number(event.value, 4, "m or rad") +
             "; holding. Start from a pose that closes it, or raise max_gap.";
    case EventCode::kControlFootInAir:
      return "The support foot is " + number(event.value, 3, "m") +
             " above the floor; holding. Balance needs a foot on the floor.";
    case EventCode::kControlFailed:
      return "The controller has no answer (status " +
             std::to_string(static_cast<int>(event.value)) + "); holding.";
    case EventCode::kReferenceLost:
      return "The loops of the reference model could not be moved on; holding. Check the gains.";
    case EventCode::kSwitchRefused:
      return "Controller " + std::to_string(static_cast<int>(event.value) + 1) +
             " cannot start from here; the one before stays.";
    case EventCode::kStopConfirmed:
      return "All boards confirmed the stop, " + number(event.value * 1e3, 0, "ms") +
             " after its last command.";
    case EventCode::kStopUnconfirmed:
      return "The stop is NOT confirmed: not every board answered within " + seconds(event.value) +
             ". Keep the robot's switch at hand.";
    case EventCode::kTuningApplied:
      return "The set of values " + std::to_string(static_cast<std::int64_t>(event.value)) +
             " was applied.";
    case EventCode::kTuningRefused:
      return "Value " + std::to_string(event.joint + 1) + " of a set, " +
             number(event.value, 3, "") +
             ", was refused by its controller; nothing of the set was applied.";
    case EventCode::kMotionAlone:
      return "No controller leads any more: the motion goes to the servos as it is.";
    case EventCode::kControlTaken:
      return "A new controller was taken over as number " +
             std::to_string(static_cast<int>(event.value) + 1) + ".";
    case EventCode::kPaused:
      return "Paused " + seconds(event.value) + " into the motion.";
    case EventCode::kResumed:
      return "The motion goes on, " + seconds(event.value) + " from its beginning.";
    case EventCode::kPlayedAgain:
      return "Motion " + std::to_string(static_cast<int>(event.value) + 1) +
             " of the list: moving from the present command to its first pose.";
    case EventCode::kPlayRefused:
      return std::string("Not played: the robot is in the state '") +
             name(static_cast<SupervisorState>(static_cast<std::uint8_t>(event.value))) +
             "'; only one that holds, without a stop, a fault or a release, plays again.";
    case EventCode::kTwinNotFinite:
      return joint + ": the loop twin's controller was shown " + number(event.value, 3, "") +
             "; the twin keeps its last target, the robot goes on.";
    case EventCode::kTwinOld:
      return joint + ": the loop twin's reading is " + seconds(event.value) +
             " old; the twin keeps its last target, the robot goes on.";
    case EventCode::kTwinBadOutput:
      return joint + ": the loop twin's controller computed " + number(event.value, 3, "") +
             "; the twin keeps its last target, the robot goes on.";
    case EventCode::kTwinSaturated:
      return joint + ": the loop twin's joint has been at its limit for " + seconds(event.value) +
             "; the twin keeps its last target, the robot goes on.";
    case EventCode::kTwinFailed:
      return "The loop twin's controller has no answer (status " +
             std::to_string(static_cast<int>(event.value)) +
             "); the twin keeps its last target, the robot goes on.";
    case EventCode::kTwinBack:
      return "The loop twin's controller leads it again.";
    case EventCode::kTwinReset:
      return joint + ": the loop twin moved with " + degrees_per_second(event.value) +
             " and left its bounds; it restarts from the measured pose, the robot goes on.";
    case EventCode::kTwinRestored:
      return "The loop twin stayed inside its bounds for a second.";
    case EventCode::kReferenceBounds:
      return joint + ": the reference model moved with " + degrees_per_second(event.value) +
             " and left its bounds; holding. Check the gains.";
    case EventCode::kJointTestBegan:
      return joint + ": a test begins (" + test_kind_name(event.value) + ").";
    case EventCode::kJointTestEnded:
      return joint + ": the test has ended after " + seconds(event.value) + ".";
    case EventCode::kJointTestBroken:
      return joint + ": the test was aborted: " + reason_name(event.value) + ".";
    case EventCode::kJointTestRefused:
      return joint + ": not tested: " + reason_name(event.value) + ".";
    case EventCode::kReversed:
      return "The motion runs backwards from " + seconds(event.value) + ".";
    case EventCode::kForwards:
      return "The motion runs forwards again from " + seconds(event.value) + ".";
    case EventCode::kDoesNotFollow:
      return joint + " does not follow: its reading stays while its board acknowledges commands, " +
             degrees(std::abs(event.value)) +
             " from the model. A jammed or limp servo, a loose horn or plug, or a false reading.";
    case EventCode::kFollowsAgain:
      return joint + " follows again after " + seconds(event.value) + ".";
    case EventCode::kFrozen:
      return joint + ": its reading is frozen, " + degrees(std::abs(event.value)) +
             " from the model; holding. A stuck reading, or a servo that is jammed or too weak.";
    case EventCode::kFrozenEnded:
      return joint + ": its reading changes again after " + seconds(event.value) + ".";
    case EventCode::kBoardFrozen:
      return board_name(event) + ": its readings are frozen while the model moved by " +
             degrees(event.value) +
             "; holding. The board repeats an old reading, or none of its servos has power.";
    case EventCode::kBoardFrozenEnded:
      return board_name(event) + ": its readings change again after " + seconds(event.value) + ".";
    case EventCode::kImplausibleJoint:
      return joint + " reads " + degrees(std::abs(event.value)) +
             " beside the model while it moves with it; holding. A slipped horn, a wrong home or "
             "trim in robot.json, or a servo much weaker than the model's.";
    case EventCode::kImplausibleEnded:
      return joint + " reads near the model again after " + seconds(event.value) + ".";
    case EventCode::kBoardRestarted:
      return board_name(event) + " was silent and came back in another pose, by " +
             degrees(event.value) +
             "; holding. It has restarted: check its power, the battery and the plugs.";
    case EventCode::kBoardRestartEnded:
      return board_name(event) + ": its pose agrees with its commands again after " +
             seconds(event.value) + ".";
    case EventCode::kGateShortfall:
      return joint + ": the safety gate passes " + degrees(std::abs(event.value)) +
             " less than requested; change the motion or soft_limits_deg, or play it slower.";
    case EventCode::kGateShortfallEnded:
      return joint + ": the safety gate passes what is requested again, after " +
             seconds(event.value) + ".";
    case EventCode::kModelFell:
      return "The model does not stand at the end of the motion: it fell. Check the motion, its "
             "mode and the floor's friction.";
    case EventCode::kModelStands:
      return "The model is upright again after " + seconds(event.value) + ".";
  }
  return "Unknown event " + std::to_string(static_cast<int>(event.code)) + ".";
}

const char* event_name(EventCode code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < kTexts.size() ? kTexts[index].name : "unknown";
}

EventLevel event_level(EventCode code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < kTexts.size() ? kTexts[index].level : kError;
}

}  // namespace kagami::runtime
