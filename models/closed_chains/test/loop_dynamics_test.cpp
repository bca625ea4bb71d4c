// Closed chains against O10's loops (maximal coordinates, 36 digits), against the whole KKT matrix
// with full pivoting, against finite differences and against conservation of energy.
#include "models/closed_chains/loop_dynamics.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/closed_chains/loop_stepper.hpp"
#include "models/closed_chains/test/loop_models.hpp"
#include "models/closed_chains/test/random_loops.hpp"
#include "models/dynamics/aba.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::vec6_from_json;
using test::vector_from_json;

TEST(LoopsOracle, AccelerationsWrenchesAndRankAreThoseOfMaximalCoordinates) {
  const nlohmann::json cases = test::read_fixture("o10_loops.json").at("cases");
  ASSERT_EQ(cases.size(), 8u);
  for (const nlohmann::json& c : cases) {
    const std::string id = c.at("id");
    const Model model = test::loop_model_from_json(c);
    LoopDynamics dynamics(model);
    const JointVector q = vector_from_json(c.at("q"));
    const JointVector v = vector_from_json(c.at("v"));
    JointVector vdot;
    ASSERT_EQ(dynamics.run(q, v, vector_from_json(c.at("tau")), ExternalLoads{}, vdot),
              LoopStatus::kOk)
        << id;
    EXPECT_LE(dynamics.gap(), 1e-12) << id;
    EXPECT_LE((dynamics.kinematics().J * v).cwiseAbs().maxCoeff(), 1e-12) << id;
    EXPECT_EQ(dynamics.rank(), c.at("rank").get<int>()) << id;
    const JointVector exact = vector_from_json(c.at("vdot"));
    EXPECT_LE((vdot - exact).norm(), 1e-8 * std::max(1.0, exact.norm())) << id;
    for (std::size_t l = 0; l < model.loops().size(); ++l) {
      const Vec6 F = vec6_from_json(c.at("loop_wrench_on_a").at(l));
      EXPECT_LE((dynamics.wrench(static_cast<int>(l)).c - F).norm(), 1e-7 * std::max(1.0, F.norm()))
          << id << " loop " << l;
    }
  }
}

using test::RandomChain;

TEST(LoopKinematics, JacobianAndRateAreTheFiniteDifferencesOfTheGap) {
  test::Random random(5);
  for (int i = 0; i < 60; ++i) {
    RandomChain c(random, 4 + random.index(6), i % 2 ? BaseKind::kFloating : BaseKind::kFixed, 2);
    LoopKinematics w(c.model);
    place_loops(c.model, c.q, w);
    ASSERT_LE(w.e.cwiseAbs().maxCoeff(), 1e-11);
    move_loops(c.model, c.q, c.v, w);
    const Eigen::VectorXd rate = w.J * c.v;
    const Eigen::VectorXd k = w.k;
    constexpr double kH = 1e-5;
    Eigen::VectorXd e[2];
    Eigen::VectorXd Jv[2];
    for (const int side : {0, 1}) {
      JointVector q = c.q;
      integrate(c.model, c.v, side == 0 ? kH : -kH, q);
      place_loops(c.model, q, w);
      e[side] = w.e;
      Jv[side] = w.J * c.v;
    }
    const double size = 1.0 + c.v.squaredNorm();
    EXPECT_LE(((e[0] - e[1]) / (2 * kH) - rate).norm(), 1e-7 * size) << i;
    EXPECT_LE(((Jv[0] - Jv[1]) / (2 * kH) - k).norm(), 1e-7 * size) << i;
  }
}

