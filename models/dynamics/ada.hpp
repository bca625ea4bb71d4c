/// Assembly-disassembly algorithm: joint accelerations and every joint's force, in any joint order.
#pragma once

#include <span>
#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/joint_assembly.hpp"
#include "models/dynamics/joint_assembly_plan.hpp"
#include "models/dynamics/kernel/assembly_kernel.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"

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
  [[nodiscard]] Motion ground_acceleration() const noexcept { return {frame_.a_ground}; }
  /// O in the world (m), poses and velocities of the bodies at O in world axes.
  [[nodiscard]] const CommonFrame& frame() const noexcept { return frame_; }

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
  [[nodiscard]] const AssemblyPlan& plan() const noexcept { return plan_; }

 private:
  // one joint of one degree of freedom between two one-handle bodies
  struct Single {
    Vec6 U = Vec6::Zero();
    double D = 0.0;
    double u = 0.0;
  };
  // the same with several
  struct Several {
    Eigen::Matrix<double, 6, 6> U = Mat6::Zero();
    Mat6 D_inverse = Mat6::Zero();
    Vec6 u = Vec6::Zero();
  };
  struct General {
    Mat6 L = Mat6::Zero();          // Phi_j^A + Phi_j^B = L L'
    Mat6 U = Mat6::Zero();          // L^-1 S
    Mat6 D_inverse = Mat6::Zero();  // (S' Y S + J)^-1
    Vec6 z = Vec6::Zero();          // L^-1 beta
    Vec6 qdd = Vec6::Zero();        // joint acceleration without handle forces
    Mat6 IA = Mat6::Zero();         // C alone where it has inertia form: more is added to it later
    Vec6 pA = Vec6::Zero();
  };
  struct Pair {
    Vec6 g_a = Vec6::Zero();
    Vec6 g_b = Vec6::Zero();
    double D = 0.0;
    double qdd = 0.0;
  };

  void start_links() noexcept;
  bool reduce_single(const JoinStep& s, int from, int into, double sign, double tau,
                     double J) noexcept;
  bool reduce_several(const JoinStep& s, int from, int into, double sign, const JointVector& tau,
                      const JointVector& J) noexcept;
  bool join_pair(const JoinStep& s, double tau, double J) noexcept;
  bool join_general(const JoinStep& s, const JointVector& tau, const JointVector& J) noexcept;
  void open_single(const JoinStep& s, int from, int into, double sign, JointVector& vdot) noexcept;
  void open_several(const JoinStep& s, int from, int into, double sign, JointVector& vdot) noexcept;
  void open_pair(const JoinStep& s, JointVector& vdot) noexcept;
  void open_general(const JoinStep& s, JointVector& vdot) noexcept;
  void hand_on(int side, bool keeps, int slot, const Vec6& F, const Vec6* kept) noexcept;
  DynamicsStatus run_kernel(const JointVector& q, const JointVector& v, const JointVector& tau,
                            const ExternalLoads& extras, JointVector& vdot) noexcept;
  Motion kernel_acceleration(BodyIndex body, Motion& V) const noexcept;
  Force kernel_force(BodyIndex body) const noexcept;
  void add_fixed_joint_forces_of_kernel(const JointVector& q, const ExternalLoads& extras) noexcept;

  const Model& model_;
  AssemblyPlan plan_;
  CommonFrame frame_;
  HandleStore store_;
  std::vector<Mat6> IA_;  // per articulated body of inertia form
  std::vector<Vec6> pA_;
  std::vector<Vec6> a_;           // per articulated body of inertia form: its handle's acceleration
  std::vector<Vec6> F_;           // per body: its joint's force on it, at O
  std::vector<Single> single_;    // per body
  std::vector<Several> several_;  // per body, where any joint has several degrees of freedom
  std::vector<Pair> pair_;        // per body, where any step is a pair
  std::vector<General> general_;  // per general step
  std::vector<Mat6> X_;           // per general step and handle of C: Phi_hj L^-T
  std::vector<Mat6> G_;           // the same times U
  bool has_fixed_joints_ = false;

  bool uses_kernel_ = false;
  bool ran_kernel_ = false;  // the last run: F_ is then at Bo in B, of the fixed joints alone
  kernel::Tree tree_;
  kernel::AssemblyKernel kernel_;
  std::vector<kernel::SlotPlace> slot_places_;
  std::vector<Pose> X_HB_;  // per body, in its host of the kernel
};

}  // namespace kagami::models
