// kagami run: a scenario of robots and free bodies, by any contact method.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/temporary_folder.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/run_motion.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/scenario/scene_files.hpp"
#include "tools/scenario/scene_report.hpp"
#include "tools/scenario/scene_run.hpp"

namespace kagami::tools {
namespace {

struct SceneOptions {
  std::string scenario;
  std::vector<std::string> set;  // --set
  std::optional<std::string> method;
  std::optional<std::string> dynamics;
  std::string contacts;
  std::string states;
  std::string data;
  std::optional<double> duration;  // s
  std::optional<double> step;      // s
  std::optional<int> every;
  bool list = false;
  std::optional<std::string> robot;  // of a motion's scenario
  std::optional<std::string> clock;
  std::string out;
  bool force = false;
  bool unproven = false;
  bool yes = false;
  std::string accept;
};

void list(const SceneOptions& opt, Console& io) {
  const DataFolders data = find_data(io, opt.data);
  nlohmann::json rows = nlohmann::json::array();
  Table table({{"scenario", Align::kLeft},
               {"systems"},
               {"time s"},
               {"method", Align::kLeft},
               {"note", Align::kLeft}});
  for (const std::string& name : shipped_scenarios(data)) {
    const std::filesystem::path file = find_scenario(data, name);
    const Scenario s = read_scenario(file, data);
    const std::string method = models::name(s.contact.method);
    table.add_row(
        {name, std::to_string(s.scene.systems.size()), fixed(s.duration, 1), method, s.note});
    rows.push_back({{"name", name},
                    {"file", file.string()},
                    {"systems", s.scene.systems.size()},
                    {"duration_s", s.duration},
                    {"step_s", s.step},
                    {"method", method},
                    {"note", s.note}});
  }
  for (const std::string& name : shipped_motion_scenarios(data)) {
    const std::filesystem::path file = find_motion_scenario(data, name);
    const ReplayOptions run = read_motion_scenario(file);
    const std::string note = ConfigDocument::read(file).root().text_or("note", "");
    table.add_row({name, "1", "", run.controller, note});
    rows.push_back({{"name", name},
                    {"file", file.string()},
                    {"motion", run.motion},
                    {"controller", run.controller},
                    {"gains", run.gains},
                    {"note", note}});
  }
  if (io.json)
    return io.print_json({{"schema", "kagami.scenario_list/1"}, {"scenarios", std::move(rows)}});
  io.print(table.text(io.out_width()));
}

// the scenario is not written over, nor one file by the other
void check_writes(const Scenario& s) {
  namespace fs = std::filesystem;
  const auto same = [](const std::string& a, const std::string& b) {
    std::error_code absent;
    return !a.empty() && !b.empty() &&
           (fs::weakly_canonical(a, absent) == fs::weakly_canonical(b, absent) ||
            fs::equivalent(a, b, absent));
  };
  for (const std::string& file : {s.write.contacts, s.write.states})
    if (same(file, s.file))
      throw ConfigError("file '" + file + "' is the scenario itself, expected another to write to");
  if (same(s.write.contacts, s.write.states))
    throw ConfigError("file '" + s.write.states +
                      "' is given for contacts and for states, expected two files");
}

// options of the command line override the values of the file
void apply(const SceneOptions& opt, Scenario& s) {
  if (opt.method) s.contact.method = models::contact_method(*opt.method);
  for (models::SceneSystem& system : s.scene.systems) {
    if (opt.dynamics) system.dynamics.algorithm = dynamics_of(*opt.dynamics);
  }
  s.duration = opt.duration.value_or(s.duration);
  s.step = opt.step.value_or(s.step);
  check_length("kagami run: --", s.duration, s.step);
  if (!opt.contacts.empty()) s.write.contacts = opt.contacts;
  if (!opt.states.empty()) s.write.states = opt.states;
  s.write.every = opt.every.value_or(s.write.every);
  check_writes(s);
}

// the CSV files of a run; the state file is created with the first state
class Writers {
 public:
  explicit Writers(const Scenario& s) : s_(s) {
    if (!s.write.contacts.empty()) contacts_.emplace(s.write.contacts, s.scene);
  }

  void after_step(const models::World& world, const StepReport& report) {
    if (!s_.write.states.empty() && !states_) states_.emplace(s_.write.states, world);
    if (report.step % s_.write.every != 0) return;
    if (contacts_) contacts_->add(world, report.t, s_.step, report.iterations);
    if (states_) states_->add(world, report);
  }

  void close() {
    if (contacts_) contacts_->close();
    if (states_) states_->close();
  }

