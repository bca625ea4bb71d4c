// The planar kernel against the general stepper (another formulation, another solver), the bounds
// of the comparison with other engines, and the singular poses of O04.
#include "models/closed_chains/closed_chain_stepper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "models/closed_chains/test/loop_models.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

using test::kFourBarSwing;

using Step = LoopStatus (ClosedChainStepper::*)(const JointVector&, double, State&) noexcept;

struct WorstDrift {
  double energy = 0.0;  // J
  double gap = 0.0;     // m
};

WorstDrift ten_seconds(const Model& model, Step step) {
  ClosedChainStepper stepper(model);
  EXPECT_TRUE(stepper.is_planar());
  State s = neutral_state(model);
  const JointVector tau = JointVector::Zero(model.num_v());
  LoopKinematics k(model);
  const double E0 = test::energy(model, s);
  WorstDrift w;
  for (int i = 0; i < 10000; ++i) {
    EXPECT_EQ((stepper.*step)(tau, 1e-3, s), LoopStatus::kOk);
    place_loops(model, s.q, k);
    w.gap = std::max(w.gap, k.e.tail(3).norm());
    w.energy = std::max(w.energy, std::abs(test::energy(model, s) - E0));
  }
  EXPECT_EQ(stepper.general_steps(), 0);
  return w;
}

TEST(ClosedChainStepper, SemiImplicitStaysClosedForTenSeconds) {
  const WorstDrift w = ten_seconds(test::peers_four_bar(false), &ClosedChainStepper::semi_implicit);
  EXPECT_LE(w.gap, 1e-8);                     // m; required 1e-6
  EXPECT_LE(w.energy, 4e-4 * kFourBarSwing);  // the ripple of the method, as other engines have it
}

TEST(ClosedChainStepper, FourthOrderKeepsGapAndEnergyForTenSeconds) {
  for (const bool parallelogram : {false, true}) {
    const WorstDrift w =
        ten_seconds(test::peers_four_bar(parallelogram), &ClosedChainStepper::runge_kutta_4);
    EXPECT_LE(w.gap, 1e-13);                     // m; required 1e-10
    EXPECT_LE(w.energy, 1e-12 * kFourBarSwing);  // required 1e-10
  }
}

