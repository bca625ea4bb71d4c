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
#include "motions/file/bind.hpp"
#include "motions/file/library.hpp"
#include "tools/cli/table.hpp"
#include "tools/tune/autotune.hpp"
#include "tools/tune/forecast.hpp"
#include "tools/tune/gain_changes.hpp"
#include "tools/tune/joint_excitation.hpp"
#include "tools/tune/robot_loop.hpp"
#include "tools/tune/test_table.hpp"
#include "tools/tune/track.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

/// Everything that the words name, read once.
struct Bench {
  DataFolders data;
  fs::path folder;
  models::RobotDescription robot;
  std::string gains;
  ServoSet plant;
};

Bench make_bench(const TuneOptions& words, const Console& io) {
  Bench b;
  b.data = find_data(io, words.robot.data);
  b.folder = find_robot(b.data, words.robot.model);
  b.robot = models::read_robot_folder(b.folder, models::BaseKind::kFixed);
  b.gains = read_text_file(find_gains(b.data, words.gains));
  b.plant = words.plant == "twin"
                ? b.robot.servos
                : drivers::virtual_robot::read_plant_servos(b.folder, words.plant);
  return b;
}

motions::Motion motion_of(const Bench& b, const std::string& name) {
  return motions::bind_motion(motions::read_motion(find_motion(b.data, name), b.robot.wiring),
                              b.robot.wiring);
}

std::vector<GainChange> changes_of(const TuneOptions& words) {
  std::vector<GainChange> changes;
  for (const std::string& set : words.set) changes.push_back(gain_change_of(set));
  return changes;
}

std::vector<JointSignal> signals_of(const TuneOptions& words,
                                    const models::RobotDescription& robot) {
  std::vector<JointSignal> signals;
  const auto add = [&](TestKind kind, const std::vector<std::string>& pair) {
    if (pair.empty()) return;
    JointSignal signal;
    signal.kind = kind;
    signal.joint = joint_index(robot, pair.at(0));
    if (kind != TestKind::kRelay) signal.size = angle_of(pair.at(1));
    signal.seconds = kind == TestKind::kStep ? 2.0 : kind == TestKind::kRamp ? 4.0 : 12.0;
    if (words.seconds) signal.seconds = *words.seconds;
    signals.push_back(signal);
  };
  add(TestKind::kStep, words.step);
  add(TestKind::kRamp, words.ramp);
  add(TestKind::kChirp, words.chirp);
  if (!words.relay.empty()) add(TestKind::kRelay, {words.relay});
  return signals;
}

nlohmann::json gains_json(const std::vector<GainChange>& gains) {
  nlohmann::json j = nlohmann::json::object();
  for (const GainChange& gain : gains) j[gain.name] = gain.value;
  return j;
}

/// One call of the command: the answer grows part by part.
class Tuning {
 public:
  Tuning(const TuneOptions& words, Console& io)
      : words_(words), io_(io), bench_(make_bench(words, io)) {
    controller_ = make_loop_controller(bench_.robot, bench_.gains);
    before_ = gains_of(*controller_);
    apply_gains(*controller_, changes_of(words));
    after_ = gains_of(*controller_);
    answer_ = {{"schema", "kagami.tune/1"},
               {"robot", bench_.robot.name},
               {"plant", words.plant.empty() ? "virtual" : words.plant},
               {"gains", words.gains}};
  }

