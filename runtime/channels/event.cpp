#include "runtime/channels/event.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "control/core/status.hpp"
#include "models/base/angle.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {
namespace {

struct EventText {
  const char* name;
  EventLevel level;
  const char* sentence;
};

constexpr EventLevel kInfo = EventLevel::kInfo;
constexpr EventLevel kWarning = EventLevel::kWarning;
constexpr EventLevel kError = EventLevel::kError;

// in the order of EventCode; {...} in a sentence: item_text
constexpr std::array<EventText, kNumEventCodes> kTexts{{
    {"none", kInfo, "Nothing happened."},
    {"started", kInfo,
     "First reading of all boards taken; moving from the measured pose to the first pose."},
    {"motion_began", kInfo, "The motion begins."},
    {"motion_ended", kInfo, "The motion has ended."},
    {"stop_requested", kWarning, "{stop}"},
    {"held", kWarning, "Holding: the boards keep the present command."},
    {"released", kWarning, "{release}"},
    {"limit_clamped", kWarning,
     "{joint}: {deg} is outside its soft limits and was clamped; change the motion or "
     "soft_limits_deg in robot.json."},
    {"rate_clamped", kWarning,
     "{joint}: {deg/s} is more than the servo can do and was slowed; play with a lower "
     "--speed."},
    {"target_refused", kError,
     "{joint}: the target is not finite ({rad}); holding the last safe target. Check the motion "
     "and the gains."},
    {"jump_refused", kError,
     "The robot is {deg} away from the first target at {joint}; nothing was sent. Move it closer "
     "by hand, or check home and sign of that joint."},
    {"sample_stale", kError,
     "No fresh reading for {s}; holding. Check the cable and the boards' power."},
    {"sample_back", kInfo, "Readings are back after {s}; still holding, start again."},
    {"port_gone", kError,
     "The port is gone; holding, the boards keep their pose. Check the USB cable."},
    {"shadow_reset", kError,
     "{joint}: the shadow model moved with {deg/s} and left its bounds; it restarts from the "
     "measured pose, and the comparison is invalid there. Check masses and servo parameters."},
    {"limit_cleared", kInfo,
     "{joint}: targets are inside its soft limits again; the furthest was {deg}."},
    {"rate_cleared", kInfo, "{joint}: targets are slow enough again; the fastest was {deg/s}."},
    {"target_back", kInfo, "Targets are finite again."},
    {"port_back", kInfo, "The port is back after {s}; still holding, start again."},
    {"sitting", kInfo, "Going to the sit pose, {s} at a slow speed code."},
    {"stall", kWarning,
     "The computer did not run the cycle for {s}; skipped ticks are counted. Close other "
     "programs or allow real-time priority."},
    {"shadow_restored", kInfo, "The forward model has been inside its bounds for a second."},
    {"control_began", kInfo, "{controller} leads now."},
    {"control_not_finite", kError,
     "{joint}: what the controller is shown is not finite ({rad}); holding. Check the line and "
     "the motion."},
    {"control_old", kError,
     "{joint}: the newest reading is {ms} old, too old for a controller; holding. Check the "
     "cable, read every round."},
    {"control_bad_output", kError,
     "{joint}: the controller's answer is not finite ({number}); holding. Check the gains."},
    {"control_saturated", kError,
     "{joint}: at its limit for {s}; holding. Is it blocked? Else lower the gains or the "
     "motion's speed."},
    {"control_loop_open", kError,
     "The virtual loop is open by {m or rad}; holding. Start from a pose that closes it, or "
     "raise max_gap."},
    {"control_foot_in_air", kError,
     "The support foot is {m} above the floor; holding. Balance needs a foot on the floor."},
    {"control_failed", kError, "The controller has no answer ({status}); holding."},
    {"reference_lost", kError,
     "The loops of the reference model could not be moved on; holding. Check the gains."},
    {"switch_refused", kWarning, "{controller} cannot start from here; the one before stays."},
    {"stop_confirmed", kInfo, "All boards confirmed the stop, {ms} after its last command."},
    {"stop_unconfirmed", kError,
     "The stop is NOT confirmed: not every board answered within {s}. Keep the robot's switch "
     "at hand."},
    {"tuning_applied", kInfo, "The set of values {set} was applied."},
    {"tuning_refused", kError,
     "{gain} = {number} was refused by its controller; nothing of its set was applied."},
    {"motion_alone", kInfo,
     "No controller leads any more: the motion goes to the servos as it is."},
    {"control_taken", kInfo, "{controller} was added to this run."},
    {"paused", kInfo, "Paused {s} into the motion."},
    {"resumed", kInfo, "The motion goes on, {s} from its beginning."},
    {"played_again", kInfo, "{motion}: moving from the present command to its first pose."},
    {"play_refused", kWarning,
     "Not played: the robot is in the state '{state}'; only one that holds, without a stop, a "
     "fault or a release, plays again."},
    {"twin_not_finite", kWarning,
     "{joint}: the loop twin's controller was shown {number}; the twin keeps its last target, "
     "the robot goes on."},
    {"twin_old", kWarning,
     "{joint}: the loop twin's reading is {s} old; the twin keeps its last target, the robot "
     "goes on."},
    {"twin_bad_output", kWarning,
     "{joint}: the loop twin's controller computed {number}; the twin keeps its last target, "
     "the robot goes on."},
    {"twin_saturated", kWarning,
     "{joint}: the loop twin's joint has been at its limit for {s}; the twin keeps its last "
     "target, the robot goes on."},
    {"twin_failed", kWarning,
     "The loop twin's controller has no answer ({status}); the twin keeps its last "
     "target, the robot goes on."},
    {"twin_back", kInfo, "The loop twin's controller leads it again."},
    {"twin_reset", kWarning,
     "{joint}: the loop twin moved with {deg/s} and left its bounds; it restarts from the "
     "measured pose, the robot goes on."},
    {"twin_restored", kInfo, "The loop twin stayed inside its bounds for a second."},
    {"reference_bounds", kError,
     "{joint}: the reference model moved with {deg/s} and left its bounds; holding. Check the "
     "gains."},
    {"joint_test_began", kInfo, "{joint}: a test begins ({test})."},
    {"joint_test_ended", kInfo, "{joint}: the test has ended after {s}."},
    {"joint_test_broken", kWarning, "{joint}: the test was aborted: {reason}."},
    {"joint_test_refused", kWarning, "{joint}: not tested: {reason}."},
    {"reversed", kInfo, "The motion runs backwards from {s}."},
    {"forwards", kInfo, "The motion runs forwards again from {s}."},
    {"command_gap", kWarning, "Board {board} got no command for {s} while its targets changed."},
    {"command_gap_ended", kInfo,
     "Board {board} gets commands again, after {s}; it approaches the targets at the limited "
     "rate."},
    {"computer_late", kWarning,
     "This computer has not polled the boards for {s}: other programs keep it busy, or it was "
     "suspended. The boards are not at fault."},
    {"computer_back", kInfo, "This computer polls the boards again, after {s}."},
    {"does_not_follow", kError,
     "{joint} does not follow: its reading stays while its board acknowledges commands, {size} "
     "from the model. A jammed or limp servo, a loose horn or plug, or a false reading."},
    {"follows_again", kInfo, "{joint} follows again after {s}."},
    {"frozen", kError,
     "{joint}: its reading is frozen, {size} from the model; holding. A stuck reading, or a "
     "servo that is jammed or too weak."},
    {"frozen_ended", kInfo, "{joint}: its reading changes again after {s}."},
    {"board_frozen", kError,
     "Board {board}: its readings are frozen while the model moved by {deg}; holding. The board "
     "repeats an old reading, or none of its servos has power."},
    {"board_frozen_ended", kInfo, "Board {board}: its readings change again after {s}."},
    {"implausible_joint", kError,
     "{joint} reads {size} beside the model while it moves with it; holding. A slipped horn, a "
     "wrong home or trim in robot.json, or a servo much weaker than the model's."},
    {"implausible_ended", kInfo, "{joint} reads near the model again after {s}."},
    {"board_restarted", kError,
     "Board {board} was silent and came back in another pose, by {deg}; holding. It has "
     "restarted: check its power, the battery and the plugs."},
    {"board_restart_ended", kInfo,
     "Board {board}: its pose agrees with its commands again after {s}."},
    {"gate_shortfall", kWarning,
     "{joint}: the safety gate passes {size} less than requested; change the motion or "
     "soft_limits_deg, or play it slower."},
    {"gate_shortfall_ended", kInfo,
     "{joint}: the safety gate passes what is requested again, after {s}."},
    {"model_fell", kError,
     "The model does not stand at the end of the motion: it fell. Check the motion, its mode "
     "and the floor's friction."},
    {"model_stands", kInfo, "The model is upright again after {s}."},
    {"stored_start_failed", kError,
     "Board {board} did not acknowledge the start of the stored motion, it may play or not; all "
     "boards are sent to hold. Keep the robot's switch at hand."},
}};

/// "12.3 deg", also for numbers that are not finite.
std::string number(double value, int digits, const char* unit) {
  std::array<char, 64> text{};
  const bool is_long = std::abs(value) >= 1e6 || !std::isfinite(value);
  std::snprintf(text.data(), text.size(), is_long ? "%.*g" : "%.*f", is_long ? 3 : digits, value);
  return std::string(text.data()) + (*unit == 0 ? "" : " ") + unit;
}

std::string joint_name(const Event& event, const std::vector<std::string>& names) {
  const int joint = event.joint;
  if (joint >= 0 && joint < static_cast<int>(names.size())) {
    return names[static_cast<std::size_t>(joint)];
  }
  return joint < 0 ? std::string("a joint") : "joint " + std::to_string(joint);
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

/// "Controller pid (awa_2009)"; by its number from 1 where it has no name.
std::string named(const char* kind, const std::vector<std::string>& names, double place) {
  const bool is_known = place >= 0.0 && place < static_cast<double>(names.size());
  return kind + (is_known ? names[static_cast<std::size_t>(place)]
                          : std::to_string(int{small_number(place)} + 1));
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

/// What {...} in a sentence stands for.
std::string item_text(std::string_view item, const Event& event,
                      const std::vector<std::string>& joint_names, const EventNames& names) {
  const double value = event.value;
  if (item == "joint") return joint_name(event, joint_names);
  if (item == "board") return std::to_string(event.joint);
  if (item == "gain") return named("Value ", names.values, event.joint);
  if (item == "controller") return named("Controller ", names.controllers, value);
  if (item == "motion") return named("Motion ", names.motions, value);
  if (item == "status")
    return control::name(static_cast<control::ControlStatus>(small_number(value)));
  if (item == "set") return std::to_string(static_cast<std::int64_t>(value));
  if (item == "deg") return number(to_deg(value), 1, "deg");
  if (item == "size") return number(to_deg(std::abs(value)), 1, "deg");
  if (item == "deg/s") return number(to_deg(value), 0, "deg/s");
  if (item == "s") return number(value, 2, "s");
  if (item == "ms") return number(value * 1e3, 0, "ms");
  if (item == "rad") return number(value, 3, "rad");
  if (item == "m") return number(value, 3, "m");
  if (item == "m or rad") return number(value, 4, "m or rad");
  if (item == "number") return number(value, 3, "");
  if (item == "state") return name(static_cast<SupervisorState>(static_cast<std::uint8_t>(value)));
  if (item == "stop") return stop_sentence(value);
  if (item == "release") return released_sentence(value);
  if (item == "test") return test_kind_name(value);
  return reason_name(value);
}

}  // namespace

std::string event_sentence(const Event& event, const std::vector<std::string>& joint_names,
                           const EventNames& names) {
  const auto index = static_cast<std::size_t>(event.code);
  if (index >= kTexts.size()) return "Unknown event " + std::to_string(index) + ".";
  std::string_view rest = kTexts[index].sentence;
  std::string text;
  for (std::size_t at = rest.find('{'); at != rest.npos; at = rest.find('{')) {
    const std::size_t end = rest.find('}', at);
    text += rest.substr(0, at);
    text += item_text(rest.substr(at + 1, end - at - 1), event, joint_names, names);
    rest.remove_prefix(end + 1);
  }
  return text.append(rest);
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
