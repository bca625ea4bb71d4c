// Assembly-disassembly from the tips to the base by the kernel. The kernel's bodies hold what is
// fixed to them; the forces of the joints between such bodies follow from the motion of the host H.
// For an observer that moves along with Bo, V_B = [w; 0] and the spatial acceleration is the
// point's:
//   a_Bo = a_Ho + alpha x p_HB + w x (w x p_HB)                                    (fixed-1), ours
//   F_B  = I a_B + V_B x* I V_B - F_ext + sum of X_BC F_C over the bodies C beyond  (fixed-2), ours
// everything about Bo in B.
#include "models/dynamics/kernel_ada.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

Vec3 eigen(const kernel::Vec<double>& v) noexcept {
  return {v.x, v.y, v.z};
}

}  // namespace

KernelAda::KernelAda(const Model& model)
    : model_(model),
      tree_(model),
      kernel_(tree_),
      slot_places_(kernel::slot_places(tree_)),
      F_fixed_(idx(model.num_bodies())) {
  for (int i = 0; i < model.num_bodies(); ++i) has_fixed_joints_ |= is_fixed(i);
  for (const kernel::Host& host : tree_.host) {
    const kernel::KernelMat3<double>& R = host.R_HB;
    Pose& X = X_HB_.emplace_back();
    X.R << R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz;
    X.p << host.p_HB.x, host.p_HB.y, host.p_HB.z;
  }
}

DynamicsStatus KernelAda::run(const JointVector& q, const JointVector& v, const JointVector& tau,
                              const ExternalLoads& extras, JointVector& vdot) noexcept {
  load_forces(tree_, extras, kernel_.aba.values);
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : model_.rotor_inertia();
  JointVector result(model_.num_v());
  if (!kernel::ada(tree_, q.data(), v.data(), tau.data(), J.data(), !extras.F_ext.empty(), kernel_,
                   result.data())) {
    return DynamicsStatus::kSingular;
  }
  if (!std::isfinite(result.squaredNorm())) return DynamicsStatus::kNotFinite;
  if (has_fixed_joints_) add_fixed_joint_forces(q, extras);
  vdot = result;
  return DynamicsStatus::kOk;
}

// (fixed-1)
Motion KernelAda::acceleration(BodyIndex body, Motion& V) const noexcept {
  const kernel::Host& host = tree_.host[idx(body)];
  const kernel::SlotPlace place =
      host.slot < 0 ? kernel::SlotPlace{} : slot_places_[idx(host.slot)];
  const kernel::HostMotion m = kernel::motion_at(place, kernel_);
  const Pose& X_HB = X_HB_[idx(body)];
  const Vec3 w = eigen(m.w);
  const Vec3 alpha = eigen(m.alpha);
  const Vec3 a = eigen(m.a) + alpha.cross(X_HB.p) + w.cross(Vec3(w.cross(X_HB.p)));
  V = Motion::from(X_HB.R.transpose() * w, Vec3::Zero());
  return Motion::from(X_HB.R.transpose() * alpha, X_HB.R.transpose() * a);
}

void KernelAda::add_fixed_joint_forces(const JointVector& q, const ExternalLoads& extras) noexcept {
  for (int i = 0; i < model_.num_bodies(); ++i) {
    if (!is_fixed(i)) continue;
    const SpatialInertia& I = model_.body(i).inertia;
    Motion V;
    const Motion a = acceleration(i, V);
    F_fixed_[idx(i)].c = (I * a).c + cross(V, I * V).c;
    if (!extras.F_ext.empty()) F_fixed_[idx(i)].c -= extras.F_ext[idx(i)].c;
  }
  // children come later in the model than their parents
  for (int i = model_.num_bodies() - 1; i >= 0; --i) {
    const Body& b = model_.body(i);
    if (b.parent == kWorld || !is_fixed(b.parent)) continue;
    const Pose X_PB = b.X_PJ * joint_pose(b.joint, q.data() + b.q_index);
    F_fixed_[idx(b.parent)].c += (X_PB * joint_force(i)).c;  // (fixed-2)
  }
}

Force KernelAda::joint_force(BodyIndex body) const noexcept {
  if (is_fixed(body)) return F_fixed_[idx(body)];
  // seen from the model's frame: R' (n - p x f), R' f
  const double* F = kernel_.F.data() + 6 * idx(tree_.host[idx(body)].slot);
  const Pose& X = X_HB_[idx(body)];
  const double n[3] = {F[0] - (X.p[1] * F[5] - X.p[2] * F[4]),
                       F[1] - (X.p[2] * F[3] - X.p[0] * F[5]),
                       F[2] - (X.p[0] * F[4] - X.p[1] * F[3])};
  Force force;
  for (int i = 0; i < 3; ++i) {
    force.c[i] = (X.R(0, i) * n[0] + X.R(1, i) * n[1]) + X.R(2, i) * n[2];
    force.c[i + 3] = (X.R(0, i) * F[3] + X.R(1, i) * F[4]) + X.R(2, i) * F[5];
  }
  return force;
}

}  // namespace kagami::models