// vdot is unique whatever the multipliers are: the whole KKT matrix, full pivoting
TEST(LoopDynamics, RandomClosedTreesAgreeWithTheWholeKktMatrix) {
  test::Random random(11);
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    RandomChain c(random, 4 + random.index(8), i % 2 ? BaseKind::kFloating : BaseKind::kFixed,
                  1 + random.index(2));
    LoopDynamics dynamics(c.model);
    const int n = c.model.num_v();
    const int m = c.model.num_loop_constraints();
    const JointVector tau = random.vector(n);
    ASSERT_EQ(dynamics.factor(c.q), LoopStatus::kOk);
    dynamics.project_velocity(c.v, false);
    JointVector vdot;
    const LoopStatus status = dynamics.run(c.q, c.v, tau, ExternalLoads{}, vdot);
    if (status == LoopStatus::kOverConstrained) continue;
    ASSERT_EQ(status, LoopStatus::kOk);
    const double least = dynamics.singular_values()[static_cast<std::size_t>(dynamics.rank() - 1)];
    if (least < 1e-3 * dynamics.singular_values()[0]) continue;
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
    const Eigen::MatrixXd& J = dynamics.kinematics().J;
    K.topLeftCorner(n, n) = dynamics.mass_matrix();
    K.topRightCorner(n, m) = -J.transpose();
    K.bottomLeftCorner(m, n) = J;
    RneaWorkspace w(c.model);
    JointVector b;
    rnea(c.model, c.q, c.v, JointVector::Zero(n), w, b);
    Eigen::VectorXd rhs(n + m);
    rhs << tau - b, -dynamics.kinematics().k;
    const Eigen::VectorXd x = K.fullPivLu().solve(rhs);
    EXPECT_LE((x.head(n) - vdot).norm(), 1e-7 * std::max(1.0, vdot.norm())) << i;
    ++compared;
  }
  EXPECT_GE(compared, 120);
}

// tree dynamics with the loops' forces as external ones: another way to the same accelerations
TEST(LoopDynamics, LoopForcesOnTheOpenTreeGiveTheSameAccelerations) {
  test::Random random(12);
  for (int i = 0; i < 50; ++i) {
    RandomChain c(random, 10, BaseKind::kFloating, 2);
    LoopDynamics dynamics(c.model);
    const JointVector tau = random.vector(c.model.num_v());
    ASSERT_EQ(dynamics.factor(c.q), LoopStatus::kOk);
    dynamics.project_velocity(c.v, false);
    JointVector vdot;
    if (dynamics.run(c.q, c.v, tau, ExternalLoads{}, vdot) != LoopStatus::kOk) continue;
    std::vector<Force> F(static_cast<std::size_t>(c.model.num_bodies()), Force::zero());
    dynamics.add_forces(F);
    AbaWorkspace w(c.model);
    JointVector open;
    aba(c.model, c.q, c.v, tau, ExternalLoads{F, nullptr}, w, open);
    EXPECT_LE((open - vdot).norm(), 1e-7 * std::max(1.0, vdot.norm())) << i;
  }
}

// ------------------------------------------------------------------ what has no inverse, what
// fails

TEST(LoopDynamics, SpatialHingeOfAPlanarFourBarHasTwoIndependentEquationsOfFive) {
  const Model hinge = test::peers_four_bar(false);
  const Model ball = test::four_bar({0.8, 1.08, 0.96}, {1, 1, 1}, 1.3, JointType::kSpherical);
  LoopDynamics dynamics(hinge);
  ASSERT_EQ(dynamics.factor(JointVector::Zero(3)), LoopStatus::kOk);
  EXPECT_EQ(dynamics.singular_values().size(), 5u);
  EXPECT_EQ(dynamics.rank(), 2);
  EXPECT_GT(dynamics.smallest_singular_value(), 0.1);
  LoopDynamics point(ball);
  ASSERT_EQ(point.factor(JointVector::Constant(3, 0.3)), LoopStatus::kOk);
  EXPECT_EQ(point.rank(), 2);
}

TEST(LoopDynamics, ClosesALoopFromAfarAndReportsWhenItCannot) {
  const Model model = test::four_bar({0.8, 1.08, 0.96}, {1, 1, 1}, 1.3);
  LoopDynamics dynamics(model);
  JointVector q(3);
  q << 0.5, 0.9, 0.8;
  ASSERT_EQ(dynamics.close(q), LoopStatus::kOk);
  ASSERT_EQ(dynamics.factor(q), LoopStatus::kOk);
  EXPECT_LE(dynamics.gap(), 1e-11);
  // the ground is longer than the three rods
  const Model open = test::four_bar({0.8, 1.08, 0.96}, {1, 1, 1}, 3.0);
  LoopDynamics never(open);
  const JointVector before = q;
  EXPECT_EQ(never.close(q), LoopStatus::kOpen);
  EXPECT_EQ(q, before);
}

