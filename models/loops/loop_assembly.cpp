// The assembled tree shows at its handles a_h = sum_k Phi_hk F_k + B_h, Eq. (2.4) of the thesis. A
// loop joint presses with T lambda on body a and with -T lambda on body b, T at O in world axes:
//   T' (a_a - a_b) + Tdot' (V_a - V_b) = 0,  Tdot = V_a x* T + its change in L   (assembly-1)
//   A = T' (Phi_aa - Phi_ab - Phi_ba + Phi_bb) T over all pairs of loops         (assembly-2)
//   A lambda = -c,  c = T' (B_a - B_b) + Tdot' V                                 (assembly-3)
// This is the matrix of (3.27): for the planar four-bar in space it has no inverse. It is solved by
// rank instead, with the smallest lambda.
#include "models/loops/loop_assembly.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::models {
namespace {

constexpr double kRankSquared = 1e-11;
constexpr double kContradiction = 1e-4;

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

// index of a body among the handles, added when new
int handle_of(BodyIndex body, std::vector<BodyIndex>& handles) {
  if (body == kWorld) return -1;
  const auto found = std::find(handles.begin(), handles.end(), body);
  if (found != handles.end()) return static_cast<int>(found - handles.begin());
  handles.push_back(body);
  return static_cast<int>(handles.size()) - 1;
}

std::vector<BodyIndex> handles_of(const Model& model) {
  std::vector<BodyIndex> handles;
  for (const Loop& loop : model.loops()) {
    handle_of(loop.body_a, handles);
    handle_of(loop.body_b, handles);
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
      T_(at(model.num_loop_constraints()), Vec6::Zero()),
      c_(Eigen::VectorXd::Zero(model.num_loop_constraints())),
      lambda_(c_),
      F_(handles_.size(), Force::zero()) {
  for (const Loop& loop : model.loops()) {
    const auto l = static_cast<int>(handle_a_.size());
    handle_a_.push_back(handle_of(loop.body_a, handles_));
    handle_b_.push_back(handle_of(loop.body_b, handles_));
    loop_of_.insert(loop_of_.end(), at(loop.num_constraints), l);
  }
}

void LoopAssembly::fill_equations() noexcept {
  const CommonFrame& w = ada_.frame();
  for (int r = 0; r < c_.size(); ++r) {
    const int l = loop_of_[at(r)];
    const Loop& loop = model_.loops()[at(l)];
    const int a = handle_a_[at(l)];
    const int b = handle_b_[at(l)];
    const Force T = w.X_OB[at(loop.body_a)] * (loop.X_AL * loops_.T[at(r)]);
    const Force Tdot_L = w.X_OB[at(loop.body_a)] * (loop.X_AL * loops_.Tdot[at(r)]);
    const Motion V_a{w.V[at(loop.body_a)]};
    const Motion V_b = b < 0 ? Motion::zero() : Motion{w.V[at(loop.body_b)]};
    const Motion B_b = b < 0 ? ada_.ground_acceleration() : ada_.bias(b);
    T_[at(r)] = T.c;
    c_[r] =
        power(ada_.bias(a) - B_b, T) + power(V_a - V_b, cross(V_a, T) + Tdot_L);  // (assembly-3)
  }
  for (int s = 0; s < c_.size(); ++s) {
    const int k = loop_of_[at(s)];
    for (int r = 0; r < c_.size(); ++r) {
      const int l = loop_of_[at(r)];
      Vec6 a = ada_.phi(handle_a_[at(l)], handle_a_[at(k)]) * T_[at(s)];  // (assembly-2)
      if (handle_b_[at(k)] >= 0) a -= ada_.phi(handle_a_[at(l)], handle_b_[at(k)]) * T_[at(s)];
      if (handle_b_[at(l)] >= 0) {
        a -= ada_.phi(handle_b_[at(l)], handle_a_[at(k)]) * T_[at(s)];
        if (handle_b_[at(k)] >= 0) a += ada_.phi(handle_b_[at(l)], handle_b_[at(k)]) * T_[at(s)];
      }
      svd_.U(r, s) = T_[at(r)].dot(a);
    }
  }
}

// lambda from A and c; false when the equations contradict each other
bool LoopAssembly::solve() noexcept {
  svd_.factor();
  const auto m = static_cast<int>(c_.size());
  rank_ = 0;
  while (rank_ < m && svd_.sigma[rank_] > kRankSquared * svd_.sigma[0]) ++rank_;
  lambda_.setZero();
  const double size = c_.norm();
  for (int i = 0; i < rank_; ++i) {
    lambda_ -= svd_.V.col(i) * (svd_.U.col(i).dot(c_) / svd_.sigma[i]);
  }
  // A is symmetric: what V leaves out spans what no force can do
  for (int i = rank_; i < m; ++i) {
    if (std::abs(svd_.V.col(i).dot(c_)) > kContradiction * size + 1e-9) return false;
  }
  return true;
}

LoopStatus LoopAssembly::run(const JointVector& q, const JointVector& v, const JointVector& tau,
                             const Extras& extras, JointVector& vdot) noexcept {
  const DynamicsStatus open = ada_.assemble(q, v, tau, extras);
  if (open == DynamicsStatus::kNotFinite) return LoopStatus::kNotFinite;
  if (open != DynamicsStatus::kOk) return LoopStatus::kNoInertia;
  place_loops(model_, q, loops_);
  move_loops(model_, q, v, loops_);
  fill_equations();
  if (!solve()) return LoopStatus::kOverConstrained;
  for (Force& F : F_) F = Force::zero();
  for (int r = 0; r < c_.size(); ++r) {
    const int l = loop_of_[at(r)];
    F_[at(handle_a_[at(l)])].c += T_[at(r)] * lambda_[r];
    if (handle_b_[at(l)] >= 0) F_[at(handle_b_[at(l)])].c -= T_[at(r)] * lambda_[r];
  }
  return ada_.disassemble(F_, vdot) == DynamicsStatus::kOk ? LoopStatus::kOk
                                                           : LoopStatus::kNotFinite;
}

Force LoopAssembly::wrench(int loop) const noexcept {
  Force F = Force::zero();
  for (int r = 0; r < c_.size(); ++r) {
    if (loop_of_[at(r)] == loop) F += loops_.T[at(r)] * lambda_[r];
  }
  return Pose{loop_pose(model_, loops_, loop).R, Vec3::Zero()} * F;
}

}  // namespace kagami::models
