#include "runtime/app/timeline.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "runtime/app/live_state.hpp"

namespace kagami::runtime {
namespace {

constexpr double kLastTime = 86400.0;  // s

double number_of(std::string_view text, const std::string& where) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(value)) {
    return value;
  }
  throw ConfigError(where + ": '" + std::string(text) + "' is not a number");
}

struct Word {
  std::string_view name;
  std::string_view value;
  bool has_value = false;
};

Word split(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, at), text.substr(at + 1), true};
}

std::vector<LiveChange> changes_of(std::string_view text) {
  std::vector<LiveChange> changes;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const Word one = split(text.substr(0, comma));
    changes.push_back({std::string(one.name), number_of(one.value, std::string(one.name))});
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return changes;
}

StopLevel stop_of(std::string_view text) {
  if (text == "slow") return StopLevel::kSlowDown;
  if (text == "hold") return StopLevel::kHoldNow;
  if (text == "release") return StopLevel::kRelease;
  throw ConfigError("stop=" + std::string(text) + ": expected slow, hold or release");
}

GainSet set_of(std::string_view text) {
  if (text == "A") return GainSet::kA;
  if (text == "B") return GainSet::kB;
  throw ConfigError("'" + std::string(text) + "' is no set, expected A or B");
}

/// "KIND:JOINT:DEGREES:SECONDS"; the joint's name is looked up when a run is there.
struct TestWord {
  control::JointSignal signal;
  std::string joint;
};

TestWord test_of(std::string_view text) {
  std::array<std::string_view, 4> part;
  std::string_view left = text;
  for (std::size_t k = 0; k < part.size(); ++k) {
    const std::size_t colon = left.find(':');
    const bool is_last = k + 1 == part.size();
    if ((colon == std::string_view::npos) != is_last) {
      throw ConfigError("test=" + std::string(text) + ": expected KIND:JOINT:DEGREES:SECONDS");
    }
    part[k] = left.substr(0, colon);
    left = is_last ? std::string_view{} : left.substr(colon + 1);
  }
  TestWord word;
  word.signal.kind = control::test_kind(part[0]);
  word.joint = part[1];
  word.signal.size = to_rad(number_of(part[2], "test"));
  word.signal.seconds = number_of(part[3], "test");
  control::check(word.signal);
  return word;
}

LiveAnswer test_joint(std::string_view text, LiveControl& live) {
  TestWord word = test_of(text);
  const std::vector<std::string> joints = live.joint_names();
  const auto found = std::find(joints.begin(), joints.end(), word.joint);
  if (found == joints.end()) throw ConfigError("test: no joint '" + word.joint + "'");
  word.signal.joint = static_cast<int>(found - joints.begin());
  return live.test_joint(word.signal);
}

void check_word(std::string_view text) {
  constexpr std::array<std::string_view, 9> kAlone{
      "pause", "play", "play_again", "loop", "no_loop", "reverse", "forwards", "undo", "redo"};
  const Word word = split(text);
  if (!word.has_value) {
    if (std::find(kAlone.begin(), kAlone.end(), word.name) != kAlone.end()) return;
    throw ConfigError("'" + std::string(text) +
                      "' is not a request; expected pause, play, play_again, "
                      "loop, no_loop, reverse, forwards, undo, redo, or NAME=VALUE");
  }
  if (word.name == "stop") return static_cast<void>(stop_of(word.value));
  if (word.name == "test") return static_cast<void>(test_of(word.value));
  if (word.name == "store" || word.name == "select") return static_cast<void>(set_of(word.value));
  if (word.name == "play" || word.name == "controller" || word.name == "add") return;
  static_cast<void>(changes_of(text));
}

LiveAnswer ask_with_value(const Word& word, std::string_view text, LiveControl& live) {
  if (word.name == "play") return live.play(word.value);
  if (word.name == "step") return live.step(static_cast<int>(number_of(word.value, "step")));
  if (word.name == "speed") return live.set_speed(number_of(word.value, "speed"));
  if (word.name == "controller") return live.set_controller(word.value);
  if (word.name == "test") return test_joint(word.value, live);
  if (word.name == "select") return live.select(set_of(word.value));
  if (word.name == "store") return live.store(set_of(word.value)), LiveAnswer{};
  if (word.name == "stop") return live.stop(stop_of(word.value)), LiveAnswer{};
  if (word.name == "add") {
    const std::size_t at = word.value.rfind('@');
    const std::string file(word.value.substr(0, at));
    return live.add_controller(read_text_file(file), at == std::string_view::npos
                                                         ? std::string_view{}
                                                         : word.value.substr(at + 1));
  }
  return live.propose(changes_of(text));
}

LiveAnswer ask(std::string_view text, LiveControl& live) {
  const Word word = split(text);
  if (word.has_value) return ask_with_value(word, text, live);
  if (text == "pause") return live.pause();
  if (text == "play") return live.play();
  if (text == "play_again") return live.play_again();
  if (text == "undo") return live.undo();
  if (text == "redo") return live.redo();
  if (text == "reverse" || text == "forwards") return live.set_reverse(text == "reverse");
  return live.set_loop(text == "loop");
}

