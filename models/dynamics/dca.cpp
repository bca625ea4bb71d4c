// Divide-and-conquer algorithm. [T] = Takahashi 2012, section 2.2.3 (its method: Featherstone
// 1999), for any number of handles; misprints: docs/math/ada.md. Joint j joins A (parent
// side) to B. J, what is added to the diagonal (rotor inertia, implicit actuator terms), is ours.
//   Y     = (Phi_j^B + Phi_j^A)^-1,  beta = B_j^A - B_j^B + Sdot qdot           (2.38)
//   D     = S' Y S + J
//   W     = Y - Y S D^-1 S' Y                                                   (2.42)
//   gamma = W beta + Y S D^-1 tau                                               (2.43)
//   Phi_hk^C = Phi_hk -+ Phi_hj W Phi_jk,  B_h^C = B_h -+ Phi_hj gamma           (2.46)
//   Delta = sum_A Phi_jh F_h - sum_B Phi_jh F_h
//   qdd   = D^-1 (tau - S' Y (Delta + beta))                                    (2.40)
//   F_j^B = W Delta + gamma = -F_j^A                                            (2.41)
// The ground is a body with Phi = 0 and B = -g.
#include "models/dynamics/dca.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

// calls f(side, slot in side, sign) for every handle of C in C's order
template <class F>
void for_handles(const AssemblyPlan& plan, const JoinStep& s, F f) noexcept {
  if (s.A != kWorld) {
    const int n = static_cast<int>(plan.body(s.A).handles.size());
    for (int k = 0; k < n; ++k) {
      if (k != s.a_slot || s.keeps_a) f(s.A, k, 1.0);
    }
  }
  const int n = static_cast<int>(plan.body(s.B).handles.size());
  for (int k = 0; k < n; ++k) {
    if (k != s.b_slot || s.keeps_b) f(s.B, k, -1.0);
  }
}

}  // namespace

Dca::Dca(const Model& model, const AssemblyOrder& order)
    : model_(model),
      plan_(model, order, {}, false),
      frame_(model),
      store_(plan_),
      IA_(idx(model.num_bodies()), Mat6::Zero()),
      pA_(idx(model.num_bodies()), Vec6::Zero()),
      a_(idx(model.num_bodies()), Vec6::Zero()),
      F_(idx(model.num_bodies()), Vec6::Zero()),
      joined_(idx(plan_.num_general())) {}

bool Dca::start_links() noexcept {
  for (int i = 0; i < model_.num_bodies(); ++i) {
    IA_[idx(i)].setZero();
    pA_[idx(i)].setZero();
  }
  for (int i = 0; i < model_.num_bodies(); ++i) {
    const BodyIndex link = plan_.link(i);
    if (link == kWorld) continue;
    IA_[idx(link)] += inertia_matrix(frame_.inertia[idx(i)]);
    pA_[idx(link)] += frame_.P[idx(i)];
  }
  for (int i = 0; i < model_.num_bodies(); ++i) {
    if (plan_.link(i) == i && !to_phi_form(IA_[idx(i)], pA_[idx(i)], plan_.body(i), store_)) {
      return false;
    }
  }
  return true;
}

bool Dca::join(const JoinStep& s, const JointVector& tau, const JointVector& J) noexcept {
  Joined& w = joined_[idx(s.general)];
  const PlannedBody& B = plan_.body(s.B);
  const int n = frame_.n[idx(s.joint)];
  const int first = model_.body(s.joint).v_index;
  Mat6 sum = store_.upper(B, s.b_slot, s.b_slot);
  w.beta = frame_.c[idx(s.joint)] - store_.bias(B, s.b_slot);
  if (s.A == kWorld) {
    w.beta += frame_.a_ground;
  } else {
    sum += store_.upper(plan_.body(s.A), s.a_slot, s.a_slot);
    w.beta += store_.bias(plan_.body(s.A), s.a_slot);
  }
  Mat6 Y;
  if (!invert(sum, Y)) return false;  // (2.38)
  Mat6 S = Mat6::Zero();
  for (int k = 0; k < n; ++k) S.col(k) = frame_.S[idx(first + k)];
  const Mat6 YS = Y * S;
  SmallMatrix D = (S.transpose() * YS).topLeftCorner(n, n);
  D.diagonal() += J.segment(first, n);
  const Eigen::LLT<SmallMatrix> llt(D);
  if (llt.info() != Eigen::Success) return false;
  w.D_inverse.setZero();
  w.D_inverse.topLeftCorner(n, n) = llt.solve(SmallMatrix(SmallMatrix::Identity(n, n)));
  w.YSD = YS * w.D_inverse;
  w.W = Y - w.YSD * YS.transpose();                                    // (2.42)
  w.gamma = w.W * w.beta + w.YSD.leftCols(n) * tau.segment(first, n);  // (2.43)
  add_handles(s);
  return true;
}

