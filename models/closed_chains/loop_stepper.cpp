#include "models/closed_chains/loop_stepper.hpp"

namespace kagami::models {

LoopStepper::LoopStepper(const Model& model)
    : source_(model, Algorithm::kCrba),
      first_order_(model, Scheme::kSemiImplicitEuler),
      fourth_order_(model, Scheme::kRk4) {}

LoopStatus LoopStepper::advance(Integrator& integrator, const JointVector& tau, double dt,
                                State& state) noexcept {
  source_.set_tau(tau);
  double t = 0.0;
  const StepStatus status = integrator.advance(source_, dt, t, state);
  if (status == StepStatus::kOk) return LoopStatus::kOk;
  return source_.status() == LoopStatus::kOk ? LoopStatus::kNotFinite : source_.status();
}

LoopStatus LoopStepper::semi_implicit(const JointVector& tau, double dt, State& state) noexcept {
  return advance(first_order_, tau, dt, state);
}

LoopStatus LoopStepper::runge_kutta_4(const JointVector& tau, double dt, State& state) noexcept {
  return advance(fourth_order_, tau, dt, state);
}

}  // namespace kagami::models
