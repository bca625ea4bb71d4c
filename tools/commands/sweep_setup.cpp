#include "tools/commands/sweep_setup.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "models/base/errors.hpp"
#include "models/base/hash.hpp"
#include "models/base/servo_parameters.hpp"
#include "models/base/temporary_folder.hpp"
#include "models/base/text_file.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/threads/build_info.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/commands/run_motion.hpp"
#include "tools/scenario/scenario.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

using Inputs = std::set<fs::path>;

fs::path sweep_scenario(const SweepPlan& plan, const DataFolders& data) {
  const std::string& name = plan.scenario;
  try {
    if (name.find_first_of("/.") != std::string::npos)
      return fs::absolute(find_scenario(data, (plan.file.parent_path() / name).string()));
    if (const fs::path file = find_motion_scenario(data, name); !file.empty())
      return fs::absolute(file);
    return fs::absolute(find_scenario(data, name));
  } catch (const ConfigError& error) {
    throw ConfigError(plan.file.string() + ": scenario: " + error.what());
  }
}

/// Reads the scenario as a run does, and notes the files it depends on.
class ScenarioReader {
 public:
  ScenarioReader(const SweepJob& job, DataFolders data, const Console& io)
      : job_(job), data_(std::move(data)), io_(io) {}

  void read(const std::vector<ScenarioChange>& changes) {
    if (job_.is_motion) return read_motion(changes);
    const Scenario scenario = read_scenario(job_.scenario, data_, changes);
    writes_ = writes_ || !scenario.write.contacts.empty() || !scenario.write.states.empty();
    const ConfigDocument document = read_changed(job_.scenario, changes);
    if (!document.json().contains("robots")) return;
    for (const nlohmann::json& robot : document.json().at("robots")) {
      if (!robot.at("model").is_string()) continue;
      const auto name = robot.at("model").get<std::string>();
      const bool is_path = name.find_first_of("/.") != std::string::npos;
      inputs_.insert(is_path ? job_.scenario.parent_path() / name : find_robot(data_, name));
    }
  }

  [[nodiscard]] const Inputs& inputs() const { return inputs_; }
  [[nodiscard]] bool writes() const { return writes_; }
  /// Gain set and servos of run 0, where the sweep changes them.
  [[nodiscard]] const std::string& texts() const { return texts_; }

 private:
  void read_motion(const std::vector<ScenarioChange>& changes) {
    ReplayOptions options = read_motion_scenario(job_.scenario, data_, changes, in_place_.path());
    options.robot.data = job_.data;
    if (options.clock != "virtual")
      throw ConfigError(job_.scenario.string() + ": /clock: '" + options.clock +
                        "' is no simulated time, expected 'virtual' in a sweep");
    const runtime::RunConfig config = run_config_of(options, io_);
    try {
      runtime::check_run_config(config);
      const runtime::RunSetup setup = runtime::read_setup(config);
      static_cast<void>(runtime::make_core(setup));
      if (!config.plant.empty() && config.plant != "twin")
        static_cast<void>(
            read_servo_file(ConfigDocument::read(config.plant), setup.robot.joint_names));
    } catch (const ConfigError& error) {
      throw ConfigError(as_of_scenario(error.what(), in_place_.path(), job_.scenario));
    }
    for (const fs::path& input : {config.robot_folder, config.motion_file, config.gains_file,
                                  config.twin_file, fs::path(config.plant)})
      if (input.parent_path() != in_place_.path()) {
        inputs_.insert(input);
      } else if (is_first_) {
        texts_ += read_text_file(input);
      }
    is_first_ = false;
  }

  const SweepJob& job_;
  DataFolders data_;
  const Console& io_;
  TemporaryFolder in_place_;
  Inputs inputs_;
  std::string texts_;
  bool is_first_ = true;
  bool writes_ = false;
};

// every value of every parameter, the others as in run 0
void check_values(const SweepPlan& plan, ScenarioReader& reader) {
  const std::vector<ScenarioChange> first = changes_of(plan, 0);
  try {
    reader.read(first);
  } catch (const Error& error) {
    throw ConfigError(plan.file.string() + ": run 0: " + error.what());
  }
  std::size_t place = 0;  // of the parameter's changes
  for (std::size_t i = 0; i < plan.parameters.size(); ++i) {
    const SweepParameter& p = plan.parameters[i];
    for (const std::string& value : plan.samples_of(p)) {
      std::vector<ScenarioChange> changes = first;
      for (std::size_t k = 0; k < p.at.size(); ++k) changes[place + k].value = value;
      try {
        reader.read(changes);
      } catch (const Error& error) {
        throw ConfigError(plan.file.string() + ": /parameters/" + std::to_string(i) + ": '" +
                          p.name + "' = " + value.substr(0, 60) + ": " + error.what());
      }
    }
    place += p.at.size();
  }
}

