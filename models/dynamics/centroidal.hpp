/// Centroidal momentum: the matrix, its rate, and the rate times v.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/jacobians.hpp"

namespace kagami::models {

/// Sized from the model; no call allocates afterwards. It belongs to that model.
struct CentroidalWorkspace {
  explicit CentroidalWorkspace(const Model& model);

  JacobianWorkspace jacobian;
  std::vector<SpatialInertia> dI;  ///< per body and all that hangs on it: rate of its I in W
  std::vector<Motion> a;           ///< per body, in B: acceleration at vdot = 0, without gravity
  Jacobian A;  ///< for callers that need the matrix only as an intermediate result
};

/// A, 6 x num_v: A v is the momentum [angular; linear] about the mass centre, axes of W. Returns
/// the mass centre p_WCm (m). Allocates only where A has not yet num_v columns; so do all below.
/// Cycle code. Source: [Orin 2008].
Vec3 centroidal_matrix(const Model& model, const JointVector& q, CentroidalWorkspace& w,
                       Jacobian& A);
/// dA/dt at velocity v. Cycle code.
void centroidal_matrix_rate(const Model& model, const JointVector& q, const JointVector& v,
                            CentroidalWorkspace& w, Jacobian& dA);
/// (dA/dt) v, without forming dA/dt: rate of the centroidal momentum at vdot = 0. Cycle code.
Force centroidal_bias(const Model& model, const JointVector& q, const JointVector& v,
                      CentroidalWorkspace& w) noexcept;

}  // namespace kagami::models