  void run() {
    const std::vector<JointSignal> signals = signals_of(words_, bench_.robot);
    if (!words_.attempt.empty()) attempt();
    if (!words_.autotune.empty()) tune_by_itself();
    say_gains();
    if (!signals.empty()) test(signals);
    if (!words_.track.empty()) follow();
    if (!words_.save.empty()) save();
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
  void tune_by_itself();
  void say_gains();
  void test(const std::vector<JointSignal>& signals);
  void follow();
  void save();

  const TuneOptions& words_;
  Console& io_;
  Bench bench_;
  std::unique_ptr<control::Controller> controller_;
  std::vector<GainChange> before_;
  std::vector<GainChange> after_;
  nlohmann::json answer_;
};

void Tuning::attempt() {
  PresentState now;
  now.gains = bench_.gains;
  now.motion_time = words_.at;
  if (words_.attempt != "hold") now.motion = motion_of(bench_, words_.attempt);
  SideRunSettings settings;
  if (words_.seconds) settings.seconds = *words_.seconds;
  const Forecast run = forecast(bench_.robot, now, changes_of(words_), settings);
  answer_["try"] = side_run_json(run, bench_.robot.joint_names);
  print(std::string(run.ok ? "tried on the twins: " : "tried on the twins, do not promote: ") +
        run.why + "\n");
  if (!run.ok) io_.exit_with(ExitCode::kFinding);
}

void Tuning::tune_by_itself() {
  AutotuneSettings settings;
  settings.method = autotune_method(words_.method);
  settings.joint = words_.autotune == "all" ? -1 : joint_index(bench_.robot, words_.autotune);
  settings.evaluations = words_.evaluations;
  AutotuneHooks hooks;
  hooks.progress = [this](double share) { io_.progress(share, "searching"); };
  const AutotuneResult result =
      autotune(bench_.robot, bench_.gains, changes_of(words_), {}, settings, hooks);
  io_.end_progress();
  apply_gains(*controller_, result.after);
  after_ = gains_of(*controller_);
  answer_["autotune"] = autotune_json(result);
  answer_["autotune"]["method"] = words_.method;
  print(words_.autotune + ": " + result.why + "\n");
}

void Tuning::say_gains() {
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
  Table table(with_figure_columns({{"test", Align::kLeft}, {"gains", Align::kLeft}}));
  RobotLoop robot(bench_.robot, bench_.folder, bench_.plant);
  for (const JointSignal& signal : signals) {
    for (const bool after : {false, true}) {
      if (after && !changed()) continue;
      apply_gains(*controller_, after ? after_ : before_);
      const JointTestResult result = test_joint(bench_.robot, robot, controller_.get(), {}, signal);
      table.add_row(with_figures(
          {std::string(name_of(signal.kind)) + " " + result.joint, after ? "after" : "before"},
          result.metrics));
      answer_[after ? "after" : "before"]["tests"].push_back(joint_test_json(result, io_.json));
    }
  }
  print(table.text());
}

void Tuning::follow() {
  const motions::Motion motion = motion_of(bench_, words_.track);
  RobotLoop robot(bench_.robot, bench_.folder, bench_.plant);
  for (const bool after : {false, true}) {
    if (after && !changed()) continue;
    apply_gains(*controller_, after ? after_ : before_);
    const Tracking t = track(bench_.robot, robot, controller_.get(), motion);
    answer_[after ? "after" : "before"]["track"] = tracking_json(t, bench_.robot.joint_names);
    print(words_.track + (after ? " after: " : " before: ") + fixed(to_deg(t.all), 2) +
          " deg RMS\n");
  }
  if (words_.plants == 0) return;
  const std::vector<PlantRow> rows = compare_on_plants(
      bench_.robot, bench_.folder, gain_set_text(bench_.gains, before_, "", ""),
      gain_set_text(bench_.gains, after_, "", ""), motion, words_.plants, words_.plants_seed);
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
      words_.save.find('/') != std::string::npos || words_.save.find(".json") != std::string::npos;
  const fs::path file = is_path ? fs::path(words_.save) : fs::path(words_.save + ".json");
  std::error_code error;
  if (!is_path && fs::exists(bench_.data.gains / file, error)) {
    throw ConfigError("--save " + words_.save +
                      ": is the name of a shipped gain set; expected a name that is free");
  }
  if (fs::exists(file, error)) {
    throw ConfigError("--save " + words_.save + ": " + file.string() +
                      " exists; expected a name that is free");
  }
  const std::string note = words_.autotune.empty() ? "set by hand" : "by autotune";
  const std::string text = gain_set_text(bench_.gains, after_, file.stem().string(),
                                         "From " + words_.gains + ", " + note + ".");
  static_cast<void>(make_loop_controller(bench_.robot, text));  // it can be loaded again
  write_file_atomically(file, text);
  answer_["saved"] = file.string();
  io_.say("gains: " + file.string());
}

}  // namespace

double angle_of(const std::string& words) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
  const std::string unit(end, words.data() + words.size());
  if (error == std::errc() && std::isfinite(value)) {
    if (unit.empty() || unit == "deg") return to_rad(value);
    if (unit == "rad") return value;
  }
  throw ConfigError("'" + words + "': expected an angle such as 10deg or 0.17rad");
}

void add_tune_options(CLI::App& command, TuneOptions& words) {
  add_robot_options(command, words.robot);
  command.add_option("--gains", words.gains, "the gain set to begin with")->capture_default_str();
  command.add_option("--plant", words.plant, "servos of the virtual robot: a file, or twin");
  command.add_option("--set", words.set, "JOINT/GAIN=NUMBER, or all/GAIN=NUMBER; may be repeated");
  const auto joint_and_size = [&](const char* name, std::vector<std::string>& into,
                                  const char* text) {
    command.add_option(name, into, text)->expected(2);
  };
  joint_and_size("--step", words.step, "JOINT ANGLE: its reference jumps, the others hold");
  joint_and_size("--ramp", words.ramp, "JOINT ANGLE: its reference goes there and back");
  joint_and_size("--chirp", words.chirp, "JOINT ANGLE: a sine from 0.2 to 3 Hz");
  command.add_option("--relay", words.relay, "JOINT: a relay drives it");
  command.add_option("--seconds", words.seconds, "how long a test or a try takes")
      ->check(CLI::Range(0.1, 60.0));
  command.add_option("--try", words.attempt, "MOTION or hold: what the twins would do with --set");
  command.add_option("--at", words.at, "s into the motion of --try")
      ->check(CLI::Range(0.0, 3600.0));
  command.add_option("--autotune", words.autotune, "JOINT, or all: one set for every joint");
  command.add_option("--method", words.method, "of --autotune: relay or optimise")
      ->check(CLI::IsMember({"relay", "optimise"}))
      ->capture_default_str();
  command.add_option("--evaluations", words.evaluations, "of the search, at most")
      ->check(CLI::Range(10, 10000))
      ->capture_default_str();
  command.add_option("--track", words.track, "MOTION: how well it is followed on the stand");
  command.add_option("--plants", words.plants, "with --track: on so many drawn robots too")
      ->check(CLI::Range(0, 1000));
  command.add_option("--plants-seed", words.plants_seed, "of the first of them")
      ->capture_default_str();
  command.add_option("--save", words.save, "NAME or file for the gains that came out");
}

bool wants_tuning(const TuneOptions& w) {
  return !w.set.empty() || !w.step.empty() || !w.ramp.empty() || !w.chirp.empty() ||
         !w.relay.empty() || !w.attempt.empty() || !w.autotune.empty() || !w.track.empty() ||
         !w.save.empty();
}

void tune_without_page(const TuneOptions& words, Console& io) {
  Tuning(words, io).run();
}

}  // namespace kagami::tools
