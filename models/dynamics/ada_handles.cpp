// Joins and openings of bodies that show several handles. [T] = Takahashi 2012, sections 2.2.1 and
// 3.1; its misprints are listed in docs/math/ada.md. Joint j joins A (parent side) to B; everything
// at O in world axes, so that a link is one handle for all its joints.
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
// Two bodies of one handle, IA and pA, that both stay handles (pair): with the joint locked and
// Phi_M = (IA_A + IA_B)^-1,
//   g_a = Phi_M IA_B S,  g_b = Phi_M IA_A S,  D = S' IA_A g_a + J              (pair-1), ours
//   Phi_aa = Phi_M + g_a g_a'/D,  Phi_bb = Phi_M + g_b g_b'/D,  Phi_ab = Phi_M - g_a g_b'/D
//   qdd0 = (tau - (IA_A g_a)' c + g_a' pA_A - g_b' pA_B) / D                   (pair-2), ours
//   B_a = -Phi_M (pA_A + pA_B + IA_B c) - g_a qdd0,  B_b = B_a + c + S qdd0    (pair-3), ours
//   qdd = qdd0 + (g_b' F_b - g_a' F_a) / D                                     (pair-4), ours
#include "models/base/idx.hpp"
#include "models/dynamics/ada.hpp"

namespace kagami::models {
bool Ada::join_pair(const JoinStep& s, double tau, double J) noexcept {
  Pair& w = pair_[idx(s.joint)];
  const Vec6& S = frame_.S[idx(model_.body(s.joint).v_index)];
  const Vec6& c = frame_.c[idx(s.joint)];
  const Mat6& IA_A = IA_[idx(s.A)];
  const Mat6& IA_B = IA_[idx(s.B)];
  const PlannedBody& C = plan_.body(s.C);
  Mat6 Phi_M;
  if (!invert(IA_A + IA_B, Phi_M)) return false;
  w.g_a.noalias() = Phi_M * Vec6(IA_B * S);
  w.g_b.noalias() = Phi_M * Vec6(IA_A * S);
  const Vec6 YS = IA_A * w.g_a;
  w.D = S.dot(YS) + J;  // (pair-1)
  if (!(w.D > 0.0)) return false;
  w.qdd =
      (tau - YS.dot(c) + w.g_a.dot(pA_[idx(s.A)]) - w.g_b.dot(pA_[idx(s.B)])) / w.D;  // (pair-2)
  const Vec6 ga_D = w.g_a / w.D;
  const Vec6 gb_D = w.g_b / w.D;
  store_.upper(C, 0, 0) = Phi_M + ga_D * w.g_a.transpose();
  store_.upper(C, 1, 1) = Phi_M + gb_D * w.g_b.transpose();
  store_.upper(C, 0, 1) = Phi_M - ga_D * w.g_b.transpose();
  const Vec6 P = pA_[idx(s.A)] + pA_[idx(s.B)] + IA_B * c;
  store_.bias(C, 0) = -(Phi_M * P) - w.g_a * w.qdd;  // (pair-3)
  store_.bias(C, 1) = store_.bias(C, 0) + c + S * w.qdd;
  return true;
}

bool Ada::join_general(const JoinStep& s, const JointVector& tau, const JointVector& J) noexcept {
  General& w = general_[idx(s.general)];
  const PlannedBody& B = plan_.body(s.B);
  const PlannedBody& C = plan_.body(s.C);
  const int n = frame_.n[idx(s.joint)];
  const int first = model_.body(s.joint).v_index;
  if (B.inertia_form && !to_phi_form(IA_[idx(s.B)], pA_[idx(s.B)], B, store_)) return false;

  // the joint's own blocks; the ground has Phi = 0, B = -g
  Mat6 sum = store_.upper(B, s.b_slot, s.b_slot);
  Vec6 beta = frame_.c[idx(s.joint)] - store_.bias(B, s.b_slot);
  if (s.A != kWorld) {
    const PlannedBody& A = plan_.body(s.A);
    if (A.inertia_form && !to_phi_form(IA_[idx(s.A)], pA_[idx(s.A)], A, store_)) return false;
    sum += store_.upper(A, s.a_slot, s.a_slot);
    beta += store_.bias(A, s.a_slot);
  } else {
    beta += frame_.a_ground;
  }
  if (!cholesky(sum, w.L)) return false;
  w.z = forward_solve(w.L, beta);  // (2.18)
  for (int k = 0; k < n; ++k) {
    w.U.col(k) = forward_solve(w.L, frame_.S[idx(first + k)]);
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
      Mat6& X = X_[idx(s.first_X + h)];
      X = right_solve(w.L, store_.block(body, k, slot)) * sign;
      for (int l = 0; l < n; ++l) G_[idx(s.first_X + h)].col(l).noalias() = X * w.U.col(l);
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
    const Mat6& X_k = X_[idx(s.first_X + k)];
    const Mat6& G_k = G_[idx(s.first_X + k)];
    Mat6 GD = Mat6::Zero();
    for (int l = 0; l < n; ++l) {
      for (int m = 0; m < n; ++m) GD.col(l) += G_k.col(m) * w.D_inverse(m, l);
    }
    for (int g = 0; g <= k; ++g) {
      Mat6& Phi = store_.upper(C, g, k);
      Phi -= X_[idx(s.first_X + g)].lazyProduct(X_k.transpose());  // (3.7)
      const Mat6& G_g = G_[idx(s.first_X + g)];
      for (int l = 0; l < n; ++l) Phi += G_g.col(l) * GD.col(l).transpose();
    }
  }
  if (!C.inertia_form) return true;
  if (!invert(store_.upper(C, 0, 0), w.IA)) return false;
  w.pA = -(w.IA * store_.bias(C, 0));
  IA_[idx(s.C)] = w.IA;
  pA_[idx(s.C)] = w.pA;
  return true;
}

void Ada::open_pair(const JoinStep& s, JointVector& vdot) noexcept {
  const Pair& w = pair_[idx(s.joint)];
  const PlannedBody& C = plan_.body(s.C);
  const int k = model_.body(s.joint).v_index;
  const Vec6& F_a = store_.force(C, 0);
  const Vec6& F_b = store_.force(C, 1);
  vdot[k] = w.qdd + (w.g_b.dot(F_b) - w.g_a.dot(F_a)) / w.D;  // (pair-4)
  Vec6& a = a_[idx(s.A)];
  a = store_.upper(C, 0, 0) * F_a + store_.upper(C, 0, 1) * F_b + store_.bias(C, 0);
  a_[idx(s.B)] = a + frame_.c[idx(s.joint)] + frame_.S[idx(k)] * vdot[k];  // (2.6)
  F_[idx(s.joint)] = IA_[idx(s.B)] * a_[idx(s.B)] + pA_[idx(s.B)] - F_b;   // (2.24)
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
    a_[idx(side)] = store_.upper(body, 0, 0) * store_.force(body, 0) + store_.bias(body, 0);
  }
}

