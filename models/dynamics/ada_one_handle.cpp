// Joins and openings of bodies that show one handle. [T] = Takahashi 2012, sections 2.2.1 and 3.1;
// everything at O in world axes. Such a body is kept as F = IA a + pA, (2.23); where its handle is
// used up (J, what is added to the joint's diagonal, is ours),
//   U = IA S,  D = S' U + J,  u = tau - S' pA
//   IA_C = IA + IA_B - U D^-1 U'                                               (2.33)
//   pA_C = pA + pA_B + Ia c + U D^-1 u                                         (2.34)
//   qdd  = D^-1 (u - U' (a_A + c)),  a_B = a_A + c + S qdd,  F = IA_B a_B + pA_B  (2.30), (2.24)
#include "models/base/idx.hpp"
#include "models/dynamics/ada.hpp"

namespace kagami::models {
bool Ada::reduce_single(const JoinStep& s, int from, int into, double sign, double tau,
                        double J) noexcept {
  Single& w = single_[idx(s.joint)];
  const Vec6 S = frame_.S[idx(model_.body(s.joint).v_index)] * sign;
  const Mat6& IA = IA_[idx(from)];
  const Vec6& pA = pA_[idx(from)];
  w.U.noalias() = IA * S;
  w.D = S.dot(w.U) + J;
  w.u = tau - S.dot(pA);
  if (!(w.D > 0.0)) return false;
  if (into == kWorld) return true;
  const Vec6 c = frame_.c[idx(s.joint)] * sign;
  const Vec6 U_D = w.U / w.D;
  IA_[idx(into)] += IA - U_D * w.U.transpose();              // (2.33)
  pA_[idx(into)] += pA + IA * c + U_D * (w.u - w.U.dot(c));  // (2.34)
  return true;
}

bool Ada::reduce_several(const JoinStep& s, int from, int into, double sign, const JointVector& tau,
                         const JointVector& J) noexcept {
  Several& w = several_[idx(s.joint)];
  const int n = frame_.n[idx(s.joint)];
  const int first = model_.body(s.joint).v_index;
  const Mat6& IA = IA_[idx(from)];
  const Vec6& pA = pA_[idx(from)];
  for (int k = 0; k < n; ++k) {
    const Vec6 S = frame_.S[idx(first + k)] * sign;
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
  const Vec6 c = frame_.c[idx(s.joint)] * sign;
  Mat6 Ia = IA;
  Vec6 pa = pA;
  for (int k = 0; k < n; ++k) {
    const Vec6 UD = w.U.leftCols(n) * w.D_inverse.col(k).head(n);
    Ia -= UD * w.U.col(k).transpose();  // (2.33)
    pa += UD * w.u[k];                  // (2.34)
  }
  pa += Ia * c;
  IA_[idx(into)] += Ia;
  pA_[idx(into)] += pa;
  return true;
}

void Ada::open_single(const JoinStep& s, int from, int into, double sign,
                      JointVector& vdot) noexcept {
  const Single& w = single_[idx(s.joint)];
  const int k = model_.body(s.joint).v_index;
  const Vec6& a_other = into == kWorld ? frame_.a_ground : a_[idx(into)];
  Vec6& a = a_[idx(from)];
  a = a_other + frame_.c[idx(s.joint)] * sign;
  vdot[k] = (w.u - w.U.dot(a)) / w.D;  // (2.30)
  a += frame_.S[idx(k)] * (sign * vdot[k]);
  F_[idx(s.joint)].noalias() = (IA_[idx(from)] * a + pA_[idx(from)]) * sign;  // (2.24)
}

void Ada::open_several(const JoinStep& s, int from, int into, double sign,
                       JointVector& vdot) noexcept {
  const Several& w = several_[idx(s.joint)];
  const int n = frame_.n[idx(s.joint)];
  const int first = model_.body(s.joint).v_index;
  const Vec6& a_other = into == kWorld ? frame_.a_ground : a_[idx(into)];
  Vec6& a = a_[idx(from)];
  a = a_other + frame_.c[idx(s.joint)] * sign;
  Vec6 r = Vec6::Zero();
  for (int k = 0; k < n; ++k) r[k] = w.u[k] - w.U.col(k).dot(a);
  vdot.segment(first, n) = w.D_inverse.topLeftCorner(n, n) * r.head(n);  // (2.30)
  for (int k = 0; k < n; ++k) a += frame_.S[idx(first + k)] * (sign * vdot[first + k]);
  F_[idx(s.joint)] = (IA_[idx(from)] * a + pA_[idx(from)]) * sign;  // (2.24)
}

}  // namespace kagami::models
