// Zero-moment point and centre of pressure against closed forms (statics, the inverted pendulum)
// and against each other: one from the motion, the other from the feet's forces by ADA and by RNEA.
#include "models/dynamics/balance_point.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "models/balance/capture_point.hpp"
#include "models/closed_chains/loop_assembly.hpp"
#include "models/closed_chains/test/loop_models.hpp"
#include "models/dynamics/ada.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/no_alloc.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::Random;

// a mass whose inertia about its centre does not matter: it does not turn
Model one_body(double mass) {
  ModelBuilder builder;
  builder.add_body("body", kWorld, "base", Joint{JointType::kFloating, Vec3::Zero(), Vec3::Zero()},
                   Pose{}, {mass, Vec3::Zero(), 0.1 * Mat3::Identity()});
  return builder.build();
}

State standing_at(const Model& model, const Vec3& p) {
  State s = neutral_state(model);
  s.q.head<3>() = p;
  return s;
}

TEST(ZeroMomentPoint, AtRestIsTheMassCentresFootOnTheGround) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 1);
    const Model model = test::random_mixed_tree(random, 9, BaseKind::kFloating);
    const State s = test::random_state(random, model);
    const JointVector zero = JointVector::Zero(model.num_v());
    CentroidalWorkspace w(model);
    BalancePoint zmp;
    ASSERT_EQ(
        zero_moment_point(model, s.q, zero, zero, {}, {Vec3(1, 2, -0.5), Vec3::UnitZ()}, w, zmp),
        BalanceStatus::kOk);
    Kinematics k(model);
    forward_kinematics(model, s.q, zero, k);
    const Vec3 com = center_of_mass(model, k);
    EXPECT_LE((zmp.point - Vec3(com.x(), com.y(), -0.5)).norm(), 1e-12);  // m
    EXPECT_NEAR(zmp.normal_force, 9.81 * model.total_mass(), 1e-11);      // N
    EXPECT_NEAR(zmp.normal_moment, 0.0, 1e-12);                           // N m
  }
}

// x'' = (g / z) (x - p) over a ground at height 0 keeps the point at p
TEST(ZeroMomentPoint, IsThePivotOfTheLinearInvertedPendulum) {
  const Model model = one_body(3.0);
  CentroidalWorkspace w(model);
  const Vec3 c(0.12, -0.05, 0.4);
  const Vec3 p(0.03, 0.01, 0.0);
  JointVector v = JointVector::Zero(6);
  v.tail<3>() << 0.7, -0.2, 0.0;
  JointVector vdot = JointVector::Zero(6);
  vdot.tail<3>() = 9.81 / c.z() * (c - p);
  vdot[5] = 0.0;
  BalancePoint zmp;
  ASSERT_EQ(zero_moment_point(model, standing_at(model, c).q, v, vdot, {}, {}, w, zmp),
            BalanceStatus::kOk);
  EXPECT_LE((zmp.point - p).norm(), 1e-14);  // m
}

// p = x - (z - h) x'' / (g + z''), the mass moving up and down, the ground at height h
TEST(ZeroMomentPoint, IncludesTheVerticalAcceleration) {
  const Model model = one_body(2.0);
  CentroidalWorkspace w(model);
  JointVector vdot = JointVector::Zero(6);
  vdot.tail<3>() << 1.5, -0.8, 2.0;
  BalancePoint zmp;
  ASSERT_EQ(
      zero_moment_point(model, standing_at(model, Vec3(0.1, 0.2, 0.9)).q, JointVector::Zero(6),
                        vdot, {}, {Vec3(7, 7, 0.1), Vec3::UnitZ()}, w, zmp),
      BalanceStatus::kOk);
  EXPECT_NEAR(zmp.point.x(), 0.1 - 0.8 * 1.5 / 11.81, 1e-14);
  EXPECT_NEAR(zmp.point.y(), 0.2 + 0.8 * 0.8 / 11.81, 1e-14);
  EXPECT_NEAR(zmp.point.z(), 0.1, 1e-15);
  EXPECT_NEAR(zmp.normal_force, 2.0 * 11.81, 1e-13);
}

// a push at height z moves the point by z f / (m g), against which the ground must press
TEST(ZeroMomentPoint, TakesPushesIntoAccount) {
  const Model model = one_body(2.0);
  CentroidalWorkspace w(model);
  const JointVector zero = JointVector::Zero(6);
  const std::vector<Force> push{Force::from(Vec3::Zero(), Vec3(3.0, 0, 0))};
  BalancePoint zmp;
  ASSERT_EQ(
      zero_moment_point(model, standing_at(model, Vec3(0, 0, 0.5)).q, zero, zero, push, {}, w, zmp),
      BalanceStatus::kOk);
  EXPECT_NEAR(zmp.point.x(), 0.5 * 3.0 / (2.0 * 9.81), 1e-15);
  EXPECT_NEAR(zmp.force.x(), -3.0, 1e-14);
}

