#include "tools/commands/run_motion.hpp"

#include <algorithm>
#include <array>

#include "models/base/config.hpp"
#include "models/base/disturbance.hpp"

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

}  // namespace

bool is_motion_scenario(const fs::path& file) {
  return ConfigDocument::read(file).root().has("motion");
}

ReplayOptions read_motion_scenario(const fs::path& file,
                                   const std::vector<ScenarioChange>& changes) {
  const ConfigDocument document = read_changed(file, changes);
  const ConfigNode root = document.root();
  const fs::path folder = file.parent_path();
  ReplayOptions opt;
  (void)root.one_of("schema", kSchema);
  (void)root.text_or("note", "");
  opt.robot.model = named(root.text_or("robot", opt.robot.model), folder);
  opt.motion = named(root.text("motion"), folder);
  opt.controller = root.text_or("controller", "");
  if (root.has("gains")) opt.gains = named(root.text("gains"), folder);
  opt.on = choice(root, "on", kScenes, opt.on);
  opt.clock = choice(root, "clock", kClocks, "virtual");
  opt.mode = choice(root, "mode", kModes, opt.mode);
  opt.board = choice(root, "board", kBoards, opt.board);
  opt.plant = root.text_or("plant", opt.plant);
  opt.contact = root.text_or("contact", opt.contact);
  opt.friction = root.number_or("friction", opt.friction, {0.0, 2.0, ""});
  opt.speed = root.number_or("speed", opt.speed, {0.1, 2.0, ""});
  opt.disturbances = read_disturbances(root, DisturbanceScope::kRun);
  root.reject_unknown_keys();
  return opt;
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
