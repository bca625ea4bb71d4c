#include "tools/export/csv_key.hpp"

#include <array>

#include "control/core/status.hpp"

namespace kagami::tools {
namespace {

using control::ControlStatus;
using runtime::EventCode;
using runtime::EventLevel;
using runtime::JointTestStage;
using runtime::Phase;
using runtime::StopLevel;
using runtime::SupervisorState;

struct Word {
  const char* word = "";
  const char* meaning = "";
};

// The switches have no default: the compiler refuses a value without a word.

Word word_of(Phase phase) {
  switch (phase) {
    case Phase::kWaiting:
      return {"waiting", "no complete reading yet; nothing is sent"};
    case Phase::kLeadIn:
      return {"lead-in", "from the measured pose to the first pose of the motion"};
    case Phase::kPlaying:
      return {"playing", "the motion is played"};
    case Phase::kSettling:
      return {"settling", "the last pose was sent; the servos arrive"};
    case Phase::kDone:
      return {"done", "the motion was played to its end"};
    case Phase::kStopping:
      return {"stopping", "slowing down along the path"};
    case Phase::kHeld:
      return {"held", "standing still after a stop or a fault"};
    case Phase::kReleased:
      return {"released", "the boards confirmed the sleep bit"};
    case Phase::kReleasing:
      return {"releasing", "the sleep bit is requested and not yet confirmed"};
    case Phase::kSitting:
      return {"sitting", "after a stop, on the way to the sit pose"};
    case Phase::kRefused:
      return {"refused", "the start was refused; nothing is sent"};
    case Phase::kTesting:
      return {"testing", "a test of one joint"};
  }
  return {};
}

Word word_of(SupervisorState state) {
  switch (state) {
    case SupervisorState::kIdle:
      return {"idle", "no complete reading yet"};
    case SupervisorState::kHoming:
      return {"homing", "lead-in"};
    case SupervisorState::kRunning:
      return {"running", "motion and controller lead"};
    case SupervisorState::kHold:
      return {"hold", "a target is held, after the motion or a stop"};
    case SupervisorState::kSoftStop:
      return {"soft stop", "slowing down along the path, or sitting down after it"};
    case SupervisorState::kReleased:
      return {"released", "the sleep bit was requested"};
    case SupervisorState::kFault:
      return {"fault", "a target is held because of a fault"};
  }
  return {};
}

Word word_of(StopLevel level) {
  switch (level) {
    case StopLevel::kNone:
      return {"none", "no stop is requested"};
    case StopLevel::kSlowDown:
      return {"slow down", "along the path within 0.5 s, then hold"};
    case StopLevel::kHoldNow:
      return {"hold now", "stop at the present command"};
    case StopLevel::kRelease:
      return {"release", "sleep bit on all boards"};
  }
  return {};
}

Word word_of(ControlStatus status) {
  switch (status) {
    case ControlStatus::kOk:
      return {"ok", "the controller works, or none leads"};
    case ControlStatus::kBadStep:
      return {"bad step", "the time step is not above 0"};
    case ControlStatus::kNotFinite:
      return {"not finite", "a reading or reference is no finite number"};
    case ControlStatus::kOld:
      return {"old reading", "a reading is older than the limit"};
    case ControlStatus::kBadOutput:
      return {"bad output", "the controller's output is no finite number"};
    case ControlStatus::kSaturated:
      return {"saturated", "a joint is at its limit for too long"};
    case ControlStatus::kLoopOpen:
      return {"loop open", "the loops of the virtual mechanism cannot be closed"};
    case ControlStatus::kFootInAir:
      return {"foot in air", "the support foot does not stand"};
    case ControlStatus::kNotPossible:
      return {"not possible", "no output for this state"};
  }
  return {};
}

Word word_of(JointTestStage stage) {
  switch (stage) {
    case JointTestStage::kNone:
      return {"none", "no joint is tested"};
    case JointTestStage::kSettling:
      return {"settling", "the reference rests"};
    case JointTestStage::kRunning:
      return {"running", "the signal is added to the joint's reference"};
    case JointTestStage::kReturning:
      return {"returning", "back to where the joint was"};
  }
  return {};
}

/// All values of an enumeration that begins at 0 and has no gaps: until one has no word.
template <class Enum>
CodedColumn coded(const char* name) {
  CodedColumn column{name, {}};
  for (int number = 0; number < 256; ++number) {
    const Word word = word_of(static_cast<Enum>(number));
    if (*word.word == '\0') break;
    column.values.push_back({number, word.word, word.meaning});
  }
  return column;
}

CodedColumn coded_events() {
  CodedColumn column{"events", {}};
  for (int number = 1; number < runtime::kNumEventCodes; ++number) {
    const auto code = static_cast<EventCode>(number);
    const EventLevel level = runtime::event_level(code);
    column.values.push_back({number, runtime::event_name(code),
                             level == EventLevel::kError     ? "error"
                             : level == EventLevel::kWarning ? "warning"
                                                             : "information"});
  }
  return column;
}

struct PlainColumn {
  const char* name;
  const char* unit;
  const char* meaning;
};
constexpr std::array<PlainColumn, 18> kPlain = {{
    {"t", "s", "since the first tick; rises strictly"},
    {"motion_time", "s", "into the motion"},
    {"q_reference/JOINT", "rad", "what the motion asks for"},
    {"q_commanded/JOINT", "rad", "what passed the safety gate"},
    {"q_simulated/JOINT", "rad", "the shadow model"},
    {"q_measured/JOINT", "rad", "a reading, in the line nearest to when it was taken"},
    {"residual/JOINT", "rad", "simulated minus measured at the reading's own time"},
    {"torque_simulated/JOINT", "N m", "of the servo in the shadow model"},
    {"controller", "", "place of the controller that leads, from 0; -1: none"},
    {"paused", "", "1: the motion's time is stopped"},
    {"reverse", "", "1: the motion's time runs backwards"},
    {"fell", "", "1: the shadow model does not stand"},
    {"events", "", "words of the events of this tick, separated by spaces"},
    {"reading_age/BOARD", "s", "age of the board's newest reading at the tick"},
    {"speed_code/BOARD", "", "of the command that the board received, 0 (fastest) to 7"},
    {"q_received/JOINT", "rad", "what the board received, in the line nearest to when it did"},
    {"run_state", "", "the groups of phases"},
    {"phase", "", "what the run does"},
}};

/// A cell of the key: no comma, quote or line break remains bare.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::vector<CodedColumn> coded_columns() {
  return {coded<Phase>("phase"),         coded<SupervisorState>("run_state"),
          coded<StopLevel>("stop"),      coded<ControlStatus>("control_status"),
          coded<JointTestStage>("test"), coded_events()};
}

std::string csv_key_text(const std::vector<std::string>& controllers,
                         const std::vector<std::string>& gains) {
  std::string text = "column,unit,value,word,meaning\n";
  const auto add = [&](const std::string& column, const std::string& unit, const std::string& value,
                       const std::string& word, const std::string& meaning) {
    text += cell(column) + "," + cell(unit) + "," + value + "," + cell(word) + "," + cell(meaning) +
            "\n";
  };
  for (const PlainColumn& column : kPlain) add(column.name, column.unit, "", "", column.meaning);
  for (const std::string& gain : gains) {
    add(gain, "", "", "", "value of a controller, in the first line and where it changed");
  }
  for (const CodedColumn& column : coded_columns()) {
    for (const CodedValue& value : column.values) {
      const bool is_word = column.name == "events";
      add(column.name, "", is_word ? "" : std::to_string(value.number), value.word, value.meaning);
    }
  }
  for (std::size_t k = 0; k < controllers.size(); ++k) {
    add("controller", "", std::to_string(k), controllers[k], "");
  }
  return text;
}

}  // namespace kagami::tools
