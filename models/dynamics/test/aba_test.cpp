#include "models/dynamics/aba.hpp"

#include <gtest/gtest.h>

#include "models/dynamics/crba.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/test/support/forward_sample.hpp"
#include "models/test/support/no_alloc.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::max_abs;
using test::Random;

BaseKind base_of(unsigned seed) {
  return seed % 2 == 0 ? BaseKind::kFixed : BaseKind::kFloating;
}

TEST(Aba, InvertsRneaOnRandomTrees) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Model model = test::random_tree(random, 17, base_of(seed));
    const State s = test::random_state(random, model);
    const JointVector vdot = random.vector(model.num_v());
    std::vector<Force> F_ext;
    for (int i = 0; i < model.num_bodies(); ++i) F_ext.push_back({Vec6(random.vector(6))});
    const ExternalLoads extras{.F_ext = F_ext};

    RneaWorkspace r(model);
    AbaWorkspace a(model);
    JointVector tau;
    JointVector result;
    rnea(model, s.q, s.v, vdot, extras, r, tau);
    aba(model, s.q, s.v, tau, extras, a, result);
    EXPECT_LT(max_abs(result - vdot), 1e-9);  // rad/s^2; forces of 100 N m, condition up to 1e4
  }
}

TEST(Aba, SolvesTheMassMatrixOfCrba) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(1000 + seed);
    const Model model = test::random_tree(random, 12, base_of(seed));
    const State s = test::random_state(random, model);
    const JointVector tau = random.vector(model.num_v());
    CrbaWorkspace c(model);
    RneaWorkspace r(model);
    AbaWorkspace a(model);
    JointMatrix H;
    JointVector b;
    JointVector vdot;
    crba(model, s.q, c, H);
    rnea(model, s.q, s.v, JointVector::Zero(model.num_v()), r, b);
    aba(model, s.q, s.v, tau, a, vdot);
    const JointVector residual = H * vdot + b - tau;
    EXPECT_LT(max_abs(residual), 1e-9);  // N m, of terms up to 1e3
  }
}

TEST(Aba, AddedInertiaCountsOnTheDiagonalInPlaceOfTheRotors) {
  Random random(5);
  const Model model = test::random_tree(random, 9, BaseKind::kFixed);
  const State s = test::random_state(random, model);
  JointVector added(model.num_v());
  for (int k = 0; k < model.num_v(); ++k) added[k] = 0.1 + 0.01 * k;
  const JointVector vdot = random.vector(model.num_v());
  RneaWorkspace r(model);
  AbaWorkspace a(model);
  JointVector tau;
  JointVector result;
  JointVector bare;
  rnea(model, s.q, s.v, vdot, r, bare);
  const JointVector want = bare + (added - model.rotor_inertia()).cwiseProduct(vdot);
  const ExternalLoads extras{.F_ext = {}, .added_inertia = &added};
  rnea(model, s.q, s.v, vdot, extras, r, tau);
  EXPECT_LT(max_abs(tau - want), 1e-12);
  aba(model, s.q, s.v, tau, extras, a, result);
  EXPECT_LT(max_abs(result - vdot), 1e-10);
}

TEST(Aba, FreeSwingKeepsEnergy) {
  for (const BaseKind base : {BaseKind::kFixed, BaseKind::kFloating}) {
    Random random(7);
    const Model model = test::random_tree(random, 10, base);
    State s = test::random_state(random, model);
    const double before = test::energy(model, s);
    for (int i = 0; i < 1000; ++i) test::rk4_step(model, 1e-4, s);
    EXPECT_NEAR(test::energy(model, s), before, 1e-9);  // J; Runge-Kutta's share, order dt^4
  }
}

TEST(Aba, FloatingTreeGainsExactlyTheMomentumOfGravity) {
  Random random(11);
  Model model = test::random_tree(random, 10, BaseKind::kFloating);
  State s = test::random_state(random, model);
  Kinematics k(model);
  forward_kinematics(model, s.q, s.v, k);
  const Force before = momentum(model, k);
  const Vec3 com = center_of_mass(model, k);
  for (int i = 0; i < 1000; ++i) test::rk4_step(model, 1e-4, s);
  forward_kinematics(model, s.q, s.v, k);
  const Force after = momentum(model, k);
  // gravity g acts at the mass centre: P gains m g t, L its moment along the centre's path
  const double t = 0.1;
  const double m = model.total_mass();
  const Vec3& g = model.gravity();
  EXPECT_LT((after.force() - before.force() - m * g * t).norm(), 1e-9);  // N s
  const Vec3 v = before.force() / m;
  const Vec3 c_end = com + v * t + 0.5 * g * t * t;
  EXPECT_LT((center_of_mass(model, k) - c_end).norm(), 1e-9);  // m
}

TEST(Aba, AllocatesNothingAfterSetUp) {
  for (const BaseKind base : {BaseKind::kFixed, BaseKind::kFloating}) {
    Random random(3);
    const Model model = test::random_tree(random, 20, base);
    const State s = test::random_state(random, model);
    const JointVector zero = JointVector::Zero(model.num_v());
    AbaWorkspace a(model);
    RneaWorkspace r(model);
    CrbaWorkspace c(model);
    Kinematics k(model);
    JointVector vdot;
    JointMatrix H(model.num_v(), model.num_v());
    const test::NoAlloc guard;
    aba(model, s.q, s.v, zero, a, vdot);
    rnea(model, s.q, s.v, zero, r, vdot);
    crba(model, s.q, c, H);
    forward_kinematics(model, s.q, s.v, k);
    const long count = guard.count();
    EXPECT_EQ(count, 0);
  }
}

TEST(Kinematics, VelocitiesAreTheDerivativesOfThePoses) {
  Random random(13);
  const Model model = test::random_tree(random, 12, BaseKind::kFloating);
  const State s = test::random_state(random, model);
  Kinematics now(model);
  Kinematics later(model);
  Kinematics earlier(model);
  const double h = 1e-5;
  JointVector q_later = s.q;
  JointVector q_earlier = s.q;
  integrate(model, s.v, h, q_later);
  integrate(model, s.v, -h, q_earlier);
  forward_kinematics(model, s.q, s.v, now);
  forward_kinematics(model, q_later, s.v, later);
  forward_kinematics(model, q_earlier, s.v, earlier);
  for (std::size_t i = 0; i < now.X_WB.size(); ++i) {
    const Vec3 rate = (later.X_WB[i].p - earlier.X_WB[i].p) / (2.0 * h);
    EXPECT_LT((now.X_WB[i].R * now.tree.V[i].linear() - rate).norm(), 1e-8);  // m/s, order h^2
  }
}

}  // namespace
}  // namespace kagami::models
