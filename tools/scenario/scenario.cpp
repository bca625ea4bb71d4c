#include "tools/scenario/scenario.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/scenario/disturbance.hpp"
#include "tools/scenario/scenario_parts.hpp"
#include "tools/scenario/scenario_robot.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using models::StaticShape;

constexpr Range kStep{1e-6, 0.1, "s"};
constexpr Range kDuration{0.0, 1e5, "s"};
constexpr int kMaxPoints = 4096;  // of a scenario that does not say
constexpr int kMaxBodies = 256;

// keys of the other kind of scenario, a motion with its controller
void refuse_motion_keys(const ConfigNode& node) {
  for (const char* key : {"controller", "gains", "motion", "clock", "log"})
    if (node.has(key))
      node.fail(key,
                "belongs to a scenario with a 'motion' and nothing of a scene; a robot here is "
                "passive or held ('hold')");
}

// the objects under `key`, none when it is absent; refuses too many
std::vector<ConfigNode> entries(const ConfigNode& root, const char* key, int limit) {
  if (!root.has(key)) return {};
  std::vector<ConfigNode> list = root.list(key);
  if (list.size() > static_cast<std::size_t>(limit))
    root.fail(key,
              std::to_string(list.size()) + " entries, expected at most " + std::to_string(limit));
  return list;
}

std::string name_of(const ConfigNode& node) {
  const std::string name = node.text("name");
  if (name.empty() || name.size() > 100) node.fail("name", "expected 1 to 100 characters");
  return name;
}

StaticShape read_ground(const ConfigNode& node, const models::Surface& fallback) {
  const double height = node.number_or("height", 0.0, {-1e4, 1e4, "m"});
  const double slope = node.number_or("slope", 0.0, {-1.5, 1.5, "rad"});
  StaticShape ground = models::floor_at(height, read_surface(node, fallback));
  ground.name = "ground";
  ground.n = Vec3(std::sin(slope), 0.0, std::cos(slope));
  ground.offset = height * ground.n[2];
  node.reject_unknown_keys();
  return ground;
}

void read_statics(const ConfigNode& root, const models::Surface& surface, models::Scene& scene) {
  if (const auto ground = root.find_object("ground"))
    scene.statics.push_back(read_ground(*ground, surface));
  for (const ConfigNode& node : entries(root, "obstacles", kMaxStaticShapes - 1)) {
    const std::string name = name_of(node);
    scene.statics.push_back(
        models::obstacle(read_shape(node, name, read_pose(node)), read_surface(node, surface)));
    node.reject_unknown_keys();
  }
}

void read_bodies(const ConfigNode& root, const models::Surface& surface, Scenario& s) {
  for (const ConfigNode& node : entries(root, "bodies", kMaxSceneSystems)) {
    refuse_motion_keys(node);
    const std::string name = name_of(node);
    const double mass = node.number("mass", {1e-9, 1e6, "kg"});
    const models::Surface own = read_surface(node, surface);
    const std::vector<models::Pose> poses = read_copies(node, kMaxSceneSystems);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const std::string copy = poses.size() > 1 ? name + "_" + std::to_string(i + 1) : name;
      s.scene.systems.push_back(models::free_body(copy, read_shape(node, copy, {}), mass, own,
                                                  poses[i], read_velocity(node, poses[i])));
      s.holds.push_back({JointVector::Zero(6), JointVector::Zero(6)});
    }
    node.reject_unknown_keys();
    if (s.scene.systems.size() > static_cast<std::size_t>(kMaxSceneSystems))
      root.fail("bodies", std::to_string(s.scene.systems.size()) +
                              " with copies, expected at most " + std::to_string(kMaxSceneSystems));
  }
}

void read_robots(const ConfigNode& root, const models::Surface& surface, const DataFolders& data,
                 const fs::path& folder, Scenario& s) {
  for (const ConfigNode& node : entries(root, "robots", kMaxSceneSystems)) {
    refuse_motion_keys(node);
    static_cast<void>(name_of(node));
    s.scene.systems.push_back(
        read_scene_robot(node, data, folder, surface, s.holds.emplace_back(), s.notices));
    node.reject_unknown_keys();
  }
}

