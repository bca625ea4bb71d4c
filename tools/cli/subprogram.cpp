#include "tools/cli/subprogram.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/cli/run_program.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

const std::map<std::string, const char*> kTexts = {
    {"run",
     "Run a scenario file. It describes a scene of robots and bodies in contact, or a motion of "
     "one robot with its controller."},
    {"sweep",
     "Run a scenario over a grid or random set of values, on all cores or on a Slurm cluster, and "
     "write one table."},
    {"tune",
     "Tune controller gains. Plays a motion with a dashboard in the browser until it is stopped. "
     "With an option such as --set or --autotune it tests gains on a virtual robot without a "
     "dashboard."},
    {"identify",
     "Fit the servos of the model to records of the robot, and predict records with them."},
    {"dynamics",
     "Compute accelerations, forces, matrices and energies of a model, or a trajectory."},
    {"experiment", "Repeat published simulations and check their results."},
    {"bench", "Measure the speed of Kagami and of other engines."},
};

json to_json(const OptionHelp& option) {
  return {{"names", option.names},
          {"value", option.value},
          {"text", option.text},
          {"required", option.required},
          {"choices", option.choices},
          {"takes_file", option.takes_file},
          {"takes_folder", option.takes_folder}};
}

OptionHelp option_from(const json& from) {
  return {from.at("names"),   from.at("value"),      from.at("text"),        from.at("required"),
          from.at("choices"), from.at("takes_file"), from.at("takes_folder")};
}

json to_json(const std::vector<OptionHelp>& options) {
  json all = json::array();
  for (const OptionHelp& option : options) all.push_back(to_json(option));
  return all;
}

std::vector<OptionHelp> options_from(const json& from) {
  std::vector<OptionHelp> all;
  for (const json& option : from) all.push_back(option_from(option));
  return all;
}

json to_json(const CommandHelp& command) {
  json groups = json::array();
  for (const OptionGroup& group : command.groups) {
    groups.push_back({{"name", group.name}, {"options", to_json(group.options)}});
  }
  json commands = json::array();
  for (const CommandHelp& sub : command.commands) commands.push_back(to_json(sub));
  return {{"name", command.name},
          {"text", command.text},
          {"arguments", to_json(command.arguments)},
          {"groups", groups},
          {"examples", command.examples},
          {"commands", commands}};
}

CommandHelp command_from(const json& from) {
  CommandHelp command{from.at("name"),
                      from.at("text"),
                      options_from(from.at("arguments")),
                      {},
                      from.at("examples"),
                      {}};
  for (const json& group : from.at("groups")) {
    command.groups.push_back({group.at("name"), options_from(group.at("options"))});
  }
  for (const json& sub : from.at("commands")) command.commands.push_back(command_from(sub));
  return command;
}

}  // namespace

bool is_subprogram(const std::string& command) {
  return std::find(kSubprograms.begin(), kSubprograms.end(), command) != kSubprograms.end();
}

std::string needed_subprogram(const std::vector<std::string>& args) {
  if (args.empty()) return {};
  if (is_subprogram(args.front())) return args.front();
  if (args.front() != "board") return {};
  for (const std::string& word : args) {
    if (word == "--exec") break;  // what follows is another program's
    if (word == "--view") return "board";
  }
  return {};
}

Command add_subprogram(Command& app, const std::string& command) {
  return app.add_command(command, kTexts.at(command));
}

std::filesystem::path main_program(const std::filesystem::path& running) {
  const std::filesystem::path here = running.parent_path();
  const bool is_installed = here.parent_path().filename() == "libexec";
  return (is_installed ? here.parent_path().parent_path() / "bin" : here) / "kagami";
}

std::filesystem::path subprogram_file(const std::string& kagami, const std::string& command) {
  const std::filesystem::path here = std::filesystem::path(kagami).parent_path();
  if (here.empty()) return {};
  for (const std::filesystem::path& folder : {here, here / "../libexec/kagami"}) {
    const std::filesystem::path file = folder / ("kagami-" + command);
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

std::string missing_subprogram(const std::string& command) {
  return "'kagami " + command + "' needs the program kagami-" + command +
         ", which is neither beside this one nor installed; './kagami " + command +
         "' builds it in the source folder";
}

std::string described(const CommandHelp& command) {
  return to_json(command).dump();
}

std::optional<CommandHelp> subprogram_help(const std::filesystem::path& file) {
  constexpr int kAnyCore = -1;
  constexpr double kTimeout_s = 10.0;
  const ProgramOutput output = run_program(file, {kDescribe}, kAnyCore, kTimeout_s);
  if (!output.error.empty()) return std::nullopt;
  try {
    return command_from(json::parse(output.out));
  } catch (const json::exception&) {
    return std::nullopt;  // a program of another version
  }
}

}  // namespace kagami::tools
