#include "tools/cli/robot_choice.hpp"

#include "models/base/config.hpp"

namespace kagami::tools {

void add_robot_options(CLI::App& command, RobotChoice& choice) {
  command.option_defaults()->group("Robot");
  command
      .add_option("--model", choice.model, "The robot: the name of a shipped one, or its folder.")
      ->type_name("NAME|DIR")
      ->capture_default_str();
  add_data_option(command, choice.data);
}

void add_data_option(CLI::App& command, std::string& data) {
  command
      .add_option("--data", data,
                  "Folder of the shipped robots, motions and gain sets. Default: KAGAMI_DATA, else "
                  "the installed folder.")
      ->type_name("DIR");
}

RobotWiring wiring_of(const std::filesystem::path& robot_folder) {
  const ConfigDocument document = ConfigDocument::read(robot_folder / "robot.json");
  return read_wiring(document.root());
}

}  // namespace kagami::tools
