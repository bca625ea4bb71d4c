/// Reads a URDF by urdfdom and refuses what urdfdom lets through.
#pragma once

#include <string>
#include <vector>

#include "models/robot/model.hpp"

namespace kagami {
class ConfigNode;
}

namespace kagami::models {

struct UrdfOptions {
  BaseKind base = BaseKind::kFixed;
  Pose X_WJ;  ///< pose of the root's joint frame in the world
  /// The revolute joints that the URDF must have, no more and no less; orders siblings, others come
  /// after them. Empty: any joints, in document order.
  std::vector<std::string> joint_order;
  std::string joint_order_source;     ///< names the file of joint_order in errors
  std::vector<double> rotor_inertia;  ///< kg m^2, one per joint_order entry; empty = 0
  /// Types that URDF lacks: an object with joints' names as keys, each as read_joint of
  /// model_json.hpp takes it; the axis is the URDF's unless given. Joints that are not revolute
  /// then are not part of joint_order. nullptr: none.
  const ConfigNode* joint_types = nullptr;
};

/// The tree, depth first from the root link. The root becomes body 0, on a fixed or floating joint
/// to the world. Links on fixed joints are merged into their parents and stay as frames.
/// Ignored tags give one sentence in `notices`. Throws ModelError that names `file` and the link,
/// joint or line, the value and what was expected. Set-up; not from two threads at once (urdfdom's
/// message handler is one per process).
Model read_urdf(const std::string& text, const std::string& file, const UrdfOptions& options,
                std::vector<std::string>& notices);

}  // namespace kagami::models
