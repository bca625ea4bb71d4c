/// Rotations: about an axis, from roll-pitch-yaw, from and to unit quaternions, in time.
#pragma once

#include <Eigen/Geometry>

#include "models/base/types.hpp"

namespace kagami::models {

/// Rotation by `angle` (rad, right-hand) about a unit axis. Cycle code.
Mat3 rotation_about(const Vec3& axis, double angle) noexcept;
/// R_AB = Rz(yaw) Ry(pitch) Rx(roll): the order of URDF's rpy (rad).
Mat3 rotation_rpy(double roll, double pitch, double yaw) noexcept;
/// R_AB of a unit quaternion (B axes to A axes).
Mat3 rotation_of(const Eigen::Quaterniond& quaternion) noexcept;
/// Unit quaternion of R_AB with a non-negative w.
Eigen::Quaterniond quaternion_of(const Mat3& R) noexcept;
/// Quaternion of the rotation vector phi (rad): turn by |phi| about phi. Exact to rounding at 0.
Eigen::Quaterniond exponential(const Vec3& phi) noexcept;
/// Rotation vector of a unit quaternion, of at most pi: the inverse of exponential. Exact to
/// rounding at 0.
Vec3 logarithm(const Eigen::Quaterniond& quaternion) noexcept;
/// The matrix G with p = G v: where the origin of a frame gets that turns by phi (rad) while it
/// runs the way v (m), both constant in the frame. G = 1 + (1 - cos t)/t^2 [phi x] +
/// (t - sin t)/t^3 [phi x]^2, t = |phi|.
Mat3 screw_factor(const Vec3& phi) noexcept;
/// Its inverse; |phi| < 2 pi.
Mat3 inverse_screw_factor(const Vec3& phi) noexcept;
/// q_WB after turning for dt (s) with the constant body rate w_B (rad/s, in B); unit length again.
Eigen::Quaterniond integrate(const Eigen::Quaterniond& q_WB, const Vec3& w_B, double dt) noexcept;

}  // namespace kagami::models
