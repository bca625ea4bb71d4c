/// Loops by the thesis's multi-handle assembly: ADA's handle inertias where the loops take hold.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "models/base/types.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/closed_chains/loop_kinematics.hpp"
#include "models/closed_chains/rank_revealing.hpp"
#include "models/dynamics/ada.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Same accelerations and loop forces as LoopDynamics, without a mass matrix: O(n) in the tree plus
/// the loops' equations. The model must outlive it. No call allocates. Here the matrix of the
/// loops' inverse inertia itself is factored, the square of LoopDynamics's: rank is decided at 3e-6
/// of the largest singular value, and what the square costs in digits near a singular pose is won
/// back by refinement.
class LoopAssembly {
 public:
  explicit LoopAssembly(const Model& model);

  /// vdot; v must be along the loops. Cycle code.
  [[nodiscard]] LoopStatus run(const JointVector& q, const JointVector& v, const JointVector& tau,
                               const ExternalLoads& extras, JointVector& vdot) noexcept;

  /// As LoopDynamics::limit_rank. Cycle code.
  void limit_rank(int most) noexcept { most_ = most; }
  /// Independent equations at the last q.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Force of a loop joint on body a, about Lo, axes of the world (N m, N).
  [[nodiscard]] Force wrench(int loop) const noexcept;
  /// As LoopDynamics::multipliers.
  [[nodiscard]] const Eigen::VectorXd& multipliers() const noexcept { return lambda_; }
  /// As LoopDynamics::add_forces. Cycle code.
  void add_forces(std::span<Force> F_ext) const noexcept;
  /// The assembly: forces of the tree's joints, accelerations of bodies.
  [[nodiscard]] const Ada& ada() const noexcept { return ada_; }

 private:
  [[nodiscard]] Force force_in_L(int loop) const noexcept;
  [[nodiscard]] Vec6 answer(int h, int k, const Vec6& F) const noexcept;
  void fill_equations() noexcept;
  bool factor() noexcept;
  void add_multipliers() noexcept;
  DynamicsStatus disassemble(JointVector& vdot) noexcept;
  LoopStatus refine(JointVector& vdot) noexcept;

  const Model& model_;
  std::vector<BodyIndex> handles_;
  std::vector<int> handle_a_;  // per loop, -1: it is at rest
  std::vector<int> handle_b_;
  std::vector<int> loop_of_;  // per row
  LoopKinematics loops_;
  Ada ada_;
  RankRevealing svd_;
  std::vector<Vec6> T_;  // per row, at O
  Eigen::VectorXd c_;    // what the multipliers must undo
  Eigen::VectorXd lambda_;
  std::vector<Force> F_;  // per handle
  JointVector vdot_;
  int rank_ = 0;
  int most_ = LoopDynamics::kAnyRank;
};

}  // namespace kagami::models
