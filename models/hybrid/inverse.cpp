// Recursive Newton-Euler in ordinary accelerations; letters as in derive.cpp.
//   a = R' (a_P + (0, al_P x p + g)) + (c + e_k qdd, 0)
//   F = I a + (w x I w, w x (w x h)) + children's,  tau = e_k' F + J qdd
#include "models/base/idx.hpp"
#include "models/hybrid/articulated.hpp"
#include "models/hybrid/derive_context.hpp"

namespace kagami::models::hybrid {
namespace {

struct InverseTerms {
  Vec3e w;
  Accel a;
  Wrench F;     // of the body alone
  Wrench to_P;  // of the body and all that hangs on it
};

// moment and force of a rigid body: I al + h x a, m a + al x h
Wrench body_force(const UnitConstants& k, const Accel& a, const Mat3e& ww) {
  Wrench F = gyroscopic(ww, k);
  F.n = plus(F.n, plus(times(k.I, a.ang), cross(k.h, a.lin)));
  F.f = plus(F.f, cross(a.ang, k.h));
  for (std::size_t r = 0; r < 3; ++r) F.f[r] += k.mass * a.lin[r];
  return F;
}

class InverseDynamics {
 public:
  explicit InverseDynamics(Program& program)
      : x_(program), kept_(program.plan.units.size()), n_(static_cast<int>(kept_.size())) {}

  void run() {
    for (int i = 0; i < n_; ++i) outward(i);
    for (int i = n_ - 1; i >= 0; --i) inward(i);
  }

 private:
  bool is_base(int i) const { return x_.plan().floating && i == 0; }

  void outward(int i) {
    x_.begin(i);
    InverseTerms& m = kept_[idx(i)];
    const UnitConstants k = x_.constants(i);
    if (is_base(i))
      start_base(m);
    else
      start_joint(i, k, m);
    m.F = body_force(k, m.a, products(m.w));
    m.F = x_.keep(m.F);
    m.w = x_.keep(m.w);
    m.a = {x_.keep(m.a.ang), x_.keep(m.a.lin)};
  }

  void start_base(InverseTerms& m) {
    for (int r = 0; r < 3; ++r) {
      m.w[idx(r)] = x_.base(7 + r);
      m.a.ang[idx(r)] = x_.base(13 + r);
    }
    const Vec3e wv = cross(m.w, Vec3e{x_.base(10), x_.base(11), x_.base(12)});
    const Vec3e g = x_.gravity_in_base();
    for (int r = 0; r < 3; ++r) m.a.lin[idx(r)] = x_.base(16 + r) + wv[idx(r)] - g[idx(r)];
  }

  void start_joint(int i, const UnitConstants& k, InverseTerms& m) {
    const int P = x_.unit(i).parent;
    const Vec3e w_P = P < 0 ? zero_vector(x_.graph()) : kept_[idx(P)].w;
    const Accel a_P = x_.parent_acceleration(P < 0 ? nullptr : &kept_[idx(P)].a);
    const PlanarRotation t = x_.turn_of(i);
    const Expr qd = x_.joint(Source::kRate, i);
    const std::size_t a = idx(k.axis);
    BodyTerms terms;
    move_joint(k, t, qd, w_P, terms);
    m.w = terms.w;
    const Vec3e lin = plus(plus(a_P.lin, cross(a_P.ang, k.p)), terms.gamma);
    m.a.ang = plus(turn_back(t, transpose_times(k.R_PJ, a_P.ang)), terms.c);
    m.a.lin = turn_back(t, transpose_times(k.R_PJ, lin));
    (k.slides ? m.a.lin[a] : m.a.ang[a]) += x_.joint(Source::kForce, i) - x_.spin_bias(i);
  }

  void inward(int i) {
    x_.begin(i);
    InverseTerms& m = kept_[idx(i)];
    const UnitConstants k = x_.constants(i);
    Wrench F = m.F;
    for (const int child : x_.unit(i).children) {
      F.n = plus(F.n, kept_[idx(child)].to_P.n);
      F.f = plus(F.f, kept_[idx(child)].to_P.f);
    }
    if (is_base(i)) {
      for (int r = 0; r < 3; ++r) {
        x_.output(Sink::kBase, r, F.n[idx(r)]);
        x_.output(Sink::kBase, r + 3, F.f[idx(r)]);
      }
      return;
    }
    const Expr own = k.slides ? F.f[idx(k.axis)] : F.n[idx(k.axis)];
    x_.output(Sink::kJoint, 0, own + k.rotor * x_.joint(Source::kForce, i));
    if (x_.unit(i).parent < 0) return;
    const PlanarRotation t = x_.turn_of(i);
    m.to_P = x_.keep_for_parent(to_parent(k, Wrench{turn(t, F.n), turn(t, F.f)}));
  }

  DeriveContext x_;
  std::vector<InverseTerms> kept_;
  int n_;
};

}  // namespace

void derive_inverse(Program& program) {
  InverseDynamics(program).run();
}

}  // namespace kagami::models::hybrid
