// Long runs of closed chains: no drift of the loops, no energy pumped in, by every integrator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/closed_chains/closed_chain_dynamics.hpp"
#include "models/closed_chains/test/loop_models.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

using test::kFourBarSwing;

struct Drift {
  double gain = 0.0;  // J, largest above the start
  double loss = 0.0;  // J, largest below it
  double gap = 0.0;   // largest, rad or m
  [[nodiscard]] double energy() const { return std::max(gain, loss); }
};

// closed and along the loops at first, then free
Drift run(const Model& model, State s, Algorithm algorithm, Scheme scheme, double dt,
          double seconds) {
  ClosedChainDynamics source(model, algorithm);
  EXPECT_EQ(source.dynamics().close(s.q), LoopStatus::kOk);
  EXPECT_EQ(source.dynamics().factor(s.q), LoopStatus::kOk);
  source.dynamics().project_velocity(s.v, false);
  Integrator integrator(model, scheme, {.tolerance = 1e-9, .min_step = 1e-9, .max_step = dt});
  LoopKinematics k(model);
  const double E0 = test::energy(model, s);
  const auto steps = static_cast<int>(std::lround(seconds / dt));
  double t = 0.0;
  Drift r;
  for (int i = 0; i < steps; ++i) {
    const StepStatus status = integrator.advance(source, dt, t, s);
    EXPECT_EQ(status, StepStatus::kOk) << i << ": " << name(source.status());
    if (status != StepStatus::kOk) break;
    place_loops(model, s.q, k);
    r.gap = std::max(r.gap, k.e.cwiseAbs().maxCoeff());
    const double change = test::energy(model, s) - E0;
    r.gain = std::max(r.gain, change);
    r.loss = std::max(r.loss, -change);
  }
  return r;
}

State turning_slider_crank() {
  State s = neutral_state(test::slider_crank());
  s.q << 0.4, -0.55, 0.0;
  s.v[0] = 12.0;  // full turns, some two a second
  return s;
}

// redundant only where it closes: with a rank of its own each stage invented 4 J at 1 ms (crba) and
// ended over-constrained at 2 ms (ada)
TEST(LoopDrift, BennettsLinkageKeepsItsEnergyAtEveryStep) {
  const nlohmann::json bennett = test::read_fixture("bennett.json");
  const Model model = test::model_from_json(bennett["model"]);
  State s = neutral_state(model);
  s.q = test::vector_from_json(bennett["q"]);
  for (const Algorithm algorithm : {Algorithm::kCrba, Algorithm::kAda}) {
    for (const double dt : {7.5e-4, 1e-3, 2e-3, 5e-3}) {
      SCOPED_TRACE(std::string(name(algorithm)) + " " + std::to_string(dt));
      EXPECT_LT(run(model, s, algorithm, Scheme::kRk4, dt, 3.0).energy(),
                1e-7);  // J; 1e-8 measured
    }
  }
}

// 8 J. First order loses by order dt, 0.60 J at 1 ms and 0.31 J at half of that, and pumps nothing
// in
TEST(LoopDrift, SliderCrankTurnsForTenSecondsWithoutPumping) {
  const Model model = test::slider_crank();
  const State s = turning_slider_crank();
  const Drift first = run(model, s, Algorithm::kCrba, Scheme::kSemiImplicitEuler, 1e-3, 10.0);
  const Drift half = run(model, s, Algorithm::kCrba, Scheme::kSemiImplicitEuler, 5e-4, 10.0);
  EXPECT_LE(first.gain, 0.1);  // J
  EXPECT_LE(first.loss, 0.7);
  EXPECT_LE(half.energy(), 0.55 * first.energy());
  EXPECT_LE(std::max(first.gap, half.gap), 1e-11);
  for (const Algorithm algorithm : {Algorithm::kCrba, Algorithm::kAda}) {
    const Drift fourth = run(model, s, algorithm, Scheme::kRk4, 1e-3, 10.0);
    EXPECT_LE(fourth.energy(), 2e-7);  // J; measured 1.0e-7
    EXPECT_LE(fourth.gap, 1e-11);
  }
}

