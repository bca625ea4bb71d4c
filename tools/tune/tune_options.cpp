#include "tools/tune/tune_options.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/text_file.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/library.hpp"
#include "tools/cli/table.hpp"
#include "tools/tune/autotune.hpp"
#include "tools/tune/forecast.hpp"
#include "tools/tune/gain_changes.hpp"
#include "tools/tune/joint_test.hpp"
#include "tools/tune/robot_loop.hpp"
#include "tools/tune/test_table.hpp"
#include "tools/tune/track.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

/// Everything that the options name, read once.
struct Bench {
  DataFolders data;
  fs::path folder;
  models::RobotDescription robot;
  std::string gains;
  ServoSet plant;
};

Bench make_bench(const TuneOptions& opt, const Console& io) {
  Bench b;
  b.data = find_data(io, opt.robot.data);
  b.folder = find_robot(b.data, opt.robot.model);
  b.robot = models::read_robot_folder(b.folder, models::BaseKind::kFixed);
  b.gains = read_text_file(find_gains(b.data, opt.gains));
  b.plant = drivers::virtual_robot::read_plant_servos(b.robot, b.folder, opt.plant);
  return b;
}

motions::Motion motion_of(const Bench& b, const std::string& name) {
  return motions::bind_motion(motions::read_motion(find_motion(b.data, name), b.robot.wiring),
                              b.robot.wiring);
}

std::vector<control::TunableValue> changes_of(const TuneOptions& opt) {
  std::vector<control::TunableValue> changes;
  for (const std::string& set : opt.set) changes.push_back(gain_change_of(set));
  return changes;
}

std::vector<JointSignal> signals_of(const TuneOptions& opt, const models::RobotDescription& robot) {
  std::vector<JointSignal> signals;
  const auto add = [&](TestKind kind, const std::vector<std::string>& pair) {
    if (pair.empty()) return;
    JointSignal signal;
    signal.kind = kind;
    signal.joint = joint_index(robot, pair.at(0));
    if (kind != TestKind::kRelay) signal.size = angle_of(pair.at(1));
    signal.seconds = kind == TestKind::kStep ? 2.0 : kind == TestKind::kRamp ? 4.0 : 12.0;
    if (opt.seconds) signal.seconds = *opt.seconds;
    signals.push_back(signal);
  };
  add(TestKind::kStep, opt.step);
  add(TestKind::kRamp, opt.ramp);
  add(TestKind::kChirp, opt.chirp);
  if (!opt.relay.empty()) add(TestKind::kRelay, {opt.relay});
  return signals;
}

nlohmann::json gains_json(const std::vector<control::TunableValue>& gains) {
  nlohmann::json j = nlohmann::json::object();
  for (const control::TunableValue& gain : gains) j[gain.name] = gain.value;
  return j;
}

/// One call of the command. Each step adds its part to the answer.
class Tuning {
 public:
  Tuning(const TuneOptions& opt, Console& io) : opt_(opt), io_(io), bench_(make_bench(opt, io)) {
    controller_ = make_loop_controller(bench_.robot, bench_.gains);
    before_ = gains_of(*controller_);
    apply_gains(*controller_, changes_of(opt));
    after_ = gains_of(*controller_);
    answer_ = {{"schema", "kagami.tune/1"},
               {"robot", bench_.robot.name},
               {"plant", opt.plant.empty() ? "virtual" : opt.plant},
               {"gains", opt.gains}};
  }

  void run() {
    const std::vector<JointSignal> signals = signals_of(opt_, bench_.robot);
    if (!opt_.attempt.empty()) attempt();
    if (!opt_.autotune.empty()) autotune_gains();
    print_gains();
    if (!signals.empty()) test(signals);
    if (!opt_.track.empty()) follow();
    if (!opt_.save.empty()) save();
    if (io_.json) io_.print_json(answer_);
  }

 private:
  [[nodiscard]] bool changed() const {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (before_[i].value != after_[i].value) return true;
    }
    return false;
  }
  void print(const std::string& text) {
    if (!io_.json) io_.print(text);
  }

  void attempt();
  void autotune_gains();
  void print_gains();
  void test(const std::vector<JointSignal>& signals);
  void follow();
  void save();

  const TuneOptions& opt_;
  Console& io_;
  Bench bench_;
  std::unique_ptr<control::Controller> controller_;
  std::vector<control::TunableValue> before_;
  std::vector<control::TunableValue> after_;
  nlohmann::json answer_;
};

