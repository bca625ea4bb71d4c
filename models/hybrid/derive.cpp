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
#include "models/base/errors.hpp"
#include "models/hybrid/algebra.hpp"
#include "models/hybrid/derive_context.hpp"
#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// what a unit's passes leave behind
struct Kept {
  Vec3e w;
  Vec3e c;      // angular part
  Vec3e gamma;  // in P
  Wrench pA;
  Wrench G;
  Expr ud;
  bool free_axis = false;  // no rotor inertia: G along the axis is 1
  InertiaE to_P;
  Wrench pa_P;
  Accel a;
};

class ForwardDynamics {
 public:
  explicit ForwardDynamics(Program& program)
      : x_(program), kept_(program.plan.units.size()), n_(static_cast<int>(kept_.size())) {}

  void run() {
    for (int i = 0; i < n_; ++i) outward(i);
    for (int i = n_ - 1; i >= 0; --i) inward(i);
    for (int i = 0; i < n_; ++i) accelerate(i);
  }

 private:
  bool is_base(int i) const { return x_.plan().floating && i == 0; }

  void outward(int i) {
    x_.begin(i);
    Kept& m = kept_[at(i)];
    const UnitConstants k = x_.constants(i);
    if (is_base(i)) {
      for (std::size_t r = 0; r < 3; ++r) m.w[r] = x_.base(7 + static_cast<int>(r));
    } else {
      const Vec3e w_P = parent_w(i);
      const Turn t = x_.turn_of(i);
      const Expr qd = x_.joint(Source::kRate, i);
      m.w = turn_back(t, transpose_times(k.R_PJ, w_P));  // (hyb-1)
      const std::size_t a = at(k.axis);
      m.w[a] += qd;
      m.c = zero_vector(x_.graph());  // (hyb-2)
      m.c[(a + 1) % 3] = m.w[(a + 2) % 3] * qd;
      m.c[(a + 2) % 3] = -(m.w[(a + 1) % 3] * qd);
      m.gamma = x_.keep(centripetal(products(w_P), k.p));
      m.c = x_.keep(m.c);
    }
    m.pA = x_.keep(gyroscopic(products(m.w), k));  // (hyb-3)
    m.w = x_.keep(m.w);
  }

  Vec3e parent_w(int i) {
    const int P = x_.unit(i).parent;
    return P < 0 ? zero_vector(x_.graph()) : kept_[at(P)].w;
  }

  void inward(int i) {
    x_.begin(i);
    Kept& m = kept_[at(i)];
    const UnitConstants k = x_.constants(i);
    InertiaE IA = rigid(x_.graph(), k);
    Wrench pA = m.pA;
    for (const int child : x_.unit(i).children) {
      IA = plus(IA, kept_[at(child)].to_P);
      pA.n = plus(pA.n, kept_[at(child)].pa_P.n);
      pA.f = plus(pA.f, kept_[at(child)].pa_P.f);
    }
    if (is_base(i)) {
      solve_base(IA, pA);
      return;
    }
    const std::size_t a = at(k.axis);
    const Expr tau = x_.joint(Source::kForce, i);
    m.free_axis = k.rotor.is_zero();
    const Wrench U{IA.A[a], IA.H[a]};  // (hyb-4)
    const Expr D_inverse = x_.graph().constant(1.0) / (U.n[a] + k.rotor);
    const Expr u = tau - pA.n[a];
    for (std::size_t r = 0; r < 3; ++r) {  // (hyb-5)
      m.G.n[r] = r == a && m.free_axis ? x_.graph().constant(1.0) : U.n[r] * D_inverse;
      m.G.f[r] = U.f[r] * D_inverse;
    }
    m.ud = x_.keep(u * D_inverse);
    if (x_.unit(i).parent >= 0) hand_to_parent(i, k, reduced(k, m, IA, U), pA, u);
    m.G = x_.keep(m.G);
  }

