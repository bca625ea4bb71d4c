// Steps that are none, states that are none and steps without end, through every integrator.
#include <gtest/gtest.h>

#include <string>

#include "models/base/errors.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/test/support/infinity.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::kInf;
using test::Random;

// a robot with every type of joint
Model some_model() {
  Random random(7);
  return test::random_mixed_tree(random, 8, BaseKind::kFloating);
}

class BadStep : public ::testing::TestWithParam<Scheme> {
 protected:
  BadStep()
      : model_(some_model()),
        source_(model_),
        integrator_(model_, GetParam(), {.tolerance = 1e-8, .min_step = 1e-9, .max_step = 0.01}) {
    Random random(6);
    state_ = test::random_state(random, model_);
  }

  void expect(StepStatus want, double dt, State state) {
    const State before = state;
    double t = 0.5;
    EXPECT_EQ(integrator_.advance(source_, dt, t, state), want) << "dt " << dt;
    EXPECT_EQ(t, 0.5);
    EXPECT_TRUE(same(state.q, before.q) && same(state.v, before.v)) << "dt " << dt;
  }
  // NaN equal to itself
  static bool same(const JointVector& a, const JointVector& b) {
    return a.size() == b.size() && (a.array() == b.array() || a.array() != a.array()).all();
  }

  Model model_;
  State state_;
  AbaSource source_;
  Integrator integrator_;
};

TEST_P(BadStep, IsAStatusAndLeavesTimeAndStateAlone) {
  const State good = state_;
  for (const double dt : {-1e-3, -0.0 - 1e-300, kNaN, kInf, -kInf})
    expect(StepStatus::kBadInput, dt, good);
  expect(StepStatus::kOk, 0.0, good);
  State s = good;
  s.q.conservativeResize(s.q.size() - 1);
  expect(StepStatus::kBadInput, 1e-3, s);
  s = good;
  s.v = JointVector::Zero(s.v.size() + 1);
  expect(StepStatus::kBadInput, 1e-3, s);
  double t = kNaN;
  s = good;
  EXPECT_EQ(integrator_.advance(source_, 1e-3, t, s), StepStatus::kBadInput);
  for (int i = 0; i < good.v.size(); ++i) {
    s = good;
    s.v[i] = kNaN;
    expect(StepStatus::kNotFinite, 1e-3, s);
  }
  for (int i = 0; i < good.q.size(); ++i) {
    s = good;
    s.q[i] = kInf;
    expect(StepStatus::kNotFinite, 1e-3, s);
  }
  s = good;
  s.q.segment<4>(3).setZero();
  expect(StepStatus::kNotFinite, 1e-3, s);
  source_.set_tau(JointVector::Constant(model_.num_v(), kNaN));
  expect(StepStatus::kNotFinite, 1e-3, good);
  source_.set_tau(JointVector::Zero(1));
  expect(StepStatus::kNotFinite, 1e-3, good);
}

TEST_P(BadStep, AQuaternionOfAnotherLengthComesOutAtUnitLength) {
  State scaled = state_;
  for (const int at : model_.quaternions()) scaled.q.segment<4>(at) *= 1.7;
  State unit = state_;
  double t = 0.0;
  ASSERT_EQ(integrator_.advance(source_, 1e-3, t, scaled), StepStatus::kOk);
  Integrator other(model_, GetParam(), {.tolerance = 1e-8, .min_step = 1e-9, .max_step = 0.01});
  t = 0.0;
  ASSERT_EQ(other.advance(source_, 1e-3, t, unit), StepStatus::kOk);
  EXPECT_LT((scaled.q - unit.q).cwiseAbs().maxCoeff(), 1e-13);  // rounding of the first length
  for (const int at : model_.quaternions()) EXPECT_NEAR(scaled.q.segment<4>(at).norm(), 1.0, 4e-16);
}

INSTANTIATE_TEST_SUITE_P(All, BadStep, ::testing::ValuesIn(kSchemes), [](const auto& scheme) {
  std::string text = name(scheme.param);
  std::erase(text, '-');
  return text;
});

// vdot = 0
struct Coasting final : AccelerationSource {
  bool acceleration(double /*t*/, const JointVector& /*q*/, const JointVector& v,
                    JointVector& vdot) noexcept override {
    vdot = JointVector::Zero(v.size());
    return true;
  }
};

TEST(StepControl, ALongWayEndsAfterTheStepsThatWereAllowed) {
  Random random(9);
  const Model model = test::random_tree(random, 3, BaseKind::kFixed);
  Coasting source;
  Integrator integrator(model, Scheme::kRkf45, {.max_step = 0.01, .max_steps = 100});
  State s = neutral_state(model);
  s.v.setOnes();
  double t = 0.0;
  EXPECT_EQ(integrator.advance(source, 1e9, t, s), StepStatus::kTooManySteps);
  EXPECT_EQ(integrator.steps(), 100);
  EXPECT_NEAR(t, 1.0, 1e-12);     // 100 steps of 0.01 s
  EXPECT_NEAR(s.q[0], t, 1e-12);  // time and state belong together
  EXPECT_EQ(integrator.advance(source, 0.5, t, s), StepStatus::kOk);  // and go on
  EXPECT_THROW(Integrator(model, Scheme::kRkf45, {.max_steps = 0}), ConfigError);
}

TEST(StepControl, AStepThatTimeCannotTellIsTooSmall) {
  Random random(9);
  const Model model = test::random_tree(random, 3, BaseKind::kFixed);
  Coasting source;
  // after 2^24 s the numbers of time are 4e-9 s apart
  Integrator integrator(model, Scheme::kRkf45,
                        {.min_step = 1e-9, .max_step = 16777216.0, .max_steps = 100});
  State s = neutral_state(model);
  double t = 0.0;
  struct Stiff final : AccelerationSource {
    bool acceleration(double time, const JointVector& /*q*/, const JointVector& v,
                      JointVector& vdot) noexcept override {
      vdot = JointVector::Constant(v.size(), time > 16777216.0 ? kNaN : 0.0);
      return true;
    }
  } stiff;
  const StepStatus status = integrator.advance(stiff, 3e7, t, s);
  EXPECT_TRUE(status == StepStatus::kStepTooSmall || status == StepStatus::kNotFinite)
      << name(status);
  EXPECT_LE(t, 16777216.0);
}

}  // namespace
}  // namespace kagami::models
