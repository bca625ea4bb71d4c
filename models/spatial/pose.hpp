/// Pose X_AB of a frame B in a frame A, and what it does to points, motions and forces.
#pragma once

#include "models/base/types.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// Pose X_AB: rotation R_AB (columns = axes of B in A), position p_AB of Bo from Ao (m). Applied to
/// a spatial quantity it changes the expressed-in frame and the reference point together.
/// Neighbouring letters cancel: X_AC = X_AB * X_BC.
struct Pose {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
};

Pose operator*(const Pose& X_AB, const Pose& X_BC) noexcept;     // X_AC
Vec3 operator*(const Pose& X_AB, const Vec3& p_BQ) noexcept;     // p_AQ
Motion operator*(const Pose& X_AB, const Motion& V_B) noexcept;  // V_A
Force operator*(const Pose& X_AB, const Force& F_B) noexcept;    // F_A
/// X_BA.
Pose inverse(const Pose& X_AB) noexcept;
/// V_B, without forming the inverse.
Motion inverse_times(const Pose& X_AB, const Motion& V_A) noexcept;
/// F_B, without forming the inverse.
Force inverse_times(const Pose& X_AB, const Force& F_A) noexcept;
/// p_BQ, without forming the inverse.
Vec3 inverse_times(const Pose& X_AB, const Vec3& p_AQ) noexcept;

}  // namespace kagami::models
