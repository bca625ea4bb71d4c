/// Which joints change places when left and right are exchanged.
#pragma once

#include <vector>

#include "models/robot/robot_folder.hpp"
#include "motions/edit/edit.hpp"

namespace kagami::tools {

/// Partners by name, "left_knee" and "right_knee", signs from the axes in the zero posture: the
/// mirror image of a rotation about (x, y, z) is one about (-x, y, -z). Throws ConfigError for a
/// joint of one side without a partner, and for axes that are not mirror images.
std::vector<motions::MirrorPartner> mirror_partners(const models::RobotDescription& robot);

}  // namespace kagami::tools
