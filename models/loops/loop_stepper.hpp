/// Time steps of closed chains that neither drift nor gain energy: any model, any loops.
#pragma once

#include "models/base/types.hpp"
#include "models/loops/loop_dynamics.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {

/// A step that ends with a larger gap than this (m or rad) has lost its loops: kOpen.
inline constexpr double kOpenGap = 1e-3;

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
  [[nodiscard]] const LoopDynamics& dynamics() const noexcept { return dynamics_; }
  [[nodiscard]] LoopDynamics& dynamics() noexcept { return dynamics_; }

 private:
  struct Rate {
    JointVector q;
    JointVector v;
  };
  LoopStatus rate(const JointVector& q, const JointVector& v, const JointVector& tau,
                  Rate& r) noexcept;
  LoopStatus settle(State& state) noexcept;

  const Model& model_;
  LoopDynamics dynamics_;
  Rate k_[4];
  State stage_;
  JointVector v_;
};

}  // namespace kagami::models
