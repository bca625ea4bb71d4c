// The assembled tree shows at its handles a_h = sum_k Phi_hk F_k + B_h, Eq. (2.4) of the thesis. A
// loop joint presses with T lambda on body a and with -T lambda on body b, T at O in world axes:
//   T' (a_a - a_b) + Tdot' (V_a - V_b) = 0,  Tdot = V_a x* T + its change in L   (assembly-1)
//   A = T' (Phi_aa - Phi_ab - Phi_ba + Phi_bb) T over all pairs of loops         (assembly-2)
//   A lambda = -c,  c = T' (B_a - B_b) + Tdot' V                                 (assembly-3)
// This is the matrix of (3.27): for the planar four-bar in space it has no inverse. It is solved by
// rank instead, with the smallest lambda.
#include "models/closed_chains/loop_assembly.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

constexpr double kRankSquared = 1e-11;
constexpr double kContradiction = 1e-4;
// quotient of singular values of A from which on rounding takes less than 1e-11
constexpr double kExact = 1e-4;
constexpr int kRounds = 2;

// index of a body among the handles, added when new; -1: it is at rest
int handle_of(const Model& model, BodyIndex body, std::vector<BodyIndex>& handles) {
  if (body == kWorld || model.body(body).held) return -1;
  const auto found = std::find(handles.begin(), handles.end(), body);
  if (found != handles.end()) return static_cast<int>(found - handles.begin());
  handles.push_back(body);
  return static_cast<int>(handles.size()) - 1;
}

std::vector<BodyIndex> handles_of(const Model& model) {
  std::vector<BodyIndex> handles;
  for (const Loop& loop : model.loops()) {
    handle_of(model, loop.body_a, handles);
    handle_of(model, loop.body_b, handles);
  }
  return handles;
}

}  // namespace

LoopAssembly::LoopAssembly(const Model& model)
    : model_(model),
      handles_(handles_of(model)),
      loops_(model),
      ada_(model, {}, handles_),
      svd_(model.num_loop_constraints(), model.num_loop_constraints()),
      T_(idx(model.num_loop_constraints()), Vec6::Zero()),
      c_(Eigen::VectorXd::Zero(model.num_loop_constraints())),
      lambda_(c_),
      F_(handles_.size(), Force::zero()),
      vdot_(JointVector::Zero(model.num_v())) {
  for (const Loop& loop : model.loops()) {
    const auto l = static_cast<int>(handle_a_.size());
    handle_a_.push_back(handle_of(model, loop.body_a, handles_));
    handle_b_.push_back(handle_of(model, loop.body_b, handles_));
    loop_of_.insert(loop_of_.end(), idx(loop.num_constraints), l);
  }
}

// Phi_hk F, zero where either is at rest
Vec6 LoopAssembly::answer(int h, int k, const Vec6& F) const noexcept {
  if (h < 0 || k < 0) return Vec6::Zero();
  return ada_.phi(h, k) * F;
}

void LoopAssembly::fill_equations() noexcept {
  const CommonFrame& w = ada_.frame();
  const auto velocity = [&](BodyIndex body) {
    return body == kWorld ? Motion::zero() : Motion{w.V[idx(body)]};
  };
  const auto bias = [&](int h) { return h < 0 ? ada_.ground_acceleration() : ada_.bias(h); };
  for (int r = 0; r < c_.size(); ++r) {
    const int l = loop_of_[idx(r)];
    const Loop& loop = model_.loops()[idx(l)];
    const Force T = w.X_OB[idx(loop.body_a)] * (loop.X_AL * loops_.T[idx(r)]);
    const Force Tdot_L = w.X_OB[idx(loop.body_a)] * (loop.X_AL * loops_.Tdot[idx(r)]);
    const Motion V_a = velocity(loop.body_a);
    T_[idx(r)] = T.c;
    c_[r] = power(bias(handle_a_[idx(l)]) - bias(handle_b_[idx(l)]), T) +
            power(V_a - velocity(loop.body_b), cross(V_a, T) + Tdot_L);  // (assembly-3)
  }
  for (int s = 0; s < c_.size(); ++s) {
    const int k_a = handle_a_[idx(loop_of_[idx(s)])];
    const int k_b = handle_b_[idx(loop_of_[idx(s)])];
    const Vec6& T = T_[idx(s)];
    for (int r = 0; r < c_.size(); ++r) {
      const int h_a = handle_a_[idx(loop_of_[idx(r)])];
      const int h_b = handle_b_[idx(loop_of_[idx(r)])];
      const Vec6 a =
          answer(h_a, k_a, T) - answer(h_a, k_b, T) - answer(h_b, k_a, T) + answer(h_b, k_b, T);
      svd_.U(r, s) = T_[idx(r)].dot(a);  // (assembly-2)
    }
  }
}

