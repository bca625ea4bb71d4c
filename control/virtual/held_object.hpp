/// A robot with an object between its hands: one tree, the object a body that floats, the grasps
/// real loops.
#pragma once

#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::control {

struct HeldObject {
  std::string name = "object";
  models::MassProperties mass;     ///< in the object's frame O
  models::Pose X_WO;               ///< where it is while the hands take it
  std::vector<std::string> hands;  ///< bodies or frames of the robot that hold it as by glue
};

/// kg and kg m^2 of a homogeneous box with these edges (m), O in its middle. Throws ModelError for
/// what is not above 0.
models::MassProperties box_mass(double mass, const Vec3& edges);

/// The robot holding `object` with its joints at q: the object is the last body, each grasp a loop
/// named after its hand with the object as body a, so that its wrench is what the hand does to it.
/// Throws ModelError for frames that the robot has not, names that stand twice, no hand. Set-up.
models::Model holding(const models::Model& robot, const HeldObject& object, const JointVector& q);
/// Coordinates of that model: the robot's and the object's. Set-up.
JointVector with_object(const JointVector& q, const models::Pose& X_WO);

}  // namespace kagami::control
