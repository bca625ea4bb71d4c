#include "tools/dashboard/tune_services.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "control/factory/factory.hpp"
#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "tools/tune/autotune.hpp"
#include "tools/tune/forecast.hpp"
#include "tools/tune/joint_test.hpp"
#include "tools/tune/servo_model_loop.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

constexpr std::size_t kMostJobs = 4;
constexpr std::size_t kMostKept = 50;
constexpr std::string_view kPid = "pid/";
/// A promotion's prediction begins so far ahead of now: it takes less than that to compute.
constexpr double kAhead = 1.5;  // s

std::vector<control::TunableValue> pid_changes_of(const json& request) {
  const auto found = request.find("changes");
  if (found == request.end() || !found->is_object() || found->empty()) {
    throw ConfigError("expected \"changes\" as {name: value}");
  }
  std::vector<control::TunableValue> changes;
  for (const auto& [name, value] : found->items()) {
    if (!value.is_number()) throw ConfigError(name + ": expected a number");
    if (name.substr(0, kPid.size()) != kPid) {
      throw ConfigError(name + ": expected a gain of the PID, pid/JOINT/GAIN");
    }
    changes.push_back({name, value.get<double>()});
  }
  return changes;
}

std::vector<control::TunableValue> without_pid(const std::vector<control::TunableValue>& changes) {
  std::vector<control::TunableValue> gains;
  for (const control::TunableValue& change : changes) {
    gains.push_back({change.name.substr(kPid.size()), change.value});
  }
  return gains;
}

std::vector<control::TunableValue> with_pid(const std::vector<control::TunableValue>& gains) {
  std::vector<control::TunableValue> changes;
  for (const control::TunableValue& gain : gains) {
    changes.push_back({std::string(kPid) + gain.name, gain.value});
  }
  return changes;
}

int num_boards(const RobotWiring& wiring) {
  int boards = 0;
  for (const auto& joint : wiring.joints) boards = std::max(boards, joint.board() + 1);
  return boards;
}

// the contract's names of gains, in an object of the library's
void put_pid_before(json& gains) {
  json named = json::object();
  for (const auto& [name, value] : gains.items()) named[std::string(kPid) + name] = value;
  gains = std::move(named);
}

}  // namespace

TuneServices::TuneServices(RunSide& side, runtime::LiveControl& live,
                           const runtime::RunSetup& setup,
                           std::function<void(const PromotionNews&)> tell)
    : side_(side),
      live_(live),
      setup_(setup),
      tell_(std::move(tell)),
      robot_(models::with_base(setup.robot, models::BaseKind::kFixed)),
      promotion_(live, setup.robot.wiring),
      robot_test_(live, setup.robot, 1.0 / setup.config.rate_hz),
      worker_(kMostJobs) {
  robot_.servos = setup.robot.servos;
  add_try();
  add_promote();
  add_experiment();
  add_autotune();
}

TuneServices::~TuneServices() {
  ends_ = true;
}

void TuneServices::row(const runtime::CycleRecord& row) {
  {
    const std::lock_guard lock(mutex_);
    moment_ = moment_of(row);
  }
  robot_test_.row(row);
  if (const auto news = promotion_.row(row, setup_.robot.joint_names)) tell_(*news);
}

void TuneServices::work(const Done& done, std::function<json()> job) {
  work_on(worker_, done, std::move(job));
}

RunMoment TuneServices::moment() const {
  const std::lock_guard lock(mutex_);
  return moment_;
}

std::string TuneServices::keep(const char* why, std::vector<control::TunableValue> changes) {
  const std::lock_guard lock(mutex_);
  const std::string id = std::string(why) + "-" + std::to_string(next_id_++);
  kept_.push_back({id, why, std::move(changes)});
  if (kept_.size() > kMostKept) kept_.pop_front();
  return id;
}

TuneServices::Proposal TuneServices::proposal(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Proposal& p) { return p.id == id; });
  if (found == kept_.end()) throw ConfigError("\"" + id + "\" is unknown or too old; try again");
  return *found;
}

void TuneServices::drop(const std::string& id) {
  const std::lock_guard lock(mutex_);
  kept_.erase(
      std::remove_if(kept_.begin(), kept_.end(), [&](const Proposal& p) { return p.id == id; }),
      kept_.end());
}

const std::string& TuneServices::gains_text() const {
  const bool is_pid = !setup_.gains_text.empty() && control::controller_of(ConfigDocument::parse(
                                                        setup_.gains_text, "gains")) == "pid";
  if (!is_pid) throw ConfigError("expected a run with the controller pid");
  return setup_.gains_text;
}

std::vector<control::TunableValue> TuneServices::changed_gains() const {
  std::vector<control::TunableValue> changes;
  for (const runtime::LiveParameter& p : live_.gains().parameters()) {
    if (p.what.name.substr(0, kPid.size()) != kPid || p.value == p.what.default_value) continue;
    changes.push_back({p.what.name.substr(kPid.size()), p.value});
  }
  return changes;
}

