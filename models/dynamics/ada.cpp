// Assembly-disassembly algorithm. [T] = Takahashi 2012, sections 2.2.1 and 3.1; its misprints are
// listed in docs/math/ada.md. The joins are in ada_bodies.cpp; kernel_ada.cpp does all of a run at
// once where the order goes from the tips to the base.
#include "models/dynamics/ada.hpp"

#include <cmath>

#include "models/base/idx.hpp"

namespace kagami::models {
Ada::Ada(const Model& model, const AssemblyOrder& order, const std::vector<BodyIndex>& handles)
    : bodies_(model, order, handles), kernel_(model) {
  for (const int n : bodies_.frame.n) has_fixed_joints_ |= n == 0;
  uses_kernel_ = kernel_.usable() && handles.empty() && bodies_.plan.goes_tip_to_base();
}

DynamicsStatus Ada::assemble(const JointVector& q, const JointVector& v, const JointVector& tau,
                             const ExternalLoads& extras) noexcept {
  const DynamicsStatus inputs = check_inputs(bodies_.model, q, v, tau, extras);
  if (inputs != DynamicsStatus::kOk) return inputs;
  ran_kernel_ = false;
  bodies_.start(q, v, extras);
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : bodies_.model.rotor_inertia();
  for (const JoinStep& s : bodies_.plan.steps()) {
    if (!bodies_.join(s, tau, J)) return DynamicsStatus::kSingular;
  }
  return DynamicsStatus::kOk;
}

Mat6 Ada::phi(int h, int k) const noexcept {
  const AssemblyPlan::Place& ph = bodies_.plan.places()[idx(h)];
  const AssemblyPlan::Place& pk = bodies_.plan.places()[idx(k)];
  if (ph.body != pk.body) return Mat6::Zero();  // trees that meet in the ground alone
  return bodies_.store.block(bodies_.plan.body(ph.body), ph.slot, pk.slot);
}

Motion Ada::bias(int h) const noexcept {
  const AssemblyPlan::Place& p = bodies_.plan.places()[idx(h)];
  return {bodies_.store.B[idx(bodies_.plan.body(p.body).first_slot + p.slot)]};
}

DynamicsStatus Ada::disassemble(std::span<const Force> handle_forces, JointVector& vdot) noexcept {
  AdaBodies& b = bodies_;
  for (const AssemblyPlan::Place& p : b.plan.places()) {
    b.store.force(b.plan.body(p.body), p.slot).setZero();
  }
  for (std::size_t h = 0; h < handle_forces.size() && h < b.plan.places().size(); ++h) {
    const AssemblyPlan::Place& p = b.plan.places()[h];
    b.store.force(b.plan.body(p.body), p.slot) += handle_forces[h].c;
  }
  JointVector result(b.model.num_v());
  for (auto s = b.plan.steps().rbegin(); s != b.plan.steps().rend(); ++s) b.open(*s, result);
  if (!std::isfinite(result.squaredNorm())) return DynamicsStatus::kNotFinite;
  if (has_fixed_joints_) add_fixed_joint_forces(b.model, b.plan, b.frame, b.a, b.F);
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
  if (!uses_kernel_) return run_reference(q, v, tau, extras, vdot);
  const DynamicsStatus inputs = check_inputs(bodies_.model, q, v, tau, extras);
  if (inputs != DynamicsStatus::kOk) return inputs;
  ran_kernel_ = true;
  return kernel_.run(q, v, tau, extras, vdot);
}

Force Ada::joint_force(BodyIndex body) const noexcept {
  if (ran_kernel_) return kernel_.joint_force(body);
  return inverse_times(bodies_.frame.X_OB[idx(body)], Force{bodies_.F[idx(body)]});
}

Motion Ada::acceleration(BodyIndex body) const noexcept {
  if (ran_kernel_) return {};
  const BodyIndex link = bodies_.plan.link(body);
  return {link == kWorld ? bodies_.frame.a_ground : bodies_.a[idx(link)]};
}

}  // namespace kagami::models
