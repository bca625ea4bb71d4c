#include "runtime/app/timeline.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/base/text_file.hpp"

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

struct Request {
  std::string_view name;
  std::string_view value;
  bool has_value = false;
};

Request split(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, at), text.substr(at + 1), true};
}

std::vector<control::TunableValue> changes_of(std::string_view text) {
  std::vector<control::TunableValue> changes;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const Request one = split(text.substr(0, comma));
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
  throw ConfigError("'" + std::string(text) + "' is not a gain set, expected A or B");
}

/// "KIND:JOINT:DEGREES:SECONDS"; the joint's name is looked up when a run is there.
struct TestRequest {
  control::JointSignal signal;
  std::string joint;
};

TestRequest test_of(std::string_view text) {
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
  TestRequest request;
  request.signal.kind = control::test_kind(part[0]);
  request.joint = part[1];
  request.signal.size = to_rad(number_of(part[2], "test"));
  request.signal.seconds = number_of(part[3], "test");
  control::check(request.signal);
  return request;
}

LiveAnswer test_joint(std::string_view text, LiveControl& live) {
  TestRequest request = test_of(text);
  const std::vector<std::string> joints = live.joint_names();
  const auto found = std::find(joints.begin(), joints.end(), request.joint);
  if (found == joints.end())
    throw ConfigError("test: the robot has no joint '" + request.joint + "'");
  request.signal.joint = static_cast<int>(found - joints.begin());
  return live.excitation().begin(request.signal);
}

void check_request(std::string_view text) {
  constexpr std::array<std::string_view, 9> kAlone{
      "pause", "play", "play_again", "loop", "no_loop", "reverse", "forwards", "undo", "redo"};
  const Request request = split(text);
  if (!request.has_value) {
    if (std::find(kAlone.begin(), kAlone.end(), request.name) != kAlone.end()) return;
    throw ConfigError("'" + std::string(text) +
                      "' is not a request; expected pause, play, play_again, "
                      "loop, no_loop, reverse, forwards, undo, redo, or NAME=VALUE");
  }
  if (request.name == "stop") return static_cast<void>(stop_of(request.value));
  if (request.name == "test") return static_cast<void>(test_of(request.value));
  if (request.name == "store" || request.name == "select")
    return static_cast<void>(set_of(request.value));
  if (request.name == "play" || request.name == "controller" || request.name == "add") return;
  static_cast<void>(changes_of(text));
}

LiveAnswer ask_with_value(const Request& request, std::string_view text, LiveControl& live) {
  if (request.name == "play") return live.motion().play(request.value);
  if (request.name == "step") return live.motion().step(number_of(request.value, "step"));
  if (request.name == "speed") return live.motion().set_speed(number_of(request.value, "speed"));
  if (request.name == "controller") return live.controllers().choose(request.value);
  if (request.name == "test") return test_joint(request.value, live);
  if (request.name == "select") return live.gains().select(set_of(request.value));
  if (request.name == "store") return live.gains().store(set_of(request.value)), LiveAnswer{};
  if (request.name == "stop") return live.stop(stop_of(request.value)), LiveAnswer{};
  if (request.name == "add") {
    const std::size_t at = request.value.rfind('@');
    const std::string file(request.value.substr(0, at));
    return live.controllers().add(read_text_file(file), at == std::string_view::npos
                                                            ? std::string_view{}
                                                            : request.value.substr(at + 1));
  }
  return live.gains().propose(changes_of(text));
}

LiveAnswer ask(std::string_view text, LiveControl& live) {
  const Request request = split(text);
  if (request.has_value) return ask_with_value(request, text, live);
  if (text == "pause") return live.motion().pause();
  if (text == "play") return live.motion().play();
  if (text == "play_again") return live.motion().play_again();
  if (text == "undo") return live.gains().undo();
  if (text == "redo") return live.gains().redo();
  if (text == "reverse" || text == "forwards") return live.motion().set_reverse(text == "reverse");
  return live.motion().set_loop(text == "loop");
}

/// Names that the requests of a timeline may use.
struct KnownNames {
  std::vector<std::string> motions, controllers, joints;
  std::vector<LiveParameter> parameters;
  bool may_have_more = false;  ///< a controller was added before this request
};

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

void check_number(const control::Tunable& tunable, double value) {
  const std::string expected = expected_instead(tunable, value);
  if (expected.empty()) return;
  throw ConfigError(tunable.name + ": " + number_text(value) + " is refused, expected " + expected);
}

void check_changes(std::string_view text, const KnownNames& known) {
  for (const control::TunableValue& change : changes_of(text)) {
    const auto found =
        std::find_if(known.parameters.begin(), known.parameters.end(),
                     [&](const LiveParameter& p) { return p.what.name == change.name; });
    if (found != known.parameters.end()) {
      check_number(found->what, change.value);
    } else if (!known.may_have_more) {
      throw ConfigError("parameter '" + change.name + "' does not exist in this run");
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
  const Request request = split(text);
  if (!request.has_value || request.name == "stop" || request.name == "store" ||
      request.name == "select") {
    return;
  }
  if (request.name == "play") return check_name("motion", request.value, known.motions);
  if (request.name == "step") {
    return check_number(LiveMotion::step_range(), number_of(request.value, "step"));
  }
  if (request.name == "speed") {
    return check_changes("motion/speed=" + std::string(request.value), known);
  }
  if (request.name == "test")
    return check_name("joint", test_of(request.value).joint, known.joints);
  if (request.name == "add") return check_added(request.value, known);
  if (request.name != "controller") return check_changes(text, known);
  if (!request.value.empty() && !known.may_have_more) {
    check_name("controller", request.value, known.controllers);
  }
}

}  // namespace

void check_timeline(const std::vector<TimedCommand>& requests, LiveControl& live) {
  KnownNames known{.motions = {},
                   .controllers = live.controllers().known_names(),
                   .joints = live.joint_names(),
                   .parameters = live.gains().parameters()};
  known.controllers.emplace_back("motion");
  for (const MotionSummary& motion : live.motion().list()) known.motions.push_back(motion.name);
  for (const TimedCommand& timed : requests) {
    try {
      check_against_run(timed.request, known);
    } catch (const ConfigError& error) {
      throw ConfigError("--at '" + timed.request + "': " + error.what());
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
  check_request(text.substr(colon + 1));
  return {.at_s = at, .request = std::string(text.substr(colon + 1))};
}

Timeline::Timeline(std::vector<TimedCommand> requests) : requests_(std::move(requests)) {
  for (const TimedCommand& request : requests_) check_request(request.request);
  std::stable_sort(requests_.begin(), requests_.end(),
                   [](const TimedCommand& a, const TimedCommand& b) { return a.at_s < b.at_s; });
}

void Timeline::run_until(std::int64_t now_ns, LiveControl& live,
                         const std::function<void(std::string_view)>& log) {
  while (!is_over() && requests_[next_].at_s * 1e9 <= static_cast<double>(now_ns)) {
    const std::string& request = requests_[next_++].request;
    std::string problem;
    try {
      problem = ask(request, live).sentence();
    } catch (const Error& error) {
      problem = error.what();  // a gain file that does not fit is no reason to let the robot fall
    }
    if (problem.empty()) continue;
    refusals_.push_back("at the time of '" + request + "': " + problem);
    if (log) log(refusals_.back());
  }
}

}  // namespace kagami::runtime
