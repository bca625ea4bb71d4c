#include "models/dynamics/motion_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kagami::models {

MotionResidual::MotionResidual(const Model& model)
    : model_(model), rnea_(model), tau_(JointVector::Zero(model.num_v())) {}

double MotionResidual::largest(const JointVector& q, const JointVector& v, const JointVector& tau,
                               const ExternalLoads& extras, const JointVector& vdot) noexcept {
  rnea_reference(model_, q, v, vdot, extras, rnea_, tau_);
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : model_.rotor_inertia();
  double worst = 0.0;
  for (int i = 0; i < model_.num_bodies(); ++i) {
    const Body& b = model_.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      const Motion& S = rnea_.tree.S[static_cast<std::size_t>(k)];
      const Force& F = rnea_.F[static_cast<std::size_t>(i)];
      const double left = tau[k] - J[k] * vdot[k] - power(S, F);
      const double size = std::abs(tau[k]) + J[k] * std::abs(vdot[k]) + S.c.norm() * F.c.norm();
      if (!std::isfinite(left)) return std::numeric_limits<double>::infinity();
      if (left != 0.0) worst = std::max(worst, std::abs(left) / size);
    }
  }
  return worst;
}

}  // namespace kagami::models
