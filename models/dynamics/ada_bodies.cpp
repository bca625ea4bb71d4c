// Joins and openings. [T] = Takahashi 2012, sections 2.2.1 and 3.1; its misprints are listed in
// docs/math/ada.md. Joint j joins A (parent side) to B; everything at O in world axes, so that a
// link is one handle for all its joints. J: what is added to the joint's diagonal, ours.
//
// A body of one handle is kept as F = IA a + pA, (2.23). Where the handle is used up (single,
// several, by the joint's degrees of freedom),
//   U = IA S,  D = S' U + J,  u = tau - S' pA
//   IA_C = IA + IA_B - U D^-1 U'                                               (2.33)
//   pA_C = pA + pA_B + Ia c + U D^-1 u                                         (2.34)
//   qdd  = D^-1 (u - U' (a_A + c)),  a_B = a_A + c + S qdd,  F = IA_B a_B + pA_B  (2.30), (2.24)
//
// Any number of handles (general). With Y = (Phi_j^A + Phi_j^B)^-1 = L^-T L^-1,
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
#include "models/dynamics/ada_bodies.hpp"

#include <tuple>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

// of a one-handle step: whose handle is used up, what it is added to, which way the joint points
std::tuple<int, int, double> ends_of(const JoinStep& s) noexcept {
  if (s.kind == JoinKind::kChildInto) return {s.B, s.A, 1.0};
  return {s.A, s.B, -1.0};
}

bool reduce_single(const JoinStep& s, int from, int into, double sign, double tau, double J,
                   AdaBodies& b) noexcept {
  AdaBodies::Single& w = b.single[idx(s.joint)];
  const Vec6 S = b.frame.S[idx(b.model.body(s.joint).v_index)] * sign;
  const Mat6& IA = b.IA[idx(from)];
  const Vec6& pA = b.pA[idx(from)];
  w.U.noalias() = IA * S;
  w.D = S.dot(w.U) + J;
  w.u = tau - S.dot(pA);
  if (!(w.D > 0.0)) return false;
  if (into == kWorld) return true;
  const Vec6 c = b.frame.c[idx(s.joint)] * sign;
  const Vec6 U_D = w.U / w.D;
  b.IA[idx(into)] += IA - U_D * w.U.transpose();              // (2.33)
  b.pA[idx(into)] += pA + IA * c + U_D * (w.u - w.U.dot(c));  // (2.34)
  return true;
}

