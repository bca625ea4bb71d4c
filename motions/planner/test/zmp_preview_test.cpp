// The parts of the planner against closed forms and finite differences; what they refuse.
#include "motions/planner/zmp_preview.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "models/base/errors.hpp"
#include "motions/planner/riccati.hpp"
#include "motions/planner/spline5.hpp"
#include "motions/planner/support.hpp"

namespace kagami::motions {
namespace {

using Eigen::MatrixXd;

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

}  // namespace
}  // namespace kagami::motions
