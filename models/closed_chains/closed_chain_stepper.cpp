// Steps of a planar closed chain. With G the gaps, J their Jacobian, k = Jdot v:
//   v+ = v + dt H^-1 (tau - b) + H^-1 J' mu,   q+ = q + dt v+
//   J v+ = -G / dt - dt k / 2                                   (step-1)
// then G(q+) = O(dt^3): the second-order gap of a straight step is taken back within it, and what
// is left is taken up by the next. v+ is along the loops at the middle of the step.
// Fourth order: at the start v is brought along the loops, at the end q is brought onto them with
// the factors of the last stage, which is O(dt^3) away from q+.
#include "models/closed_chains/closed_chain_stepper.hpp"

#include <cmath>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

using Rows = std::array<double, kMaxPlanarRows>;

void load(const JointVector& from, int n, PlanarVector& to) noexcept {
  for (int i = 0; i < n; ++i) to[idx(i)] = from[i];
}

double row_times(const PlanarModel& m, const PlanarWork& w, int row,
                 const PlanarVector& v) noexcept {
  double sum = 0.0;
  for (int i = 0; i < m.links; ++i) sum += w.J[idx(row)][idx(i)] * v[idx(i)];
  return sum;
}

// vdot after evaluate
void acceleration(const PlanarModel& m, const PlanarWork& w, PlanarVector& vdot) noexcept {
  Rows r{};
  for (int i = 0; i < m.rows; ++i) r[idx(i)] = -w.k[idx(i)] - row_times(m, w, i, w.free);
  vdot = w.free;
  move_to(m, w, r, vdot);
}

// v along the loops, after evaluate
void along(const PlanarModel& m, const PlanarWork& w, PlanarVector& v) noexcept {
  Rows r{};
  for (int i = 0; i < m.rows; ++i) r[idx(i)] = -row_times(m, w, i, v);
  move_to(m, w, r, v);
}

// false: no step of ours has left these gaps
bool closed(const PlanarModel& m, const PlanarWork& w) noexcept {
  for (int i = 0; i < m.rows; ++i) {
    if (!(std::abs(w.e[idx(i)]) <= kOpenGap)) return false;
  }
  return true;
}

// q onto the loops, with the factors of a pose close by
void onto(const PlanarModel& m, PlanarWork& w, PlanarVector& q) noexcept {
  evaluate_gaps(m, q, w);
  Rows r{};
  for (int i = 0; i < m.rows; ++i) r[idx(i)] = -w.e[idx(i)];
  move_to(m, w, r, q);
}

bool finite(const PlanarVector& x, int n) noexcept {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[idx(i)];
  return std::isfinite(sum);
}

}  // namespace

ClosedChainStepper::ClosedChainStepper(const Model& model)
    : planar_(planar_model(model)), general_(model) {}

bool ClosedChainStepper::planar_semi_implicit(const JointVector& tau, double dt,
                                              State& state) noexcept {
  const PlanarModel& m = *planar_;
  PlanarVector q{};
  PlanarVector v{};
  PlanarVector t{};
  load(state.q, m.links, q);
  load(state.v, m.links, v);
  load(tau, m.links, t);
  if (!evaluate(m, q, v, t, work_) || !closed(m, work_)) return false;
  for (int i = 0; i < m.links; ++i) v[idx(i)] += dt * work_.free[idx(i)];
  Rows r{};
  for (int i = 0; i < m.rows; ++i) {
    const double wanted = -work_.e[idx(i)] / dt - 0.5 * dt * work_.k[idx(i)];  // (step-1)
    r[idx(i)] = wanted - row_times(m, work_, i, v);
  }
  move_to(m, work_, r, v);
  if (!finite(v, m.links)) return false;
  for (int i = 0; i < m.links; ++i) {
    state.v[i] = v[idx(i)];
    state.q[i] += dt * v[idx(i)];
  }
  return true;
}

bool ClosedChainStepper::planar_runge_kutta_4(const JointVector& tau, double dt,
                                              State& state) noexcept {
  const PlanarModel& m = *planar_;
  PlanarVector q{};
  PlanarVector v{};
  PlanarVector t{};
  load(state.q, m.links, q);
  load(state.v, m.links, v);
  load(tau, m.links, t);
  PlanarVector stage_q = q;
  PlanarVector stage_v = v;
  PlanarVector sum_q{};
  PlanarVector sum_v{};
  PlanarVector a{};
  constexpr double kWeight[4] = {1.0, 2.0, 2.0, 1.0};
  for (int s = 0; s < 4; ++s) {
    if (!evaluate(m, stage_q, stage_v, t, work_)) return false;
    if (s == 0) {
      along(m, work_, v);
      stage_v = v;
    }
    acceleration(m, work_, a);
    const double h = s < 2 ? 0.5 * dt : dt;
    for (int i = 0; i < m.links; ++i) {
      sum_q[idx(i)] += kWeight[s] * stage_v[idx(i)];
      sum_v[idx(i)] += kWeight[s] * a[idx(i)];
      stage_q[idx(i)] = q[idx(i)] + h * stage_v[idx(i)];
      stage_v[idx(i)] = v[idx(i)] + h * a[idx(i)];
    }
  }
  for (int i = 0; i < m.links; ++i) {
    q[idx(i)] += dt / 6.0 * sum_q[idx(i)];
    v[idx(i)] += dt / 6.0 * sum_v[idx(i)];
  }
  onto(m, work_, q);
  if (!closed(m, work_) || !finite(q, m.links) || !finite(v, m.links)) return false;
  for (int i = 0; i < m.links; ++i) {
    state.q[i] = q[idx(i)];
    state.v[i] = v[idx(i)];
  }
  return true;
}

LoopStatus ClosedChainStepper::semi_implicit(const JointVector& tau, double dt,
                                             State& state) noexcept {
  if (planar_ && planar_semi_implicit(tau, dt, state)) return LoopStatus::kOk;
  ++general_steps_;
  return general_.semi_implicit(tau, dt, state);
}

LoopStatus ClosedChainStepper::runge_kutta_4(const JointVector& tau, double dt,
                                             State& state) noexcept {
  if (planar_ && planar_runge_kutta_4(tau, dt, state)) return LoopStatus::kOk;
  ++general_steps_;
  return general_.runge_kutta_4(tau, dt, state);
}

}  // namespace kagami::models