// A and its rank; false when the equations contradict each other
bool LoopAssembly::factor() noexcept {
  svd_.factor();
  const auto m = static_cast<int>(c_.size());
  rank_ = 0;
  while (rank_ < m && rank_ < most_ && svd_.sigma[rank_] > kRankSquared * svd_.sigma[0]) ++rank_;
  const double size = c_.norm();
  // A is symmetric: what V leaves out spans what no force can do
  for (int i = rank_; i < m; ++i) {
    if (std::abs(svd_.V.col(i).dot(c_)) > kContradiction * size + 1e-9) return false;
  }
  return true;
}

// lambda -= A^+ c
void LoopAssembly::add_multipliers() noexcept {
  for (int i = 0; i < rank_; ++i) {
    lambda_ -= svd_.V.col(i) * (svd_.U.col(i).dot(c_) / svd_.sigma[i]);
  }
}

DynamicsStatus LoopAssembly::disassemble(JointVector& vdot) noexcept {
  for (Force& F : F_) F = Force::zero();
  for (int r = 0; r < c_.size(); ++r) {
    const int l = loop_of_[idx(r)];
    if (handle_a_[idx(l)] >= 0) F_[idx(handle_a_[idx(l)])].c += T_[idx(r)] * lambda_[r];
    if (handle_b_[idx(l)] >= 0) F_[idx(handle_b_[idx(l)])].c -= T_[idx(r)] * lambda_[r];
  }
  return ada_.disassemble(F_, vdot);
}

// ours: (assembly-3) again, for what J vdot + k has left
LoopStatus LoopAssembly::refine(JointVector& vdot) noexcept {
  for (int round = 0; round < kRounds; ++round) {
    c_ = loops_.k;
    c_.noalias() += loops_.J * vdot;
    add_multipliers();
    if (disassemble(vdot) != DynamicsStatus::kOk) return LoopStatus::kNotFinite;
  }
  return LoopStatus::kOk;
}

LoopStatus LoopAssembly::run(const JointVector& q, const JointVector& v, const JointVector& tau,
                             const ExternalLoads& extras, JointVector& vdot) noexcept {
  const DynamicsStatus open = ada_.assemble(q, v, tau, extras);
  if (open == DynamicsStatus::kNotFinite || open == DynamicsStatus::kBadInput)
    return LoopStatus::kNotFinite;
  if (open != DynamicsStatus::kOk) return LoopStatus::kNoInertia;
  place_loops(model_, q, loops_);
  move_loops(model_, q, v, loops_);
  fill_equations();
  if (!factor()) return LoopStatus::kOverConstrained;
  lambda_.setZero();
  add_multipliers();
  if (disassemble(vdot_) != DynamicsStatus::kOk) return LoopStatus::kNotFinite;
  if (rank_ > 0 && svd_.sigma[rank_ - 1] < kExact * svd_.sigma[0]) {
    const LoopStatus status = refine(vdot_);
    if (status != LoopStatus::kOk) return status;
  }
  vdot = vdot_;
  return LoopStatus::kOk;
}

Force LoopAssembly::force_in_L(int loop) const noexcept {
  Force F = Force::zero();
  for (int r = 0; r < c_.size(); ++r) {
    if (loop_of_[idx(r)] == loop) F += loops_.T[idx(r)] * lambda_[r];
  }
  return F;
}

Force LoopAssembly::wrench(int loop) const noexcept {
  return Pose{loop_pose(model_, loops_, loop).R, Vec3::Zero()} * force_in_L(loop);
}

void LoopAssembly::add_forces(std::span<Force> F_ext) const noexcept {
  for (int l = 0; l < static_cast<int>(model_.loops().size()); ++l) {
    add_loop_force(model_, loops_, l, force_in_L(l), F_ext);
  }
}

}  // namespace kagami::models
