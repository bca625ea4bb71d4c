// Assembly-disassembly algorithm. [T] = Takahashi 2012, sections 2.2.1 and 3.1; its misprints are
// listed in docs/math/ada.md. All at O in world axes, so that a link is one handle for all its
// joints; the ground is a body with Phi = 0 and B = -g: (3.22) with the sign it must have. The
// joins are in ada_one_handle.cpp and ada_handles.cpp; ada_kernel.cpp does all of a run at once
// where the order goes from the tips to the base.
#include "models/dynamics/ada.hpp"

#include <cmath>

#include "models/base/idx.hpp"

namespace kagami::models {
Ada::Ada(const Model& model, const AssemblyOrder& order, const std::vector<BodyIndex>& handles)
    : model_(model),
      plan_(model, order, handles, true),
      frame_(model),
      store_(plan_),
      IA_(plan_.bodies().size(), Mat6::Zero()),
      pA_(plan_.bodies().size(), Vec6::Zero()),
      a_(plan_.bodies().size(), Vec6::Zero()),
      F_(idx(model.num_bodies()), Vec6::Zero()),
      single_(idx(model.num_bodies())),
      several_(idx(model.num_bodies())),
      pair_(idx(model.num_bodies())),
      general_(idx(plan_.num_general())),
      X_(idx(plan_.num_X()), Mat6::Zero()),
      G_(idx(plan_.num_X()), Mat6::Zero()),
      tree_(model),
      kernel_(tree_),
      slot_places_(kernel::slot_places(tree_)) {
  for (int i = 0; i < model.num_bodies(); ++i) has_fixed_joints_ |= frame_.n[idx(i)] == 0;
  for (const kernel::Host& host : tree_.host) {
    const kernel::KernelMat3<double>& R = host.R_HB;
    Pose& X = X_HB_.emplace_back();
    X.R << R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz;
    X.p << host.p_HB.x, host.p_HB.y, host.p_HB.z;
  }
  uses_kernel_ = tree_.usable && handles.empty() && plan_.goes_tip_to_base();
}

// rigid bodies of one link add up
void Ada::start_links() noexcept {
  for (int i = 0; i < model_.num_bodies(); ++i) {
    const BodyIndex link = plan_.link(i);
    if (link == kWorld) continue;
    if (link == i) {
      IA_[idx(i)] = inertia_matrix(frame_.inertia[idx(i)]);
      pA_[idx(i)] = frame_.P[idx(i)];
    } else {
      IA_[idx(link)] += inertia_matrix(frame_.inertia[idx(i)]);
      pA_[idx(link)] += frame_.P[idx(i)];
    }
  }
}

DynamicsStatus Ada::assemble(const JointVector& q, const JointVector& v, const JointVector& tau,
                             const ExternalLoads& extras) noexcept {
  const DynamicsStatus inputs = check_inputs(model_, q, v, tau, extras);
  if (inputs != DynamicsStatus::kOk) return inputs;
  ran_kernel_ = false;
  place_bodies(model_, q, v, extras, frame_);
  start_links();
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : model_.rotor_inertia();
  for (const JoinStep& s : plan_.steps()) {
    const bool one = frame_.n[idx(s.joint)] == 1;
    const int k = model_.body(s.joint).v_index;
    bool good = true;
    switch (s.kind) {
      case JoinKind::kChildInto:
        good = one ? reduce_single(s, s.B, s.A, 1.0, tau[k], J[k])
                   : reduce_several(s, s.B, s.A, 1.0, tau, J);
        break;
      case JoinKind::kParentInto:
        good = one ? reduce_single(s, s.A, s.B, -1.0, tau[k], J[k])
                   : reduce_several(s, s.A, s.B, -1.0, tau, J);
        break;
      case JoinKind::kPair:
        good = join_pair(s, tau[k], J[k]);
        break;
      case JoinKind::kGeneral:
        good = join_general(s, tau, J);
        break;
    }
    if (!good) return DynamicsStatus::kSingular;
  }
  return DynamicsStatus::kOk;
}

Mat6 Ada::phi(int h, int k) const noexcept {
  const AssemblyPlan::Place& ph = plan_.places()[idx(h)];
  const AssemblyPlan::Place& pk = plan_.places()[idx(k)];
  if (ph.body != pk.body) return Mat6::Zero();  // trees that meet in the ground alone
  return store_.block(plan_.body(ph.body), ph.slot, pk.slot);
}

Motion Ada::bias(int h) const noexcept {
  const AssemblyPlan::Place& p = plan_.places()[idx(h)];
  return {store_.B[idx(plan_.body(p.body).first_slot + p.slot)]};
}

DynamicsStatus Ada::disassemble(std::span<const Force> handle_forces, JointVector& vdot) noexcept {
  for (const AssemblyPlan::Place& p : plan_.places()) {
    store_.force(plan_.body(p.body), p.slot).setZero();
  }
  for (std::size_t h = 0; h < handle_forces.size() && h < plan_.places().size(); ++h) {
    const AssemblyPlan::Place& p = plan_.places()[h];
    store_.force(plan_.body(p.body), p.slot) += handle_forces[h].c;
  }
  JointVector result(model_.num_v());
  const std::vector<JoinStep>& steps = plan_.steps();
  for (std::size_t i = steps.size(); i-- > 0;) {
    const JoinStep& s = steps[i];
    const bool one = frame_.n[idx(s.joint)] == 1;
    switch (s.kind) {
      case JoinKind::kChildInto:
        one ? open_single(s, s.B, s.A, 1.0, result) : open_several(s, s.B, s.A, 1.0, result);
        break;
      case JoinKind::kParentInto:
        one ? open_single(s, s.A, s.B, -1.0, result) : open_several(s, s.A, s.B, -1.0, result);
        break;
      case JoinKind::kPair:
        open_pair(s, result);
        break;
      case JoinKind::kGeneral:
        open_general(s, result);
        break;
    }
  }
  if (!std::isfinite(result.squaredNorm())) return DynamicsStatus::kNotFinite;
  if (has_fixed_joints_) add_fixed_joint_forces(model_, plan_, frame_, a_, F_);
  vdot = result;
  return DynamicsStatus::kOk;
}

DynamicsStatus Ada::run_reference(const JointVector& q, const JointVector& v,
                                  const JointVector& tau, const ExternalLoads& extras,
                                  JointVector& vdot) noexcept {
  const DynamicsStatus status = assemble(q, v, tau, extras);
  return status == DynamicsStatus::kOk ? disassemble({}, vdot) : status;
}

DynamicsStatus Ada::run(const JointVector& q, const JointVector& v, const JointVector& tau,
                        const ExternalLoads& extras, JointVector& vdot) noexcept {
  return uses_kernel_ ? run_kernel(q, v, tau, extras, vdot)
                      : run_reference(q, v, tau, extras, vdot);
}

Force Ada::joint_force(BodyIndex body) const noexcept {
  if (ran_kernel_) return kernel_force(body);
  return inverse_times(frame_.X_OB[idx(body)], Force{F_[idx(body)]});
}

Motion Ada::acceleration(BodyIndex body) const noexcept {
  if (ran_kernel_) return {};
  const BodyIndex link = plan_.link(body);
  return {link == kWorld ? frame_.a_ground : a_[idx(link)]};
}

}  // namespace kagami::models
