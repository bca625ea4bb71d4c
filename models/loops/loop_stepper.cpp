// Runge-Kutta on the loops' manifold. A stage evaluates f(q, P(q) v), P the projection along the
// loops: another vector field off the manifold, the same on it, so the order stays 4.
// Semi-implicit: q+ = q + dt v+ with v+ = v + dt H^-1 (tau - b + J' lambda) closed at q+, as SHAKE
// does it, where lambda takes J v+ = -dt k / 2 at first; the projection of v at either end changes
// nothing of that. Taking J v+ = -dt k, v along the loops at the start, would gain energy with
// every step.
#include "models/loops/loop_stepper.hpp"

namespace kagami::models {
namespace {

constexpr int kProjectionRounds = 3;

void normalize(const Model& model, JointVector& q) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    normalize_joint(model.body(i).joint, q.data() + model.body(i).q_index);
  }
}

}  // namespace

LoopStepper::LoopStepper(const Model& model)
    : model_(model), dynamics_(model), stage_(neutral_state(model)), v_(stage_.v) {
  for (Rate& k : k_) k = {stage_.q, stage_.v};
}

LoopStatus LoopStepper::rate(const JointVector& q, const JointVector& v, const JointVector& tau,
                             Rate& r) noexcept {
  const LoopStatus status = dynamics_.factor(q);
  if (status != LoopStatus::kOk) return status;
  v_ = v;
  dynamics_.project_velocity(v_, true);
  for (int i = 0; i < model_.num_bodies(); ++i) {
    const Body& b = model_.body(i);
    joint_q_rate(b.joint, q.data() + b.q_index, v_.data() + b.v_index, r.q.data() + b.q_index);
  }
  return dynamics_.accelerate(q, v_, tau, Extras{}, r.v);
}

LoopStatus LoopStepper::settle(State& state) noexcept {
  const LoopStatus status = dynamics_.project_position(kProjectionRounds, stage_.q);
  if (status != LoopStatus::kOk) return status;
  if (!(dynamics_.gap() <= kOpenGap)) return LoopStatus::kOpen;
  dynamics_.project_velocity(stage_.v, true);
  state.q = stage_.q;
  state.v = stage_.v;
  return status;
}

LoopStatus LoopStepper::semi_implicit(const JointVector& tau, double dt, State& state) noexcept {
  const LoopStatus status = rate(state.q, state.v, tau, k_[0]);
  if (status != LoopStatus::kOk) return status;
  dynamics_.straighten(state.q, v_, k_[0].v);
  stage_.q = state.q;
  stage_.v = state.v + dt * k_[0].v;
  integrate(model_, stage_.v, dt, stage_.q);
  return settle(state);
}

LoopStatus LoopStepper::runge_kutta_4(const JointVector& tau, double dt, State& state) noexcept {
  LoopStatus status = rate(state.q, state.v, tau, k_[0]);
  for (int i = 1; i < 4 && status == LoopStatus::kOk; ++i) {
    const double h = i < 3 ? 0.5 * dt : dt;
    stage_.q = state.q + h * k_[i - 1].q;
    stage_.v = state.v + h * k_[i - 1].v;
    normalize(model_, stage_.q);
    status = rate(stage_.q, stage_.v, tau, k_[i]);
  }
  if (status != LoopStatus::kOk) return status;
  stage_.q = state.q + dt / 6.0 * (k_[0].q + 2.0 * (k_[1].q + k_[2].q) + k_[3].q);
  stage_.v = state.v + dt / 6.0 * (k_[0].v + 2.0 * (k_[1].v + k_[2].v) + k_[3].v);
  normalize(model_, stage_.q);
  return settle(state);
}

}  // namespace kagami::models