void Tuning::attempt() {
  PresentState now;
  now.gains = bench_.gains;
  now.motion_time = opt_.at;
  if (opt_.attempt != "hold") now.motion = motion_of(bench_, opt_.attempt);
  ForecastSettings settings;
  if (opt_.seconds) settings.seconds = *opt_.seconds;
  const Forecast run = forecast(bench_.robot, now, changes_of(opt_), settings);
  answer_["try"] = side_run_json(run, bench_.robot.joint_names);
  print(std::string(run.ok ? "tried on the twins: " : "tried on the twins, do not promote: ") +
        run.why + "\n");
  if (!run.ok) io_.exit_with(ExitCode::kFinding);
}

void Tuning::autotune_gains() {
  AutotuneSettings settings;
  settings.method = autotune_method(opt_.method);
  settings.joint = opt_.autotune == "all" ? -1 : joint_index(bench_.robot, opt_.autotune);
  settings.evaluations = opt_.evaluations;
  AutotuneHooks hooks;
  hooks.progress = [this](double share) { io_.progress(share, "searching"); };
  const AutotuneResult result =
      autotune(bench_.robot, bench_.gains, changes_of(opt_), {}, settings, hooks);
  io_.end_progress();
  apply_gains(*controller_, result.after);
  after_ = gains_of(*controller_);
  answer_["autotune"] = autotune_json(result);
  answer_["autotune"]["method"] = opt_.method;
  print(opt_.autotune + ": " + result.why + "\n");
}

void Tuning::print_gains() {
  answer_["before"]["gains"] = gains_json(before_);
  answer_["after"]["gains"] = gains_json(after_);
  if (io_.json || !changed()) return;
  Table table({{"gain", Align::kLeft}, {"before"}, {"after"}});
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (before_[i].value == after_[i].value) continue;
    table.add_row({before_[i].name, fixed(before_[i].value, 3), fixed(after_[i].value, 3)});
  }
  print(table.text());
}

void Tuning::test(const std::vector<JointSignal>& signals) {
  Table table(with_metric_columns({{"test", Align::kLeft}, {"gains", Align::kLeft}}));
  RobotLoop robot(bench_.robot, bench_.plant);
  for (const JointSignal& signal : signals) {
    for (const bool after : {false, true}) {
      if (after && !changed()) continue;
      apply_gains(*controller_, after ? after_ : before_);
      const JointTestResult result = test_joint(bench_.robot, robot, controller_.get(), {}, signal);
      table.add_row(with_metrics(
          {std::string(name_of(signal.kind)) + " " + result.joint, after ? "after" : "before"},
          result.metrics));
      answer_[after ? "after" : "before"]["tests"].push_back(joint_test_json(result, io_.json));
    }
  }
  print(table.text());
}

void Tuning::follow() {
  const motions::Motion motion = motion_of(bench_, opt_.track);
  RobotLoop robot(bench_.robot, bench_.plant);
  for (const bool after : {false, true}) {
    if (after && !changed()) continue;
    apply_gains(*controller_, after ? after_ : before_);
    const Tracking t = track(bench_.robot, robot, controller_.get(), motion);
    answer_[after ? "after" : "before"]["track"] = tracking_json(t, bench_.robot.joint_names);
    print(opt_.track + (after ? " after: " : " before: ") + fixed(to_deg(t.all), 2) + " deg RMS\n");
  }
  if (opt_.plants == 0) return;
  const std::vector<PlantRow> rows = compare_on_plants(
      bench_.robot, bench_.folder, gain_set_text(bench_.gains, before_, "", ""),
      gain_set_text(bench_.gains, after_, "", ""), motion, opt_.plants, opt_.plants_seed);
  answer_["plants"] = plant_rows_json(rows);
  Table table({{"plant", Align::kLeft},
               {"before deg"},
               {"after deg"},
               {"change %"},
               {"over before %"},
               {"over after %"},
               {"strokes after %"}});
  for (const PlantRow& row : rows) {
    table.add_row({row.seed == 0 ? "shipped" : "drawn " + std::to_string(row.seed),
                   fixed(to_deg(row.rms_before), 2), fixed(to_deg(row.rms_after), 2),
                   fixed(100.0 * (row.rms_after / row.rms_before - 1.0), 1),
                   fixed(row.overshoot_before, 1), fixed(row.overshoot_after, 1),
                   fixed(row.strokes_after, 1)});
  }
  print(table.text());
}

