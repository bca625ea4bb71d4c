/// Closed chains for the integrators: forward dynamics with loops, chosen by name.
#pragma once

#include <memory>
#include <span>

#include "models/base/types.hpp"
#include "models/closed_chains/loop_assembly.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/dynamics/motion_residual.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {

/// A model with loops (or none) under constant joint forces. The model must outlive it. No call
/// allocates. Projections are LoopDynamics's with either algorithm.
class ClosedChainDynamics final : public AccelerationSource {
 public:
  /// kCrba: multipliers on the mass matrix, the reference. kAda: multi-handle assembly. ConfigError
  /// that names these two for any other.
  ClosedChainDynamics(const Model& model, Algorithm algorithm,
                      const LoopTolerances& tolerances = {});

  /// N m, N; one per degree of freedom. At first zero.
  void set_tau(const JointVector& tau) noexcept { tau_ = tau; }
  /// F_Bo_B of the surroundings on each body, borrowed; empty = none.
  void set_forces(std::span<const Force> F_ext) noexcept { F_ext_ = F_ext; }

  /// v as it is. Cycle code.
  [[nodiscard]] bool acceleration(double t, const JointVector& q, const JointVector& v,
                                  JointVector& vdot) noexcept override;
  /// v brought along the loops. Cycle code.
  [[nodiscard]] bool rate(double t, const JointVector& q, JointVector& v,
                          JointVector& vdot) noexcept override;
  /// The same for a straight step, see LoopDynamics::straighten. Cycle code.
  [[nodiscard]] bool straight_rate(double t, const JointVector& q, JointVector& v,
                                   JointVector& vdot) noexcept override;
  /// Closes what a step has opened. Cycle code.
  [[nodiscard]] bool settle(State& state) noexcept override;

  /// Why a call returned false: kOk when none did.
  [[nodiscard]] LoopStatus status() const noexcept { return status_; }
  /// Force of a loop joint on body a at the last acceleration, about Lo, axes of the world (N m,
  /// N).
  [[nodiscard]] Force wrench(int loop) const noexcept;
  /// Adds the loops' forces to F_ext, F_Bo_B per body, as LoopDynamics::add_forces. Cycle code.
  void add_forces(std::span<Force> F_ext) const noexcept;
  [[nodiscard]] int num_loops() const noexcept { return static_cast<int>(model_.loops().size()); }
  /// The algorithm of the last acceleration: crba also where ada's answer left more than rounding
  /// of the equations of motion or of the loops, as with light links.
  [[nodiscard]] Algorithm ran() const noexcept { return ran_; }
  /// Independent equations, as the algorithm counts them.
  [[nodiscard]] int rank() const noexcept;
  /// Gap, singular values, mass matrix at the last q; close and project_velocity for a start.
  [[nodiscard]] LoopDynamics& dynamics() noexcept { return dynamics_; }
  [[nodiscard]] const LoopDynamics& dynamics() const noexcept { return dynamics_; }

 private:
  bool accelerate(const JointVector& q, const JointVector& v, JointVector& vdot) noexcept;
  bool accelerate_at(const JointVector& q, const JointVector& v, JointVector& vdot) noexcept;
  [[nodiscard]] bool at_crossing() const noexcept;
  bool interpolate(const JointVector& q, const JointVector& v) noexcept;
  bool add_neighbour(const JointVector& q, const JointVector& v, double seconds,
                     double weight) noexcept;
  void start_step(int rank) noexcept;
  void limit_rank(int most) noexcept;
  bool assemble(const JointVector& q, const JointVector& v, JointVector& vdot) noexcept;

  const Model& model_;
  LoopDynamics dynamics_;
  std::unique_ptr<LoopAssembly> assembly_;  // null: dynamics_ serves
  MotionResidual residual_;                 // of the assembly's answers
  std::vector<Force> F_all_;                // F_ext_ and the loops' forces
  JointVector assembled_;
  Algorithm ran_;
  bool forces_of_assembly_ = false;  // of the last acceleration, else dynamics_ has them
  bool step_starts_ = true;          // the next rate is that of a step's start
  int most_ = LoopDynamics::kAnyRank;
  int rank_before_ = 0;  // at the start of the step before
  int rank_near_ = 0;    // of the neighbours that the last acceleration was interpolated from
  // interpolation: sums over the neighbours, and the neighbour
  JointVector v_sum_;
  Eigen::VectorXd multipliers_sum_;
  State near_;
  JointVector vdot_near_;
  JointVector tau_;
  std::span<const Force> F_ext_;
  LoopStatus status_ = LoopStatus::kOk;
};

}  // namespace kagami::models
