#include "tools/commands/run_motion.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/base/config.hpp"
#include "models/base/disturbance.hpp"
#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 1> kSchema{"kagami.scenario/1"};
constexpr std::array<std::string_view, 2> kScenes{"floor", "stand"};
constexpr std::array<std::string_view, 2> kClocks{"real", "virtual"};
constexpr std::array<std::string_view, 4> kModes{"keyframe", "ramp", "stream", "stored"};
constexpr std::array<std::string_view, 3> kBoards{"fast", "slow", "burst"};

// a shipped name stays; a path counts from the scenario's folder
std::string named(const std::string& name, const fs::path& folder) {
  const bool is_path = name.find('/') != std::string::npos || name.find('.') != std::string::npos;
  return is_path ? (folder / name).string() : name;
}

std::string choice(const ConfigNode& node, std::string_view key,
                   std::span<const std::string_view> names, const std::string& otherwise) {
  return node.has(key) ? node.one_of(key, names) : otherwise;
}

constexpr std::array<const char*, 3> kFiles = {"gains", "twin", "plant"};

// the content of the file that `key` stands for
nlohmann::json content_of(const char* key, const nlohmann::json& scenario, const fs::path& folder,
                          const DataFolders& data) {
  const auto text = [&](const char* name, const char* otherwise) {
    return scenario.contains(name) && scenario.at(name).is_string()
               ? scenario.at(name).get<std::string>()
               : std::string(otherwise);
  };
  const std::string name = text(key, "");
  const fs::path robot = find_robot(data, named(text("robot", "khr1"), folder));
  const bool is_twin = key == std::string("twin") ? name.empty() : name == "twin";
  if (key == std::string("gains")) {
    const std::string robot_name = ConfigDocument::read(robot / "robot.json").root().text("name");
    return ConfigDocument::read(name.empty()
                                    ? default_gains(data, text("controller", ""), robot_name,
                                                    text("on", "floor") == "floor")
                                    : find_gains(data, named(name, folder)))
        .json();
  }
  if (is_twin) {
    const ConfigDocument document = ConfigDocument::read(robot / "robot.json");
    nlohmann::json servos = document.root().object("servos").raw();
    servos["schema"] = "kagami.servos/1";
    return servos;
  }
  return ConfigDocument::read(name.empty() ? robot / "plant.json" : fs::path(named(name, folder)))
      .json();
}

// a file, or an object in its place
std::string file_or_object(const ConfigNode& node, const char* key, const std::string& otherwise,
                           const fs::path& from, const fs::path& folder) {
  if (!node.has(key)) return otherwise;
  if (!node.raw().at(key).is_object()) return named(node.text(key), from);
  const fs::path file = folder / (std::string(key) + ".json");
  const std::string text = node.object(key).raw().dump(1);
  if (folder.empty()) return "(in place)";
  std::ofstream out(file, std::ios::binary);
  if (!(out << text) || !out.flush())
    throw RecordError(file.string() + ": cannot be written: is the disk full?");
  return file.string();
}

ReplayOptions options_of(const ConfigDocument& document, const fs::path& file,
                         const fs::path& in_place) {
  const ConfigNode root = document.root();
  const fs::path folder = file.parent_path();
  ReplayOptions opt;
  (void)root.one_of("schema", kSchema);
  (void)root.text_or("note", "");
  opt.robot.model = named(root.text_or("robot", opt.robot.model), folder);
  opt.motion = named(root.text("motion"), folder);
  opt.controller = root.text_or("controller", "");
  opt.gains = file_or_object(root, "gains", opt.gains, folder, in_place);
  opt.twin = file_or_object(root, "twin", opt.twin, folder, in_place);
  opt.plant = file_or_object(root, "plant", opt.plant, folder, in_place);
  opt.on = choice(root, "on", kScenes, opt.on);
  opt.clock = choice(root, "clock", kClocks, "virtual");
  opt.mode = choice(root, "mode", kModes, opt.mode);
  opt.board = choice(root, "board", kBoards, opt.board);
  opt.contact = root.text_or("contact", opt.contact);
  opt.friction = root.number_or("friction", opt.friction, {0.0, 2.0, ""});
  opt.speed = root.number_or("speed", opt.speed, {0.1, 2.0, ""});
  opt.disturbances = read_disturbances(root, DisturbanceScope::kRun);
  root.reject_unknown_keys();
  return opt;
}

}  // namespace

bool is_motion_scenario(const fs::path& file) {
  return ConfigDocument::read(file).root().has("motion");
}

ReplayOptions read_motion_scenario(const fs::path& file) {
  return options_of(ConfigDocument::read(file), file, {});
}

ReplayOptions read_motion_scenario(const fs::path& file, const DataFolders& data,
                                   const std::vector<ScenarioChange>& changes,
                                   const fs::path& folder) {
  const ConfigDocument document = ConfigDocument::read(file);
  nlohmann::json scenario = document.json();
  for (const char* key : kFiles) {
    const std::string below = std::string("/") + key + "/";
    const bool is_changed = std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
      return change.at.rfind(below, 0) == 0;
    });
    if (is_changed && !(scenario.contains(key) && scenario.at(key).is_object()))
      scenario[key] = content_of(key, scenario, file.parent_path(), data);
  }
  return options_of(with_changes(scenario, file.string(), changes), file, folder);
}

std::string as_of_scenario(std::string message, const fs::path& folder, const fs::path& scenario) {
  for (const char* key : kFiles) {
    const std::string file = (folder / (std::string(key) + ".json")).string();
    for (std::size_t at = 0; (at = message.find(file, at)) != std::string::npos;)
      message.replace(at, file.size(), scenario.string() + ": /" + key);
  }
  return message;
}

std::vector<std::string> shipped_motion_scenarios(const DataFolders& data) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const fs::directory_entry& e :
       fs::directory_iterator(data.robots / "scenes/motions", unreadable)) {
    if (e.path().extension() == ".json") names.push_back(e.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_motion_scenario(const DataFolders& data, const std::string& name) {
  const fs::path shipped = data.robots / "scenes/motions" / (name + ".json");
  std::error_code missing;
  return fs::is_regular_file(shipped, missing) ? shipped : fs::path();
}

}  // namespace kagami::tools
