/// Time steps of closed chains under given joint forces: ClosedChainDynamics by the integrators.
#pragma once

#include "models/base/types.hpp"
#include "models/closed_chains/closed_chain_dynamics.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {

/// One robot. The model must outlive it. No call allocates. tau is held over the step. A state that
/// is not closed at first: LoopDynamics::close and project_velocity. Without kOk the state stays as
/// it was.
class LoopStepper {
 public:
  explicit LoopStepper(const Model& model);

  /// Semi-implicit Euler, then the loops are closed and v is brought along them. Cycle code.
  [[nodiscard]] LoopStatus semi_implicit(const JointVector& tau, double dt, State& state) noexcept;
  /// Runge-Kutta of fourth order, each stage with its velocity along the loops; then the same.
  /// Cycle code.
  [[nodiscard]] LoopStatus runge_kutta_4(const JointVector& tau, double dt, State& state) noexcept;

  /// Rank, singular values, gap and wrenches of the last evaluation.
  [[nodiscard]] const LoopDynamics& dynamics() const noexcept { return source_.dynamics(); }
  [[nodiscard]] LoopDynamics& dynamics() noexcept { return source_.dynamics(); }

 private:
  LoopStatus advance(Integrator& integrator, const JointVector& tau, double dt,
                     State& state) noexcept;

  ClosedChainDynamics source_;
  Integrator first_order_;
  Integrator fourth_order_;
};

}  // namespace kagami::models
