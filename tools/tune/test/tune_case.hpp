/// The KHR-1 on its stand with loops around it, for the tests of tools/tune.
#pragma once

#include <string>
#include <vector>

#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/text_file.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/file/library.hpp"
#include "tools/tune/gain_changes.hpp"
#include "tools/tune/robot_loop.hpp"
#include "tools/tune/servo_model_loop.hpp"

namespace kagami::test {

inline const std::string kRoot = KAGAMI_SOURCE_DIR;
inline const std::string kRobotFolder = kRoot + "/models/data/khr1";

inline const models::RobotDescription& khr1_on_stand() {
  static const models::RobotDescription robot =
      models::read_robot_folder(kRobotFolder, models::BaseKind::kFixed);
  return robot;
}
inline std::string gains_text(const std::string& name) {
  return read_text_file(kRoot + "/control/data/gains/" + name + ".json");
}
inline ServoSet plant_servos() {
  return drivers::virtual_robot::read_plant_servos(khr1_on_stand(), kRobotFolder, "");
}
inline tools::RobotLoop robot_loop(const ServoSet& servos) {
  return {khr1_on_stand(), servos};
}
inline tools::ServoModelLoop twin_loop(const ServoSet& servos) {
  return {khr1_on_stand(), servos, tools::line_timing(2)};
}

inline motions::Motion shipped_motion(const std::string& name) {
  return motions::load_motion(kRoot + "/motions/data/" + name + ".json", khr1_on_stand().wiring);
}

}  // namespace kagami::test