std::vector<SweepResult> default_results(bool is_motion) {
  if (is_motion)
    return {{"run_outcome", "/outcome", false},   {"rms_deg", "/rms_deg", false},
            {"robot_fell", "/fell/robot", true},  {"model_fell", "/fell/shadow", true},
            {"duration_s", "/duration_s", false}, {"state_hash", "/state_hash", false}};
  return {{"status", "/status", false},
          {"end_J", "/energy/end_J", false},
          {"penetration_m", "/contacts/penetration_m", false},
          {"slip_m", "/contacts/slip_m", false},
          {"x_m", "/systems/0/place_m/0", false},
          {"y_m", "/systems/0/place_m/1", false},
          {"z_m", "/systems/0/place_m/2", false},
          {"state_hash", "/state_hash", false}};
}

// columns of the default that a parameter has taken are left out
void add_default_results(SweepJob& job) {
  if (!job.plan.results.empty()) return;
  for (SweepResult& result : default_results(job.is_motion)) {
    const bool is_taken = std::any_of(job.plan.parameters.begin(), job.plan.parameters.end(),
                                      [&](const auto& p) { return p.name == result.name; });
    if (!is_taken) job.plan.results.push_back(std::move(result));
  }
}

void add_file(const fs::path& file, StateHash& hash) {
  hash.add(text_hash(file.filename().string()));
  hash.add(text_hash(read_text_file(file, std::size_t{1} << 30)));
}

// what all runs depend on: another value of any of it gives another sweep
std::string hash_of(const SweepJob& job, const ScenarioReader& reader) {
  StateHash hash;
  hash.add(text_hash(runtime::program_version()));
  hash.add(text_hash(job.plan.text));
  add_file(job.scenario, hash);
  hash.add(text_hash(reader.texts()));
  for (const fs::path& input : reader.inputs()) {
    std::error_code missing;
    if (fs::is_regular_file(input, missing)) add_file(input, hash);
    std::set<fs::path> files;  // of a folder, in their order
    for (const fs::directory_entry& entry : fs::directory_iterator(input, missing))
      if (entry.is_regular_file(missing)) files.insert(entry.path());
    for (const fs::path& file : files) add_file(file, hash);
  }
  return hex_text(hash.value());
}

}  // namespace

std::vector<std::string> shipped_sweeps(const DataFolders& data) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(data.robots / "scenes/sweeps", unreadable))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_sweep(const DataFolders& data, const std::string& name) {
  std::error_code missing;
  const bool is_path = name.find_first_of("/.") != std::string::npos;
  const fs::path shipped = data.robots / "scenes/sweeps" / (name + ".json");
  if (!is_path && fs::is_regular_file(shipped, missing)) return shipped;
  if (fs::is_regular_file(name, missing)) return name;
  if (is_path) throw ConfigError("sweep file '" + name + "' does not exist");
  const std::string nearest = nearest_name(name, shipped_sweeps(data));
  throw ConfigError("unknown sweep '" + name + "'" +
                    (nearest.empty() ? "" : ", did you mean '" + nearest + "'?") +
                    "; 'kagami sweep --list' shows what is shipped, a file is named by its path");
}

SweepJob make_sweep_job(const std::string& name, const std::string& data, const Console& io) {
  SweepJob job;
  if (!data.empty()) job.data = fs::absolute(data).lexically_normal().string();
  const DataFolders folders = find_data(io, job.data);
  job.plan = read_sweep(find_sweep(folders, name));
  job.scenario = sweep_scenario(job.plan, folders).lexically_normal();
  const bool is_path = job.plan.scenario.find_first_of("/.") != std::string::npos;
  job.scenario_name = is_path ? job.scenario.string() : job.plan.scenario;
  job.is_motion = is_motion_scenario(job.scenario);
  job.program = subprogram_file(io.program(), "run").string();
  if (job.program.empty()) throw Error(missing_subprogram("run"));
  job.program = fs::absolute(job.program).string();
  add_default_results(job);
  ScenarioReader reader(job, folders, io);
  check_values(job.plan, reader);
  job.writes_files = job.is_motion || reader.writes();
  job.head = {hash_of(job, reader), job.plan.runs(), {}};
  for (const SweepResult& result : job.plan.results) job.head.results.push_back(result.name);
  return job;
}

}  // namespace kagami::tools
