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
// Where one body follows another the time is that of the longest way, not of all operations. There
// the joint is eliminated behind the transforms, so that 1/D is found beside them (ours):
//   IA_P += X* IA X^-1 - U_P G_P',  U_P = X* U,  G_P = U_P / D,  u = tau - e_k' p,
//   pA_P += X* p + G_P u,  p = pA + IA (X^-1 (0, g) + c)         (hyb-9)
//   qdd = u / D - G_P' a_P                                       (hyb-10)
// A joint that slides along e_k has e_k among the forces: U = IA (0, e_k), c = 0, and g has
// 2 w_P x e_k qd besides.
#include "models/hybrid/articulated.hpp"

#include "models/base/idx.hpp"

namespace kagami::models::hybrid {
namespace {

// entry of a wrench along what the joint leaves free
template <class AnyWrench>
auto& own_entry(const UnitConstants& k, AnyWrench& F) {
  return k.slides ? F.f[idx(k.axis)] : F.n[idx(k.axis)];
}

// (hyb-4): U, and 1/D
void pivot(const UnitConstants& k, const InertiaE& IA, BodyTerms& m) {
  const std::size_t a = idx(k.axis);
  m.U = {IA.A[a], IA.H[a]};
  if (k.slides) m.U = {{IA.H[0][a], IA.H[1][a], IA.H[2][a]}, IA.M[a]};
  m.D_inverse = k.mass.graph->constant(1.0) / (own_entry(k, m.U) + k.rotor);
}

// IA - U G'
InertiaE reduced(const InertiaE& IA, const Wrench& U, const Wrench& G) {
  InertiaE Ia = IA;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (c >= r) {
        Ia.A[r][c] = Ia.A[c][r] = IA.A[r][c] - U.n[r] * G.n[c];
        Ia.M[r][c] = Ia.M[c][r] = IA.M[r][c] - U.f[r] * G.f[c];
      }
      Ia.H[r][c] = IA.H[r][c] - U.n[r] * G.f[c];
    }
  }
  return Ia;
}

Wrench turn_wrench(const PlanarRotation& t, const Wrench& F) {
  return {turn(t, F.n), turn(t, F.f)};
}

Wrench sum_of(const Wrench& a, const Wrench& b) {
  return {plus(a.n, b.n), plus(a.f, b.f)};
}

// X^-1 (a_P + (0, g)) + c
Accel carried(const UnitConstants& k, const PlanarRotation& t, const Accel& a_P,
              const BodyTerms& m) {
  const Vec3e lin_P = plus(plus(a_P.lin, cross(a_P.ang, k.p)), m.gamma);
  return {plus(turn_back(t, transpose_times(k.R_PJ, a_P.ang)), m.c),
          turn_back(t, transpose_times(k.R_PJ, lin_P))};
}

}  // namespace

