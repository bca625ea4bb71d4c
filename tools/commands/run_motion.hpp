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

/// Content of such a file with `changes` made; "note" is checked and left out. Robots, motions and gain sets are
/// shipped names, or paths from the file's folder. Throws ConfigError naming file, key, value,
/// expectation.
ReplayOptions read_motion_scenario(const std::filesystem::path& file,
                                   const std::vector<ScenarioChange>& changes = {});

/// Names of the shipped ones, sorted.
std::vector<std::string> shipped_motion_scenarios(const DataFolders& data);
/// The file of a shipped one; empty when there is none of this name.
std::filesystem::path find_motion_scenario(const DataFolders& data, const std::string& name);

}  // namespace kagami::tools
