/// Inverse dynamics of closed chains in independent coordinates, which are chosen by rank.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "models/base/types.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/closed_chains/rank_revealing.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// One robot. The model must outlive it. No call allocates. Of n degrees of freedom, n - rank are
/// independent: the motion of the others follows from the loops. Without loops all are.
class LoopInverse {
 public:
  /// Every degree of freedom is actuated but those of floating joints.
  explicit LoopInverse(const Model& model);
  /// One entry per degree of freedom. Throws ConfigError for another number of entries.
  LoopInverse(const Model& model, std::vector<bool> actuated);

  /// Loops and independent coordinates at q: where the loops leave the choice, actuated ones. The
  /// choice may differ from one q to the next. Cycle code.
  [[nodiscard]] LoopStatus factor(const JointVector& q) noexcept;
  /// Indices into v, rising; after factor.
  [[nodiscard]] std::span<const int> independent() const noexcept;
  /// True for a degree of freedom that the loops hold still at this pose; after factor.
  [[nodiscard]] bool is_held(int dof) const noexcept;

  /// v along the loops from that of the independent coordinates; after factor. Cycle code.
  void velocities(const JointVector& v_independent, JointVector& v) const noexcept;
  /// vdot from that of the independent coordinates, v along the loops; after factor at the same q.
  /// Cycle code.
  [[nodiscard]] LoopStatus accelerations(const JointVector& q, const JointVector& v,
                                         const JointVector& vdot_independent,
                                         JointVector& vdot) noexcept;
  /// After factor at the same q: vdot, the forces tau of the actuated coordinates that give it (N
  /// m, N; of all that do those with the smallest sum of squares; 0 on the others), and the loops'
  /// forces. kUnderActuated where none do: outputs untouched. Cycle code.
  [[nodiscard]] LoopStatus run(const JointVector& q, const JointVector& v,
                               const JointVector& vdot_independent, const ExternalLoads& extras,
                               JointVector& vdot, JointVector& tau) noexcept;

  /// Of the last run: wrenches, add_forces. Of the last factor: rank, gap, singular values.
  [[nodiscard]] const LoopDynamics& dynamics() const noexcept { return dynamics_; }

 private:
  void choose() noexcept;
  [[nodiscard]] double pivot(int from, bool actuated, int& row, int& column) const noexcept;
  void eliminate(int step, int row, int column) noexcept;
  bool distribute(const JointVector& needed, JointVector& tau) noexcept;

  const Model& model_;
  std::vector<bool> actuated_;
  LoopDynamics dynamics_;
  RneaWorkspace rnea_;
  RankRevealing svd_;      // rows of N that are actuated
  Eigen::MatrixXd R_;      // equations, reduced: identity in the columns of dependent_
  Eigen::MatrixXd solve_;  // what the elimination did, to bring the right sides along
  Eigen::VectorXd r_;
  Eigen::MatrixXd N_;  // v = N v_independent
  Eigen::VectorXd generalized_;
  Eigen::VectorXd part_;
  JointVector zero_;
  JointVector vdot_;
  JointVector needed_;
  JointVector tau_;
  std::vector<int> dependent_;    // per equation
  std::vector<int> independent_;  // the first num_independent_
  std::vector<bool> is_dependent_;
  int num_independent_ = 0;
};

}  // namespace kagami::models
