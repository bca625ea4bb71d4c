// Recursive Newton-Euler algorithm. [RBDA] = Featherstone, Rigid Body Dynamics Algorithms, 2008,
// Table 5.1. Body i is B, its parent lambda(i) is P; every quantity is about Bo, expressed in B.
//   a0  = -g                               (rnea-1)
//   a   = X^-1 a_P + S vdot + c            (rnea-2)
//   F   = I a + V x* I V - F_ext           (rnea-3)
//   tau = S' F + J vdot                    (rnea-4)
//   F_P += X F                             (rnea-5)
// J, the rotor inertia seen through the gears (kg m^2), is ours; RBDA has J = 0.
#include "models/dynamics/rnea.hpp"

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

void forward_pass(const Model& model, const JointVector& vdot, const ExternalLoads& extras,
                  RneaWorkspace& w) noexcept {
  const Motion a0 = Motion::from(Vec3::Zero(), -model.gravity());  // (rnea-1)
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const Motion& a_P = b.parent == kWorld ? a0 : w.a[idx(b.parent)];
    const Motion& V = w.tree.V[idx(i)];
    w.a[idx(i)] = inverse_times(w.tree.X_PB[idx(i)], a_P) + joint_velocity(model, w.tree, i, vdot) +
                  w.tree.c[idx(i)];                                   // (rnea-2)
    w.F[idx(i)] = b.inertia * w.a[idx(i)] + cross(V, b.inertia * V);  // (rnea-3)
    if (!extras.F_ext.empty()) w.F[idx(i)] += -extras.F_ext[idx(i)];
  }
}

void backward_pass(const Model& model, const JointVector& vdot, const JointVector& J,
                   RneaWorkspace& w, JointVector& tau) noexcept {
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    const Body& b = model.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      tau[k] = power(w.tree.S[idx(k)], w.F[idx(i)]) + J[k] * vdot[k];  // (rnea-4)
    }
    if (b.parent != kWorld) w.F[idx(b.parent)] += w.tree.X_PB[idx(i)] * w.F[idx(i)];  // (rnea-5)
  }
}

}  // namespace

RneaWorkspace::RneaWorkspace(const Model& model)
    : fast(model),
      kernel(fast),
      tree(model),
      a(idx(model.num_bodies())),
      F(idx(model.num_bodies())) {}

void rnea_reference(const Model& model, const JointVector& q, const JointVector& v,
                    const JointVector& vdot, const ExternalLoads& extras, RneaWorkspace& w,
                    JointVector& tau) noexcept {
  if (!sizes_fit(model, q, v, vdot, extras)) return no_number(model, tau);
  place_joints(model, q, w.tree);
  move_joints(model, q, v, w.tree);
  forward_pass(model, vdot, extras, w);
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : model.rotor_inertia();
  tau.resize(model.num_v());
  backward_pass(model, vdot, J, w, tau);
}

void rnea(const Model& model, const JointVector& q, const JointVector& v, const JointVector& vdot,
          const ExternalLoads& extras, RneaWorkspace& w, JointVector& tau) noexcept {
  if (!sizes_fit(model, q, v, vdot, extras)) return no_number(model, tau);
  if (!w.fast.usable) return rnea_reference(model, q, v, vdot, extras, w, tau);
  load_forces(w.fast, extras, w.kernel.values);
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : model.rotor_inertia();
  tau.resize(model.num_v());
  kernel::rnea(w.fast, q.data(), v.data(), vdot.data(), J.data(), !extras.F_ext.empty(), w.kernel,
               tau.data());
}

void rnea(const Model& model, const JointVector& q, const JointVector& v, const JointVector& vdot,
          RneaWorkspace& w, JointVector& tau) noexcept {
  rnea(model, q, v, vdot, ExternalLoads{}, w, tau);
}

}  // namespace kagami::models
