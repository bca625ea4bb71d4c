#include "models/dynamics/motion_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/idx.hpp"

namespace kagami::models {

MotionResidual::MotionResidual(const Model& model)
    : model_(model),
      rnea_(model),
      tau_(JointVector::Zero(model.num_v())),
      weight_(idx(model.num_bodies()), 0.0),
      load_(idx(model.num_bodies()), 0.0) {
  const double g = model.gravity().norm();
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    const Body& b = model.body(i);
    weight_[idx(i)] += b.inertia.mass * g;
    if (b.parent != kWorld) weight_[idx(b.parent)] += weight_[idx(i)];
  }
}

void MotionResidual::add_up_loads(const ExternalLoads& extras) noexcept {
  std::copy(weight_.begin(), weight_.end(), load_.begin());
  for (int i = model_.num_bodies() - 1; i >= 0; --i) {
    const BodyIndex parent = model_.body(i).parent;
    const Force& F = rnea_.F[idx(i)];
    load_[idx(i)] += F.c.norm();
    if (!extras.F_ext.empty()) load_[idx(i)] += extras.F_ext[idx(i)].c.norm();
    if (parent != kWorld) load_[idx(parent)] += (rnea_.tree.X_PB[idx(i)] * F).c.norm();
  }
}

double MotionResidual::largest(const JointVector& q, const JointVector& v, const JointVector& tau,
                               const ExternalLoads& extras, const JointVector& vdot) noexcept {
  rnea_reference(model_, q, v, vdot, extras, rnea_, tau_);
  add_up_loads(extras);
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : model_.rotor_inertia();
  double worst = 0.0;
  for (int i = 0; i < model_.num_bodies(); ++i) {
    const Body& b = model_.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      const Motion& S = rnea_.tree.S[idx(k)];
      const double left = tau[k] - J[k] * vdot[k] - power(S, rnea_.F[idx(i)]);
      const double size = std::abs(tau[k]) + J[k] * std::abs(vdot[k]) + S.c.norm() * load_[idx(i)];
      if (!std::isfinite(left)) return std::numeric_limits<double>::infinity();
      if (left != 0.0) worst = std::max(worst, std::abs(left) / size);
    }
  }
  return worst;
}

}  // namespace kagami::models