// the root is on the ground: its joint's force by RNEA and by ADA, any motion, any plane
TEST(CenterOfPressure, OfTheFootIsTheZeroMomentPointOfTheMotion) {
  int pressed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 7);
    const Model model = test::random_mixed_tree(random, 8, BaseKind::kFixed);
    const State s = test::random_state(random, model);
    const JointVector tau = random.vector(model.num_v());
    std::vector<Force> push;
    for (int i = 0; i < model.num_bodies(); ++i) {
      push.push_back(Force::from(random.vec3(), random.vec3()));
    }
    Ada ada(model);
    JointVector vdot;
    ASSERT_EQ(ada.run(s.q, s.v, tau, ExternalLoads{push, nullptr}, vdot), DynamicsStatus::kOk);
    RneaWorkspace rnea_workspace(model);
    JointVector again;
    rnea_reference(model, s.q, s.v, vdot, ExternalLoads{push, nullptr}, rnea_workspace, again);
    Kinematics k(model);
    forward_kinematics(model, s.q, s.v, k);
    const GroundPlane plane{random.vec3(), (Vec3::UnitZ() + 0.3 * random.vec3()).normalized()};
    CentroidalWorkspace w(model);
    BalancePoint zmp;
    const BalanceStatus status = zero_moment_point(model, s.q, s.v, vdot, push, plane, w, zmp);
    for (const Force& foot : {ada.joint_force(0), rnea_workspace.F[0]}) {
      const std::vector<Force> forces{k.X_WB[0] * foot};
      BalancePoint cop;
      ASSERT_EQ(center_of_pressure(forces, plane, cop), status);
      if (status != BalanceStatus::kOk) continue;
      const double size = 1.0 + zmp.force.norm();
      EXPECT_LE((cop.force - zmp.force).norm(), 1e-9 * size);                          // N
      EXPECT_LE((cop.point - zmp.point).norm(), 1e-9 * size / zmp.normal_force * 10);  // m
      EXPECT_NEAR(plane.normal.dot(cop.point - plane.point), 0.0, 1e-12);
      // brought to the point, the force has a moment about the normal alone
      const Vec3 left = forces[0].moment() - cop.point.cross(cop.force);
      EXPECT_LE((left - cop.normal_moment * plane.normal).norm(), 1e-9 * size);  // N m
      ++pressed;
    }
  }
  EXPECT_GE(pressed, 80);
}

// both feet welded to the ground by loops, moving: two wrenches by the multi-handle assembly
TEST(CenterOfPressure, OfTwoWeldedFeetIsTheZeroMomentPointOfTheMotion) {
  State s;
  const Model model = test::humanoid_on_both_feet(s);
  LoopDynamics along(model);
  Random random(3);
  s.v = 0.5 * random.vector(model.num_v());
  ASSERT_EQ(along.factor(s.q), LoopStatus::kOk);
  along.project_velocity(s.v, false);
  JointVector tau = 0.2 * random.vector(model.num_v());
  tau.head<6>().setZero();
  LoopAssembly assembly(model);
  JointVector vdot;
  ASSERT_EQ(assembly.run(s.q, s.v, tau, ExternalLoads{}, vdot), LoopStatus::kOk);
  std::vector<Force> feet;
  for (int l = 0; l < 2; ++l) {
    const Pose X_WL = loop_pose(model, along.kinematics(), l);
    feet.push_back(at_origin(X_WL.p, assembly.wrench(l)));
  }
  CentroidalWorkspace w(model);
  BalancePoint zmp;
  BalancePoint cop;
  ASSERT_EQ(zero_moment_point(model, s.q, s.v, vdot, {}, {}, w, zmp), BalanceStatus::kOk);
  ASSERT_EQ(center_of_pressure(feet, {}, cop), BalanceStatus::kOk);
  EXPECT_LE((zmp.point - cop.point).norm(), 1e-9);  // m
  EXPECT_LE((zmp.force - cop.force).norm(), 1e-8);  // N
}