void Ada::open_general(const JoinStep& s, JointVector& vdot) noexcept {
  const General& w = general_[idx(s.general)];
  const PlannedBody& C = plan_.body(s.C);
  const int n = frame_.n[idx(s.joint)];
  const int first = model_.body(s.joint).v_index;
  const int handles = static_cast<int>(C.handles.size());
  if (C.inertia_form) store_.force(C, 0) = w.IA * a_[idx(s.C)] + w.pA;
  Vec6 r = Vec6::Zero();
  for (int h = 0; h < handles; ++h) r += X_[idx(s.first_X + h)].transpose() * store_.force(C, h);
  Vec6 f = w.z + r;
  Vec6 Ur = Vec6::Zero();
  for (int k = 0; k < n; ++k) Ur[k] = w.U.col(k).dot(r);
  for (int k = 0; k < n; ++k) {
    vdot[first + k] = w.qdd[k];
    for (int l = 0; l < n; ++l) vdot[first + k] -= w.D_inverse(k, l) * Ur[l];  // (2.22)
    f += w.U.col(k) * vdot[first + k];
  }
  const Vec6 F = backward_solve(w.L, f);  // (2.15)
  F_[idx(s.joint)] = F;
  int of_A = 0;
  if (s.A != kWorld) {
    of_A = static_cast<int>(plan_.body(s.A).handles.size()) - (s.keeps_a ? 0 : 1);
    hand_on(s.A, s.keeps_a, s.a_slot, -F, &store_.F[idx(C.first_slot)]);
  }
  hand_on(s.B, s.keeps_b, s.b_slot, F, store_.F.data() + C.first_slot + of_A);
}

}  // namespace kagami::models
