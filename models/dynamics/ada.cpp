// Assembly-disassembly algorithm. [T] = Takahashi 2012, sections 2.2.1 and 3.1; misprints of (3.5),
// (3.7), (3.17), (3.22) corrected in docs/math/ada.md. Joint j joins A (parent side) to B; all at O
// in world axes, so that a link is one handle for all its joints.
//
// Any number of handles (general). With Y = (Phi_j^A + Phi_j^B)^-1 = L^-T L^-1 and J the inertia
// added to the joint's diagonal (ours),
//   W = T (T' (Phi_j^A + Phi_j^B) T)^-1 T' = Y - Y S (S' Y S + J)^-1 S' Y      (2.21), J = 0
// so a joint of n degrees of freedom costs a correction of rank n, no inverse of size 6 - n:
//   X_h   = Phi_hj L^-T for a handle h of A, minus that for one of B
//   U     = L^-1 S,  D = U' U + J                                              (gen-1)
//   z     = L^-1 beta,  beta = Sdot qdot + B_j^A - B_j^B                       (2.18), tau apart
//   qdd0  = D^-1 (tau - U' z)                                                  (gen-2)
//   Phi_hk^C = Phi_hk - X_h X_k' + X_h U D^-1 U' X_k'                          (3.7)
//   B_h^C    = B_h - X_h (z + U qdd0)                                          (3.7)
// and back, with the forces F_h on the handles of C known,
//   r = sum_h X_h' F_h,  qdd = qdd0 - D^-1 U' r                                (2.18), (2.22)
//   F_j^B = L^-T (z + r + U qdd) = -F_j^A                                      (2.15)
// The ground is a body with Phi = 0 and B = -g: (3.22) with the sign it must have.
//
// A body with one handle is kept as F = IA a + pA, (2.23); where its handle is used up,
//   U = IA S,  D = S' U + J,  u = tau - S' pA
//   IA_C = IA + IA_B - U D^-1 U'                                               (2.33)
//   pA_C = pA + pA_B + Ia c + U D^-1 u                                         (2.34)
//   qdd  = D^-1 (u - U' (a_A + c)),  a_B = a_A + c + S qdd,  F = IA_B a_B + pA_B  (2.30), (2.24)
// Two such bodies that both stay handles (pair): with Phi_M = (IA_A + IA_B)^-1, joint locked,
//   g_a = Phi_M IA_B S,  g_b = Phi_M IA_A S,  D = S' IA_A g_a + J              (pair-1), ours
//   Phi_aa = Phi_M + g_a g_a'/D,  Phi_bb = Phi_M + g_b g_b'/D,  Phi_ab = Phi_M - g_a g_b'/D
//   qdd0 = (tau - (IA_A g_a)' c + g_a' pA_A - g_b' pA_B) / D                   (pair-2), ours
//   B_a = -Phi_M (pA_A + pA_B + IA_B c) - g_a qdd0,  B_b = B_a + c + S qdd0    (pair-3), ours
//   qdd = qdd0 + (g_b' F_b - g_a' F_a) / D                                     (pair-4), ours
#include "models/dynamics/ada.hpp"

#include <Eigen/Cholesky>
#include <cmath>