bool reduce_several(const JoinStep& s, int from, int into, double sign, const JointVector& tau,
                    const JointVector& J, AdaBodies& b) noexcept {
  AdaBodies::Several& w = b.several[idx(s.joint)];
  const int n = b.frame.n[idx(s.joint)];
  const int first = b.model.body(s.joint).v_index;
  const Mat6& IA = b.IA[idx(from)];
  const Vec6& pA = b.pA[idx(from)];
  for (int k = 0; k < n; ++k) {
    const Vec6 S = b.frame.S[idx(first + k)] * sign;
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
  const Vec6 c = b.frame.c[idx(s.joint)] * sign;
  Mat6 Ia = IA;
  Vec6 pa = pA;
  for (int k = 0; k < n; ++k) {
    const Vec6 UD = w.U.leftCols(n) * w.D_inverse.col(k).head(n);
    Ia -= UD * w.U.col(k).transpose();  // (2.33)
    pa += UD * w.u[k];                  // (2.34)
  }
  pa += Ia * c;
  b.IA[idx(into)] += Ia;
  b.pA[idx(into)] += pa;
  return true;
}

void open_single(const JoinStep& s, double sign, AdaBodies& b, Vec6& a,
                 JointVector& vdot) noexcept {
  const AdaBodies::Single& w = b.single[idx(s.joint)];
  const int k = b.model.body(s.joint).v_index;
  vdot[k] = (w.u - w.U.dot(a)) / w.D;  // (2.30)
  a += b.frame.S[idx(k)] * (sign * vdot[k]);
}

void open_several(const JoinStep& s, double sign, AdaBodies& b, Vec6& a,
                  JointVector& vdot) noexcept {
  const AdaBodies::Several& w = b.several[idx(s.joint)];
  const int n = b.frame.n[idx(s.joint)];
  const int first = b.model.body(s.joint).v_index;
  Vec6 r = Vec6::Zero();
  for (int k = 0; k < n; ++k) r[k] = w.u[k] - w.U.col(k).dot(a);
  vdot.segment(first, n) = w.D_inverse.topLeftCorner(n, n) * r.head(n);  // (2.30)
  for (int k = 0; k < n; ++k) a += b.frame.S[idx(first + k)] * (sign * vdot[first + k]);
}

bool join_pair(const JoinStep& s, double tau, double J, AdaBodies& b) noexcept {
  AdaBodies::Pair& w = b.pair[idx(s.joint)];
  const Vec6& S = b.frame.S[idx(b.model.body(s.joint).v_index)];
  const Vec6& c = b.frame.c[idx(s.joint)];
  const Mat6& IA_A = b.IA[idx(s.A)];
  const Mat6& IA_B = b.IA[idx(s.B)];
  const PlannedBody& C = b.plan.body(s.C);
  Mat6 Phi_M;
  if (!invert(IA_A + IA_B, Phi_M)) return false;
  w.g_a.noalias() = Phi_M * Vec6(IA_B * S);
  w.g_b.noalias() = Phi_M * Vec6(IA_A * S);
  const Vec6 YS = IA_A * w.g_a;
  w.D = S.dot(YS) + J;  // (pair-1)
  if (!(w.D > 0.0)) return false;
  w.qdd =
      (tau - YS.dot(c) + w.g_a.dot(b.pA[idx(s.A)]) - w.g_b.dot(b.pA[idx(s.B)])) / w.D;  // (pair-2)
  const Vec6 ga_D = w.g_a / w.D;
  const Vec6 gb_D = w.g_b / w.D;
  b.store.upper(C, 0, 0) = Phi_M + ga_D * w.g_a.transpose();
  b.store.upper(C, 1, 1) = Phi_M + gb_D * w.g_b.transpose();
  b.store.upper(C, 0, 1) = Phi_M - ga_D * w.g_b.transpose();
  const Vec6 P = b.pA[idx(s.A)] + b.pA[idx(s.B)] + IA_B * c;
  b.store.bias(C, 0) = -(Phi_M * P) - w.g_a * w.qdd;  // (pair-3)
  b.store.bias(C, 1) = b.store.bias(C, 0) + c + S * w.qdd;
  return true;
}

bool join_general(const JoinStep& s, const JointVector& tau, const JointVector& J,
                  AdaBodies& b) noexcept {
  AdaBodies::General& w = b.general[idx(s.general)];
  const PlannedBody& B = b.plan.body(s.B);
  const PlannedBody& C = b.plan.body(s.C);
  const int n = b.frame.n[idx(s.joint)];
  const int first = b.model.body(s.joint).v_index;
  if (B.inertia_form && !to_phi_form(b.IA[idx(s.B)], b.pA[idx(s.B)], B, b.store)) return false;

  // the joint's own blocks; the ground has Phi = 0, B = -g
  Mat6 sum = b.store.upper(B, s.b_slot, s.b_slot);
  Vec6 beta = b.frame.c[idx(s.joint)] - b.store.bias(B, s.b_slot);
  if (s.A != kWorld) {
    const PlannedBody& A = b.plan.body(s.A);
    if (A.inertia_form && !to_phi_form(b.IA[idx(s.A)], b.pA[idx(s.A)], A, b.store)) return false;
    sum += b.store.upper(A, s.a_slot, s.a_slot);
    beta += b.store.bias(A, s.a_slot);
  } else {
    beta += b.frame.a_ground;
  }
  if (!cholesky(sum, w.L)) return false;
  w.z = forward_solve(w.L, beta);  // (2.18)
  for (int k = 0; k < n; ++k) {
    w.U.col(k) = forward_solve(w.L, b.frame.S[idx(first + k)]);
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
    const PlannedBody& body = b.plan.body(side);
    const int base = h;
    for (int k = 0; k < static_cast<int>(body.handles.size()); ++k) {
      if (k == slot && !keeps) continue;
      Mat6& X = b.X[idx(s.first_X + h)];
      X = right_solve(w.L, b.store.block(body, k, slot)) * sign;
      for (int l = 0; l < n; ++l) b.G[idx(s.first_X + h)].col(l).noalias() = X * w.U.col(l);
      b.store.bias(C, h) = b.store.bias(body, k) - X * y;  // (3.7)
      // blocks among the handles of this side; across the sides Phi_ij is zero before the join
      for (int g = 0; g < base; ++g) b.store.upper(C, g, h).setZero();
      int g = base;
      for (int l = 0; l <= k; ++l) {
        if (l == slot && !keeps) continue;
        b.store.upper(C, g++, h) = b.store.block(body, l, k);
      }
      ++h;
    }
  };
  if (s.A != kWorld) add_side(s.A, s.a_slot, s.keeps_a, 1.0);
  add_side(s.B, s.b_slot, s.keeps_b, -1.0);
  for (int k = 0; k < h; ++k) {
    const Mat6& X_k = b.X[idx(s.first_X + k)];
    const Mat6& G_k = b.G[idx(s.first_X + k)];
    Mat6 GD = Mat6::Zero();
    for (int l = 0; l < n; ++l) {
      for (int m = 0; m < n; ++m) GD.col(l) += G_k.col(m) * w.D_inverse(m, l);
    }
    for (int g = 0; g <= k; ++g) {
      Mat6& Phi = b.store.upper(C, g, k);
      Phi -= b.X[idx(s.first_X + g)].lazyProduct(X_k.transpose());  // (3.7)
      const Mat6& G_g = b.G[idx(s.first_X + g)];
      for (int l = 0; l < n; ++l) Phi += G_g.col(l) * GD.col(l).transpose();
    }
  }
  if (!C.inertia_form) return true;
  if (!invert(b.store.upper(C, 0, 0), w.IA)) return false;
  w.pA = -(w.IA * b.store.bias(C, 0));
  b.IA[idx(s.C)] = w.IA;
  b.pA[idx(s.C)] = w.pA;
  return true;
}

void open_pair(const JoinStep& s, AdaBodies& b, JointVector& vdot) noexcept {
  const AdaBodies::Pair& w = b.pair[idx(s.joint)];
  const PlannedBody& C = b.plan.body(s.C);
  const int k = b.model.body(s.joint).v_index;
  const Vec6& F_a = b.store.force(C, 0);
  const Vec6& F_b = b.store.force(C, 1);
  vdot[k] = w.qdd + (w.g_b.dot(F_b) - w.g_a.dot(F_a)) / w.D;  // (pair-4)
  Vec6& a = b.a[idx(s.A)];
  a = b.store.upper(C, 0, 0) * F_a + b.store.upper(C, 0, 1) * F_b + b.store.bias(C, 0);
  b.a[idx(s.B)] = a + b.frame.c[idx(s.joint)] + b.frame.S[idx(k)] * vdot[k];  // (2.6)
  b.F[idx(s.joint)] = b.IA[idx(s.B)] * b.a[idx(s.B)] + b.pA[idx(s.B)] - F_b;  // (2.24)
}

// the forces on the handles of one side: `kept` are those on the handles that C has of it
void hand_on(int side, bool keeps, int slot, const Vec6& F, const Vec6* kept,
             AdaBodies& b) noexcept {
  const PlannedBody& body = b.plan.body(side);
  for (int k = 0; k < static_cast<int>(body.handles.size()); ++k) {
    Vec6& force = b.store.force(body, k);
    force.setZero();
    if (k != slot || keeps) force = *kept++;
    if (k == slot) force += F;
  }
  if (body.inertia_form) {
    b.a[idx(side)] = b.store.upper(body, 0, 0) * b.store.force(body, 0) + b.store.bias(body, 0);
  }
}

void open_general(const JoinStep& s, AdaBodies& b, JointVector& vdot) noexcept {
  const AdaBodies::General& w = b.general[idx(s.general)];
  const PlannedBody& C = b.plan.body(s.C);
  const int n = b.frame.n[idx(s.joint)];
  const int first = b.model.body(s.joint).v_index;
  const int handles = static_cast<int>(C.handles.size());
  if (C.inertia_form) b.store.force(C, 0) = w.IA * b.a[idx(s.C)] + w.pA;
  Vec6 r = Vec6::Zero();
  for (int h = 0; h < handles; ++h) r += b.X[idx(s.first_X + h)].transpose() * b.store.force(C, h);
  Vec6 f = w.z + r;
  Vec6 Ur = Vec6::Zero();
  for (int k = 0; k < n; ++k) Ur[k] = w.U.col(k).dot(r);
  for (int k = 0; k < n; ++k) {
    vdot[first + k] = w.qdd[k];
    for (int l = 0; l < n; ++l) vdot[first + k] -= w.D_inverse(k, l) * Ur[l];  // (2.22)
    f += w.U.col(k) * vdot[first + k];
  }
  const Vec6 F = backward_solve(w.L, f);  // (2.15)
  b.F[idx(s.joint)] = F;
  int of_A = 0;
  if (s.A != kWorld) {
    of_A = static_cast<int>(b.plan.body(s.A).handles.size()) - (s.keeps_a ? 0 : 1);
    hand_on(s.A, s.keeps_a, s.a_slot, -F, &b.store.F[idx(C.first_slot)], b);
  }
  hand_on(s.B, s.keeps_b, s.b_slot, F, b.store.F.data() + C.first_slot + of_A, b);
}

}  // namespace

