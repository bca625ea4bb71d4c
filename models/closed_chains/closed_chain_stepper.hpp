/// Time steps of closed chains: by a planar kernel where the model allows it, else by LoopStepper.
#pragma once

#include <optional>

#include "models/base/types.hpp"
#include "models/closed_chains/loop_stepper.hpp"
#include "models/closed_chains/planar_chain.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {

/// One robot. The model must outlive it. No call allocates. tau is held over the step. Near a
/// singular pose a planar chain takes LoopStepper's steps.
class ClosedChainStepper {
 public:
  explicit ClosedChainStepper(const Model& model);

  /// First order. The planar kernel evaluates once: v at the end closes the loops to third order in
  /// dt at the end of the step, and takes up the gap that the last step left. Cycle code.
  [[nodiscard]] LoopStatus semi_implicit(const JointVector& tau, double dt, State& state) noexcept;
  /// Runge-Kutta of fourth order with projection of positions and velocities. Cycle code.
  [[nodiscard]] LoopStatus runge_kutta_4(const JointVector& tau, double dt, State& state) noexcept;

  /// True when the planar kernel serves.
  [[nodiscard]] bool is_planar() const noexcept { return planar_.has_value(); }
  /// Steps that LoopStepper had to take for the kernel so far.
  [[nodiscard]] long general_steps() const noexcept { return general_steps_; }

 private:
  bool planar_semi_implicit(const JointVector& tau, double dt, State& state) noexcept;
  bool planar_runge_kutta_4(const JointVector& tau, double dt, State& state) noexcept;

  std::optional<PlanarModel> planar_;
  PlanarWork work_{};
  LoopStepper general_;
  long general_steps_ = 0;
};

}  // namespace kagami::models