namespace kagami::models {
namespace {

using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

// the upper left n x n block of D is replaced by its inverse
bool invert_block(int n, Mat6& D) noexcept {
  const Eigen::LLT<SmallMatrix> llt(SmallMatrix(D.topLeftCorner(n, n)));
  if (llt.info() != Eigen::Success) return false;
  D.topLeftCorner(n, n) = llt.solve(SmallMatrix(SmallMatrix::Identity(n, n)));
  return true;
}

}  // namespace

Ada::Ada(const Model& model, const AssemblyOrder& order, const std::vector<BodyIndex>& handles)
    : model_(model),
      plan_(model, order, handles, true),
      frame_(model),
      store_(plan_),
      IA_(plan_.bodies().size(), Mat6::Zero()),
      pA_(plan_.bodies().size(), Vec6::Zero()),
      a_(plan_.bodies().size(), Vec6::Zero()),
      F_(at(model.num_bodies()), Vec6::Zero()),
      single_(at(model.num_bodies())),
      several_(at(model.num_bodies())),
      pair_(at(model.num_bodies())),
      general_(at(plan_.num_general())),
      X_(at(plan_.num_X()), Mat6::Zero()),
      G_(at(plan_.num_X()), Mat6::Zero()) {
  for (int i = 0; i < model.num_bodies(); ++i) has_fixed_joints_ |= frame_.n[at(i)] == 0;
}

// rigid bodies of one link add up
void Ada::start_links() noexcept {
  for (int i = 0; i < model_.num_bodies(); ++i) {
    const BodyIndex link = plan_.link(i);
    if (link == kWorld) continue;
    if (link == i) {
      IA_[at(i)] = inertia_matrix(frame_.inertia[at(i)]);
      pA_[at(i)] = frame_.P[at(i)];
    } else {
      IA_[at(link)] += inertia_matrix(frame_.inertia[at(i)]);
      pA_[at(link)] += frame_.P[at(i)];
    }
  }
}

bool Ada::reduce_single(const JoinStep& s, int from, int into, double sign, double tau,
                        double J) noexcept {
  Single& w = single_[at(s.joint)];
  const Vec6 S = frame_.S[at(model_.body(s.joint).v_index)] * sign;
  const Mat6& IA = IA_[at(from)];
  const Vec6& pA = pA_[at(from)];
  w.U.noalias() = IA * S;
  w.D = S.dot(w.U) + J;
  w.u = tau - S.dot(pA);
  if (!(w.D > 0.0)) return false;
  if (into == kWorld) return true;
  const Vec6 c = frame_.c[at(s.joint)] * sign;
  const Vec6 U_D = w.U / w.D;
  IA_[at(into)] += IA - U_D * w.U.transpose();              // (2.33)
  pA_[at(into)] += pA + IA * c + U_D * (w.u - w.U.dot(c));  // (2.34)
  return true;
}

bool Ada::reduce_several(const JoinStep& s, int from, int into, double sign, const JointVector& tau,
                         const JointVector& J) noexcept {
  Several& w = several_[at(s.joint)];
  const int n = frame_.n[at(s.joint)];
  const int first = model_.body(s.joint).v_index;
  const Mat6& IA = IA_[at(from)];
  const Vec6& pA = pA_[at(from)];
  for (int k = 0; k < n; ++k) {
    const Vec6 S = frame_.S[at(first + k)] * sign;
    w.U.col(k).noalias() = IA * S;
    w.u[k] = tau[first + k] - S.dot(pA);
    for (int l = 0; l <= k; ++l) {
      w.D_inverse(k, l) = S.dot(w.U.col(l));
      w.D_inverse(l, k) = w.D_inverse(k, l);
    }
    w.D_inverse(k, k) += J[first + k];
  }
  if (!invert_block(n, w.D_inverse)) return false;
  if (into == kWorld) return true;
  const Vec6 c = frame_.c[at(s.joint)] * sign;
  Mat6 Ia = IA;
  Vec6 pa = pA;
  for (int k = 0; k < n; ++k) {
    const Vec6 UD = w.U.leftCols(n) * w.D_inverse.col(k).head(n);
    Ia -= UD * w.U.col(k).transpose();  // (2.33)
    pa += UD * w.u[k];                  // (2.34)
  }
  pa += Ia * c;
  IA_[at(into)] += Ia;
  pA_[at(into)] += pa;
  return true;
}

bool Ada::join_pair(const JoinStep& s, double tau, double J) noexcept {
  Pair& w = pair_[at(s.joint)];
  const Vec6& S = frame_.S[at(model_.body(s.joint).v_index)];
  const Vec6& c = frame_.c[at(s.joint)];
  const Mat6& IA_A = IA_[at(s.A)];
  const Mat6& IA_B = IA_[at(s.B)];
  const PlannedBody& C = plan_.body(s.C);
  Mat6 Phi_M;
  if (!invert(IA_A + IA_B, Phi_M)) return false;
  w.g_a.noalias() = Phi_M * Vec6(IA_B * S);
  w.g_b.noalias() = Phi_M * Vec6(IA_A * S);
  const Vec6 YS = IA_A * w.g_a;
  w.D = S.dot(YS) + J;  // (pair-1)
  if (!(w.D > 0.0)) return false;
  w.qdd = (tau - YS.dot(c) + w.g_a.dot(pA_[at(s.A)]) - w.g_b.dot(pA_[at(s.B)])) / w.D;  // (pair-2)
  const Vec6 ga_D = w.g_a / w.D;
  const Vec6 gb_D = w.g_b / w.D;
  store_.upper(C, 0, 0) = Phi_M + ga_D * w.g_a.transpose();
  store_.upper(C, 1, 1) = Phi_M + gb_D * w.g_b.transpose();
  store_.upper(C, 0, 1) = Phi_M - ga_D * w.g_b.transpose();
  const Vec6 P = pA_[at(s.A)] + pA_[at(s.B)] + IA_B * c;
  store_.bias(C, 0) = -(Phi_M * P) - w.g_a * w.qdd;  // (pair-3)
  store_.bias(C, 1) = store_.bias(C, 0) + c + S * w.qdd;
  return true;
}

bool Ada::join_general(const JoinStep& s, const JointVector& tau, const JointVector& J) noexcept {
  General& w = general_[at(s.general)];
  const PlannedBody& B = plan_.body(s.B);
  const PlannedBody& C = plan_.body(s.C);
  const int n = frame_.n[at(s.joint)];
  const int first = model_.body(s.joint).v_index;
  if (B.inertia_form && !to_phi_form(IA_[at(s.B)], pA_[at(s.B)], B, store_)) return false;

  // the joint's own blocks; the ground has Phi = 0, B = -g
  Mat6 sum = store_.upper(B, s.b_slot, s.b_slot);
  Vec6 beta = frame_.c[at(s.joint)] - store_.bias(B, s.b_slot);
  if (s.A != kWorld) {
    const PlannedBody& A = plan_.body(s.A);
    if (A.inertia_form && !to_phi_form(IA_[at(s.A)], pA_[at(s.A)], A, store_)) return false;
    sum += store_.upper(A, s.a_slot, s.a_slot);
    beta += store_.bias(A, s.a_slot);
  } else {
    beta += frame_.a_ground;
  }
  if (!cholesky(sum, w.L)) return false;
  w.z = forward_solve(w.L, beta);  // (2.18)
  for (int k = 0; k < n; ++k) {
    w.U.col(k) = forward_solve(w.L, frame_.S[at(first + k)]);
    for (int l = 0; l <= k; ++l) {
      w.D_inverse(k, l) = w.U.col(k).dot(w.U.col(l));  // (gen-1)
      w.D_inverse(l, k) = w.D_inverse(k, l);
    }
    w.D_inverse(k, k) += J[first + k];
  }
  if (!invert_block(n, w.D_inverse)) return false;
  Vec6 u = Vec6::Zero();
  for (int k = 0; k < n; ++k) u[k] = tau[first + k] - w.U.col(k).dot(w.z);
  w.qdd.setZero();
  w.qdd.head(n) = w.D_inverse.topLeftCorner(n, n) * u.head(n);  // (gen-2)
  Vec6 y = w.z;
  for (int k = 0; k < n; ++k) y += w.U.col(k) * w.qdd[k];

  // handles of C: those of A, then those of B
  int h = 0;
  const auto add_side = [&](int side, int slot, bool keeps, double sign) {
    const PlannedBody& body = plan_.body(side);
    const int base = h;
    for (int k = 0; k < static_cast<int>(body.handles.size()); ++k) {
      if (k == slot && !keeps) continue;
      Mat6& X = X_[at(s.first_X + h)];
      X = right_solve(w.L, store_.block(body, k, slot)) * sign;
      for (int l = 0; l < n; ++l) G_[at(s.first_X + h)].col(l).noalias() = X * w.U.col(l);
      store_.bias(C, h) = store_.bias(body, k) - X * y;  // (3.7)
      // blocks among the handles of this side; across the sides Phi_ij is zero before the join
      for (int g = 0; g < base; ++g) store_.upper(C, g, h).setZero();
      int g = base;
      for (int l = 0; l <= k; ++l) {
        if (l == slot && !keeps) continue;
        store_.upper(C, g++, h) = store_.block(body, l, k);
      }
      ++h;
    }
  };
  if (s.A != kWorld) add_side(s.A, s.a_slot, s.keeps_a, 1.0);
  add_side(s.B, s.b_slot, s.keeps_b, -1.0);
  for (int k = 0; k < h; ++k) {
    const Mat6& X_k = X_[at(s.first_X + k)];
    const Mat6& G_k = G_[at(s.first_X + k)];
    Mat6 GD = Mat6::Zero();
    for (int l = 0; l < n; ++l) {
      for (int m = 0; m < n; ++m) GD.col(l) += G_k.col(m) * w.D_inverse(m, l);
    }
    for (int g = 0; g <= k; ++g) {
      Mat6& Phi = store_.upper(C, g, k);
      Phi -= X_[at(s.first_X + g)].lazyProduct(X_k.transpose());  // (3.7)
      const Mat6& G_g = G_[at(s.first_X + g)];
      for (int l = 0; l < n; ++l) Phi += G_g.col(l) * GD.col(l).transpose();
    }
  }
  if (!C.inertia_form) return true;
  if (!invert(store_.upper(C, 0, 0), w.IA)) return false;
  w.pA = -(w.IA * store_.bias(C, 0));
  IA_[at(s.C)] = w.IA;
  pA_[at(s.C)] = w.pA;
  return true;
}

DynamicsStatus Ada::assemble(const JointVector& q, const JointVector& v, const JointVector& tau,
                             const Extras& extras) noexcept {
  if (!inputs_are_finite(model_, q, v, tau, extras)) return DynamicsStatus::kNotFinite;
  place_bodies(model_, q, v, extras, frame_);
  start_links();
  const JointVector& J =
      extras.added_inertia != nullptr ? *extras.added_inertia : model_.rotor_inertia();
  for (const JoinStep& s : plan_.steps()) {
    const bool one = frame_.n[at(s.joint)] == 1;
    const int k = model_.body(s.joint).v_index;
    bool good = true;
    switch (s.kind) {
      case JoinKind::kChildInto:
        good = one ? reduce_single(s, s.B, s.A, 1.0, tau[k], J[k])
                   : reduce_several(s, s.B, s.A, 1.0, tau, J);
        break;
      case JoinKind::kParentInto:
        good = one ? reduce_single(s, s.A, s.B, -1.0, tau[k], J[k])
                   : reduce_several(s, s.A, s.B, -1.0, tau, J);
        break;
      case JoinKind::kPair:
        good = join_pair(s, tau[k], J[k]);
        break;
      case JoinKind::kGeneral:
        good = join_general(s, tau, J);
        break;
    }
    if (!good) return DynamicsStatus::kSingular;
  }
  return DynamicsStatus::kOk;
}

Mat6 Ada::phi(int h, int k) const noexcept {
  const AssemblyPlan::Place& ph = plan_.places()[at(h)];
  const AssemblyPlan::Place& pk = plan_.places()[at(k)];
  if (ph.body != pk.body) return Mat6::Zero();  // trees that meet in the ground alone
  return store_.block(plan_.body(ph.body), ph.slot, pk.slot);
}

Motion Ada::bias(int h) const noexcept {
  const AssemblyPlan::Place& p = plan_.places()[at(h)];
  return {store_.B[at(plan_.body(p.body).first_slot + p.slot)]};
}

void Ada::open_single(const JoinStep& s, int from, int into, double sign,
                      JointVector& vdot) noexcept {
  const Single& w = single_[at(s.joint)];
  const int k = model_.body(s.joint).v_index;
  const Vec6& a_other = into == kWorld ? frame_.a_ground : a_[at(into)];
  Vec6& a = a_[at(from)];
  a = a_other + frame_.c[at(s.joint)] * sign;
  vdot[k] = (w.u - w.U.dot(a)) / w.D;  // (2.30)
  a += frame_.S[at(k)] * (sign * vdot[k]);
  F_[at(s.joint)].noalias() = (IA_[at(from)] * a + pA_[at(from)]) * sign;  // (2.24)
}

void Ada::open_several(const JoinStep& s, int from, int into, double sign,
                       JointVector& vdot) noexcept {
  const Several& w = several_[at(s.joint)];
  const int n = frame_.n[at(s.joint)];
  const int first = model_.body(s.joint).v_index;
  const Vec6& a_other = into == kWorld ? frame_.a_ground : a_[at(into)];
  Vec6& a = a_[at(from)];
  a = a_other + frame_.c[at(s.joint)] * sign;
  Vec6 r = Vec6::Zero();
  for (int k = 0; k < n; ++k) r[k] = w.u[k] - w.U.col(k).dot(a);
  vdot.segment(first, n) = w.D_inverse.topLeftCorner(n, n) * r.head(n);  // (2.30)
  for (int k = 0; k < n; ++k) a += frame_.S[at(first + k)] * (sign * vdot[first + k]);
  F_[at(s.joint)] = (IA_[at(from)] * a + pA_[at(from)]) * sign;  // (2.24)
}

void Ada::open_pair(const JoinStep& s, JointVector& vdot) noexcept {
  const Pair& w = pair_[at(s.joint)];
  const PlannedBody& C = plan_.body(s.C);
  const int k = model_.body(s.joint).v_index;
  const Vec6& F_a = store_.force(C, 0);
  const Vec6& F_b = store_.force(C, 1);
  vdot[k] = w.qdd + (w.g_b.dot(F_b) - w.g_a.dot(F_a)) / w.D;  // (pair-4)
  Vec6& a = a_[at(s.A)];
  a = store_.upper(C, 0, 0) * F_a + store_.upper(C, 0, 1) * F_b + store_.bias(C, 0);
  a_[at(s.B)] = a + frame_.c[at(s.joint)] + frame_.S[at(k)] * vdot[k];  // (2.6)
  F_[at(s.joint)] = IA_[at(s.B)] * a_[at(s.B)] + pA_[at(s.B)] - F_b;    // (2.24)
}

// the forces on the handles of one side: `kept` are those on the handles that C has of it
void Ada::hand_on(int side, bool keeps, int slot, const Vec6& F, const Vec6* kept) noexcept {
  const PlannedBody& body = plan_.body(side);
  for (int k = 0; k < static_cast<int>(body.handles.size()); ++k) {
    Vec6& force = store_.force(body, k);
    force.setZero();
    if (k != slot || keeps) force = *kept++;
    if (k == slot) force += F;
  }
  if (body.inertia_form) {
    a_[at(side)] = store_.upper(body, 0, 0) * store_.force(body, 0) + store_.bias(body, 0);
  }
}

void Ada::open_general(const JoinStep& s, JointVector& vdot) noexcept {
  const General& w = general_[at(s.general)];
  const PlannedBody& C = plan_.body(s.C);
  const int n = frame_.n[at(s.joint)];
  const int first = model_.body(s.joint).v_index;
  const int handles = static_cast<int>(C.handles.size());
  if (C.inertia_form) store_.force(C, 0) = w.IA * a_[at(s.C)] + w.pA;
  Vec6 r = Vec6::Zero();
  for (int h = 0; h < handles; ++h) r += X_[at(s.first_X + h)].transpose() * store_.force(C, h);
  Vec6 f = w.z + r;
  Vec6 Ur = Vec6::Zero();
  for (int k = 0; k < n; ++k) Ur[k] = w.U.col(k).dot(r);
  for (int k = 0; k < n; ++k) {
    vdot[first + k] = w.qdd[k];
    for (int l = 0; l < n; ++l) vdot[first + k] -= w.D_inverse(k, l) * Ur[l];  // (2.22)
    f += w.U.col(k) * vdot[first + k];
  }
  const Vec6 F = backward_solve(w.L, f);  // (2.15)
  F_[at(s.joint)] = F;
  int of_A = 0;
  if (s.A != kWorld) {
    of_A = static_cast<int>(plan_.body(s.A).handles.size()) - (s.keeps_a ? 0 : 1);
    hand_on(s.A, s.keeps_a, s.a_slot, -F, &store_.F[at(C.first_slot)]);
  }
  hand_on(s.B, s.keeps_b, s.b_slot, F, store_.F.data() + C.first_slot + of_A);
}

DynamicsStatus Ada::disassemble(std::span<const Force> handle_forces, JointVector& vdot) noexcept {
  for (const AssemblyPlan::Place& p : plan_.places()) {
    store_.force(plan_.body(p.body), p.slot).setZero();
  }
  for (std::size_t h = 0; h < handle_forces.size() && h < plan_.places().size(); ++h) {
    const AssemblyPlan::Place& p = plan_.places()[h];
    store_.force(plan_.body(p.body), p.slot) += handle_forces[h].c;
  }
  JointVector result(model_.num_v());
  const std::vector<JoinStep>& steps = plan_.steps();
  for (std::size_t i = steps.size(); i-- > 0;) {
    const JoinStep& s = steps[i];
    const bool one = frame_.n[at(s.joint)] == 1;
    switch (s.kind) {
      case JoinKind::kChildInto:
        one ? open_single(s, s.B, s.A, 1.0, result) : open_several(s, s.B, s.A, 1.0, result);
        break;
      case JoinKind::kParentInto:
        one ? open_single(s, s.A, s.B, -1.0, result) : open_several(s, s.A, s.B, -1.0, result);
        break;
      case JoinKind::kPair:
        open_pair(s, result);
        break;
      case JoinKind::kGeneral:
        open_general(s, result);
        break;
    }
  }
  if (!std::isfinite(result.squaredNorm())) return DynamicsStatus::kNotFinite;
  if (has_fixed_joints_) add_fixed_joint_forces(model_, plan_, frame_, a_, F_);
  vdot = result;
  return DynamicsStatus::kOk;
}

DynamicsStatus Ada::run(const JointVector& q, const JointVector& v, const JointVector& tau,
                        const Extras& extras, JointVector& vdot) noexcept {
  const DynamicsStatus status = assemble(q, v, tau, extras);
  return status == DynamicsStatus::kOk ? disassemble({}, vdot) : status;
}

Force Ada::joint_force(BodyIndex body) const noexcept {
  return inverse_times(frame_.X_OB[at(body)], Force{F_[at(body)]});
}

Motion Ada::acceleration(BodyIndex body) const noexcept {
  const BodyIndex link = plan_.link(body);
  return {link == kWorld ? frame_.a_ground : a_[at(link)]};
}

}  // namespace kagami::models