void Tuning::save() {
  const bool is_path =
      opt_.save.find('/') != std::string::npos || opt_.save.find(".json") != std::string::npos;
  const fs::path file = is_path ? fs::path(opt_.save) : fs::path(opt_.save + ".json");
  std::error_code error;
  if (!is_path && fs::exists(bench_.data.gains / file, error)) {
    throw ConfigError("--save " + opt_.save +
                      ": is the name of a shipped gain set; expected another name");
  }
  if (fs::exists(file, error)) {
    throw ConfigError("--save " + opt_.save + ": " + file.string() +
                      " exists; expected another name");
  }
  const std::string note = opt_.autotune.empty() ? "set by hand" : "by autotune";
  const std::string text = gain_set_text(bench_.gains, after_, file.stem().string(),
                                         "From " + opt_.gains + ", " + note + ".");
  static_cast<void>(make_loop_controller(bench_.robot, text));  // it can be loaded again
  write_file_atomically(file, text);
  answer_["saved"] = file.string();
  io_.say("gains: " + file.string());
}

}  // namespace

double angle_of(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  if (error == std::errc() && std::isfinite(value)) {
    if (unit.empty() || unit == "deg") return to_rad(value);
    if (unit == "rad") return value;
  }
  throw ConfigError("'" + text + "': expected an angle such as 10deg or 0.17rad");
}

void add_tune_options(Command& command, TuneOptions& opt) {
  add_robot_options(command, opt.robot);
  command.start_group("Controller");
  command.add_option("--gains", opt.gains, "Gain set to start with: a shipped name or a file.")
      .value("NAME|FILE")
      .with_default();
  command.start_group("Virtual robot");
  add_plant_option(command, opt.plant);
  command.start_group("Tuning without a dashboard");
  command
      .add_option("--set", opt.set,
                  "Change a gain of one joint (left_knee/kp=4.2) or of all (all/kp=4.2). May be "
                  "repeated.")
      .value("JOINT/GAIN=NUMBER");
  const auto add_joint_test = [&](const char* name, std::vector<std::string>& into,
                                  const char* text) {
    command.add_option(name, into, text).value("JOINT ANGLE").takes(2);
  };
  add_joint_test("--step", opt.step, "Test a joint with a step of its reference.");
  add_joint_test("--ramp", opt.ramp, "Test a joint with a ramp of its reference, there and back.");
  add_joint_test("--chirp", opt.chirp, "Test a joint with a sine from 0.2 to 3 Hz.");
  command.add_option("--relay", opt.relay, "Test a joint with a relay.").value("JOINT");
  command.add_option("--seconds", opt.seconds, "Duration of a test or of --try, s.")
      .value("SECONDS")
      .range(0.1, 60.0);
  command
      .add_option(
          "--try", opt.attempt,
          "Simulate the twins with the gains of --set, while a motion is played or a pose is "
          "held.")
      .value("MOTION|hold");
  command.add_option("--at", opt.at, "Time in the motion at which --try starts, s.")
      .value("SECONDS")
      .range(0.0, 3600.0);
  command
      .add_option("--autotune", opt.autotune,
                  "Search gains for a joint. all: one set for all joints.")
      .value("JOINT|all");
  command.add_option("--method", opt.method, "Search method of --autotune.")
      .one_of({"relay", "optimise"})
      .with_default();
  command
      .add_option("--evaluations", opt.evaluations, "Largest number of simulations of the search.")
      .value("N")
      .range(10, 10000)
      .with_default();
  command.add_option("--track", opt.track, "Measure how well a motion is followed on the stand.")
      .value("NAME|FILE");
  command
      .add_option("--plants", opt.plants,
                  "With --track: number of further virtual robots with random parameters.")
      .value("N")
      .range(0, 1000);
  command.add_option("--plants-seed", opt.plants_seed, "Random seed of the first of them.")
      .value("N")
      .with_default();
  command.add_option("--save", opt.save, "Write the resulting gains to a file.").value("NAME|FILE");
}

bool is_tuning_requested(const TuneOptions& w) {
  return !w.set.empty() || !w.step.empty() || !w.ramp.empty() || !w.chirp.empty() ||
         !w.relay.empty() || !w.attempt.empty() || !w.autotune.empty() || !w.track.empty() ||
         !w.save.empty();
}

void tune_without_page(const TuneOptions& opt, Console& io) {
  Tuning(opt, io).run();
}

}  // namespace kagami::tools