TEST(BalancePoint, HasNoValueWithoutSupportOrNumbers) {
  const Model model = one_body(2.0);
  CentroidalWorkspace w(model);
  const State s = standing_at(model, Vec3(0, 0, 1));
  const JointVector zero = JointVector::Zero(6);
  BalancePoint point;
  point.normal_force = 42.0;
  JointVector fall = zero;
  for (const double down : {-9.81, -20.0}) {  // free, pulled
    fall[5] = down;
    EXPECT_EQ(zero_moment_point(model, s.q, zero, fall, {}, {}, w, point),
              BalanceStatus::kNoSupport);
  }
  fall[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(zero_moment_point(model, s.q, zero, fall, {}, {}, w, point), BalanceStatus::kNotFinite);
  EXPECT_EQ(center_of_pressure({}, {}, point), BalanceStatus::kNoSupport);
  EXPECT_EQ(balance_point(Force::from(Vec3::Zero(), Vec3(5, 0, -1)), {}, point),
            BalanceStatus::kNoSupport);
  EXPECT_EQ(balance_point(Force::from(Vec3(fall[5], 0, 0), Vec3(0, 0, 1)), {}, point),
            BalanceStatus::kNotFinite);
  EXPECT_EQ(point.normal_force, 42.0);
  EXPECT_STREQ(name(BalanceStatus::kNoSupport), "no support");
}

TEST(BalancePoint, AllocatesNothing) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(1);
  const Model model = test::random_tree(random, 10, BaseKind::kFloating);
  const State s = test::random_state(random, model);
  const JointVector zero = JointVector::Zero(model.num_v());
  CentroidalWorkspace w(model);
  BalancePoint zmp;
  const test::NoAlloc guard;
  const BalanceStatus status = zero_moment_point(model, s.q, s.v, zero, {}, {}, w, zmp);
  const long count = guard.count();
  EXPECT_EQ(count, 0);
  EXPECT_NE(status, BalanceStatus::kNotFinite);
}

// two soles of 98 x 63 mm, 78 mm apart, one point between them
std::vector<Vec3> soles() {
  std::vector<Vec3> points{Vec3(0.01, 0.0, 0.3)};
  for (const double y : {-0.039, 0.039}) {
    for (const double dx : {-0.049, 0.049}) {
      for (const double dy : {-0.0315, 0.0315}) points.emplace_back(0.01 + dx, y + dy, 0.0);
    }
  }
  return points;
}

TEST(SupportPolygon, IsTheHullOfBothSolesAndGivesTheDistanceInside) {
  SupportPolygon polygon;
  EXPECT_EQ(polygon.margin(Vec3::Zero()), -std::numeric_limits<double>::infinity());
  polygon.set(soles(), {});
  EXPECT_EQ(polygon.size(), 4);
  EXPECT_NEAR(polygon.margin(Vec3(0.0, 0.0, 0.5)), 0.039, 1e-15);        // m, rear edge
  EXPECT_NEAR(polygon.margin(Vec3(0.01, 0.06, 0.0)), 0.0105, 1e-15);     // left edge
  EXPECT_NEAR(polygon.margin(Vec3(0.069, 0.0, 0.0)), -0.01, 1e-15);      // before the toes
  EXPECT_NEAR(polygon.margin(Vec3(0.062, 0.0745, 0.0)), -0.005, 1e-15);  // off a corner: 3, 4, 5
  EXPECT_TRUE(std::isnan(polygon.margin(Vec3(std::nan(""), 0.0, 0.0))));
  const std::vector<Vec3> line{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0)};
  polygon.set(line, {});
  EXPECT_NEAR(polygon.margin(Vec3(1.0, 0.5, 0.0)), -0.5, 1e-15);
  polygon.set(std::vector<Vec3>(3, Vec3(1, 1, 0)), {});
  EXPECT_NEAR(polygon.margin(Vec3(1.0, 3.0, 0.0)), -2.0, 1e-15);
}

TEST(SupportPolygon, LiesInATiltedPlane) {
  const Mat3 R = (Mat3() << 0.0, 0.0, 1.0, 0.6, -0.8, 0.0, 0.8, 0.6, 0.0).finished();
  const Vec3 p(0.3, -0.2, 1.0);
  std::vector<Vec3> points = soles();
  for (Vec3& point : points) point = p + R * point;
  SupportPolygon polygon;
  polygon.set(points, {p, R.col(2)});
  EXPECT_NEAR(polygon.margin(p + R * Vec3(0.062, 0.0745, 0.2)), -0.005, 1e-14);
  EXPECT_NEAR(polygon.margin(p + R * Vec3(0.01, 0.06, 0.0)), 0.0105, 1e-14);
}

// the pendulum comes to rest over the point when the ground's force acts there
TEST(CapturePoint, IsWhereThePendulumComesToRest) {
  const double h = 0.218, g = 9.81, dt = 1e-4;
  Vec3 c(0.01, -0.02, h);
  Vec3 v(0.2, 0.05, 0.0);
  const Vec3 p = capture_point(c, v, g, {});
  EXPECT_NEAR(p.x(), 0.01 + 0.2 * std::sqrt(h / g), 1e-15);
  const double start = (c - Vec3(p.x(), p.y(), h)).norm();
  for (int k = 0; k < 5000; ++k) {  // 0.5 s: 3.4 of the pendulum's time constants
    v += dt * (g / h) * (c - Vec3(p.x(), p.y(), h));
    c += dt * v;
  }
  EXPECT_LT((c - Vec3(p.x(), p.y(), h)).norm(), 0.05 * start);
  EXPECT_LT(v.norm(), 0.05 * 0.2);
  EXPECT_TRUE(std::isnan(capture_point(Vec3(0, 0, -0.1), v, g, {}).x()));
}

}  // namespace
}  // namespace kagami::models
