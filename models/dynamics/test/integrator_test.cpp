// Integrators: order of convergence on chains and on trees with quaternions, motions computed by
// others (O01, O05), step control, and what happens when there is no acceleration.
#include "models/dynamics/integrator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/base/errors.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

// tolerance so wide that every step is max_step
StepControl fixed_steps(double h) {
  return {.tolerance = 1e9, .min_step = 1e-12, .max_step = h};
}

State run(const Model& model, Scheme scheme, double h, int steps, State state) {
  AbaSource source(model);
  Integrator integrator(model, scheme, fixed_steps(h));
  double t = 0.0;
  for (int i = 0; i < steps; ++i)
    EXPECT_EQ(integrator.advance(source, h, t, state), StepStatus::kOk);
  EXPECT_EQ(integrator.steps(), steps);
  return state;
}

// largest distance in coordinates, along each joint's own manifold, and in velocities
double distance(const Model& model, const State& a, const State& b) {
  double worst = (a.v - b.v).cwiseAbs().maxCoeff();
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& body = model.body(i);
    double d[kMaxJointDofs] = {};
    joint_difference(body.joint, a.q.data() + body.q_index, b.q.data() + body.q_index, d);
    for (int k = 0; k < body.nv; ++k) worst = std::max(worst, std::abs(d[k]));
  }
  return worst;
}

double unit_error(const Model& model, const State& s) {
  double worst = 0.0;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const int at = quaternion_index(b.joint.type);
    if (at >= 0) worst = std::max(worst, std::abs(s.q.segment<4>(b.q_index + at).norm() - 1.0));
  }
  return worst;
}

struct SchemeOrder {
  Scheme scheme;
  double order;
  int steps;  // of the coarser run
};
constexpr SchemeOrder kOrders[] = {{Scheme::kSemiImplicitEuler, 1.0, 400},
                                   {Scheme::kRk4, 4.0, 40},
                                   {Scheme::kRkg, 4.0, 40},
                                   {Scheme::kRkf45, 5.0, 40}};

void expect_orders(const Model& model, const State& start, double duration) {
  const State exact = run(model, Scheme::kRkf45, duration / 2000, 2000, start);
  for (const SchemeOrder& o : kOrders) {
    SCOPED_TRACE(name(o.scheme));
    const double coarse =
        distance(model, run(model, o.scheme, duration / o.steps, o.steps, start), exact);
    const double fine =
        distance(model, run(model, o.scheme, duration / (2 * o.steps), 2 * o.steps, start), exact);
    EXPECT_GT(fine, 1e-13);  // above the reference's own rounding
    // the next term of the error series is still felt at these steps
    EXPECT_NEAR(std::log2(coarse / fine), o.order, o.order < 2.0 ? 0.15 : 0.35) << coarse;
  }
}

TEST(Integrator, ConvergesAtItsOrderOnAPlanarChain) {
  const Model model = test::model_from_json(test::read_fixture("o01_seed.json").at("model"));
  State start = neutral_state(model);
  start.q << 2.6, 0.3, -0.4;
  start.v << 0.2, -0.1, 0.3;
  expect_orders(model, start, 0.4);
}

bool has_spherical(const Model& model) {
  for (int i = 0; i < model.num_bodies(); ++i)
    if (model.body(i).joint.type == JointType::kSpherical) return true;
  return false;
}

TEST(Integrator, ConvergesAtItsOrderWithSphericalAndFloatingJoints) {
  // the first tree that has both
  std::uint64_t seed = 5;
  test::Random random(seed);
  Model model = test::random_mixed_tree(random, 6, BaseKind::kFloating);
  while (!has_spherical(model)) {
    random = test::Random(++seed);
    model = test::random_mixed_tree(random, 6, BaseKind::kFloating);
  }
  State start = test::random_state(random, model);
  start.v *= 2.0;  // rad/s, m/s: turns of a radian
  expect_orders(model, start, 0.4);
}

// the last row of a tabulated motion
State row_of(const nlohmann::json& json, const Model& model, std::size_t row) {
  State s = neutral_state(model);
  for (int k = 0; k < model.num_q(); ++k)
    s.q[k] = json.at("rows").at(row).at(static_cast<std::size_t>(1 + k));
  for (int k = 0; k < model.num_v(); ++k)
    s.v[k] = json.at("rows").at(row).at(static_cast<std::size_t>(1 + model.num_q() + k));
  return s;
}

