/// A scenario file: a world of robots, free bodies and static shapes, and how long it runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/base/disturbance.hpp"
#include "models/contact/method/contact_method.hpp"
#include "models/contact/scene/scene.hpp"
#include "tools/cli/data_folders.hpp"
#include "tools/scenario/scenario_changes.hpp"

namespace kagami::tools {

/// Most free bodies and robots of one scenario.
inline constexpr int kMaxSceneSystems = 1000;
/// Most static shapes of one scenario, the ground included.
inline constexpr int kMaxStaticShapes = 1000;
/// Most steps of one run.
inline constexpr double kMaxSceneSteps = 1e8;

/// Servos that hold the start posture, one entry per degree of freedom: tau = -kp (q - q_start)
/// - kd v, both taken at the step's end (implicit). 0 and 0: a passive joint.
struct PostureHold {
  JointVector kp;  ///< N m/rad; N/m
  JointVector kd;  ///< N m s/rad; N s/m
};

/// What a run writes besides its answer; empty: nothing.
struct SceneWrites {
  std::string contacts;  ///< file, a row per contact and written step
  std::string states;    ///< file, a row per written step
  int every = 1;         ///< steps from row to row, >= 1
};

/// A scenario as read: everything checked but what only World can check.
struct Scenario {
  std::string file;  ///< for messages
  std::string name;
  std::string note;
  models::Scene scene;
  std::vector<PostureHold> holds;  ///< per system of the scene
  std::vector<Disturbance> disturbances;
  models::ContactSettings contact;
  models::ContactCapacity capacity;
  double duration = 0.0;  ///< s
  double step = 1e-3;     ///< s
  SceneWrites write;
  std::vector<std::string> notices;  ///< what was ignored or put in, one sentence each
};

/// The most that a scenario may ask of a run. Throws ConfigError for a step or duration outside
/// 1e-6..0.1 s and 0..1e5 s, or more than kMaxSceneSteps steps. `where` names the place.
void check_length(const std::string& where, double duration, double step);

/// Reads `kagami.scenario/1` (docs/scenarios.md) with `changes` made. Robots by name come from
/// `data`, by path from the scenario's folder. Throws ConfigError or ModelError that names file,
/// key, value and what was expected; unknown keys are refused, and so are those of later versions.
Scenario read_scenario(const std::filesystem::path& file, const DataFolders& data,
                       const std::vector<ScenarioChange>& changes = {});

/// A scenario file by path, or by the name of a shipped one. Throws ConfigError with the nearest.
std::filesystem::path find_scenario(const DataFolders& data, const std::string& name);

/// Names of the shipped scenarios, sorted.
std::vector<std::string> shipped_scenarios(const DataFolders& data);

}  // namespace kagami::tools