// room for every vertex on every static shape, within reason
models::ContactCapacity capacity_for(const models::Scene& scene) {
  std::size_t points = 0;
  std::size_t bodies = 0;
  for (const models::SceneSystem& system : scene.systems)
    for (const models::BodyShape& shape : system.shapes) {
      ++bodies;
      points += shape.mesh.vertices().size() * scene.statics.size();
    }
  points = std::max(points, 16 * bodies);  // patches between bodies
  return {.bodies = static_cast<int>(std::clamp<std::size_t>(bodies, 1, kMaxBodies)),
          .points = static_cast<int>(std::clamp<std::size_t>(points, 64, kMaxPoints))};
}

SceneWrites read_writes(const ConfigNode& root) {
  SceneWrites w;
  const auto node = root.find_object("write");
  if (!node) return w;
  w.contacts = node->text_or("contacts", "");
  w.states = node->text_or("states", "");
  w.every = static_cast<int>(node->integer_or("every", 1, {1.0, 1e6, "steps"}));
  node->reject_unknown_keys();
  return w;
}

}  // namespace

void check_length(const std::string& where, double duration, double step) {
  const auto refuse = [&](const char* key, double value, Range range) {
    throw ConfigError(where + "/" + key + ": " + number_text(value) + " is outside [" +
                      number_text(range.min) + ", " + number_text(range.max) + "] s");
  };
  if (!(step >= kStep.min && step <= kStep.max)) refuse("step", step, kStep);
  if (!(duration >= kDuration.min && duration <= kDuration.max))
    refuse("duration", duration, kDuration);
  if (duration / step > kMaxSceneSteps)
    throw ConfigError(where + "/duration: " + number_text(duration) + " s of " + number_text(step) +
                      " s steps are more than " + number_text(kMaxSceneSteps) + " steps");
}

Scenario read_scenario(const fs::path& file, const DataFolders& data,
                       const std::vector<ScenarioChange>& changes) {
  const ConfigDocument document = read_changed(file, changes);
  const ConfigNode root = document.root();
  constexpr std::array<std::string_view, 1> kSchemas = {"kagami.scenario/1"};
  static_cast<void>(root.one_of("schema", kSchemas));
  refuse_motion_keys(root);

  Scenario s;
  s.file = file.string();
  s.name = root.text_or("name", file.stem().string());
  s.note = root.text_or("note", "");
  s.duration = root.number("duration", kDuration);
  s.step = root.number_or("step", 1e-3, kStep);
  check_length(root.where(), s.duration, s.step);
  const models::Surface surface = read_surface(root, {});
  read_statics(root, surface, s.scene);
  read_bodies(root, surface, s);
  read_robots(root, surface, data, file.parent_path(), s);
  if (s.scene.systems.empty())
    root.fail("bodies", "is empty, and so is robots: expected at least one body or robot");
  if (s.scene.systems.size() > static_cast<std::size_t>(kMaxSceneSystems))
    root.fail("robots", std::to_string(s.scene.systems.size()) +
                            " bodies and robots together, expected at most " +
                            std::to_string(kMaxSceneSystems));
  s.disturbances = read_disturbances(root, DisturbanceScope::kScene);
  check_disturbances(s.disturbances, s.scene, s.duration);
  s.capacity = capacity_for(s.scene);
  s.contact = read_contact(root, s.capacity);
  s.contact.sleep = read_sleep(root);
  s.write = read_writes(root);
  root.reject_unknown_keys();
  return s;
}

std::vector<std::string> shipped_scenarios(const DataFolders& data) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const fs::directory_entry& e : fs::directory_iterator(data.robots / "scenes", unreadable))
    if (e.path().extension() == ".json") names.push_back(e.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_scenario(const DataFolders& data, const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos || name.find('.') != std::string::npos;
  std::error_code missing;
  if (is_path) {
    if (fs::is_regular_file(name, missing)) return name;
    throw ConfigError("scenario file '" + name + "' does not exist");
  }
  const fs::path shipped = data.robots / "scenes" / (name + ".json");
  if (fs::is_regular_file(shipped, missing)) return shipped;
  const std::string nearest = nearest_name(name, shipped_scenarios(data));
  throw ConfigError("unknown scenario '" + name + "'" +
                    (nearest.empty() ? "" : ", did you mean '" + nearest + "'?") +
                    "; 'kagami run --list' shows what is shipped, a file is named by its path");
}

}  // namespace kagami::tools
