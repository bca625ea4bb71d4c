#include "tools/cli/robot_choice.hpp"

#include "models/base/config.hpp"

namespace kagami::tools {

void add_robot_options(Command& command, RobotChoice& choice) {
  command.start_group("Robot");
  command
      .add_option("--model", choice.model, "The robot: the name of a shipped one, or its folder.")
      .value("NAME|DIR")
      .with_default();
  add_data_option(command, choice.data);
}

void add_data_option(Command& command, std::string& data) {
  command
      .add_option("--data", data,
                  "Folder of the shipped robots, motions and gain sets. Default: KAGAMI_DATA, else "
                  "the installed folder.")
      .value("DIR");
}

void add_plant_option(Command& command, std::string& plant) {
  command
      .add_option("--plant", plant,
                  "Servo parameters of the virtual robot. twin: those of the model. Default: those "
                  "in the robot's folder.")
      .value("FILE|twin");
}

void add_real_robot_flags(Command& command, bool& yes, bool& unproven, std::string& accept) {
  command.add_flag("--yes", yes, "Move a real robot without asking first.");
  command.add_flag(
      "--unproven", unproven,
      "Required for a real robot, because the handling of its faults is not finished.");
  command
      .add_option("--accept", accept,
                  "Move a real robot although the check of the motion ('kagami check') is amber, "
                  "or red.")
      .value("amber|red")
      .one_of({"amber", "red"});
}

void add_out_options(Command& command, std::string& out, bool& force) {
  command
      .add_option("--out", out,
                  "Folder for the record and the report. Default: a new session folder.")
      .value("DIR");
  command.add_flag("--force", force,
                   "Replace a record in that folder, once the new one is finished.");
}

RobotWiring wiring_of(const std::filesystem::path& robot_folder) {
  const ConfigDocument document = ConfigDocument::read(robot_folder / "robot.json");
  return read_wiring(document.root());
}

}  // namespace kagami::tools
