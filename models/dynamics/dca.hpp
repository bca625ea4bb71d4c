/// Divide-and-conquer algorithm with a fixed balanced binary assembly tree.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/joint_assembly.hpp"
#include "models/dynamics/joint_assembly_plan.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Every articulated body in Phi form, every joint by (2.38): the plain statement of the method,
/// kept apart from Ada's short cuts so that each checks the other. No call allocates. The model
/// must outlive it. Equal order: equal bits.
class Dca {
 public:
  /// As Ada's.
  explicit Dca(const Model& model, const AssemblyOrder& order = {});

  /// vdot from q, v, tau. Cycle code.
  [[nodiscard]] DynamicsStatus run(const JointVector& q, const JointVector& v,
                                   const JointVector& tau, const ExternalLoads& extras,
                                   JointVector& vdot) noexcept;
  /// F_Bo_B that the joint of a body exerts on it, after run. Cycle code.
  [[nodiscard]] Force joint_force(BodyIndex body) const noexcept;
  [[nodiscard]] const AssemblyPlan& plan() const noexcept { return plan_; }

 private:
  struct Joined {
    Mat6 W = Mat6::Zero();
    Mat6 YSD = Mat6::Zero();  // Y S (S' Y S + J)^-1
    Vec6 gamma = Vec6::Zero();
    Vec6 beta = Vec6::Zero();
    Mat6 D_inverse = Mat6::Zero();
  };

  bool start_links() noexcept;
  bool join(const JoinStep& s, const JointVector& tau, const JointVector& J) noexcept;
  void add_handles(const JoinStep& s) noexcept;
  void open(const JoinStep& s, const JointVector& tau, JointVector& vdot) noexcept;

  const Model& model_;
  AssemblyPlan plan_;
  CommonFrame frame_;
  HandleStore store_;
  std::vector<Mat6> IA_;
  std::vector<Vec6> pA_;
  std::vector<Vec6> a_;         // per link
  std::vector<Vec6> F_;         // per body, at O
  std::vector<Joined> joined_;  // per general step
};

}  // namespace kagami::models