TEST(Integrator, FollowsThePlanarChainOfO01) {
  const nlohmann::json json = test::read_fixture("o01_seed.json");
  const Model model = test::model_from_json(json.at("model"));
  const State start = row_of(json, model, 0);
  const State want = row_of(json, model, json.at("rows").size() - 1);
  for (const Scheme s : {Scheme::kRk4, Scheme::kRkg, Scheme::kRkf45}) {
    SCOPED_TRACE(name(s));
    const State end = run(model, s, 1e-3, 3000, start);
    // rad; ten times the 5e-7 of a correct RK4 at 1 ms (typical errors of the oracle)
    EXPECT_LT((end.q - want.q).cwiseAbs().maxCoeff(), 5e-6);
    EXPECT_NEAR(test::energy(model, end), -13.87343504688006, 8e-7);  // J
  }
}

TEST(Integrator, FollowsTheFreeBodyOfO05) {
  const nlohmann::json json = test::read_fixture("o05_asymmetric.json");
  const Model model = test::model_from_json(json.at("model"));
  const State start = row_of(json, model, 0);
  const State want = row_of(json, model, json.at("rows").size() - 1);
  Kinematics k(model);
  forward_kinematics(model, start.q, start.v, k);
  const Force P = momentum(model, k);
  for (const Scheme s : {Scheme::kRk4, Scheme::kRkg, Scheme::kRkf45}) {
    SCOPED_TRACE(name(s));
    const State end = run(model, s, 1e-3, 10000, start);
    EXPECT_LT(distance(model, end, want), 1e-8);  // the README's
    EXPECT_LT(unit_error(model, end), 4e-16);     // two roundings
    forward_kinematics(model, end.q, end.v, k);
    EXPECT_LT((momentum(model, k).c - P.c).cwiseAbs().maxCoeff(), 1e-9);      // N m s, N s
    EXPECT_NEAR(test::energy(model, end), test::energy(model, start), 1e-9);  // J
  }
}

TEST(Integrator, StepControlKeepsTheToleranceAndEndsOnTime) {
  const nlohmann::json json = test::read_fixture("o01_seed.json");
  const Model model = test::model_from_json(json.at("model"));
  const State start = row_of(json, model, 0);
  const State want = row_of(json, model, json.at("rows").size() - 1);
  AbaSource source(model);
  long steps_before = 0;
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    SCOPED_TRACE(tolerance);
    Integrator integrator(model, Scheme::kRkf45,
                          {.tolerance = tolerance, .min_step = 1e-9, .max_step = 0.1});
    State s = start;
    double t = 0.0;
    for (int i = 1; i <= 3; ++i) ASSERT_EQ(integrator.advance(source, 1.0, t, s), StepStatus::kOk);
    EXPECT_EQ(t, 3.0);
    // an early error grows by 36 (README of O01), and some hundred steps add theirs
    EXPECT_LT((s.q - want.q).cwiseAbs().maxCoeff(), 1e3 * tolerance);
    EXPECT_GT(integrator.steps(), steps_before);
    EXPECT_GT(integrator.rejected(), 0);
    EXPECT_LE(integrator.error_ratio(), 1.0);
    steps_before = integrator.steps();
  }
  EXPECT_LT(steps_before, 3000);  // fewer than at 1 ms, and 3 digits better
}

TEST(Integrator, ReportsAStepThatWouldBeTooSmallAndKeepsTheState) {
  const nlohmann::json json = test::read_fixture("o01_seed.json");
  const Model model = test::model_from_json(json.at("model"));
  State s = row_of(json, model, 0);
  AbaSource source(model);
  Integrator integrator(model, Scheme::kRkf45,
                        {.tolerance = 1e-14, .min_step = 0.02, .max_step = 0.1});
  double t = 0.0;
  EXPECT_EQ(integrator.advance(source, 1.0, t, s), StepStatus::kStepTooSmall);
  EXPECT_EQ(t, 0.0);
  EXPECT_EQ(s.q, row_of(json, model, 0).q);
  EXPECT_GT(integrator.error_ratio(), 1.0);
}

// free fall until `end`, then what the test requires
struct FailingSource final : AccelerationSource {
  bool acceleration(double t, const JointVector& /*q*/, const JointVector& v,
                    JointVector& vdot) noexcept override {
    vdot = JointVector::Constant(v.size(), t < 0.05 ? -1.0 : value);
    return t < 0.05 || has_one;
  }
  double value = -1.0;
  bool has_one = false;
};

