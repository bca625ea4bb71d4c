#include "tools/cli/robot_choice.hpp"

#include "models/base/config.hpp"

namespace kagami::tools {

void add_robot_options(CLI::App& command, RobotChoice& choice) {
  command.add_option("--model", choice.model, "robot: a shipped name or a folder")
      ->capture_default_str();
  command.add_option("--data", choice.data, "folder with robots and motions (or KAGAMI_DATA)");
}

RobotWiring wiring_of(const std::filesystem::path& robot_folder) {
  const ConfigDocument document = ConfigDocument::read(robot_folder / "robot.json");
  return read_wiring(document.root());
}

}  // namespace kagami::tools
