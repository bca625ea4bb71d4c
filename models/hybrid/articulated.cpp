// Articulated bodies in ordinary accelerations. [RBDA] = Featherstone 2008, Table 7.1; body B, its
// parent P, joint frame J, axis e_k. w angular velocity, a = (ang, lin) acceleration minus gravity.
//   w   = R' w_P + e_k qd                                        (hyb-1)
//   c   = (w x e_k qd, 0),  g = w_P x (w_P x p)                  (hyb-2)
//   pA  = (w x I w, w x (w x h))                                 (hyb-3)  [RBDA] p = v x* I v
//   U   = IA e_k,  D = e_k' U + J,  u = tau - e_k' pA            (hyb-4)
//   G   = U / D,   Ia = IA - U G'                                (hyb-5)
//   pa  = pA + Ia c + G u                                        (hyb-6)
//   IA_P += X* Ia X^-1,  pA_P += X* pa + Ia_P (0, g)             (hyb-7)
//   qdd = u / D - G' (X^-1 (a_P + (0, g)) + c)                   (hyb-8)
// Ours: the ordinary acceleration of Bo takes the place of the spatial one, so (hyb-1..3) need no
// linear velocity; without rotor inertia J row and column k of Ia are zero and are never formed.
// A joint that slides along e_k has e_k among the forces: U = IA (0, e_k), c = 0, and g has
// 2 w_P x e_k qd besides.
#include "models/hybrid/articulated.hpp"

namespace kagami::models::hybrid {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// entry of a wrench along what the joint leaves free
template <class AnyWrench>
auto& own_entry(const UnitConstants& k, AnyWrench& F) {
  return k.slides ? F.f[at(k.axis)] : F.n[at(k.axis)];
}

}  // namespace

void move_joint(const UnitConstants& k, const Turn& t, Expr qd, const Vec3e& w_P, BodyTerms& m) {
  const std::size_t a = at(k.axis);
  m.w = turn_back(t, transpose_times(k.R_PJ, w_P));  // (hyb-1)
  m.c = zero_vector(*qd.graph);                      // (hyb-2)
  m.gamma = centripetal(products(w_P), k.p);
  if (k.slides) {
    const Expr twice = qd + qd;
    const Vec3e way{k.R_PJ[0][a] * twice, k.R_PJ[1][a] * twice, k.R_PJ[2][a] * twice};
    m.gamma = plus(m.gamma, cross(w_P, way));
    return;
  }
  m.w[a] += qd;
  m.c[(a + 1) % 3] = m.w[(a + 2) % 3] * qd;
  m.c[(a + 2) % 3] = -(m.w[(a + 1) % 3] * qd);
}

InertiaE reduce_joint(const UnitConstants& k, Expr tau, const InertiaE& IA, const Wrench& pA,
                      BodyTerms& m) {
  Graph& g = *tau.graph;
  const std::size_t a = at(k.axis);
  m.free_axis = k.rotor.is_zero();
  m.U = {IA.A[a], IA.H[a]};  // (hyb-4)
  if (k.slides) m.U = {{IA.H[0][a], IA.H[1][a], IA.H[2][a]}, IA.M[a]};
  m.D_inverse = g.constant(1.0) / (own_entry(k, m.U) + k.rotor);
  m.u = tau - own_entry(k, pA);
  for (std::size_t r = 0; r < 3; ++r) {  // (hyb-5)
    m.G.n[r] = m.U.n[r] * m.D_inverse;
    m.G.f[r] = m.U.f[r] * m.D_inverse;
  }
  if (m.free_axis) own_entry(k, m.G) = g.constant(1.0);
  m.ud = m.u * m.D_inverse;
  InertiaE Ia = IA;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (c >= r) {
        Ia.A[r][c] = Ia.A[c][r] = IA.A[r][c] - m.U.n[r] * m.G.n[c];
        Ia.M[r][c] = Ia.M[c][r] = IA.M[r][c] - m.U.f[r] * m.G.f[c];
      }
      Ia.H[r][c] = IA.H[r][c] - m.U.n[r] * m.G.f[c];
    }
  }
  for (std::size_t r = 0; m.free_axis && r < 3; ++r) {
    Mat3e& own = k.slides ? Ia.M : Ia.A;
    own[a][r] = own[r][a] = g.constant(0.0);
    (k.slides ? Ia.H[r][a] : Ia.H[a][r]) = g.constant(0.0);
  }
  return Ia;
}

void hand_to_joint(const UnitConstants& k, const Turn& t, Expr tau, const InertiaE& Ia,
                   const Wrench& pA, const BodyTerms& m, InertiaE& in_J, Wrench& pa_J) {
  const Vec3e zero = zero_vector(*tau.graph);
  Wrench pa = times(Ia, Accel{m.c, zero});  // (hyb-6)
  for (std::size_t r = 0; r < 3; ++r) {
    pa.n[r] = pA.n[r] + pa.n[r] + m.G.n[r] * m.u;
    pa.f[r] = pA.f[r] + pa.f[r] + m.G.f[r] * m.u;
  }
  if (m.free_axis) own_entry(k, pa) = tau;
  in_J = turn(t, Ia);  // (hyb-7)
  const Wrench by_gamma = times(in_J, Accel{zero, transpose_times(k.R_PJ, m.gamma)});
  pa_J = {plus(turn(t, pa.n), by_gamma.n), plus(turn(t, pa.f), by_gamma.f)};
}

Expr accelerate_joint(const UnitConstants& k, const Turn& t, const Accel& a_P, const BodyTerms& m,
                      Accel& a) {
  const std::size_t axis = at(k.axis);
  const Vec3e lin_P = plus(plus(a_P.lin, cross(a_P.ang, k.p)), m.gamma);
  a.ang = plus(turn_back(t, transpose_times(k.R_PJ, a_P.ang)), m.c);  // (hyb-8)
  a.lin = turn_back(t, transpose_times(k.R_PJ, lin_P));
  Wrench G = m.G;
  if (m.free_axis) own_entry(k, G) = k.mass.graph->constant(0.0);
  Expr rest = dot(G.f, a.lin);
  for (std::size_t r = 0; r < 3; ++r) rest += G.n[r] * a.ang[r];
  Expr& own = k.slides ? a.lin[axis] : a.ang[axis];
  const Expr before = own;
  if (m.free_axis) {
    own = m.ud - rest;
    return own - before;
  }
  const Expr qdd = m.ud - rest;
  own += qdd;
  return qdd;
}

}  // namespace kagami::models::hybrid
