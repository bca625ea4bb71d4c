/// The thesis's three-joint model of a standing robot: leg, hip and upper body over an ankle about
/// y and a hip about z, then y; the joint motions that keep its mass centre from moving forward.
#pragma once

#include "models/base/types.hpp"

namespace kagami::control {

/// Three lumps: the legs, what lies at the hips, the upper body [Takahashi 2012] Fig. 6.7.
struct ThreeJointModel {
  double m1 = 0.0;   ///< kg, legs, >= 0
  double mh1 = 0.0;  ///< kg, at the hip, >= 0
  double m2 = 0.0;   ///< kg, upper body, > 0
  double l1 = 0.0;   ///< m, ankle to hip, > 0
  double lg1 = 0.0;  ///< m, ankle to the legs' mass centre, >= 0
  double lg2 = 0.0;  ///< m, hip to the upper body's mass centre, > 0
};

/// Throws ConfigError that names the value. Set-up.
void check(const ThreeJointModel& model);

/// The two vectors (a, h1, h2) that span the null space of the forward coupling inertia: Eq. (6.11)
/// with n31 corrected. Cycle code, like all below.
struct ThreeJointNullSpace {
  double n11 = 0.0;  ///< first: (n11, 0, n31)
  double n31 = 0.0;
  double n12 = 0.0;  ///< second: (n12, n22, 0)
  double n22 = 0.0;
};
ThreeJointNullSpace null_space(const ThreeJointModel& model, double a, double h1,
                               double h2) noexcept;

/// a' / h2' of Eq. (6.12): how fast the ankle must turn for the hip's turn about y. NaN where the
/// ankle has no hold on the mass centre (n31 = 0).
double ankle_to_hip_ratio(const ThreeJointModel& model, double a, double h1, double h2) noexcept;

}  // namespace kagami::control
