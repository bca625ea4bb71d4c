/// How the virtual robot is at the start: `kagami board --start`.
#pragma once

#include <optional>
#include <string>

#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"
#include "tools/cli/data_folders.hpp"

namespace kagami::tools {

struct StartPose {
  /// Nothing: the home in the boards' memory.
  std::optional<JointArray<double>> angle;  ///< rad, model order
  motions::Start start = motions::Start::kStanding;

  /// For VirtualRobotConfig::start.
  [[nodiscard]] std::optional<drivers::virtual_robot::VirtualStart> virtual_start() const;
};

/// "home", "standing", "lying_front", "lying_back", or the first pose of a motion (its file, or the
/// name of a shipped one). Throws ConfigError, also for a lying robot on the stand.
StartPose read_start_pose(const std::string& text, bool on_floor, const DataFolders& data,
                          const RobotWiring& wiring);

}  // namespace kagami::tools
