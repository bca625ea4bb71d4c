// The planner on the HOAP-1: finite differences, what it refuses; and the robot's walk, fall and
// jump, whose claims hold the plan against an independent simulation.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/robot/builder.hpp"
#include "motions/planner/jump.hpp"
#include "motions/planner/walk.hpp"
#include "tools/cli/console.hpp"
#include "tools/experiments/hoap_run.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

using motions::BodyPath;
using motions::BodyTargets;
using motions::Instant;
using motions::Jump;
using motions::JumpSettings;
using motions::LegIk;
using motions::make_plan;
using motions::PlanMetrics;
using motions::PlanSample;
using motions::standing_feet;
using motions::standing_guess;
using motions::straight_walk;
using motions::Walk;
using motions::WalkingRobot;
using motions::WalkSettings;

DataFolders shipped() {
  std::istringstream in;
  std::ostringstream out;
  const Console io(in, out, out, {});
  return find_data(io, "");
}

const WalkingRobot& robot() {
  static const WalkingRobot hoap = hoap1(shipped());
  return hoap;
}

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

void expect_refusal(const std::function<void()>& call, const std::string& expected) {
  const std::string message = refusal_of(call);
  EXPECT_NE(message.find(expected), std::string::npos) << message;
}

void expect_derivatives(const BodyPath& path, double t) {
  LegIk ik(robot().model, robot().feet);
  models::State state = standing_guess(robot(), 0.6);
  const double h = 1e-4;
  std::array<PlanSample, 3> around;
  for (std::size_t i = 0; i < 3; ++i) {
    const BodyTargets targets = path.at(t + (static_cast<double>(i) - 1.0) * h).targets;
    around[i] = ik.solve(targets, state);
    EXPECT_LT(ik.residual(targets, state.q), 1e-9);
  }
  const auto joints = [](const Eigen::VectorXd& q) -> Eigen::VectorXd { return q.tail(20); };
  const Eigen::VectorXd v = (joints(around[2].q) - joints(around[0].q)) / (2.0 * h);
  EXPECT_LT((v - joints(around[1].v)).cwiseAbs().maxCoeff(), 1e-4);
  const Eigen::VectorXd a = (joints(around[2].v) - joints(around[0].v)) / (2.0 * h);
  EXPECT_LT((a - joints(around[1].vdot)).cwiseAbs().maxCoeff(), 1e-2);
}

TEST(LegIk, ReachesItsTargetsAndDifferentiatesThem) {
  const Walk walk(robot(), straight_walk(standing_feet(robot()), 3, 0.04), WalkSettings{});
  expect_derivatives(walk, walk.first_lift() + 0.17);
  const Jump jump(robot(), JumpSettings{});
  expect_derivatives(jump, jump.take_off() - 0.03);  // the trunk pitches
}

TEST(Jump, LeavesTheGroundWithoutAngularMomentum) {
  const Jump jump(robot(), JumpSettings{});
  EXPECT_LT(jump.pitch_rate(), -0.1);  // leans back while the knees swing back
  LegIk ik(robot().model, robot().feet);
  models::State state = standing_guess(robot(), 1.2);
  const PlanSample sample = ik.solve(jump.at(jump.take_off()).targets, state);
  models::Kinematics k(robot().model);
  models::forward_kinematics(robot().model, sample.q, sample.v, k);
  EXPECT_LT(models::momentum_about_com(robot().model, k).c.head<3>().norm(), 1e-9);
}

TEST(LegIk, OtherRobotsAreRefused) {
  const models::Model model = robot().model;
  expect_refusal([&] { LegIk(model, {"left_foot", "right_hoof"}); }, "no body right_hoof");
  expect_refusal([&] { LegIk(model, {"left_foot", "left_forearm"}); }, "4 joints, expected 6");
}

// the HOAP-1 with other limits of one joint
WalkingRobot limited(const char* joint, double speed, double effort) {
  WalkingRobot other = robot();
  const BodyIndex body = other.model.find_joint(joint);
  models::DofLimits limits = other.model.limits(other.model.body(body).v_index);
  limits.speed = speed;
  limits.effort = effort;
  models::ModelBuilder builder(other.model);
  builder.set_limits(body, limits);
  other.model = builder.build();
  return other;
}

void plan_walk(const WalkingRobot& r, const WalkSettings& settings, double length = 0.04) {
  (void)make_plan(r, Walk(r, straight_walk(standing_feet(r), 2, length), settings), 4e-3);
}

TEST(Plan, WhatTheRobotCannotDoIsRefusedByTimeAndJoint) {
  const WalkSettings walk;
  expect_refusal([&] { plan_walk(limited("left_knee", 1.0, 9.0), walk); },
                 "joint left_knee requires");
  expect_refusal([&] { plan_walk(limited("left_hip_roll", 5.0, 2.0), walk); },
                 "N m, the limit of its servo is 2");
  expect_refusal([&] { plan_walk(robot(), walk, 0.3); }, "walk at t = ");
  WalkSettings upright = walk;
  upright.crouch = 0.0;
  expect_refusal([&] { plan_walk(robot(), upright); }, "the legs do not reach the feet");
  expect_refusal([&] { (void)make_plan(robot(), Jump(robot(), {}), 0.0); }, "expected above 0");
}

// stands with its mass centre `ahead` of its first place and accelerated upward by `a`
class Leaning final : public BodyPath {
 public:
  Leaning(double ahead, double a) : stand_(robot(), {}), ahead_(ahead), a_(a) {}
  [[nodiscard]] const char* name() const override { return "lean"; }
  [[nodiscard]] double duration() const override { return 0.01; }
  [[nodiscard]] Instant at(double) const override {
    Instant now = stand_.at(0.0);
    now.targets.com.p.x() += ahead_;
    now.targets.com.a.z() = a_;
    return now;
  }

