/// Orientation by the Euler angles z-y-z: a chart of the quaternion that users may ask for at a
/// spherical joint or a floating base. The engine itself moves quaternions.
///
/// R_JB = Rz(q1) Ry(q2) Rz(q3). The chart has no rates where sin q2 = 0: there the first and the
/// third axis are one. Every function that meets this reports it.
/// Source: Takahashi 2012, table 2.1, spherical joint, with its four misprints corrected.
#pragma once

#include <Eigen/Geometry>

#include "models/base/types.hpp"

namespace kagami::models {

/// |sin q2| below which the chart counts as singular: rates would be 1e6 times the body's.
inline constexpr double kEulerSingular = 1e-6;

/// Angles that name an orientation, and how near they are to the singularity.
struct EulerZyz {
  Vec3 angles = Vec3::Zero();  ///< rad; q1 and q3 in [-pi, pi], q2 in [0, pi]
  double sigma = 0.0;          ///< sin q2 = |det S|, 0 at the singularity
  bool singular = true;        ///< sigma < kEulerSingular: only q1 + q3 (or q1 - q3) has a meaning
};

/// The angles of a unit quaternion (B to J); q3 = 0 where the chart is singular. Cycle code.
EulerZyz euler_zyz_of(const Eigen::Quaterniond& q_JB) noexcept;
/// The unit quaternion of the angles. Cycle code.
Eigen::Quaterniond euler_zyz_quaternion(const Vec3& angles) noexcept;

/// T_a of table 2.1 (moment rows), T_a' S = 1: the moment is T_a tau. Not finite at sin q2 = 0.
/// Cycle code.
Mat3 euler_zyz_actuation(const Vec3& angles) noexcept;
/// qd of a body rate w_JB_B (rad/s). False, and `rates` untouched, where the chart is singular.
/// Cycle code.
bool euler_zyz_rates(const Vec3& angles, const Vec3& w_B, Vec3& rates) noexcept;

}  // namespace kagami::models