void Dca::add_handles(const JoinStep& s) noexcept {
  const Joined& w = joined_[idx(s.general)];
  const PlannedBody& C = plan_.body(s.C);
  int k = 0;
  for_handles(plan_, s, [&](int side, int slot, double sign) {
    const int j = side == s.B ? s.b_slot : s.a_slot;
    const Mat6 Phi_kj = store_.block(plan_.body(side), slot, j);
    store_.bias(C, k) = store_.bias(plan_.body(side), slot) - sign * (Phi_kj * w.gamma);
    int h = 0;
    for_handles(plan_, s, [&](int other, int other_slot, double other_sign) {
      if (h > k) return;
      const int i = other == s.B ? s.b_slot : s.a_slot;
      const Mat6 Phi_hj = store_.block(plan_.body(other), other_slot, i);
      Mat6 Phi = -sign * other_sign * (Phi_hj * w.W * Phi_kj.transpose());  // (2.46)
      if (other == side) Phi += store_.block(plan_.body(side), other_slot, slot);
      store_.upper(C, h, k) = Phi;
      ++h;
    });
    ++k;
  });
}

void Dca::open(const JoinStep& s, const JointVector& tau, JointVector& vdot) noexcept {
  const Joined& w = joined_[idx(s.general)];
  const PlannedBody& C = plan_.body(s.C);
  const int n = frame_.n[idx(s.joint)];
  const int first = model_.body(s.joint).v_index;
  Vec6 Delta = Vec6::Zero();
  int h = 0;
  for_handles(plan_, s, [&](int side, int slot, double sign) {
    const PlannedBody& body = plan_.body(side);
    const int j = side == s.B ? s.b_slot : s.a_slot;
    Delta += sign * (store_.block(body, j, slot) * store_.force(C, h));
    store_.force(body, slot) = store_.force(C, h);
    ++h;
  });
  const Vec6 SY = w.YSD.transpose() * (Delta + w.beta);
  vdot.segment(first, n) =
      w.D_inverse.topLeftCorner(n, n) * tau.segment(first, n) - SY.head(n);  // (2.40)
  const Vec6 F = w.W * Delta + w.gamma;                                      // (2.41)
  F_[idx(s.joint)] = F;
  Vec6& F_B = store_.force(plan_.body(s.B), s.b_slot);
  F_B = s.keeps_b ? Vec6(F_B + F) : F;
  if (s.A == kWorld) return;
  Vec6& F_A = store_.force(plan_.body(s.A), s.a_slot);
  F_A = s.keeps_a ? Vec6(F_A - F) : Vec6(-F);
}

DynamicsStatus Dca::run(const JointVector& q, const JointVector& v, const JointVector& tau,
                        const ExternalLoads& extras, JointVector& vdot) noexcept {
  const DynamicsStatus inputs = check_inputs(model_, q, v, tau, extras);
  if (inputs != DynamicsStatus::kOk) return inputs;
  place_bodies(model_, q, v, extras, frame_);
  if (!start_links()) return DynamicsStatus::kSingular;
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : model_.rotor_inertia();
  for (const JoinStep& s : plan_.steps()) {
    if (!join(s, tau, J)) return DynamicsStatus::kSingular;
  }
  JointVector result(model_.num_v());
  const std::vector<JoinStep>& steps = plan_.steps();
  for (std::size_t i = steps.size(); i-- > 0;) open(steps[i], tau, result);
  if (!std::isfinite(result.squaredNorm())) return DynamicsStatus::kNotFinite;
  for (int i = 0; i < model_.num_bodies(); ++i) {
    if (plan_.link(i) != i) continue;
    const PlannedBody& link = plan_.body(i);
    a_[idx(i)] = store_.upper(link, 0, 0) * store_.force(link, 0) + store_.bias(link, 0);
  }
  add_fixed_joint_forces(model_, plan_, frame_, a_, F_);
  vdot = result;
  return DynamicsStatus::kOk;
}

Force Dca::joint_force(BodyIndex body) const noexcept {
  return inverse_times(frame_.X_OB[idx(body)], Force{F_[idx(body)]});
}

}  // namespace kagami::models