TEST(Integrator, StopsWhereThereIsNoFiniteAcceleration) {
  const Model model = test::model_from_json(test::read_fixture("o01_seed.json").at("model"));
  for (const Scheme scheme : kSchemes) {
    SCOPED_TRACE(name(scheme));
    for (const bool has_one : {false, true}) {
      FailingSource source;
      source.has_one = has_one;
      source.value = std::numeric_limits<double>::quiet_NaN();
      Integrator integrator(model, scheme, {.tolerance = 1e-6, .min_step = 1e-6, .max_step = 0.02});
      State s = neutral_state(model);
      double t = 0.0;
      StepStatus status = StepStatus::kOk;
      for (int i = 0; i < 10 && status == StepStatus::kOk; ++i)
        status = integrator.advance(source, 0.02, t, s);
      EXPECT_EQ(status, has_one ? StepStatus::kNotFinite : StepStatus::kNoAcceleration);
      EXPECT_LE(t, 0.06 + 1e-12);
      EXPECT_NEAR(s.v[0], -t, 1e-12);  // that of the last good step
    }
  }
}

// a bead on a wire, in redundant coordinates: q2 = q1, v2 = v1 must hold
struct WireSource final : AccelerationSource {
  bool acceleration(double /*t*/, const JointVector& /*q*/, const JointVector& v,
                    JointVector& vdot) noexcept override {
    slack = std::max(slack, std::abs(v[1] - v[0]));
    vdot = JointVector::Zero(v.size());
    vdot.head(2) << 1.0, 3.0;  // pulls off the wire
    return true;
  }
  bool rate(double t, const JointVector& q, JointVector& v, JointVector& vdot) noexcept override {
    v[1] = v[0];
    return acceleration(t, q, v, vdot);
  }
  bool settle(State& s) noexcept override {
    s.q[1] = s.q[0];
    s.v[1] = s.v[0];
    ++settled;
    return settled < last;
  }
  double slack = 0.0;
  int settled = 0;
  int last = 1000;
};

TEST(Integrator, KeepsEveryStageAndEveryStepWhereTheSourceSettlesThem) {
  const Model model = test::model_from_json(test::read_fixture("o01_seed.json").at("model"));
  for (const Scheme scheme : kSchemes) {
    SCOPED_TRACE(name(scheme));
    WireSource source;
    Integrator integrator(model, scheme, {.tolerance = 1e-6, .min_step = 1e-3, .max_step = 0.1});
    State s = neutral_state(model);
    double t = 0.0;
    ASSERT_EQ(integrator.advance(source, 0.1, t, s), StepStatus::kOk);
    EXPECT_EQ(source.slack, 0.0);
    EXPECT_EQ(source.settled, integrator.steps());
    EXPECT_EQ(s.q[0], s.q[1]);
    EXPECT_NEAR(s.v[1], 0.1, 1e-15);
    // a step that cannot be settled is not taken
    source.last = 0;
    const State before = s;
    EXPECT_EQ(integrator.advance(source, 0.1, t, s), StepStatus::kNotSettled);
    EXPECT_EQ(s.q, before.q);
    EXPECT_EQ(s.v, before.v);
    EXPECT_STREQ(name(StepStatus::kNotSettled), "not settled");
  }
}

TEST(Integrator, TakesNoMemoryAfterConstruction) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "a sanitizer owns malloc";
  test::Random random(9);
  const Model model = test::random_mixed_tree(random, 8, BaseKind::kFloating);
  State s = test::random_state(random, model);
  AbaSource source(model);
  for (const Scheme scheme : kSchemes) {
    Integrator integrator(model, scheme);
    double t = 0.0;
    const test::NoAlloc none;
    const StepStatus status = integrator.advance(source, 1e-3, t, s);
    const long count = none.count();
    EXPECT_EQ(count, 0) << name(scheme);
    EXPECT_EQ(status, StepStatus::kOk);
  }
}

TEST(Integrator, NamesReadBackAndStrangersAreRefused) {
  for (const Scheme s : kSchemes) EXPECT_EQ(scheme(name(s)), s);
  try {
    scheme("leapfrog");
    FAIL();
  } catch (const ConfigError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("leapfrog"), std::string::npos);
    EXPECT_NE(text.find("semi-implicit-euler, rk4, rkg, rkf45"), std::string::npos);
  }
  const Model model = test::model_from_json(test::read_fixture("o01_seed.json").at("model"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const StepControl& bad :
       {StepControl{.tolerance = 0.0}, StepControl{.min_step = 0.0},
        StepControl{.min_step = 1.0, .max_step = 0.1}, StepControl{.tolerance = nan}})
    EXPECT_THROW(Integrator(model, Scheme::kRkf45, bad), ConfigError);
}

}  // namespace
}  // namespace kagami::models