void expect_same_motion(const Model& model, double dt, int steps, double tolerance) {
  ClosedChainStepper planar(model);
  ASSERT_TRUE(planar.is_planar());
  LoopStepper general(model);
  State a = neutral_state(model);
  a.v[0] = 0.7;
  ASSERT_EQ(general.dynamics().close(a.q), LoopStatus::kOk);
  ASSERT_EQ(general.dynamics().factor(a.q), LoopStatus::kOk);
  general.dynamics().project_velocity(a.v, false);
  State b = a;
  const JointVector tau = JointVector::Constant(model.num_v(), 0.3);
  for (int i = 0; i < steps; ++i) {
    ASSERT_EQ(planar.runge_kutta_4(tau, dt, a), LoopStatus::kOk);
    ASSERT_EQ(general.runge_kutta_4(tau, dt, b), LoopStatus::kOk);
  }
  EXPECT_EQ(planar.general_steps(), 0);
  EXPECT_LE((a.q - b.q).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LE((a.v - b.v).cwiseAbs().maxCoeff(), 10 * tolerance);
}

TEST(ClosedChainStepper, PlanarAndSpatialFormulationsMoveAlike) {
  expect_same_motion(test::peers_four_bar(false), 1e-3, 500, 1e-9);
  expect_same_motion(test::double_loop(), 1e-3, 300, 1e-8);
}

// other signs of axes, rotors, a loop between two bodies, an oblique plane
TEST(ClosedChainStepper, PlaneIsReadFromAnyModel) {
  const Mat3 R = (Mat3() << 0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6).finished();
  ModelBuilder builder;
  const auto hinge = [](double sign) {
    return Joint{JointType::kRevolute, Vec3(0, sign, 0), Vec3::Zero()};
  };
  const auto at = [](double x, double z) { return Pose{Mat3::Identity(), Vec3(x, 0, z)}; };
  const MassProperties mass{1.3, Vec3(0.3, 0.05, 0.2), 0.1 * Mat3::Identity()};
  builder.add_body("a", kWorld, "ja", hinge(1.0), Pose{R, Vec3(0.1, 0.2, 0.3)}, mass);
  builder.add_body("b", 0, "jb", hinge(-1.0), at(0.6, 0.0), mass);
  builder.add_body("c", 1, "jc", hinge(1.0), at(0.1, -0.7), mass);
  builder.add_body("d", 0, "jd", hinge(-1.0), at(0.0, -0.6), mass);
  builder.set_rotor_inertia(1, 0.02);
  builder.add_loop("bd", 2, at(-0.7, 0.0), 3, at(0.1, -0.2), hinge(1.0));
  expect_same_motion(builder.build(), 1e-3, 200, 1e-9);
}

// the source's simulation jumps in velocity and energy here
TEST(ClosedChainStepper, PassesTheFiveSingularPosesOnItsBranch) {
  const Model model = test::four_bar({1, 1, 1}, {1, 1, 1}, 1.0);
  ClosedChainStepper stepper(model);
  State s = neutral_state(model);
  s.q << std::numbers::pi / 3, std::numbers::pi / 6, 5 * std::numbers::pi / 6;
  const double E0 = test::energy(model, s);
  const JointVector tau = JointVector::Zero(3);
  int passes = 0;
  for (int i = 0; i < 3000; ++i) {
    const double before = std::cos(s.q[0]);
    ASSERT_EQ(stepper.runge_kutta_4(tau, 1e-3, s), LoopStatus::kOk) << i;
    passes += before * std::cos(s.q[0]) < 0.0 ? 1 : 0;
    ASSERT_LE(std::abs(test::energy(model, s) - E0), 1e-8) << i;             // J
    ASSERT_LE(std::abs(s.q[0] + s.q[1] - std::numbers::pi / 2), 1e-8) << i;  // rad
  }
  EXPECT_EQ(passes, 5);
}

TEST(ClosedChainStepper, LeavesWhatIsNotPlanarToTheGeneralStepper) {
  const Model model = test::slider_crank();
  ClosedChainStepper stepper(model);
  EXPECT_FALSE(stepper.is_planar());
  State s = neutral_state(model);
  s.q[0] = 0.2;
  LoopDynamics dynamics(model);
  ASSERT_EQ(dynamics.close(s.q), LoopStatus::kOk);
  EXPECT_EQ(stepper.runge_kutta_4(JointVector::Zero(3), 1e-3, s), LoopStatus::kOk);
  EXPECT_EQ(stepper.general_steps(), 1);
}

TEST(ClosedChainStepper, NotANumberIsAStatusAndLeavesTheStateAlone) {
  const Model model = test::peers_four_bar(false);
  ClosedChainStepper stepper(model);
  const JointVector bad = JointVector::Constant(3, std::numeric_limits<double>::quiet_NaN());
  State s = neutral_state(model);
  EXPECT_EQ(stepper.runge_kutta_4(bad, 1e-3, s), LoopStatus::kNotFinite);
  EXPECT_EQ(stepper.semi_implicit(bad, 1e-3, s), LoopStatus::kNotFinite);
  EXPECT_EQ(s.q, neutral_state(model).q);
  EXPECT_EQ(s.v, neutral_state(model).v);
}

TEST(ClosedChainStepper, StateThatIsNotClosedIsAStatusAndStaysAsItWas) {
  const Model model = test::peers_four_bar(false);
  ClosedChainStepper stepper(model);
  State open = neutral_state(model);
  open.q[2] = 1.0;
  State s = open;
  EXPECT_EQ(stepper.semi_implicit(JointVector::Zero(3), 1e-3, s), LoopStatus::kOpen);
  EXPECT_EQ(stepper.runge_kutta_4(JointVector::Zero(3), 1e-3, s), LoopStatus::kOpen);
  EXPECT_EQ(s.q, open.q);
  EXPECT_EQ(s.v, open.v);
}

TEST(ClosedChainStepper, NeverAllocates) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model model = test::peers_four_bar(false);
  ClosedChainStepper stepper(model);
  State s = neutral_state(model);
  const JointVector tau = JointVector::Zero(3);
  const test::NoAlloc guard;
  const LoopStatus first = stepper.semi_implicit(tau, 1e-3, s);
  const LoopStatus second = stepper.runge_kutta_4(tau, 1e-3, s);
  const long count = guard.count();
  EXPECT_EQ(count, 0);
  EXPECT_EQ(first, LoopStatus::kOk);
  EXPECT_EQ(second, LoopStatus::kOk);
}

}  // namespace
}  // namespace kagami::models
