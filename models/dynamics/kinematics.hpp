/// Where every body is and how it moves; mass centre, momentum.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Filled by forward_kinematics; sized once.
struct Kinematics {
  explicit Kinematics(const Model& model);

  TreePass tree;           ///< V_WB_B per body inside
  std::vector<Pose> X_WB;  ///< per body
};

/// Poses and velocities of all bodies; NaN all over where q or v has not the model's size. Cycle
/// code.
void forward_kinematics(const Model& model, const JointVector& q, const JointVector& v,
                        Kinematics& k) noexcept;

/// X_WF of a frame that rides on a body.
Pose frame_pose(const Kinematics& k, const Frame& frame) noexcept;
/// p_WCm, mass centre of the whole robot (m).
Vec3 center_of_mass(const Model& model, const Kinematics& k) noexcept;
/// Momentum of all bodies about Wo, expressed in W: [angular kg m^2/s; linear kg m/s].
Force momentum(const Model& model, const Kinematics& k) noexcept;
/// The same about the mass centre.
Force momentum_about_com(const Model& model, const Kinematics& k) noexcept;

}  // namespace kagami::models
