/// A robot in the pose of one row: where its bodies are, and what of it touches the floor.
#pragma once

#include <vector>

#include "models/base/base_pose.hpp"
#include "models/base/types.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/robot_folder.hpp"

namespace kagami::tools {

/// One thread. The robot outlives it.
class PosedBody {
 public:
  explicit PosedBody(const models::RobotDescription& robot);

  /// The robot's base floats: otherwise it is on the stand, and nothing touches.
  [[nodiscard]] bool is_floating() const noexcept { return robot_.model.floats(); }
  /// Angles in rad, model order. False, and no pose, where something is not finite.
  bool set(const JointArray<double>& angle, const BasePose& base);
  [[nodiscard]] const models::RobotDescription& robot() const noexcept { return robot_; }
  [[nodiscard]] const models::Kinematics& kinematics() const noexcept { return kinematics_; }
  /// m, in W.
  [[nodiscard]] Vec3 mass_centre() const;

  /// The corners of one body that are less than `height` above the floor, on the floor.
  struct Touching {
    BodyIndex body = kWorld;
    std::vector<Vec3> corners;
  };
  [[nodiscard]] std::vector<Touching> touching(double height) const;

 private:
  const models::RobotDescription& robot_;
  models::Kinematics kinematics_;
  JointVector q_;
  JointVector v_;  // of a robot at rest
};

}  // namespace kagami::tools