AdaBodies::AdaBodies(const Model& of, const AssemblyOrder& order,
                     const std::vector<BodyIndex>& handles)
    : model(of),
      plan(model, order, handles, true),
      frame(model),
      store(plan),
      IA(plan.bodies().size(), Mat6::Zero()),
      pA(plan.bodies().size(), Vec6::Zero()),
      a(plan.bodies().size(), Vec6::Zero()),
      F(idx(model.num_bodies()), Vec6::Zero()),
      single(idx(model.num_bodies())),
      several(idx(model.num_bodies())),
      pair(idx(model.num_bodies())),
      general(idx(plan.num_general())),
      X(idx(plan.num_X()), Mat6::Zero()),
      G(idx(plan.num_X()), Mat6::Zero()) {}

void AdaBodies::start(const JointVector& q, const JointVector& v,
                      const ExternalLoads& extras) noexcept {
  place_bodies(model, q, v, extras, frame);
  for (int i = 0; i < model.num_bodies(); ++i) {
    const BodyIndex link = plan.link(i);
    if (link == kWorld) continue;
    if (link == i) {
      IA[idx(i)] = inertia_matrix(frame.inertia[idx(i)]);
      pA[idx(i)] = frame.P[idx(i)];
    } else {
      IA[idx(link)] += inertia_matrix(frame.inertia[idx(i)]);
      pA[idx(link)] += frame.P[idx(i)];
    }
  }
}

