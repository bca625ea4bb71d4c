/// Assembly-disassembly algorithm: joint accelerations and every joint's force, in any joint order.
#pragma once

#include <span>
#include <vector>

#include "models/dynamics/ada_bodies.hpp"
#include "models/dynamics/kernel_ada.hpp"

namespace kagami::models {

/// One robot, one order. Not copied between threads while it runs; no call allocates. The model
/// must outlive it. Equal order: equal bits.
class Ada {
 public:
  /// `order` as in AssemblyPlan, empty for the balanced default; `handles`: bodies on which forces
  /// from outside will act in disassemble (loop joints, contacts). Throws ConfigError for an
  /// impossible order or handle, ModelError for a link whose inertia has no inverse.
  explicit Ada(const Model& model, const AssemblyOrder& order = {},
               const std::vector<BodyIndex>& handles = {});

  /// Inertias and biases from the single links to the whole. Cycle code.
  [[nodiscard]] DynamicsStatus assemble(const JointVector& q, const JointVector& v,
                                        const JointVector& tau,
                                        const ExternalLoads& extras) noexcept;

  /// After assemble, what the whole shows at its handles h, k (indices into `handles`):
  /// a_h = sum_k Phi_hk F_k + B_h, Eq. (2.4), at O in world axes; a_h is measured against gravity
  /// (the ground has -g), F_k acts on the handle's body.
  [[nodiscard]] Mat6 phi(int h, int k) const noexcept;
  [[nodiscard]] Motion bias(int h) const noexcept;
  /// Spatial acceleration of the ground in the same sense: linear part -g.
  [[nodiscard]] Motion ground_acceleration() const noexcept { return {bodies_.frame.a_ground}; }
  /// O in the world (m), poses and velocities of the bodies at O in world axes.
  [[nodiscard]] const CommonFrame& frame() const noexcept { return bodies_.frame; }

  /// Accelerations from the forces F_k on the handles (as many as handles; at O in world axes).
  /// Bodies that share a link share a handle: their forces add. Cycle code.
  [[nodiscard]] DynamicsStatus disassemble(std::span<const Force> handle_forces,
                                           JointVector& vdot) noexcept;
  /// Both, without forces on the handles; by the kernel where uses_kernel. Cycle code.
  [[nodiscard]] DynamicsStatus run(const JointVector& q, const JointVector& v,
                                   const JointVector& tau, const ExternalLoads& extras,
                                   JointVector& vdot) noexcept;
  /// The same join by join, for every type of joint and every order. Cycle code.
  [[nodiscard]] DynamicsStatus run_reference(const JointVector& q, const JointVector& v,
                                             const JointVector& tau, const ExternalLoads& extras,
                                             JointVector& vdot) noexcept;
  /// Joints that the kernels know (docs/math/kernels.md), joined from the tips to the base, and no
  /// handles.
  [[nodiscard]] bool uses_kernel() const noexcept { return uses_kernel_; }

  /// F_Bo_B that the joint of a body exerts on it, active part included, after run or disassemble;
  /// a held body's too. Same as RNEA's. Cycle code.
  [[nodiscard]] Force joint_force(BodyIndex body) const noexcept;
  /// Spatial acceleration of a body at O in world axes, against gravity, after disassemble or
  /// run_reference; not a number after a run by the kernel, which has no O. Cycle code.
  [[nodiscard]] Motion acceleration(BodyIndex body) const noexcept;
  [[nodiscard]] const AssemblyPlan& plan() const noexcept { return bodies_.plan; }

 private:
  AdaBodies bodies_;
  KernelAda kernel_;
  bool has_fixed_joints_ = false;
  bool uses_kernel_ = false;
  bool ran_kernel_ = false;  // the last run
};

}  // namespace kagami::models
