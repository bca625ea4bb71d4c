// Forward dynamics of a whole tree by articulated bodies; letters and equations in articulated.cpp.
#include "models/base/idx.hpp"
#include "models/hybrid/articulated.hpp"
#include "models/hybrid/derive_context.hpp"
#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {
namespace {

// what a unit's passes leave behind
struct DerivedTerms : BodyTerms {
  InertiaE to_P;
  Wrench pa_P;
  Accel a;
};

class ForwardDynamics {
 public:
  explicit ForwardDynamics(Program& program)
      : x_(program),
        kept_(program.plan.units.size()),
        n_(static_cast<int>(kept_.size())),
        way_(program.way) {}

  void run() {
    for (int i = 0; i < n_; ++i) outward(i);
    for (int i = n_ - 1; i >= 0; --i) inward(i);
    for (int i = 0; i < n_; ++i) accelerate(i);
  }

 private:
  bool is_base(int i) const { return x_.plan().floating && i == 0; }

  void outward(int i) {
    x_.begin(i);
    DerivedTerms& m = kept_[idx(i)];
    const UnitConstants k = x_.constants(i);
    if (is_base(i)) {
      for (std::size_t r = 0; r < 3; ++r) m.w[r] = x_.base(7 + static_cast<int>(r));
    } else {
      move_joint(k, x_.turn_of(i), x_.joint(Source::kRate, i), parent_w(i), m);
      m.gamma = x_.keep(m.gamma);
      m.c = x_.keep(m.c);
    }
    m.pA = x_.keep(gyroscopic(products(m.w), k));  // (hyb-3)
    m.w = x_.keep(m.w);
  }

  Vec3e parent_w(int i) {
    const int P = x_.unit(i).parent;
    return P < 0 ? zero_vector(x_.graph()) : kept_[idx(P)].w;
  }

  void inward(int i) {
    x_.begin(i);
    DerivedTerms& m = kept_[idx(i)];
    const UnitConstants k = x_.constants(i);
    InertiaE IA = rigid(x_.graph(), k);
    Wrench pA = m.pA;
    for (const int child : x_.unit(i).children) {
      IA = plus(IA, kept_[idx(child)].to_P);
      pA.n = plus(pA.n, kept_[idx(child)].pa_P.n);
      pA.f = plus(pA.f, kept_[idx(child)].pa_P.f);
    }
    if (is_base(i)) {
      solve_base(IA, pA);
      return;
    }
    const Expr tau = x_.joint(Source::kForce, i) - k.rotor * x_.spin_bias(i);
    InertiaE IA_P;
    Wrench pA_P;
    join_parent(way_, k, x_.turn_of(i), tau, IA, pA, m, IA_P, pA_P);
    if (x_.unit(i).parent >= 0) {
      m.to_P = x_.keep_for_parent(IA_P);
      m.pa_P = x_.keep_for_parent(pA_P);
    }
    m.ud = x_.keep(m.ud);
    m.G = x_.keep(m.G);
  }

  void solve_base(const InertiaE& IA, const Wrench& pA) {
    DerivedTerms& m = kept_[0];
    m.a = x_.solve_base(IA, pA, m.w);
    m.a = {x_.keep(m.a.ang), x_.keep(m.a.lin)};
  }

  void accelerate(int i) {
    if (is_base(i)) return;
    x_.begin(i);
    DerivedTerms& m = kept_[idx(i)];
    const Accel a_P = x_.parent_acceleration(kept_of_parent(i));
    const Expr qdd = accelerate_joint(way_, x_.constants(i), x_.turn_of(i), a_P, m, m.a);
    x_.output(Sink::kJoint, 0, qdd + x_.spin_bias(i));
    m.a = {x_.keep(m.a.ang), x_.keep(m.a.lin)};
  }

  const Accel* kept_of_parent(int i) {
    const int P = x_.unit(i).parent;
    return P < 0 ? nullptr : &kept_[idx(P)].a;
  }

  DeriveContext x_;
  std::vector<DerivedTerms> kept_;
  int n_;
  EliminationOrder way_;
};

}  // namespace

Program derive(const Plan& plan, Task task, bool fused, EliminationOrder way) {
  Program program;
  program.way = way;
  program.task = task;
  program.plan = plan;
  program.fused = fused;
  program.slots.assign(plan.units.size(), 0);
  if (task == Task::kInverseDynamics)
    derive_inverse(program);
  else
    ForwardDynamics(program).run();
  remove_dead_outputs(program);
  return program;
}

}  // namespace kagami::models::hybrid
