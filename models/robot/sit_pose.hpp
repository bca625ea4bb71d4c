/// The sit pose of a robot folder: key sit_pose_deg of robot.json.
#pragma once

#include <optional>

#include "models/base/config.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"

namespace kagami::models {

/// rad, in the order of `wiring`; joints that the key does not name are at 0. Nothing without the
/// key. Throws ConfigError for an unknown joint or an angle outside its soft limits.
std::optional<JointArray<double>> read_sit_pose(const ConfigNode& root, const RobotWiring& wiring);

}  // namespace kagami::models
