/// What a joint allows: its coordinates q, its velocities v, its motion subspace S.
#pragma once

#include <cstdint>

#include "models/base/types.hpp"
#include "models/spatial/pose.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// Joint frame J is fixed in the parent P (pose X_PJ); body frame B coincides with J at q = 0.
///
/// | type      | q                                          | v                            |
/// | --------- | ------------------------------------------ | ---------------------------- |
/// | kFixed    | none                                       | none                         |
/// | kRevolute | angle about the axis (rad)                 | its rate (rad/s)             |
/// | kFloating | p_JB (m), unit quaternion w x y z (B to J) | V_JB_B: w (rad/s), v (m/s)   |
enum class JointType : std::uint8_t { kFixed, kRevolute, kFloating };

struct Joint {
  JointType type = JointType::kFixed;
  Vec3 axis = Vec3::Zero();  ///< unit vector in J (and in B); kRevolute alone
};

/// Coordinates (0, 1 or 7) and degrees of freedom (0, 1 or 6) of a joint.
int num_q(JointType type) noexcept;
int num_v(JointType type) noexcept;

/// X_JB at the joint's own coordinates q[0 .. num_q). A floating joint normalises its quaternion.
/// Cycle code.
Pose joint_pose(const Joint& joint, const double* q) noexcept;
/// Writes the num_v columns of S in B: V_JB_B = S v. Cycle code.
void joint_subspace(const Joint& joint, const double* q, Motion* S) noexcept;
/// (dS/dt in B) v: zero for every type here, as their S is constant in B. Cycle code.
Motion joint_bias(const Joint& joint, const double* q, const double* v) noexcept;
/// Moves q by v for dt seconds, v constant in B. Cycle code.
void integrate_joint(const Joint& joint, const double* v, double dt, double* q) noexcept;
/// q of B = J.
void neutral_joint(const Joint& joint, double* q) noexcept;

}  // namespace kagami::models
