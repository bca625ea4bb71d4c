/// A sweep file made ready to run: its scenario found, all values checked, columns chosen.
#pragma once

#include <string>

#include "tools/cli/console.hpp"
#include "tools/sweep/sweep_job.hpp"

namespace kagami::tools {

/// Reads the sweep, finds its scenario and the program that runs it, and reads the scenario with
/// every value that a parameter can have (of long ranges some 200) beside the others of run 0.
/// `data` is --data. Throws ConfigError that names sweep file, parameter, value, scenario, key and
/// what was expected.
SweepJob make_sweep_job(const std::string& file, const std::string& data, const Console& io);

}  // namespace kagami::tools
