/// Where the ground's force acts: zero-moment point from the motion, centre of pressure from
/// forces.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "models/base/types.hpp"
#include "models/dynamics/centroidal.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// The ground, in W: a point of it (m) and the unit vector out of it.
struct GroundPlane {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();
};

/// Outputs are untouched unless kOk.
enum class BalanceStatus : std::uint8_t {
  kOk,
  kNoSupport,  ///< the ground does not press: a normal force below kLeastSupport
  kNotFinite,  ///< a NaN or an infinity in the motion or the forces
};

/// "ok", "no support", "not finite".
const char* name(BalanceStatus status) noexcept;

/// N; below it a normal force is rounding, and a point would be any point.
inline constexpr double kLeastSupport = 1e-6;

/// The ground's force on the robot, brought to the point of the plane where it has no moment about
/// the plane's own axes.
struct BalancePoint {
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  Vec3 point = Vec3::Constant(kNaN);  ///< in W, on the plane (m)
  Vec3 force = Vec3::Constant(kNaN);  ///< in W (N)
  double normal_force = kNaN;         ///< N, positive: the ground presses
  double normal_moment = kNaN;        ///< about the normal through the point (N m)
};

/// From the whole force of the ground about Wo, axes of W. Cycle code.
[[nodiscard]] BalanceStatus balance_point(const Force& F_Wo_W, const GroundPlane& plane,
                                          BalancePoint& result) noexcept;

/// Centre of pressure: from the force on each contact or foot about Wo, axes of W (a foot's F_Bo_B
/// by X_WB * F_Bo_B; a loop's wrench by at_origin). Cycle code.
[[nodiscard]] BalanceStatus center_of_pressure(std::span<const Force> forces_Wo_W,
                                               const GroundPlane& plane,
                                               BalancePoint& result) noexcept;

/// Zero-moment point: from the motion alone, the force that the ground must give for it. F_ext:
/// F_Bo_B of all other forces of the surroundings, gravity not included, empty = none. It needs
/// neither the contacts nor the loops, whose forces inside the robot cancel. Cycle code.
[[nodiscard]] BalanceStatus zero_moment_point(const Model& model, const JointVector& q,
                                              const JointVector& v, const JointVector& vdot,
                                              std::span<const Force> F_ext,
                                              const GroundPlane& plane, CentroidalWorkspace& w,
                                              BalancePoint& result) noexcept;

/// A force about point Q (m, in W), axes of W, as the same about Wo.
Force at_origin(const Vec3& p_WQ, const Force& F_Q_W) noexcept;

}  // namespace kagami::models
