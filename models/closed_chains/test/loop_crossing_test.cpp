// The parallelogram four-bar through the pose where its branches cross, at many phases of the step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "models/closed_chains/closed_chain_dynamics.hpp"
#include "models/closed_chains/closed_chain_stepper.hpp"
#include "models/closed_chains/loop_stepper.hpp"
#include "models/closed_chains/test/loop_models.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

constexpr double kRightAngle = 1.57079632679489661923;
constexpr double kW2 = 1.2 * 9.81;  // 1/s^2: theta'' = kW2 sin(theta)
constexpr double kStep = 1e-3;      // s

// on the branch of level couplers, so long before the crossing (s); from rest at 60 degrees
State before_crossing(const Model& model, double seconds) {
  double theta = kRightAngle;
  double rate = std::sqrt(kW2);
  constexpr int kParts = 1000;
  const double h = -seconds / kParts;
  for (int i = 0; i < kParts; ++i) {
    const double k1 = kW2 * std::sin(theta);
    const double k2 = kW2 * std::sin(theta + 0.5 * h * rate);
    const double k3 = kW2 * std::sin(theta + 0.5 * h * rate + 0.25 * h * h * k1);
    const double k4 = kW2 * std::sin(theta + h * rate + 0.5 * h * h * k2);
    theta += h * rate + h * h / 6.0 * (k1 + k2 + k3);
    rate += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  State s = neutral_state(model);
  s.q << theta, kRightAngle - theta, kRightAngle + theta;
  s.v << rate, -rate, rate;
  return s;
}

// 20 fractions of a step, and some that bring a stage next to the crossing
std::vector<double> fractions() {
  std::vector<double> all;
  for (int i = 0; i < 20; ++i) all.push_back(i / 20.0);
  for (const double off : {1e-8, 1e-6, 1e-4, 1e-2})
    for (const double from : {0.0, 0.5}) {
      all.push_back(from + off);
      all.push_back(from == 0.0 ? 1.0 - off : from - off);
    }
  return all;
}

struct WorstCrossing {
  double energy = 0.0;   // J
  double coupler = 0.0;  // rad, from its branch
};

// step(state): one step, false when there was none; rows(state) after each
WorstCrossing pass(const Model& model, double fraction, const std::function<bool(State&)>& step,
                   const std::function<void(const State&)>& rows) {
  State s = before_crossing(model, (20.0 + fraction) * kStep);
  const double E0 = test::energy(model, s);
  WorstCrossing w;
  for (int i = 0; i < 50; ++i) {
    if (!step(s)) {
      ADD_FAILURE() << "no step " << i;
      break;
    }
    w.energy = std::max(w.energy, std::abs(test::energy(model, s) - E0));
    w.coupler = std::max(w.coupler, std::abs(s.q[0] + s.q[1] - kRightAngle));
    rows(s);
  }
  EXPECT_LT(std::cos(s.q[0]), -0.05);  // beyond it
  return w;
}

Model parallelogram() {
  return test::four_bar({1, 1, 1}, {1, 1, 1}, 1.0);
}

// without interpolation 0.3 of all phases gained or lost up to 60 J by Runge-Kutta, and rkf45 ended
// over-constrained at most
TEST(LoopCrossing, KeepsItsEnergyAtEveryPhaseOfTheStepByEveryIntegrator) {
  const Model model = parallelogram();
  for (const Algorithm algorithm : {Algorithm::kCrba, Algorithm::kAda}) {
    for (const Scheme scheme : {Scheme::kRk4, Scheme::kRkg, Scheme::kRkf45}) {
      for (const double fraction : fractions()) {
        SCOPED_TRACE(std::string(name(algorithm)) + " " + name(scheme) + " " +
                     std::to_string(fraction));
        ClosedChainDynamics source(model, algorithm);
        Integrator integrator(model, scheme,
                              {.tolerance = 1e-9, .min_step = 1e-9, .max_step = kStep});
        double t = 0.0;
        JointVector vdot;
        const auto step = [&](State& s) {
          return integrator.advance(source, kStep, t, s) == StepStatus::kOk;
        };
        const auto rows = [&](const State& s) {
          ASSERT_TRUE(source.acceleration(t, s.q, s.v, vdot)) << name(source.status());
          EXPECT_NEAR(vdot[0], kW2 * std::sin(s.q[0]), 1e-4);  // rad/s^2; off by x / s^2
          EXPECT_EQ(source.ran(), algorithm);
        };
        const WorstCrossing w = pass(model, fraction, step, rows);
        EXPECT_LE(w.energy, 1e-10);  // J; measured 1e-11, the issue requires 1e-5
        EXPECT_LE(w.coupler, 1e-10);
      }
    }
  }
}

TEST(LoopCrossing, KeepsItsEnergyAtEveryPhaseOfTheStepByTheSteppers) {
  const Model model = parallelogram();
  const JointVector tau = JointVector::Zero(3);
  const auto nothing = [](const State&) {};
  for (const double fraction : fractions()) {
    SCOPED_TRACE(fraction);
    LoopStepper general(model);
    ClosedChainStepper planar(model);
    const WorstCrossing g = pass(
        model, fraction,
        [&](State& s) { return general.runge_kutta_4(tau, kStep, s) == LoopStatus::kOk; }, nothing);
    const WorstCrossing p = pass(
        model, fraction,
        [&](State& s) { return planar.runge_kutta_4(tau, kStep, s) == LoopStatus::kOk; }, nothing);
    EXPECT_LE(std::max(g.energy, p.energy), 1e-10);  // J
    EXPECT_LE(std::max(g.coupler, p.coupler), 1e-10);
    EXPECT_LE(planar.general_steps(), 8);  // of 50
  }
}

// what the loop carries is the quotient of two small numbers there, too
TEST(LoopCrossing, LoopForcesAreContinuousThroughIt) {
  const Model model = parallelogram();
  for (const Algorithm algorithm : {Algorithm::kCrba, Algorithm::kAda}) {
    ClosedChainDynamics source(model, algorithm);
    RneaWorkspace rnea(model);
    JointVector vdot;
    for (const double seconds : {1e-2, 1e-4, 1e-6, 1e-8, 0.0, -1e-8, -1e-6, -1e-4, -1e-2}) {
      SCOPED_TRACE(seconds);
      const State s = before_crossing(model, seconds);
      ASSERT_TRUE(source.acceleration(0.0, s.q, s.v, vdot)) << name(source.status());
      // joint 4 carries m a + 1.5 m g as it is at joint 1; a: of the coupler
      const double sin = std::sin(s.q[0]);
      const double cos = std::cos(s.q[0]);
      const double ax = kW2 * sin * cos - s.v[0] * s.v[0] * sin;
      const double az = -kW2 * sin * sin - s.v[0] * s.v[0] * cos;
      EXPECT_NEAR(source.wrench(0).force().x(), ax, 1e-6);               // N
      EXPECT_NEAR(source.wrench(0).force().z(), az + 1.5 * 9.81, 1e-6);  // N
      // and the equations of motion hold to rounding
      std::vector<Force> F_ext(3, Force::zero());
      source.add_forces(F_ext);
      JointVector tau;
      rnea_reference(model, s.q, s.v, vdot, ExternalLoads{F_ext, nullptr}, rnea, tau);
      EXPECT_LE(tau.cwiseAbs().maxCoeff(), 1e-10);  // N m
    }
  }
}

TEST(LoopCrossing, VelocityAlongNoBranchIsRefused) {
  const Model model = parallelogram();
  ClosedChainDynamics source(model, Algorithm::kCrba);
  State s = before_crossing(model, 0.1);
  JointVector vdot;
  ASSERT_TRUE(source.acceleration(0.0, s.q, s.v, vdot));  // two equations, as beside the crossing
  s.q << kRightAngle, 0.0, 2.0 * kRightAngle;
  // the equations of the pose itself allow both
  for (const double v2 : {0.0, -2.7}) {
    s.v << 3.0, v2, 3.0;
    EXPECT_FALSE(source.acceleration(0.0, s.q, s.v, vdot)) << v2;
    EXPECT_EQ(source.status(), LoopStatus::kOverConstrained);
  }
}

TEST(LoopCrossing, NeverAllocates) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model model = parallelogram();
  State s = before_crossing(model, 1e-6);
  ClosedChainDynamics source(model, Algorithm::kAda);
  Integrator integrator(model, Scheme::kRk4);
  double t = 0.0;
  StepStatus status = integrator.advance(source, kStep, t, s);
  s = before_crossing(model, 1e-6);
  const test::NoAlloc guard;
  status = integrator.advance(source, kStep, t, s);
  const long count = guard.count();
  EXPECT_EQ(count, 0);
  EXPECT_EQ(status, StepStatus::kOk);
}

}  // namespace
}  // namespace kagami::models