 private:
  const Scenario& s_;
  std::optional<ContactRows> contacts_;
  std::optional<StateRows> states_;
};

// one robot, its motion and its controller: a replay
void run_motion(const SceneOptions& scene, const std::filesystem::path& file,
                const std::vector<ScenarioChange>& changes, Console& io) {
  if (scene.method || scene.duration || scene.step || scene.every || !scene.contacts.empty() ||
      !scene.states.empty()) {
    throw ConfigError("'" + file.string() +
                      "' plays a motion: --method, --duration, --step, --contacts, --states and "
                      "--every are for worlds of bodies");
  }
  const TemporaryFolder in_place;  // gain sets and servos that are part of the scenario
  ReplayOptions run =
      read_motion_scenario(file, find_data(io, scene.data), changes, in_place.path());
  run.robot.data = scene.data;
  run.port = scene.robot.value_or(run.port);
  run.clock = scene.clock.value_or(run.port == "virtual" ? run.clock : "real");
  run.dynamics = scene.dynamics.value_or(run.dynamics);
  run.out = scene.out;
  run.force = scene.force;
  run.unproven = scene.unproven;
  run.yes = scene.yes;
  run.accept = scene.accept;
  try {
    replay(run, io);
  } catch (const ConfigError& error) {
    throw ConfigError(as_of_scenario(error.what(), in_place.path(), file));
  }
}

void run(const SceneOptions& opt, Console& io) {
  if (opt.list) return list(opt, io);
  if (opt.scenario.empty())
    throw ConfigError("no scenario named; 'kagami run --list' shows what is shipped");
  std::vector<ScenarioChange> changes;
  for (const std::string& text : opt.set) changes.push_back(change_of(text));
  const DataFolders data = find_data(io, opt.data);
  if (const auto file = find_motion_scenario(data, opt.scenario); !file.empty())
    return run_motion(opt, file, changes, io);
  if (const auto file = find_scenario(data, opt.scenario); is_motion_scenario(file))
    return run_motion(opt, file, changes, io);
  if (opt.robot || opt.clock || !opt.out.empty())
    throw ConfigError("'" + opt.scenario +
                      "' is a world of bodies: --robot, --clock and --out are for scenarios with a "
                      "motion");
  Scenario scenario = read_scenario(find_scenario(data, opt.scenario), data, changes);
  apply(opt, scenario);
  for (const std::string& notice : scenario.notices) io.say(notice);

  Writers writers(scenario);
  const double duration = scenario.duration;
  const SceneSummary summary = run_scene(
      scenario, thread_seconds, [&](const models::World& world, const StepReport& report) {
        writers.after_step(world, report);
        if (report.step % 256 == 0) io.progress(report.t / duration, "running " + scenario.name);
      });
  writers.close();
  io.end_progress();
  if (io.json) return io.print_json(scene_json(summary));
  io.print(scene_text(summary, io.out_width()));
}

void add_scene_options(Command& command, SceneOptions& opt) {
  command.start_group("Scene of bodies");
  command.add_option("--method", opt.method, "Contact method. Default: the one in the file.")
      .value("relaxed|multipoint|volumetric");
  command
      .add_option("--dynamics", opt.dynamics,
                  std::string(kDynamicsOptionText) + " Also with a motion. Default: aba.")
      .value(kDynamicsNames);
  command.add_option("--duration", opt.duration, "Simulated time, s. Default: as in the file.")
      .value("SECONDS");
  command.add_option("--step", opt.step, "Integration step, s. Default: as in the file.")
      .value("SECONDS");
  command.add_option("--contacts", opt.contacts, "Write a CSV file, one row per contact and step.")
      .value("FILE");
  command
      .add_option("--states", opt.states,
                  "Write a CSV file of states and energies, one row per step.")
      .value("FILE");
  command.add_option("--every", opt.every, "Write every N-th step to these files.")
      .value("N")
      .range(1, 1000000);
}

void add_motion_scenario_options(Command& command, SceneOptions& opt) {
  command.start_group("Scenario with a motion");
  command.add_option("--robot", opt.robot, "The virtual robot, or the serial port of a real one.")
      .value("virtual|PORT");
  command.add_option("--clock", opt.clock, "Real or simulated time. Default: as in the file.")
      .one_of({"real", "virtual"});
  add_out_options(command, opt.out, opt.force);
  add_real_robot_flags(command, opt.yes, opt.unproven, opt.accept);
  command.start_group("General");
  add_data_option(command, opt.data);
}

}  // namespace

void add_run(Command& app, Console& io) {
  auto opt = std::make_shared<SceneOptions>();
  Command cmd = add_subprogram(app, "run");
  cmd.add_option("scenario", opt->scenario,
                 "A scenario file, or the name of a shipped scenario ('kagami run --list').")
      .value("NAME|FILE");
  cmd.add_option("--set", opt->set,
                 "Replace or add a value of the file, as /surface/mu_static=0.3. May be repeated.")
      .value("PLACE=VALUE")
      .repeatable();
  cmd.add_flag("--list", opt->list, "List the shipped scenarios.");
  add_scene_options(cmd, *opt);
  add_motion_scenario_options(cmd, *opt);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "run khr1_standing --contacts contacts.csv",
                     "run scene.json --method multipoint --step 0.0005 --json");
  cmd.on_run([opt, &io] { run(*opt, io); });
}

}  // namespace kagami::tools
