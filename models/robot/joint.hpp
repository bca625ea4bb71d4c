/// What a joint allows: its coordinates q, its velocities v, its motion subspace S, and the
/// directions T in which it carries load.
#pragma once

#include <cstdint>

#include "models/base/types.hpp"
#include "models/spatial/pose.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// Joint frame J is fixed in the parent P (pose X_PJ); body frame B coincides with J at q = 0.
///
/// | type       | q                                          | v                          |
/// | ---------- | ------------------------------------------ | -------------------------- |
/// | kFixed     | none                                       | none                       |
/// | kRevolute  | angle about the axis (rad)                 | its rate (rad/s)           |
/// | kPrismatic | way along the axis (m)                     | its rate (m/s)             |
/// | kUniversal | angle about axis, then about axis2 (rad)   | their rates (rad/s)        |
/// | kSpherical | unit quaternion w x y z (B to J)           | w_JB_B (rad/s)             |
/// | kFloating  | p_JB (m), unit quaternion w x y z (B to J) | V_JB_B: w (rad/s), v (m/s) |
enum class JointType : std::uint8_t {
  kFixed,
  kRevolute,
  kPrismatic,
  kUniversal,
  kSpherical,
  kFloating
};

struct Joint {
  JointType type = JointType::kFixed;
  /// Unit vector in J: the axis of kRevolute (the same in B) and kPrismatic, the first of
  /// kUniversal.
  Vec3 axis = Vec3::Zero();
  /// Unit vector in B, perpendicular to `axis` at q = 0: the second axis of kUniversal.
  Vec3 axis2 = Vec3::Zero();
};

/// Axes of files that are shorter have no direction.
inline constexpr double kMinAxis = 1e-6;

/// Coordinates of a joint: 0, 1, 1, 2, 4 or 7.
constexpr int num_q(JointType type) noexcept {
  constexpr int kCounts[] = {0, 1, 1, 2, 4, 7};
  return kCounts[static_cast<int>(type)];
}
/// Degrees of freedom of a joint: 0, 1, 1, 2, 3 or 6; at most kMaxJointDofs.
constexpr int num_v(JointType type) noexcept {
  constexpr int kCounts[] = {0, 1, 1, 2, 3, 6};
  return kCounts[static_cast<int>(type)];
}
/// Index of the quaternion within the joint's q, -1 when it has none.
constexpr int quaternion_index(JointType type) noexcept {
  return type == JointType::kFloating ? 3 : (type == JointType::kSpherical ? 0 : -1);
}
/// "fixed", "revolute", "prismatic", "universal", "spherical" or "floating", as files say it.
const char* joint_type_name(JointType type) noexcept;

/// X_JB at the joint's own coordinates q[0 .. num_q). Quaternions of any length above 0 are taken
/// at unit length, one of length 0 gives NaN. Cycle code.
Pose joint_pose(const Joint& joint, const double* q) noexcept;
/// Writes the num_v columns of S in B: V_JB_B = S v. Cycle code.
void joint_subspace(const Joint& joint, const double* q, Motion* S) noexcept;
/// (dS/dt in B) v: zero but for kUniversal, whose first column turns in B. The whole velocity
/// product of the joint is this plus V_WB x S v. Cycle code.
Motion joint_bias(const Joint& joint, const double* q, const double* v) noexcept;

/// Writes the 6 - num_v columns of T in B, the forces that the bearing carries: T' S = 0, columns
/// orthonormal (table 2.2 of the thesis, for any axis). Cycle code.
void joint_constraint_subspace(const Joint& joint, const double* q, Force* T) noexcept;

/// Moves q by v for dt seconds, v constant in B: the exact screw motion, quaternions at unit length
/// again. Cycle code.
void integrate_joint(const Joint& joint, const double* v, double dt, double* q) noexcept;
/// The v that takes q0 to q1 in one second by integrate_joint; turns of at most pi. Cycle code.
void joint_difference(const Joint& joint, const double* q0, const double* q1, double* v) noexcept;
/// Brings the quaternion of q, if there is one, to unit length. Cycle code.
void normalize_joint(const Joint& joint, double* q) noexcept;
/// dq/dt of v: what an integrator of the coordinates themselves needs. Cycle code.
void joint_q_rate(const Joint& joint, const double* q, const double* v, double* q_rate) noexcept;
/// q of B = J.
void neutral_joint(const Joint& joint, double* q) noexcept;

}  // namespace kagami::models