// the same pin twice: no new equation, each carries half
TEST(LoopDynamics, LoopThatStandsTwiceSharesItsLoad) {
  const Model once = test::peers_four_bar(false);
  ModelBuilder builder(once);
  const Loop& pin = once.loops()[0];
  builder.add_loop("again", pin.body_a, pin.X_AL, pin.body_b, pin.X_BJ, pin.joint);
  const Model twice = builder.build();
  LoopDynamics one(once);
  LoopDynamics two(twice);
  const JointVector zero = JointVector::Zero(3);
  JointVector a;
  JointVector b;
  ASSERT_EQ(one.run(zero, zero, zero, ExternalLoads{}, a), LoopStatus::kOk);
  ASSERT_EQ(two.run(zero, zero, zero, ExternalLoads{}, b), LoopStatus::kOk);
  EXPECT_EQ(two.rank(), 2);  // of 10
  EXPECT_LE((a - b).norm(), 1e-12 * (1.0 + a.norm()));
  for (const int l : {0, 1}) {
    EXPECT_LE((two.wrench(l).c - 0.5 * one.wrench(0).c).norm(), 1e-10);
  }
}

// two pins that ask the same rod to be in two places
TEST(LoopDynamics, LoopsThatExcludeEachOtherCannotBeClosed) {
  const Model once = test::peers_four_bar(false);
  ModelBuilder builder(once);
  const Loop& pin = once.loops()[0];
  Pose elsewhere = pin.X_BJ;
  elsewhere.p.x() += 0.1;
  builder.add_loop("elsewhere", pin.body_a, pin.X_AL, pin.body_b, elsewhere, pin.joint);
  const Model model = builder.build();
  LoopDynamics dynamics(model);
  JointVector q = JointVector::Zero(3);
  EXPECT_EQ(dynamics.close(q), LoopStatus::kOpen);
  EXPECT_EQ(q, JointVector(JointVector::Zero(3)));
  LoopStepper stepper(model);
  State s = neutral_state(model);
  EXPECT_EQ(stepper.semi_implicit(q, 1e-3, s), LoopStatus::kOpen);
}

// a hinge across another hinge's axis: the rod may not move at all, and a speed is no state of it
TEST(LoopDynamics, JointThatItsLoopHoldsHasNoVelocity) {
  ModelBuilder builder;
  const Joint hinge{JointType::kRevolute, Vec3::UnitY(), Vec3::Zero()};
  builder.add_body("rod", kWorld, "hinge", hinge, Pose{}, {1.0, Vec3(0.5, 0, 0), Mat3::Identity()});
  builder.add_loop("across", 0, Pose{}, kWorld, Pose{},
                   Joint{JointType::kRevolute, Vec3::UnitZ(), Vec3::Zero()});
  const Model model = builder.build();
  LoopDynamics dynamics(model);
  const JointVector zero = JointVector::Zero(1);
  JointVector vdot;
  ASSERT_EQ(dynamics.run(zero, zero, zero, ExternalLoads{}, vdot), LoopStatus::kOk);
  EXPECT_EQ(dynamics.rank(), 1);
  EXPECT_NEAR(vdot[0], 0.0, 1e-14);
  JointVector v = JointVector::Constant(1, 3.0);
  dynamics.project_velocity(v, false);
  EXPECT_NEAR(v[0], 0.0, 1e-14);
}

TEST(LoopDynamics, RodWeldedAtBothEndsStands) {
  ModelBuilder builder;
  const Joint hinge{JointType::kRevolute, Vec3::UnitY(), Vec3::Zero()};
  builder.add_body("rod", kWorld, "hinge", hinge, Pose{}, {1.0, Vec3(0.5, 0, 0), Mat3::Identity()});
  builder.add_loop("weld", 0, Pose{Mat3::Identity(), Vec3(1, 0, 0)}, kWorld,
                   Pose{Mat3::Identity(), Vec3(1, 0, 0)}, Joint{});
  const Model model = builder.build();
  LoopDynamics dynamics(model);
  JointVector vdot;
  const JointVector zero = JointVector::Zero(1);
  ASSERT_EQ(dynamics.run(zero, zero, zero, ExternalLoads{}, vdot), LoopStatus::kOk);
  EXPECT_EQ(dynamics.rank(), 1);
  EXPECT_EQ(vdot[0], 0.0);
  JointVector v = JointVector::Constant(1, 2.0);
  dynamics.project_velocity(v, false);
  EXPECT_NEAR(v[0], 0.0, 1e-15);
  JointVector q = JointVector::Constant(1, 0.3);
  EXPECT_EQ(dynamics.close(q), LoopStatus::kOk);
  EXPECT_NEAR(q[0], 0.0, 1e-9);
}

