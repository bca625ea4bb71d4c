// The planner against closed forms and finite differences; what it refuses; and the HOAP-1's walk,
// fall and jump, whose claims hold the plan against an independent simulation.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/robot/builder.hpp"
#include "tools/cli/console.hpp"
#include "tools/experiments/hoap_run.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/planner/jump.hpp"
#include "tools/planner/walk.hpp"

namespace kagami::tools {
namespace {

using Eigen::MatrixXd;

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

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

void expect_message(const std::function<void()>& call, const std::string& expected) {
  const std::string message = message_of(call);
  EXPECT_NE(message.find(expected), std::string::npos) << message;
}

MatrixXd one_by_one(double x) {
  return MatrixXd::Constant(1, 1, x);
}

PreviewSettings preview_settings() {
  PreviewSettings s;
  s.height = 0.2;
  return s;
}

/// Largest entry of the equation's right side minus its left, over the largest of P.
double riccati_residual(const LinearQuadratic& s, const MatrixXd& P) {
  const MatrixXd PA = P * s.A;
  const MatrixXd K = input_gain(s, P);
  const MatrixXd error = s.A.transpose() * PA - PA.transpose() * s.B * K * s.A + s.Q - P;
  return error.cwiseAbs().maxCoeff() / P.cwiseAbs().maxCoeff();
}

TEST(Riccati, ScalarPlantGivesTheRootOfItsQuadratic) {
  // b^2 P^2 + (r - a^2 r - q b^2) P - q r = 0
  const double a = 1.2, b = 0.7, q = 2.0, r = 3.0;
  const double half = 0.5 * (r - a * a * r - q * b * b);
  const double root = (-half + std::sqrt(half * half + b * b * q * r)) / (b * b);
  const LinearQuadratic plant{one_by_one(a), one_by_one(b), one_by_one(q), one_by_one(r)};
  EXPECT_NEAR(solve_riccati(plant)(0, 0), root, 1e-13 * root);
}

TEST(Riccati, PreviewPlantIsSolvedToRoundingAndItsLoopIsStable) {
  const PreviewGains gains = ZmpPreview(preview_settings()).gains();
  EXPECT_LT(riccati_residual(gains.plant, gains.P), 1e-12);
  EXPECT_LT((gains.P - gains.P.transpose()).cwiseAbs().maxCoeff(),
            1e-12 * gains.P.cwiseAbs().maxCoeff());
  const MatrixXd K = input_gain(gains.plant, gains.P);
  const MatrixXd loop = gains.plant.A - gains.plant.B * K * gains.plant.A;
  EXPECT_LT(loop.eigenvalues().cwiseAbs().maxCoeff(), 0.999);
}

TEST(Riccati, WhatHasNoSolutionIsRefused) {
  const LinearQuadratic good{one_by_one(2.0), one_by_one(1.0), one_by_one(1.0), one_by_one(1.0)};
  LinearQuadratic plant = good;
  plant.R = one_by_one(0.0);
  expect_message([&] { (void)solve_riccati(plant); }, "R has no inverse");
  plant = good;
  plant.B = one_by_one(0.0);
  expect_message([&] { (void)solve_riccati(plant); }, "no stabilising solution");
  plant = good;
  plant.Q = one_by_one(0.0);
  expect_message(
      [&] {
        (void)solve_riccati({plant.A, plant.B, MatrixXd::Zero(2, 2), plant.R});
      },
      "expected A n x n");
}

TEST(ZmpPreview, GainsDoNotDependOnWhereTheOriginIs) {
  const PreviewGains gains = ZmpPreview(preview_settings()).gains();
  double sum = 0.0;
  for (const double g : gains.Gp) sum += g;
  // what lies beyond 1.6 s is missing: exp(-1.6 s / 0.14 s) of the whole
  EXPECT_NEAR(sum / gains.Gx[0], 1.0, 1e-4);
  EXPECT_EQ(gains.Gp.size(), 320u);
}

TEST(ZmpPreview, FollowsAnAnnouncedStep) {
  const ZmpPreview preview(preview_settings());
  std::vector<double> wanted(800, 0.0);
  for (std::size_t k = 400; k < wanted.size(); ++k) wanted[k] = 0.04;
  const CartPath path = preview.follow(wanted, 0.0);
  double far = 0.0, near = 0.0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const double error = std::abs(preview.zmp(path.points()[k]) - wanted[k]);
    double& largest = k > 380 && k < 420 ? near : far;  // 0.1 s before and after
    largest = std::max(largest, error);
  }
  EXPECT_LT(far, 0.0008);  // 2 % of the step
  EXPECT_LT(near, 0.024);  // a jump is met half way
  EXPECT_NEAR(path.points().back().p, 0.04, 1e-6);
  // the mass centre starts before the step does
  EXPECT_GT(path.points()[360].p, 0.001);
}

TEST(ZmpPreview, PathBetweenSamplesKeepsItsJerk) {
  const CartPath path(0.01, {{0.0, 0.0, 0.0}, {1e-6 / 6.0, 0.5e-4, 0.01}});
  const PathPoint half = path.at(0.005);
  EXPECT_NEAR(half.a, 0.005, 1e-15);
  EXPECT_NEAR(half.v, 0.125e-4, 1e-15);
  EXPECT_EQ(path.at(-1.0).p, 0.0);
  EXPECT_EQ(path.at(1.0).a, 0.01);
}

TEST(ZmpPreview, ImpossibleSettingsAreRefused) {
  PreviewSettings s = preview_settings();
  s.height = 0.0;
  expect_message([&] { (void)ZmpPreview(s); }, "height 0, expected above 0");
  s = preview_settings();
  s.preview = 1e-3;
  expect_message([&] { (void)ZmpPreview(s); }, "preview 0.001 s");
  expect_message([] { (void)ZmpPreview(preview_settings()).follow({}, 0.0); }, "no values");
  expect_message([] { (void)CartPath(0.01, {}); }, "no points");
}

TEST(Spline5, MeetsBothEndsTwiceDifferentiably) {
  const Spline5 s{{0.1, -0.2, 3.0}, {0.4, 0.5, -9.81}, 0.3};
  for (const auto& [t, end] : {std::pair{0.0, s.start}, {0.3, s.end}}) {
    EXPECT_NEAR(s.at(t).p, end.p, 1e-14);
    EXPECT_NEAR(s.at(t).v, end.v, 1e-13);
    EXPECT_NEAR(s.at(t).a, end.a, 1e-12);
  }
  const double h = 1e-5;
  EXPECT_NEAR((s.at(0.1 + h).p - s.at(0.1 - h).p) / (2 * h), s.at(0.1).v, 1e-8);
  EXPECT_NEAR((s.at(0.1 + h).v - s.at(0.1 - h).v) / (2 * h), s.at(0.1).a, 1e-6);
}

TEST(Support, BridgesTheGapBetweenTheSolesThatStand) {
  const Sole sole{-0.04, 0.05, -0.03, 0.03, 0.04};
  const std::array<Vec3, 2> feet = {Vec3(0.1, 0.04, 0.04), Vec3(0.0, -0.04, 0.04)};
  EXPECT_GT(support_area(sole, {true, true}, feet).margin(Vec3(0.05, 0.0, 0.0)), 0.04);
  EXPECT_NEAR(support_area(sole, {true, false}, feet).margin(Vec3(0.1, 0.0, 0.0)), -0.01, 1e-15);
  EXPECT_EQ(support_area(sole, {false, false}, feet).margin(Vec3::Zero()),
            -std::numeric_limits<double>::infinity());
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
  expect_message([&] { LegIk(model, {"left_foot", "right_hoof"}); }, "no body right_hoof");
  expect_message([&] { LegIk(model, {"left_foot", "left_forearm"}); }, "4 joints, expected 6");
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
  expect_message([&] { plan_walk(limited("left_knee", 1.0, 9.0), walk); },
                 "joint left_knee requires");
  expect_message([&] { plan_walk(limited("left_hip_roll", 5.0, 2.0), walk); },
                 "N m, the limit of its servo is 2");
  expect_message([&] { plan_walk(robot(), walk, 0.3); }, "walk at t = ");
  WalkSettings upright = walk;
  upright.crouch = 0.0;
  expect_message([&] { plan_walk(robot(), upright); }, "the legs do not reach the feet");
  expect_message([&] { (void)make_plan(robot(), Jump(robot(), {}), 0.0); }, "expected above 0");
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
  expect_message([] { (void)make_plan(robot(), Leaning(0.05, 0.0), 5e-3); },
                 "leave the soles on the ground by 0.003 m");
  expect_message([] { (void)make_plan(robot(), Leaning(0.0, -12.0), 5e-3); },
                 "lean at t = 0.000 s: the ground would have to pull");
}

TEST(Plan, JumpsThatServosOrGroundCannotGiveAreRefused) {
  JumpSettings jump;
  jump.take_off_speed = 0.35;
  expect_message([&] { (void)make_plan(robot(), Jump(robot(), jump), 1e-3); },
                 "rad/s, the limit of its servo is 5");
  jump = {};
  jump.stretch_time = 0.03;
  expect_message([&] { Jump(robot(), jump); }, "the ground would have to pull");
  jump = {};
  jump.crouch = 0.01;
  expect_message([&] { Jump(robot(), jump); }, "deeper than take-off");
  jump = {};
  jump.crouch = 0.085;
  jump.stretch_time = 0.2;
  expect_message([&] { (void)make_plan(robot(), Jump(robot(), jump), 4e-3); }, "knee would be at");
}

TEST(Walk, ImpossibleStepsAreRefused) {
  const std::array<Vec3, 2> feet = standing_feet(robot());
  expect_message([&] { (void)straight_walk(feet, 1, 0.04); }, "expected 2 or more");
  expect_message([&] { Walk(robot(), {}, {}); }, "no steps");
  expect_message([&] { Walk(robot(), {{2, {0.0, 0.0}}}, {}); }, "foot 2, expected 0 or 1");
  expect_message([&] { Walk(robot(), {{0, {0.0, -0.03}}}, {}); }, "beside the other");
  WalkSettings s;
  s.lift = -0.01;
  expect_message([&] { Walk(robot(), straight_walk(feet, 2, 0.04), s); },
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

ExperimentResult result_of(const std::string& name, double duration = 0.0) {
  const Experiments experiments = all_experiments();
  const Experiment& experiment = find_experiment(experiments, name);
  ExperimentSettings settings = experiment.info().defaults;
  if (duration > 0.0) settings.duration = duration;
  return experiment.run(settings, shipped());
}

class HoapExperiment : public testing::TestWithParam<const char*> {};

TEST_P(HoapExperiment, GivesWhatMustComeOut) {
  const ExperimentResult result = result_of(GetParam());
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
  const ExperimentResult a = result_of("hoap1-fall", 0.8);
  const ExperimentResult b = result_of("hoap1-fall", 0.8);
  EXPECT_EQ(trace_csv(a.trace), trace_csv(b.trace));
  EXPECT_EQ(a.trace.rows.size(), 801u);
}

TEST(HoapExperiment, ShortRunsLeaveTheEndOpen) {
  const ExperimentResult result = result_of("hoap1-jump", 0.1);
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
  expect_message([&] { check("hoap1-fall", "elastic"); }, "takes multipoint, relaxed, volumetric");
  expect_message([&] { check("planar-3r", "relaxed"); }, "does not take a contact method");
}

}  // namespace
}  // namespace kagami::tools
