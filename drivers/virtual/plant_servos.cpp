// Servo parameters of the plant, from its own file or the twin's.
#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/config.hpp"

namespace kagami::drivers::virtual_robot {

ServoSet read_plant_servos(const models::RobotDescription& robot,
                           const std::filesystem::path& robot_folder, const std::string& file) {
  if (file == "twin") return robot.servos;
  const std::filesystem::path path =
      file.empty() ? robot_folder / "plant.json" : std::filesystem::path(file);
  return read_servo_file(ConfigDocument::read(path), robot.joint_names);
}

}  // namespace kagami::drivers::virtual_robot