/// Names that the words of a timeline may use.
struct KnownNames {
  std::vector<std::string> motions, controllers, joints;
  std::vector<LiveParameter> parameters;
  bool may_have_more = false;  ///< a controller was added before this word
};

// every name that set_controller takes for a controller of this run
std::vector<std::string> controller_names(LiveControl& live) {
  LiveControl::State& state = live.state();
  const std::lock_guard lock(state.mutex);
  std::vector<std::string> names;
  for (const LiveControl::State::Controller& c : state.controllers) {
    for (const std::string& name : {c.key, c.gains, c.type}) {
      const bool is_known = std::find(names.begin(), names.end(), name) != names.end();
      if (!name.empty() && !is_known) names.push_back(name);
    }
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void check_name(std::string_view what, std::string_view name,
                const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw ConfigError(std::string(what) + " '" + std::string(name) +
                    "' is unknown, expected one of: " + joined(known));
}

void check_number(const std::string& name, double value, double lowest, double highest) {
  if (value >= lowest && value <= highest) return;
  throw ConfigError(name + " is outside " + std::to_string(lowest) + ".." +
                    std::to_string(highest));
}

void check_changes(std::string_view text, const KnownNames& known) {
  for (const LiveChange& change : changes_of(text)) {
    const auto found = std::find_if(known.parameters.begin(), known.parameters.end(),
                                    [&](const LiveParameter& p) { return p.name == change.name; });
    if (found != known.parameters.end()) {
      check_number(change.name, change.value, found->min, found->max);
    } else if (!known.may_have_more) {
      throw ConfigError("parameter '" + change.name + "' is unknown to this run");
    }
  }
}

void check_added(std::string_view value, KnownNames& known) {
  const std::size_t at = value.rfind('@');
  const ConfigDocument set = ConfigDocument::read(std::string(value.substr(0, at)));
  if (at != std::string_view::npos && !known.may_have_more) {
    check_name("controller", value.substr(at + 1), known.controllers);
  }
  static_cast<void>(set.root().text("controller"));
  known.may_have_more = true;
}

void check_against_run(std::string_view text, KnownNames& known) {
  const Word word = split(text);
  if (!word.has_value || word.name == "stop" || word.name == "store" || word.name == "select") {
    return;
  }
  if (word.name == "play") return check_name("motion", word.value, known.motions);
  if (word.name == "step") {
    constexpr double kLongest = 10000.0;  // ms, as LiveControl::step
    return check_number("step", number_of(word.value, "step"), 1.0, kLongest);
  }
  if (word.name == "speed") {
    return check_changes("motion/speed=" + std::string(word.value), known);
  }
  if (word.name == "test") return check_name("joint", test_of(word.value).joint, known.joints);
  if (word.name == "add") return check_added(word.value, known);
  if (word.name != "controller") return check_changes(text, known);
  if (!word.value.empty() && !known.may_have_more) {
    check_name("controller", word.value, known.controllers);
  }
}

}  // namespace

void check_timeline(const std::vector<TimedCommand>& words, LiveControl& live) {
  KnownNames known{.motions = {},
                   .controllers = controller_names(live),
                   .joints = live.joint_names(),
                   .parameters = live.parameters()};
  known.controllers.emplace_back("motion");
  for (const LiveMotion& motion : live.motions()) known.motions.push_back(motion.name);
  for (const TimedCommand& timed : words) {
    try {
      check_against_run(timed.word, known);
    } catch (const ConfigError& error) {
      throw ConfigError("--at '" + timed.word + "': " + error.what());
    }
  }
}

TimedCommand timed_command(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw ConfigError("'" + std::string(text) + "': expected SECONDS:REQUEST, such as 2.5:pause");
  }
  const double at = number_of(text.substr(0, colon), "'" + std::string(text) + "'");
  if (at < 0.0 || at > kLastTime) {
    throw ConfigError("'" + std::string(text) + "': the time is outside 0..86400 s");
  }
  check_word(text.substr(colon + 1));
  return {.at_s = at, .word = std::string(text.substr(colon + 1))};
}

Timeline::Timeline(std::vector<TimedCommand> words) : words_(std::move(words)) {
  for (const TimedCommand& word : words_) check_word(word.word);
  std::stable_sort(words_.begin(), words_.end(),
                   [](const TimedCommand& a, const TimedCommand& b) { return a.at_s < b.at_s; });
}

void Timeline::run_until(std::int64_t now_ns, LiveControl& live,
                         const std::function<void(std::string_view)>& log) {
  while (!is_over() && words_[next_].at_s * 1e9 <= static_cast<double>(now_ns)) {
    const std::string& word = words_[next_++].word;
    std::string problem;
    try {
      problem = ask(word, live).sentence();
    } catch (const Error& error) {
      problem = error.what();  // a gain file that does not fit is no reason to let the robot fall
    }
    if (problem.empty()) continue;
    refusals_.push_back("at the time of '" + word + "': " + problem);
    if (log) log(refusals_.back());
  }
}

}  // namespace kagami::runtime
