/// Spatial inertia of a rigid body, of an articulated body, and the checks that a real body passes.
#pragma once

#include <string>

#include "models/base/types.hpp"
#include "models/spatial/pose.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// Inertia of a rigid body about its frame's origin Bo, expressed in B.
struct SpatialInertia {
  double mass = 0.0;      ///< kg
  Vec3 h = Vec3::Zero();  ///< first moment, mass * p_BoBcm (kg m)
  Mat3 I = Mat3::Zero();  ///< rotational inertia about Bo (kg m^2)

  /// From the mass centre p_BoBcm (m) and the inertia about it (kg m^2), both in B.
  static SpatialInertia from_com(double mass, const Vec3& com, const Mat3& I_com) noexcept;
  /// Mass centre p_BoBcm (m); mass must not be 0.
  [[nodiscard]] Vec3 com() const noexcept { return h / mass; }
  /// Rotational inertia about the mass centre, axes of B (kg m^2); mass must not be 0.
  [[nodiscard]] Mat3 about_com() const noexcept;
};

/// Momentum of a body moving with V, or the force that gives it the acceleration V.
Force operator*(const SpatialInertia& M, const Motion& V) noexcept;
/// Two bodies that are welded together; same frame.
SpatialInertia operator+(const SpatialInertia& a, const SpatialInertia& b) noexcept;
/// The same body about Ao, expressed in A.
SpatialInertia operator*(const Pose& X_AB, const SpatialInertia& M_B) noexcept;

/// Inertia that a body shows at a joint while bodies beyond it may move: a full symmetric 6 x 6
/// matrix [I H; H' M], acting on [angular; linear].
struct ArticulatedInertia {
  Mat3 I = Mat3::Constant(kNaN);  ///< moment per angular acceleration (kg m^2), symmetric
  Mat3 H = Mat3::Constant(kNaN);  ///< moment per linear acceleration (kg m)
  Mat3 M = Mat3::Constant(kNaN);  ///< force per linear acceleration (kg), symmetric

  static ArticulatedInertia from(const SpatialInertia& M) noexcept;
  [[nodiscard]] Mat6 matrix() const noexcept;
};

Force operator*(const ArticulatedInertia& IA, const Motion& a) noexcept;
ArticulatedInertia& operator+=(ArticulatedInertia& a, const ArticulatedInertia& b) noexcept;
/// IA - U U' / D: what is left after one joint axis moves freely. Cycle code.
ArticulatedInertia minus_outer(const ArticulatedInertia& IA, const Force& U, double D) noexcept;
/// The same articulated body about Ao, expressed in A.
ArticulatedInertia operator*(const Pose& X_AB, const ArticulatedInertia& IA_B) noexcept;

/// Empty when a body can have this mass (kg) and inertia about its mass centre (kg m^2): finite,
/// mass > 0, symmetric, positive definite, principal values within the triangle inequality.
/// Otherwise what is wrong: the value and what was expected.
std::string inertia_problem(double mass, const Mat3& I_com);

}  // namespace kagami::models