PresentState TuneServices::present() const {
  PresentState now;
  now.gains = gains_text();
  now.changed_gains = changed_gains();
  now.mode = setup_.cycle.play.mode;
  now.speed = live_.status().speed;
  const std::lock_guard lock(mutex_);
  if (moment_.tick < 0) throw ConfigError("expected at least one reading of the robot");
  now.pose = moment_.angle;
  if (moment_.is_playing() && live_.status().motion == setup_.motion.name) {
    now.motion = setup_.motion;
    now.motion_time = moment_.motion_time;
  }
  return now;
}

void TuneServices::add_try() {
  side_.add("try", Right::kWriter, [this](const json& request, const Done& done) {
    work(done, [this, request] {
      const std::vector<control::TunableValue> changes = pid_changes_of(request);
      ForecastSettings settings;
      settings.seconds = number_or(request, "seconds", settings.seconds);
      const Forecast run = forecast(robot_, present(), without_pid(changes), settings);
      json answer = side_run_json(run, robot_.joint_names);
      answer["advised"] = run.ok;
      answer["ok"] = true;
      answer["id"] = keep("promote", changes);
      return answer;
    });
  });
}

void TuneServices::add_promote() {
  side_.add("promote", Right::kWriter, [this](const json& request, const Done& done) {
    work(done, [this, request, done]() -> json {
      promote(proposal(text_of(request, "id")), done);
      return nullptr;
    });
  });
}

void TuneServices::add_experiment() {
  side_.add("experiment", Right::kWriter, [this](const json& request, const Done& done) {
    work(done, [this, request, done]() -> json {
      JointSignal signal;
      signal.kind = control::test_kind(text_of(request, "kind"));
      signal.joint = joint_index(robot_, text_of(request, "joint"));
      if (signal.kind != TestKind::kRelay) {
        signal.size = to_rad(number_or(request, "size_deg", 10.0));
      }
      signal.seconds = number_or(request, "seconds", signal.seconds);
      const std::string where = text_or(request, "where", "twin");
      if (where == "robot") {
        test_on_robot(signal, done);
        return nullptr;
      }
      if (where != "twin") throw BadRequest("expected \"where\" as \"twin\" or \"robot\"");
      const PresentState now = present();
      const auto controller = make_loop_controller(robot_, now.gains);
      apply_gains(*controller, now.changed_gains);
      // never on a further virtual robot: its engine must not run on two threads of a program
      ServoModelLoop loop(robot_, robot_.servos, line_timing(num_boards(setup_.robot.wiring)));
      const JointTestResult result = test_joint(robot_, loop, controller.get(), now.pose, signal);
      json answer = joint_test_json(result, true);
      answer["ok"] = true;
      answer["on"] = "the twin";
      return answer;
    });
  });
}

void TuneServices::test_on_robot(const JointSignal& signal, const Done& done) {
  robot_test_.begin(signal, [this, signal, done](const RobotExcitation::End& end) {
    if (!end.why_not.empty()) return done(refusal(end.why_not));
    work(done, [signal, rows = end.rows] {
      json answer = rows.answer(signal);
      answer["ok"] = true;
      answer["on"] = "the robot";
      return answer;
    });
  });
}

void TuneServices::add_autotune() {
  side_.add("autotune", Right::kWriter, [this](const json& request, const Done& done) {
    work(done, [this, request]() -> json {
      AutotuneSettings settings;
      settings.joint = joint_index(robot_, text_of(request, "joint"));
      if (request.contains("method")) settings.method = autotune_method(text_of(request, "method"));
      const PresentState now = present();
      AutotuneHooks hooks;
      hooks.abort = &ends_;
      const AutotuneResult result =
          tools::autotune(robot_, now.gains, now.changed_gains, now.pose, settings, hooks);
      json answer = autotune_json(result);
      put_pid_before(answer["before"]["gains"]);
      put_pid_before(answer["after"]["gains"]);
      answer["ok"] = true;
      answer["id"] = keep("autotune", with_pid(result.after));
      return answer;
    });
  });
  side_.add("accept", Right::kWriter, [this](const json& request, const Done& done) {
    work(done, [this, request, done]() -> json {
      const Proposal what = proposal(text_of(request, "id"));
      side_.answer_when_applied(live_.gains().propose(what.changes, what.why), done,
                                json::object());
      return nullptr;
    });
  });
  side_.add("reject", Right::kWriter, [this](const json& request, const Done& done) {
    work(done, [this, request]() -> json {
      drop(proposal(text_of(request, "id")).id);
      return {{"ok", true}};
    });
  });
}

// The prediction is repeated from where the run will be when it is ready: the displayed one
// began when it was requested.
void TuneServices::promote(const Proposal& what, const Done& done) {
  PresentState from = present();
  std::optional<double> begin;
  if (from.motion) {
    begin = from.motion_time + kAhead * from.speed;
    from.motion_time = *begin;
    const double left = (setup_.motion.duration() - *begin) / from.speed;
    if (left < 0.5) {
      throw ConfigError(
          "the motion ends before the promotion can be monitored; play it again, or in a loop");
    }
  }
  const Forecast predicted = forecast(robot_, from, without_pid(what.changes));
  const bool is_armed = promotion_.arm(
      what.changes, begin, predicted, [this, done](const runtime::LiveAnswer& answer) {
        side_.answer_when_applied(answer, done, {{"watched_s", ForecastSettings{}.seconds}});
      });
  if (!is_armed) throw ConfigError("another promotion is still being monitored");
}

}  // namespace kagami::tools