bool AdaBodies::join(const JoinStep& s, const JointVector& tau, const JointVector& J) noexcept {
  const int k = model.body(s.joint).v_index;
  if (s.kind == JoinKind::kGeneral) return join_general(s, tau, J, *this);
  if (s.kind == JoinKind::kPair) return join_pair(s, tau[k], J[k], *this);
  const auto [from, into, sign] = ends_of(s);
  return frame.n[idx(s.joint)] == 1 ? reduce_single(s, from, into, sign, tau[k], J[k], *this)
                                    : reduce_several(s, from, into, sign, tau, J, *this);
}

void AdaBodies::open(const JoinStep& s, JointVector& vdot) noexcept {
  if (s.kind == JoinKind::kGeneral) return open_general(s, *this, vdot);
  if (s.kind == JoinKind::kPair) return open_pair(s, *this, vdot);
  const auto [from, into, sign] = ends_of(s);
  Vec6& a_from = a[idx(from)];
  a_from = (into == kWorld ? frame.a_ground : a[idx(into)]) + frame.c[idx(s.joint)] * sign;
  frame.n[idx(s.joint)] == 1 ? open_single(s, sign, *this, a_from, vdot)
                             : open_several(s, sign, *this, a_from, vdot);
  F[idx(s.joint)].noalias() = (IA[idx(from)] * a_from + pA[idx(from)]) * sign;  // (2.24)
}

}  // namespace kagami::models