  InertiaE reduced(const UnitConstants& k, const Kept& m, InertiaE IA, const Wrench& U) {
    const std::size_t a = at(k.axis);
    const Expr zero = x_.graph().constant(0.0);
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        if (c >= r) {
          IA.A[r][c] = IA.A[c][r] = IA.A[r][c] - U.n[r] * m.G.n[c];
          IA.M[r][c] = IA.M[c][r] = IA.M[r][c] - U.f[r] * m.G.f[c];
        }
        IA.H[r][c] = IA.H[r][c] - U.n[r] * m.G.f[c];
      }
    }
    for (std::size_t r = 0; m.free_axis && r < 3; ++r) IA.A[a][r] = IA.A[r][a] = IA.H[a][r] = zero;
    return IA;
  }

  void hand_to_parent(int i, const UnitConstants& k, const InertiaE& Ia, const Wrench& pA, Expr u) {
    Kept& m = kept_[at(i)];
    const std::size_t a = at(k.axis);
    const Turn t = x_.turn_of(i);
    Wrench pa = times(Ia, Accel{m.c, zero_vector(x_.graph())});  // (hyb-6)
    for (std::size_t r = 0; r < 3; ++r) {
      pa.n[r] = pA.n[r] + pa.n[r] + m.G.n[r] * u;
      pa.f[r] = pA.f[r] + pa.f[r] + m.G.f[r] * u;
    }
    if (m.free_axis) pa.n[a] = x_.joint(Source::kForce, i);
    const InertiaE in_J = turn(t, Ia);  // (hyb-7)
    Wrench pa_J{turn(t, pa.n), turn(t, pa.f)};
    const Wrench by_gamma =
        times(in_J, Accel{zero_vector(x_.graph()), transpose_times(k.R_PJ, m.gamma)});
    pa_J = {plus(pa_J.n, by_gamma.n), plus(pa_J.f, by_gamma.f)};
    m.to_P = x_.keep_for_parent(to_parent(k, in_J));
    m.pa_P = x_.keep_for_parent(to_parent(k, pa_J));
  }

  // IA a = tau - pA by L D L'
  void solve_base(const InertiaE& IA, const Wrench& pA) {
    std::array<std::array<Expr, 6>, 6> L;
    std::array<Expr, 6> b;
    for (std::size_t r = 0; r < 3; ++r) {
      b[r] = x_.base(13 + static_cast<int>(r)) - pA.n[r];
      b[r + 3] = x_.base(16 + static_cast<int>(r)) - pA.f[r];
      for (std::size_t c = 0; c < 3; ++c) {
        L[r][c] = IA.M[r][c];  // linear first: its block is the easy one
        L[r + 3][c + 3] = IA.A[r][c];
        L[r + 3][c] = IA.H[r][c];
        L[c][r + 3] = IA.H[r][c];
      }
    }
    std::array<Expr, 6> y{b[3], b[4], b[5], b[0], b[1], b[2]};
    std::array<Expr, 6> D_inverse;
    for (std::size_t k = 0; k < 6; ++k) {
      D_inverse[k] = x_.graph().constant(1.0) / L[k][k];
      for (std::size_t r = k + 1; r < 6; ++r) {
        const Expr l = L[r][k] * D_inverse[k];
        for (std::size_t c = r; c < 6; ++c) L[c][r] = L[r][c] = L[r][c] - l * L[k][c];
        y[r] = y[r] - l * y[k];
        L[r][k] = l;
      }
    }
    for (std::size_t k = 6; k-- > 0;) {
      y[k] = y[k] * D_inverse[k];
      for (std::size_t r = k + 1; r < 6; ++r) y[k] = y[k] - L[r][k] * y[r];
    }
    Kept& m = kept_[0];
    m.a = {{y[3], y[4], y[5]}, {y[0], y[1], y[2]}};
    finish_base(m.a, m.w);
    m.a = {x_.keep(m.a.ang), x_.keep(m.a.lin)};
  }

  // back to the derivative of the velocity's components: + R' g - w x v
  void finish_base(const Accel& a, const Vec3e& w) {
    const Vec3e v{x_.base(10), x_.base(11), x_.base(12)};
    const Vec3e wv = cross(w, v);
    const Vec3e g = x_.gravity_in_base();
    for (std::size_t r = 0; r < 3; ++r) {
      x_.output(Sink::kBase, static_cast<int>(r), a.ang[r]);
      x_.output(Sink::kBase, static_cast<int>(r) + 3, a.lin[r] + g[r] - wv[r]);
    }
  }

  void accelerate(int i) {
    if (is_base(i)) return;
    x_.begin(i);
    Kept& m = kept_[at(i)];
    const UnitConstants k = x_.constants(i);
    const std::size_t a = at(k.axis);
    const Turn t = x_.turn_of(i);
    const Accel a_P = x_.parent_acceleration(kept_of_parent(i));
    const Vec3e lin_P = plus(plus(a_P.lin, cross(a_P.ang, k.p)), m.gamma);
    m.a.ang = plus(turn_back(t, transpose_times(k.R_PJ, a_P.ang)), m.c);  // (hyb-8)
    m.a.lin = turn_back(t, transpose_times(k.R_PJ, lin_P));
    Expr rest = dot(m.G.f, m.a.lin);
    for (std::size_t r = 0; r < 3; ++r) {
      if (r != a || !m.free_axis) rest += m.G.n[r] * m.a.ang[r];
    }
    const Expr before = m.a.ang[a];
    if (m.free_axis) {
      m.a.ang[a] = m.ud - rest;
      x_.output(Sink::kJoint, 0, m.a.ang[a] - before);
    } else {
      const Expr qdd = m.ud - rest;
      m.a.ang[a] += qdd;
      x_.output(Sink::kJoint, 0, qdd);
    }
    m.a = {x_.keep(m.a.ang), x_.keep(m.a.lin)};
  }

  const Accel* kept_of_parent(int i) {
    const int P = x_.unit(i).parent;
    return P < 0 ? nullptr : &kept_[at(P)].a;
  }

  DeriveContext x_;
  std::vector<Kept> kept_;
  int n_;
};

}  // namespace

Program derive(const Plan& plan, Task task, bool fused) {
  Program program;
  program.task = task;
  program.plan = plan;
  program.fused = fused;
  program.slots.assign(plan.units.size(), 0);
  if (task == Task::kForwardDynamics)
    ForwardDynamics(program).run();
  else
    derive_inverse(program);
  remove_dead_outputs(program);
  return program;
}

}  // namespace kagami::models::hybrid