// fresh at the pose itself: looking around finds that two equations are independent elsewhere
TEST(LoopDynamics, SearchDetectsASingularPose) {
  const Model model = test::four_bar({1, 1, 1}, {1, 1, 1}, 1.0);
  JointVector q(3);
  q << 1.57079632679489662, 0.0, 3.14159265358979323;
  LoopDynamics dynamics(model);
  ASSERT_EQ(dynamics.factor(q), LoopStatus::kOk);
  EXPECT_GT(dynamics.smallest_singular_value(), 0.1);  // of the one that counts
  ASSERT_EQ(dynamics.look_around(q), LoopStatus::kOk);
  EXPECT_EQ(dynamics.rank(), 1);
  EXPECT_LE(dynamics.smallest_singular_value(), 1e-12);
  EXPECT_EQ(dynamics.look_around(JointVector::Constant(3, NAN)), LoopStatus::kNotFinite);
}

TEST(LoopDynamics, NotANumberIsAStatusAndLeavesTheOutputAlone) {
  const Model model = test::peers_four_bar(false);
  LoopDynamics dynamics(model);
  const JointVector zero = JointVector::Zero(3);
  const JointVector bad = JointVector::Constant(3, std::numeric_limits<double>::quiet_NaN());
  JointVector vdot = JointVector::Constant(3, 7.0);
  EXPECT_EQ(dynamics.run(bad, zero, zero, ExternalLoads{}, vdot), LoopStatus::kNotFinite);
  EXPECT_EQ(dynamics.run(zero, bad, zero, ExternalLoads{}, vdot), LoopStatus::kNotFinite);
  EXPECT_EQ(dynamics.run(zero, zero, bad, ExternalLoads{}, vdot), LoopStatus::kNotFinite);
  EXPECT_EQ(vdot, JointVector(JointVector::Constant(3, 7.0)));
  const JointVector negative = JointVector::Constant(3, -10.0);
  EXPECT_EQ(dynamics.run(zero, zero, zero, ExternalLoads{{}, &negative}, vdot),
            LoopStatus::kNoInertia);
  EXPECT_STREQ(name(LoopStatus::kOverConstrained), "over-constrained");
}

// ------------------------------------------------------------------ motion

// largest change of energy (J) and largest gap over a run of fourth order
void expect_conserved(const Model& model, State s, int steps, double energy, double gap) {
  LoopStepper stepper(model);
  ASSERT_EQ(stepper.dynamics().close(s.q), LoopStatus::kOk);
  ASSERT_EQ(stepper.dynamics().factor(s.q), LoopStatus::kOk);
  stepper.dynamics().project_velocity(s.v, false);
  const double E0 = test::energy(model, s);
  const JointVector tau = JointVector::Zero(model.num_v());
  double worst = 0.0;
  double open = 0.0;
  double least = 1e300;
  for (int i = 0; i < steps; ++i) {
    ASSERT_EQ(stepper.runge_kutta_4(tau, 1e-3, s), LoopStatus::kOk) << i;
    worst = std::max(worst, std::abs(test::energy(model, s) - E0));
    open = std::max(open, stepper.dynamics().gap());
    least = std::min(least, stepper.dynamics().smallest_singular_value());
  }
  EXPECT_LE(worst, energy) << "from " << E0 << " J, least sigma " << least;
  EXPECT_LE(open, gap);
}

TEST(LoopStepper, SliderCrankKeepsItsEnergyOverItsDeadCentres) {
  State s = neutral_state(test::slider_crank());
  s.q << 0.4, -0.55, 0.0;
  s.v[0] = 12.0;  // full turns
  expect_conserved(test::slider_crank(), s, 3000, 1e-6, 1e-11);
}

