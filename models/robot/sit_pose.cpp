#include "models/robot/sit_pose.hpp"

#include <cstddef>
#include <string>

#include "models/base/angle.hpp"

namespace kagami::models {

std::optional<JointArray<double>> read_sit_pose(const ConfigNode& root, const RobotWiring& wiring) {
  const std::optional<ConfigNode> node = root.find_object("sit_pose_deg");
  if (!node) return std::nullopt;
  JointArray<double> pose{};
  for (std::size_t i = 0; i < wiring.joints.size(); ++i) {
    const JointWiring& joint = wiring.joints[i];
    pose[i] = to_rad(node->number_or(joint.joint, 0.0, {-360.0, 360.0, "deg"}));
    if (pose[i] >= joint.soft_min && pose[i] <= joint.soft_max) continue;
    node->fail(joint.joint, "outside the joint's soft limits [" +
                                std::to_string(to_deg(joint.soft_min)) + ", " +
                                std::to_string(to_deg(joint.soft_max)) + "] deg");
  }
  node->reject_unknown_keys();
  return pose;
}

}  // namespace kagami::models
