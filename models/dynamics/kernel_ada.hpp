/// Assembly-disassembly algorithm from the tips to the base by the kernel.
#pragma once

#include <vector>

#include "models/dynamics/joint_assembly.hpp"
#include "models/dynamics/kernel/assembly_kernel.hpp"

namespace kagami::models {

/// One robot. The model must outlive it.
class KernelAda {
 public:
  explicit KernelAda(const Model& model);

  /// Joints that the kernels know (docs/math/kernels.md).
  [[nodiscard]] bool usable() const noexcept { return tree_.usable; }
  /// vdot from q, v, tau, which check_inputs has passed; usable() holds. Cycle code.
  [[nodiscard]] DynamicsStatus run(const JointVector& q, const JointVector& v,
                                   const JointVector& tau, const ExternalLoads& extras,
                                   JointVector& vdot) noexcept;
  /// F_Bo_B that the joint of a body exerts on it, after run. Cycle code.
  [[nodiscard]] Force joint_force(BodyIndex body) const noexcept;

 private:
  [[nodiscard]] bool is_fixed(BodyIndex body) const noexcept {
    return num_v(model_.body(body).joint.type) == 0;
  }
  Motion acceleration(BodyIndex body, Motion& V) const noexcept;
  void add_fixed_joint_forces(const JointVector& q, const ExternalLoads& extras) noexcept;

  const Model& model_;
  kernel::Tree tree_;
  kernel::AssemblyKernel kernel_;
  std::vector<kernel::SlotPlace> slot_places_;
  std::vector<Pose> X_HB_;  // per body, in its host of the kernel
  bool has_fixed_joints_ = false;
  std::vector<Force> F_fixed_;  // per body, of a fixed joint: F_Bo_B
};

}  // namespace kagami::models