void move_joint(const UnitConstants& k, const PlanarRotation& t, Expr qd, const Vec3e& w_P,
                BodyTerms& m) {
  const std::size_t a = idx(k.axis);
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

namespace {

// (hyb-4) and (hyb-5): U, D, u, G from articulated inertia and bias force; gives Ia
InertiaE reduce_joint(const UnitConstants& k, Expr tau, const InertiaE& IA, const Wrench& pA,
                      BodyTerms& m) {
  Graph& g = *tau.graph;
  const std::size_t a = idx(k.axis);
  m.free_axis = k.rotor.is_zero();
  pivot(k, IA, m);
  m.u = tau - own_entry(k, pA);
  for (std::size_t r = 0; r < 3; ++r) {  // (hyb-5)
    m.G.n[r] = m.U.n[r] * m.D_inverse;
    m.G.f[r] = m.U.f[r] * m.D_inverse;
  }
  if (m.free_axis) own_entry(k, m.G) = g.constant(1.0);
  m.ud = m.u * m.D_inverse;
  InertiaE Ia = reduced(IA, m.U, m.G);
  for (std::size_t r = 0; m.free_axis && r < 3; ++r) {
    Mat3e& own = k.slides ? Ia.M : Ia.A;
    own[a][r] = own[r][a] = g.constant(0.0);
    (k.slides ? Ia.H[r][a] : Ia.H[a][r]) = g.constant(0.0);
  }
  return Ia;
}

// (hyb-6) and (hyb-7): Ia and pa in J, about Jo = Bo; needs c, gamma and the terms of reduce_joint
void hand_to_joint(const UnitConstants& k, const PlanarRotation& t, Expr tau, const InertiaE& Ia,
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
  pa_J = sum_of(turn_wrench(t, pa), by_gamma);
}

void join_behind(const UnitConstants& k, const PlanarRotation& t, Expr tau, const InertiaE& IA,
                 const Wrench& pA, BodyTerms& m, InertiaE& IA_P, Wrench& pA_P) {
  const Vec3e zero = zero_vector(*tau.graph);
  pivot(k, IA, m);
  const InertiaE in_J = turn(t, IA);  // (hyb-9)
  const Wrench by_gamma = times(in_J, Accel{zero, transpose_times(k.R_PJ, m.gamma)});
  const Wrench p_J = sum_of(turn_wrench(t, sum_of(pA, times(IA, Accel{m.c, zero}))), by_gamma);
  m.u = tau - own_entry(k, p_J);  // along the axis a turn about it changes nothing
  m.ud = m.u * m.D_inverse;
  const Wrench U_P = to_parent(k, turn_wrench(t, m.U));
  for (std::size_t r = 0; r < 3; ++r) {
    m.G.n[r] = U_P.n[r] * m.D_inverse;
    m.G.f[r] = U_P.f[r] * m.D_inverse;
  }
  IA_P = reduced(to_parent(k, in_J), U_P, m.G);
  pA_P = to_parent(k, p_J);
  for (std::size_t r = 0; r < 3; ++r) {
    pA_P.n[r] += m.G.n[r] * m.u;
    pA_P.f[r] += m.G.f[r] * m.u;
  }
}

Expr accelerate_in_body(const UnitConstants& k, const PlanarRotation& t, const Accel& a_P,
                        const BodyTerms& m, Accel& a) {
  const std::size_t axis = idx(k.axis);
  a = carried(k, t, a_P, m);  // (hyb-8)
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

Expr accelerate_in_parent(const UnitConstants& k, const PlanarRotation& t, const Accel& a_P,
                          const BodyTerms& m, Accel& a) {
  const Expr qdd = m.ud - (dot(m.G.n, a_P.ang) + dot(m.G.f, a_P.lin));  // (hyb-10)
  a = carried(k, t, a_P, m);
  (k.slides ? a.lin : a.ang)[idx(k.axis)] += qdd;
  return qdd;
}

}  // namespace

void join_parent(EliminationOrder way, const UnitConstants& k, const PlanarRotation& t, Expr tau,
                 const InertiaE& IA, const Wrench& pA, BodyTerms& m, InertiaE& IA_P, Wrench& pA_P) {
  if (way == EliminationOrder::kShortPath) return join_behind(k, t, tau, IA, pA, m, IA_P, pA_P);
  const InertiaE Ia = reduce_joint(k, tau, IA, pA, m);
  InertiaE in_J;
  Wrench pa_J;
  hand_to_joint(k, t, tau, Ia, pA, m, in_J, pa_J);
  IA_P = to_parent(k, in_J);
  pA_P = to_parent(k, pa_J);
}

Expr accelerate_joint(EliminationOrder way, const UnitConstants& k, const PlanarRotation& t,
                      const Accel& a_P, const BodyTerms& m, Accel& a) {
  return way == EliminationOrder::kShortPath ? accelerate_in_parent(k, t, a_P, m, a)
                                             : accelerate_in_body(k, t, a_P, m, a);
}

}  // namespace kagami::models::hybrid
