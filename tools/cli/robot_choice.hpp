/// The options that choose a robot and the folder of shipped data.
#pragma once

#include <filesystem>
#include <string>

#include "models/base/wiring.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/data_folders.hpp"

namespace kagami::tools {

struct RobotChoice {
  std::string model = "khr1";
  std::string data;  ///< --data; empty = KAGAMI_DATA, installed or source tree
};

/// Adds --model and --data, in the group "Robot".
void add_robot_options(Command& command, RobotChoice& choice);
/// Adds --data alone, in the present group.
void add_data_option(Command& command, std::string& data);
/// Adds --plant, in the present group.
void add_plant_option(Command& command, std::string& plant);
/// Adds --yes, --unproven and --accept, in the present group.
void add_real_robot_flags(Command& command, bool& yes, bool& unproven, std::string& accept);
/// Adds --out and --force of a run's record, in the present group.
void add_out_options(Command& command, std::string& out, bool& force);

/// Board channels, signs and homes of a robot folder. Throws ConfigError.
RobotWiring wiring_of(const std::filesystem::path& robot_folder);

}  // namespace kagami::tools
