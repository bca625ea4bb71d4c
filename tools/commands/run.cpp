// kagami run: a scenario of robots and free bodies, by any contact method.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/errors.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/run_motion.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/scenario/scene_files.hpp"
#include "tools/scenario/scene_report.hpp"
#include "tools/scenario/scene_run.hpp"

namespace kagami::tools {
namespace {

struct RunWords {
  std::string scenario;
  std::optional<std::string> method;
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
};

void list(const RunWords& words, Console& io) {
  const DataFolders data = find_data(io, words.data);
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
    throw ConfigError("file '" + s.write.states + "' would hold contacts and states, expected two");
}

// words of the command line stand over those of the file
void apply(const RunWords& words, Scenario& s) {
  if (words.method) s.contact.method = models::contact_method(*words.method);
  s.duration = words.duration.value_or(s.duration);
  s.step = words.step.value_or(s.step);
  check_length("kagami run: --", s.duration, s.step);
  if (!words.contacts.empty()) s.write.contacts = words.contacts;
  if (!words.states.empty()) s.write.states = words.states;
  s.write.every = words.every.value_or(s.write.every);
  check_writes(s);
}

// the files that a run was asked for; the state file is made when the world first shows itself
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
void run_motion(const RunWords& words, const std::filesystem::path& file, Console& io) {
  if (words.method || words.duration || words.step || words.every || !words.contacts.empty() ||
      !words.states.empty()) {
    throw ConfigError("'" + file.string() +
                      "' plays a motion: --method, --duration, --step, --contacts, --states and "
                      "--every are for worlds of bodies");
  }
  ReplayOptions opt = read_motion_scenario(file);
  opt.robot.data = words.data;
  opt.port = words.robot.value_or(opt.port);
  opt.clock = words.clock.value_or(opt.port == "virtual" ? opt.clock : "real");
  opt.out = words.out;
  opt.force = words.force;
  opt.unproven = words.unproven;
  opt.yes = words.yes;
  replay(opt, io);
}

void run(const RunWords& words, Console& io) {
  if (words.list) return list(words, io);
  if (words.scenario.empty())
    throw ConfigError("no scenario named; 'kagami run --list' shows what is shipped");
  const DataFolders data = find_data(io, words.data);
  if (const auto file = find_motion_scenario(data, words.scenario); !file.empty())
    return run_motion(words, file, io);
  if (const auto file = find_scenario(data, words.scenario); is_motion_scenario(file))
    return run_motion(words, file, io);
  if (words.robot || words.clock || !words.out.empty())
    throw ConfigError("'" + words.scenario +
                      "' is a world of bodies: --robot, --clock and --out are for scenarios with a "
                      "motion");
  Scenario scenario = read_scenario(find_scenario(data, words.scenario), data);
  apply(words, scenario);
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

}  // namespace

void add_run(CLI::App& app, Console& io) {
  auto words = std::make_shared<RunWords>();
  CLI::App* cmd = app.add_subcommand(
      "run",
      "A scene of robots and free bodies on the ground, by any contact method; or a robot's motion "
      "with a controller");
  cmd->add_option("scenario", words->scenario, "a scenario file, or a shipped one by name");
  cmd->add_flag("--list", words->list, "the shipped scenarios");
  cmd->add_option("--method", words->method, "contact method in place of the file's");
  cmd->add_option("--duration", words->duration, "s, in place of the file's");
  cmd->add_option("--step", words->step, "s, in place of the file's");
  cmd->add_option("--contacts", words->contacts, "CSV file: a row per contact and step");
  cmd->add_option("--states", words->states, "CSV file: a row per step, with the energies");
  cmd->add_option("--every", words->every, "steps from row to row of these files")
      ->check(CLI::Range(1, 1000000));
  cmd->add_option("--data", words->data, "folder with robots and motions (or KAGAMI_DATA)");
  cmd->add_option("--robot", words->robot, "of a motion: virtual, or the path of a serial port");
  cmd->add_option("--clock", words->clock, "of a motion: real or virtual, in place of the file's")
      ->check(CLI::IsMember({"real", "virtual"}));
  cmd->add_option("--out", words->out, "of a motion: folder for record and report");
  cmd->add_flag("--force", words->force,
                "of a motion: replace a record in that folder, once the new one is finished");
  cmd->add_flag("--unproven", words->unproven, "real hardware although it is not proven yet");
  cmd->add_flag("--yes", words->yes, "move a real robot without asking");
  add_json_word(*cmd, io);
  add_common_options(*cmd, io, "run khr1_standing --contacts contacts.csv",
                     "run scene.json --method multipoint --step 0.0005 --json");
  cmd->callback([words, &io] { run(*words, io); });
}

}  // namespace kagami::tools