// without torques and limits of joints: the knees fold, up to 40 rad/s
TEST(LoopDrift, HumanoidOnBothWeldedFeetFallsForTwoSecondsWithoutPumping) {
  State s;
  const Model model = test::humanoid_on_both_feet(s);
  const Drift first = run(model, s, Algorithm::kCrba, Scheme::kSemiImplicitEuler, 1e-3, 2.0);
  EXPECT_LE(first.energy(), 0.1);  // J; measured 0.065
  EXPECT_LE(first.gap, 1e-8);      // m, rad; measured 4e-10
  const Drift fourth = run(model, s, Algorithm::kCrba, Scheme::kRk4, 1e-3, 2.0);
  EXPECT_LE(fourth.energy(), 1e-7);  // J; measured 8e-9
  EXPECT_LE(fourth.gap, 1e-11);
  const Drift assembled = run(model, s, Algorithm::kAda, Scheme::kRkf45, 1e-3, 0.3);
  EXPECT_LE(assembled.energy(), 1e-11);  // J; multipliers measured 6e-14
  EXPECT_LE(assembled.gap, 1e-11);
}

TEST(LoopDrift, EveryIntegratorKeepsTheGeneralFourBarClosed) {
  const Model model = test::peers_four_bar(false);
  for (const Scheme scheme : kSchemes) {
    SCOPED_TRACE(name(scheme));
    const bool first = scheme == Scheme::kSemiImplicitEuler;
    for (const Algorithm algorithm : {Algorithm::kCrba, Algorithm::kAda}) {
      const double seconds = algorithm == Algorithm::kCrba ? 10.0 : 1.0;
      const Drift r = run(model, neutral_state(model), algorithm, scheme, 1e-3, seconds);
      EXPECT_LE(r.energy(),
                (first ? 6e-4 : 2e-12) * kFourBarSwing);  // required of fourth order: 1e-10
      EXPECT_LE(r.gap, 1e-11);                            // m; required: 1e-6, 1e-10
    }
  }
}

TEST(ClosedChainDynamics, RefusesAlgorithmsThatCloseNoLoops) {
  const Model model = test::peers_four_bar(false);
  for (const Algorithm algorithm : {Algorithm::kAba, Algorithm::kDca, Algorithm::kHybrid}) {
    try {
      const ClosedChainDynamics source(model, algorithm);
      FAIL() << name(algorithm);
    } catch (const ConfigError& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find(name(algorithm)), std::string::npos) << text;
      EXPECT_NE(text.find("crba"), std::string::npos) << text;
      EXPECT_NE(text.find("ada"), std::string::npos) << text;
    }
  }
}

TEST(ClosedChainDynamics, ReportsWhyThereIsNoStep) {
  const Model model = test::peers_four_bar(false);
  for (const Algorithm algorithm : {Algorithm::kCrba, Algorithm::kAda}) {
    ClosedChainDynamics source(model, algorithm);
    JointVector vdot = JointVector::Zero(3);
    State s = neutral_state(model);
    s.q[1] = NAN;
    EXPECT_FALSE(source.acceleration(0.0, s.q, s.v, vdot));
    EXPECT_EQ(source.status(), LoopStatus::kNotFinite);
    EXPECT_FALSE(source.rate(0.0, s.q, s.v, vdot));
    EXPECT_FALSE(source.settle(s));
    s = neutral_state(model);
    s.q[2] = 1.0;  // far open: more than a step may leave
    EXPECT_FALSE(source.settle(s));
    EXPECT_EQ(source.status(), LoopStatus::kOpen);
    EXPECT_EQ(vdot, JointVector(JointVector::Zero(3)));
  }
}

TEST(ClosedChainDynamics, NeverAllocates) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizer owns malloc";
  State s;
  const Model model = test::humanoid_on_both_feet(s);
  for (const Algorithm algorithm : {Algorithm::kCrba, Algorithm::kAda}) {
    ClosedChainDynamics source(model, algorithm);
    Integrator integrator(model, Scheme::kRk4);
    double t = 0.0;
    const test::NoAlloc guard;
    const StepStatus status = integrator.advance(source, 1e-3, t, s);
    const long count = guard.count();
    EXPECT_EQ(count, 0) << name(algorithm);
    EXPECT_EQ(status, StepStatus::kOk);
  }
}

}  // namespace
}  // namespace kagami::models
