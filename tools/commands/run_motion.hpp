/// A scenario that is one robot, its motion and its controller: what `kagami replay` runs, as a
/// file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/cli/data_folders.hpp"
#include "tools/commands/replay_options.hpp"
#include "tools/scenario/scenario_changes.hpp"

namespace kagami::tools {

/// A scenario file with a "motion" is one; others are worlds (tools/scenario).
bool is_motion_scenario(const std::filesystem::path& file);

/// Content of such a file; "note" is checked and left out. Robots, motions, gain sets and servo
/// files are shipped names, or paths from the file's folder. Throws ConfigError naming file, key,
/// value, expectation.
ReplayOptions read_motion_scenario(const std::filesystem::path& file);

/// The same with changes. One below /gains, /twin or /plant is made in the file that the scenario
/// names there; without a name, in the shipped gain set of the controller and in the robot's own
/// servos. Such files, and objects in their place, are written to `folder` and read from there.
ReplayOptions read_motion_scenario(const std::filesystem::path& file, const DataFolders& data,
                                   const std::vector<ScenarioChange>& changes,
                                   const std::filesystem::path& folder);

/// A message on a file in `folder`, as one on the place of the scenario that it comes from.
std::string as_of_scenario(std::string message, const std::filesystem::path& folder,
                           const std::filesystem::path& scenario);

/// Names of the shipped ones, sorted.
std::vector<std::string> shipped_motion_scenarios(const DataFolders& data);
/// The file of a shipped one; empty when there is none of this name.
std::filesystem::path find_motion_scenario(const DataFolders& data, const std::string& name);

}  // namespace kagami::tools
