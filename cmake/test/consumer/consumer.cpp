#include <cstdio>

#include "models/robot/robot_folder.hpp"
#include "motions/file/motion.hpp"

int main() {
  const auto robot = kagami::models::read_robot_folder(KAGAMI_DATA "/robots/khr1",
                                                       kagami::models::BaseKind::kFixed);
  std::printf("%s: %zu joints\n", robot.name.c_str(), robot.joint_names.size());
  return robot.joint_names.size() == 17 ? 0 : 1;
}
