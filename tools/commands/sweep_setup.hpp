/// A sweep file made ready to run: its scenario found, all values checked, columns chosen.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/cli/console.hpp"
#include "tools/cli/data_folders.hpp"
#include "tools/sweep/sweep_job.hpp"

namespace kagami::tools {

/// Names of the shipped sweeps, sorted.
std::vector<std::string> shipped_sweeps(const DataFolders& data);

/// A sweep file by path, or by the name of a shipped one. Throws ConfigError with the nearest.
std::filesystem::path find_sweep(const DataFolders& data, const std::string& name);

/// Finds and reads the sweep, finds its scenario and the program that runs it, and reads the
/// scenario with the values of each parameter (of numbers: the smallest, the largest and a
/// fraction) beside those of run 0. `data` is --data. Throws ConfigError that names sweep file,
/// parameter, value, scenario, key and what was expected.
SweepJob make_sweep_job(const std::string& name, const std::string& data, const Console& io);

}  // namespace kagami::tools