 private:
  Jump stand_;
  double ahead_;
  double a_;
};

TEST(Plan, GroundThatCannotHoldTheRobotIsRefused) {
  EXPECT_NEAR(make_plan(robot(), Leaning(0.03, 0.0), 5e-3).metrics.zmp_margin, 0.017, 1e-9);
  expect_refusal([] { (void)make_plan(robot(), Leaning(0.05, 0.0), 5e-3); },
                 "leave the soles on the ground by 0.003 m");
  expect_refusal([] { (void)make_plan(robot(), Leaning(0.0, -12.0), 5e-3); },
                 "lean at t = 0.000 s: the ground would have to pull");
}

TEST(Plan, JumpsThatServosOrGroundCannotGiveAreRefused) {
  JumpSettings jump;
  jump.take_off_speed = 0.35;
  expect_refusal([&] { (void)make_plan(robot(), Jump(robot(), jump), 1e-3); },
                 "rad/s, the limit of its servo is 5");
  jump = {};
  jump.stretch_time = 0.03;
  expect_refusal([&] { Jump(robot(), jump); }, "the ground would have to pull");
  jump = {};
  jump.crouch = 0.01;
  expect_refusal([&] { Jump(robot(), jump); }, "deeper than take-off");
  jump = {};
  jump.crouch = 0.085;
  jump.stretch_time = 0.2;
  expect_refusal([&] { (void)make_plan(robot(), Jump(robot(), jump), 4e-3); }, "knee would be at");
}

TEST(Walk, ImpossibleStepsAreRefused) {
  const std::array<Vec3, 2> feet = standing_feet(robot());
  expect_refusal([&] { (void)straight_walk(feet, 1, 0.04); }, "expected 2 or more");
  expect_refusal([&] { Walk(robot(), {}, {}); }, "no steps");
  expect_refusal([&] { Walk(robot(), {{2, {0.0, 0.0}}}, {}); }, "foot 2, expected 0 or 1");
  expect_refusal([&] { Walk(robot(), {{0, {0.0, -0.03}}}, {}); }, "beside the other");
  WalkSettings s;
  s.lift = -0.01;
  expect_refusal([&] { Walk(robot(), straight_walk(feet, 2, 0.04), s); },
                 "lift -0.01, expected above");
}

TEST(Plan, GroundAndJointForcesBalanceTheMotionExactly) {
  const Jump jump(robot(), JumpSettings{});
  const PlanMetrics f = make_plan(robot(), jump, 4e-3).metrics;
  EXPECT_LT(f.base_gap, 1e-10);  // N, N m: rounding of 58 N
  EXPECT_LE(f.speed, 5.0);
  EXPECT_LE(f.torque, 9.0);
  EXPECT_GT(f.least_force, 0.0);
  EXPECT_NEAR(jump.touch_down() - jump.take_off(), 2.0 * 0.25 / 9.81, 1e-12);
}

TEST(Plan, CorrectionTakesTheCartTablesErrorOut) {
  const auto error = [](int corrections) {
    WalkSettings s;
    s.corrections = corrections;
    const Walk walk(robot(), straight_walk(standing_feet(robot()), 3, 0.04), s);
    return make_plan(robot(), walk, 5e-3).metrics.zmp_error;
  };
  EXPECT_LT(error(1), 0.5 * error(0));
}

ExperimentResult hoap_result(const std::string& name, double duration = 0.0) {
  const Experiments experiments = all_experiments();
  const Experiment& experiment = find_experiment(experiments, name);
  ExperimentSettings settings = experiment.info().defaults;
  if (duration > 0.0) settings.duration = duration;
  return experiment.run(settings, shipped());
}

class HoapExperiment : public testing::TestWithParam<const char*> {};

TEST_P(HoapExperiment, GivesWhatMustComeOut) {
  const ExperimentResult result = hoap_result(GetParam());
  for (const Claim& c : result.claims) {
    EXPECT_TRUE(c.was_measured()) << c.text;
    EXPECT_TRUE(c.holds()) << c.text << ": " << c.measured << ", expected " << c.expected << " +- "
                           << c.tolerance << " " << c.unit;
  }
  EXPECT_EQ(result.figures.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Sugihara2002, HoapExperiment,
                         testing::Values("hoap1-walk", "hoap1-fall", "hoap1-jump"));

TEST(HoapExperiment, TheSameRunGivesTheSameBits) {
  const ExperimentResult a = hoap_result("hoap1-fall", 0.8);
  const ExperimentResult b = hoap_result("hoap1-fall", 0.8);
  EXPECT_EQ(trace_csv(a.trace), trace_csv(b.trace));
  EXPECT_EQ(a.trace.rows.size(), 801u);
}

TEST(HoapExperiment, ShortRunsLeaveTheEndOpen) {
  const ExperimentResult result = hoap_result("hoap1-jump", 0.1);
  EXPECT_TRUE(all_hold(result));
  EXPECT_FALSE(result.claims.front().was_measured());
}

TEST(HoapExperiment, ContactMethodsAreCheckedByName) {
  const Experiments experiments = all_experiments();
  const auto check = [&](const char* name, const char* contact) {
    const ExperimentInfo& info = find_experiment(experiments, name).info();
    ExperimentSettings settings = info.defaults;
    settings.contact = contact;
    check_settings(info, settings);
  };
  check("hoap1-fall", "relaxed");
  expect_refusal([&] { check("hoap1-fall", "elastic"); }, "takes multipoint, relaxed, volumetric");
  expect_refusal([&] { check("planar-3r", "relaxed"); }, "does not take a contact method");
}

}  // namespace
}  // namespace kagami::tools