// up to 19 rad/s: 3.1e-6 J at 1 ms, 2.0e-7 J at 0.5 ms (fourth order)
TEST(LoopStepper, DoubleLoopKeepsItsEnergy) {
  State s = neutral_state(test::double_loop());
  s.v[0] = 1.0;
  expect_conserved(test::double_loop(), s, 1000, 1e-5, 1e-11);
}

TEST(LoopStepper, SpatialChainsKeepTheirEnergy) {
  test::Random random(3);
  const RandomChain c(random, 8, BaseKind::kFloating, 1);
  State s{c.q, 0.3 * c.v};
  expect_conserved(c.model, s, 300, 1e-6, 1e-10);
}

TEST(LoopStepper, SemiImplicitNeitherDriftsNorGains) {
  const Model model = test::peers_four_bar(false);
  State s = neutral_state(model);
  LoopStepper stepper(model);
  const double E0 = test::energy(model, s);
  for (int i = 0; i < 10000; ++i) {
    ASSERT_EQ(stepper.semi_implicit(JointVector::Zero(3), 1e-3, s), LoopStatus::kOk);
    ASSERT_LE(stepper.dynamics().gap(), 1e-10);
    ASSERT_LE(std::abs(test::energy(model, s) - E0), 1e-2);  // ripple of the method itself
  }
}

// both soles of the KHR-1 welded to the floor: 12 equations for 23 degrees of freedom
TEST(LoopDynamics, HumanoidWithBothFeetWeldedStandsOnItsWeight) {
  State s;
  const Model model = test::humanoid_on_both_feet(s);
  LoopDynamics dynamics(model);
  JointVector vdot;
  const JointVector zero = JointVector::Zero(model.num_v());
  ASSERT_EQ(dynamics.run(s.q, s.v, zero, ExternalLoads{}, vdot), LoopStatus::kOk);
  // the soles' yaw is the trunk's, twice: one of the 12 equations is redundant
  EXPECT_EQ(dynamics.rank(), 11);
  EXPECT_GT(vdot.norm(), 0.1);  // without torques it sinks
  // torques that hold it still under the loops' forces: then the soles carry the weight
  JointVector b;
  RneaWorkspace w(model);
  rnea(model, s.q, s.v, zero, w, b);
  const Eigen::MatrixXd J = dynamics.kinematics().J;
  const Eigen::VectorXd lambda =
      J.leftCols(6).transpose().fullPivLu().solve(Eigen::VectorXd(b.head(6)));
  JointVector tau = b - J.transpose() * lambda;
  tau.head(6).setZero();
  ASSERT_EQ(dynamics.run(s.q, s.v, tau, ExternalLoads{}, vdot), LoopStatus::kOk);
  EXPECT_LE(vdot.norm(), 1e-7);
  const Vec3 carried = dynamics.wrench(0).force() + dynamics.wrench(1).force();
  EXPECT_LE((carried - Vec3(0, 0, 9.81 * model.total_mass())).norm(), 1e-8);
  // it sinks without opening the welds
  expect_conserved(model, s, 100, 1e-5, 1e-10);
}

TEST(LoopDynamics, NeverAllocatesAfterConstruction) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizer owns malloc";
  test::Random random(8);
  const RandomChain c(random, 12, BaseKind::kFloating, 2);
  State s{c.q, c.v};
  LoopStepper stepper(c.model);
  const JointVector tau = JointVector::Zero(c.model.num_v());
  const test::NoAlloc guard;
  const LoopStatus closed = stepper.dynamics().close(s.q);
  stepper.dynamics().project_velocity(s.v, false);
  const LoopStatus first = stepper.semi_implicit(tau, 1e-3, s);
  const LoopStatus second = stepper.runge_kutta_4(tau, 1e-3, s);
  const long count = guard.count();
  EXPECT_EQ(count, 0);
  EXPECT_EQ(closed, LoopStatus::kOk);
  EXPECT_EQ(first, LoopStatus::kOk);
  EXPECT_EQ(second, LoopStatus::kOk);
}

}  // namespace
}  // namespace kagami::models
