// Both hands hold a box. Oracles: statics and Newton-Euler of the box, closed-chain forward
// dynamics of robot and box, and RNEA of a tree with the box's mass added to one forearm.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>
#include <vector>

#include "control/test/support/controllers.hpp"
#include "control/virtual/held_object.hpp"
#include "control/virtual/virtual_loop.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/state.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::control {
namespace {

using models::Force;
using models::Pose;

constexpr double kMass = 0.15;  // kg
const Vec3 kEdges(0.06, 0.14, 0.05);

Pose place_of_box(const models::Model& robot, const JointVector& q) {
  models::Kinematics k(robot);
  models::forward_kinematics(robot, q, JointVector::Zero(robot.num_v()), k);
  const Vec3 left = models::frame_pose(k, robot.frame("left_forearm")) * Vec3(0.0, 0.0, -0.08);
  const Vec3 right = models::frame_pose(k, robot.frame("right_forearm")) * Vec3(0.0, 0.0, -0.08);
  return {Mat3::Identity(), 0.5 * (left + right)};
}

/// The KHR-1 on its stand, both arms forward by `pitch`, the box drawn to where 0.3 rad more would
/// bring it.
struct Holding {
  explicit Holding(double pitch) : open(test::khr1(models::BaseKind::kFixed).model) {
    JointVector q = JointVector::Zero(open.num_q());
    for (const char* side : {"left_shoulder_pitch", "right_shoulder_pitch"}) {
      q[open.body(open.find_joint(side)).q_index] = -pitch;
    }
    HeldObject box;
    box.name = "box";
    box.mass = box_mass(kMass, kEdges);
    box.X_WO = place_of_box(open, q);
    box.hands = {"left_forearm", "right_forearm"};
    robot = holding(open, box, q);
    mechanism = virtual_mechanism(robot, {});
    s = models::neutral_state(robot);
    s.q = with_object(q, box.X_WO);
    feedback.frame = robot.frame("box");
    feedback.kp << 0.2, 0.2, 0.2, 20.0, 20.0, 20.0;
    feedback.kd << 0.02, 0.02, 0.02, 2.0, 2.0, 2.0;
    feedback.target = box.X_WO;
    feedback.target.p += Vec3(0.03, 0.02, 0.02);
  }
  models::Model open;
  models::Model robot = open;
  models::Model mechanism = open;
  models::State s;
  FrameFeedback feedback;
};

/// What both hands do to the box: [moment about its middle; force], world axes.
Vec6 hands_on_box(const VirtualLoop& loop, const models::Model& robot, const JointVector& q) {
  models::Kinematics k(robot);
  models::forward_kinematics(robot, q, JointVector::Zero(robot.num_v()), k);
  const Vec3 middle = k.X_WB.back().p;
  Vec6 sum = Vec6::Zero();
  for (int l = 0; l < 2; ++l) {
    const Force F = loop.own_wrench(l);
    const Pose X_WL = k.X_WB.back() * robot.loops()[static_cast<std::size_t>(l)].X_AL;
    sum.head<3>() += F.moment() + (X_WL.p - middle).cross(F.force());
    sum.tail<3>() += F.force();
  }
  return sum;
}

TEST(VirtualLoopObject, TheHandsOfARobotAtRestCarryTheBoxsWeight) {
  for (const double pitch : {0.0, 0.6, 1.2}) {
    SCOPED_TRACE(pitch);
    const Holding h(pitch);
    VirtualLoop loop(h.robot, h.mechanism, {});
    JointVector tau = h.s.v;
    ASSERT_EQ(loop.update(h.s.q, h.s.v, tau), VirtualLoopStatus::kOk);
    Vec6 weight = Vec6::Zero();
    weight.tail<3>() = kMass * h.robot.gravity();
    EXPECT_LT((hands_on_box(loop, h.robot, h.s.q) + weight).norm(), 1e-12);  // N, N m
    // alike on both sides, and no hand pulls against the other
    EXPECT_LT((loop.own_wrench(0).force() - loop.own_wrench(1).force()).norm(), 1e-12);
    EXPECT_EQ(tau.tail<6>().cwiseAbs().maxCoeff(), 0.0);
    // virtual work: both shoulders' pitch turns all that hangs on them about one axis
    const auto shoulders = [](const models::Model& m, const JointVector& t) {
      return t[m.body(m.find_joint("left_shoulder_pitch")).v_index] +
             t[m.body(m.find_joint("right_shoulder_pitch")).v_index];
    };
    models::RneaWorkspace w(h.open);
    const JointVector rest = JointVector::Zero(h.open.num_v());
    JointVector empty = rest;
    models::rnea(h.open, h.s.q.head(h.open.num_q()), rest, rest, w, empty);
    models::Kinematics k(h.open);
    models::forward_kinematics(h.open, h.s.q.head(h.open.num_q()),
                               JointVector::Zero(h.open.num_v()), k);
    const Pose axis = models::frame_pose(k, h.open.frame("left_shoulder"));
    const double lever = h.s.q[h.open.num_q()] - axis.p.x();
    // about +y the weight at +x turns by +g m x; the joints hold against it
    EXPECT_NEAR(shoulders(h.robot, tau) - shoulders(h.open, empty),
                kMass * h.robot.gravity().z() * lever, 1e-9);  // N m
  }
}

/// A state along the loops with the arms in motion, and the vdot requested there.
struct Moving {
  explicit Moving(Holding& holding) : h(holding), loop(h.robot, h.mechanism, {}), tau(h.s.v) {
    loop.set_feedback(h.feedback);
    models::LoopDynamics closed(h.robot);
    EXPECT_EQ(closed.factor(h.s.q), models::LoopStatus::kOk);
    for (int i = 0; i < h.s.v.size(); ++i) h.s.v[i] = std::sin(1.0 + 2.0 * i);
    closed.project_velocity(h.s.v, false);
    EXPECT_EQ(loop.update(h.s.q, h.s.v, tau), VirtualLoopStatus::kOk);
  }
  Holding& h;
  VirtualLoop loop;
  JointVector tau;
};

TEST(VirtualLoopObject, TheHandsForcesAreTheRateOfTheBoxsMomentum) {
  for (const double pitch : {0.0, 0.6, 1.2}) {
    SCOPED_TRACE(pitch);
    Holding h(pitch);
    Moving m(h);
    const models::MassProperties box = box_mass(kMass, kEdges);
    const Vec3 omega = h.s.v.segment<3>(h.open.num_v());
    const Vec3 v = h.s.v.tail<3>();
    const Vec3 alpha = m.loop.acceleration().segment<3>(h.open.num_v());
    const Vec3 a = Vec3(m.loop.acceleration().tail<3>()) + omega.cross(v);
    ASSERT_GT(v.norm(), 0.01);  // m/s
    Vec6 rate;                  // in the box, whose axes are the world's
    rate << Vec3(box.I_com * alpha) + omega.cross(Vec3(box.I_com * omega)),
        kMass * (a - h.robot.gravity());
    EXPECT_LT((hands_on_box(m.loop, h.robot, h.s.q) - rate).norm(), 1e-9 * (1.0 + rate.norm()));
  }
}

TEST(VirtualLoopObject, RobotAndBoxHaveTheRequiredAccelerationUnderTheTorques) {
  for (const double pitch : {0.0, 0.6, 1.2}) {
    SCOPED_TRACE(pitch);
    Holding h(pitch);
    Moving m(h);
    models::LoopDynamics plant(h.robot);  // gravity, box and grasps; no virtual force
    JointVector vdot = h.s.v;
    ASSERT_EQ(plant.run(h.s.q, h.s.v, m.tau, models::ExternalLoads{}, vdot),
              models::LoopStatus::kOk);
    EXPECT_LT((vdot - m.loop.acceleration()).cwiseAbs().maxCoeff(),
              1e-9 * (1.0 + vdot.cwiseAbs().maxCoeff()));
    EXPECT_GT(vdot.cwiseAbs().maxCoeff(), 1.0);
  }
}

// no loop and nothing that floats: the box's mass is the left forearm's, the right hand's share a
// force of the surroundings
TEST(VirtualLoopObject, TheTorquesAreThoseOfATreeWithTheBoxOnOneForearm) {
  for (const double pitch : {0.0, 0.6, 1.2}) {
    SCOPED_TRACE(pitch);
    Holding h(pitch);
    Moving m(h);
    const int n = h.open.num_v();
    models::Kinematics k(h.robot);
    models::forward_kinematics(h.robot, h.s.q, h.s.v, k);
    const Pose& X_WO = k.X_WB.back();
    const auto left = static_cast<std::size_t>(h.open.frame("left_forearm").body);
    const auto right = static_cast<std::size_t>(h.open.frame("right_forearm").body);
    models::ModelBuilder builder(h.open);
    builder.add_body("load", static_cast<BodyIndex>(left), "glue", models::Joint{},
                     models::inverse(k.X_WB[left]) * X_WO, box_mass(kMass, kEdges));
    const models::Model loaded = builder.build();
    const Pose X_OL = h.robot.loops()[1].X_AL;
    const Pose X_WL = X_WO * X_OL;
    // right hand on the box, at L, in L; then on the load and, as reaction, on the right forearm
    const Force F = m.loop.own_wrench(1);
    const Force F_L = Force::from(X_WL.R.transpose() * F.moment(), X_WL.R.transpose() * F.force());
    std::vector<Force> F_ext(static_cast<std::size_t>(loaded.num_bodies()), Force::zero());
    F_ext.back() = X_OL * F_L;
    F_ext[right] = -((models::inverse(k.X_WB[right]) * X_WL) * F_L);
    models::RneaWorkspace w(loaded);
    JointVector tau = JointVector::Zero(n);
    models::rnea(loaded, h.s.q.head(h.open.num_q()), h.s.v.head(n), m.loop.acceleration().head(n),
                 models::ExternalLoads{F_ext, nullptr}, w, tau);
    EXPECT_LT((tau - m.tau.head(n)).cwiseAbs().maxCoeff(), 1e-9);  // N m
  }
}

TEST(VirtualLoopObject, RefusesWhatCannotBeHeld) {
  const models::Model& robot = test::khr1(models::BaseKind::kFixed).model;
  const JointVector q = JointVector::Zero(robot.num_q());
  HeldObject box;
  box.mass = box_mass(kMass, kEdges);
  EXPECT_THROW(holding(robot, box, q), ModelError);  // no hand
  box.hands = {"left_wing"};
  EXPECT_THROW(holding(robot, box, q), ModelError);
  EXPECT_THROW(box_mass(0.0, kEdges), ModelError);
  EXPECT_THROW(box_mass(1.0, Vec3(0.1, 0.0, 0.1)), ModelError);
  // an object in the air, a base that is held
  models::ModelBuilder builder(robot);
  models::Joint free;
  free.type = models::JointType::kFloating;
  builder.add_body("ball", kWorld, "ball_free", free, Pose{}, box.mass);
  const models::Model thrown = builder.build();
  EXPECT_THROW(VirtualLoop(thrown, thrown, {}), ConfigError);
  // in free flight a frame cannot be drawn to a place, nor the base be led
  const models::Model& flying = test::khr1(models::BaseKind::kFloating).model;
  models::Loop rod;
  rod.name = "rod";
  rod.body_a = flying.frame("left_forearm").body;
  rod.body_b = flying.frame("right_forearm").body;
  const models::Model mechanism = virtual_mechanism(flying, std::vector<models::Loop>{rod});
  VirtualLoop loop(flying, mechanism, {});
  FrameFeedback drawn;
  drawn.frame = flying.frame("left_forearm");
  EXPECT_THROW(loop.set_feedback(drawn), ConfigError);
  JointFeedback led = no_joint_feedback(flying);
  led.kd[2] = 1.0;
  EXPECT_THROW(loop.set_feedback(led), ConfigError);
  EXPECT_FALSE(loop.set_gains(2, 1.0, 1.0));
  EXPECT_FALSE(loop.set_gains(7, -1.0, 1.0));
  EXPECT_FALSE(loop.set_gains(99, 1.0, 1.0));
  EXPECT_TRUE(loop.set_gains(7, 1.0, 1.0));
  EXPECT_FALSE(loop.set_correction_rate(-1.0));
  EXPECT_FALSE(loop.set_correction_rate(201.0));
  EXPECT_TRUE(loop.set_correction_rate(30.0));
}

// hands that hold a base together but no ground: nothing carries the base
TEST(VirtualLoopObject, WhatItsOwnLoopsCannotCarryIsReported) {
  const models::Model& flying = test::khr1(models::BaseKind::kFloating).model;
  const models::State s = models::neutral_state(flying);
  HeldObject box;
  box.mass = box_mass(kMass, kEdges);
  box.hands = {"left_forearm", "right_forearm"};
  const models::Model robot = holding(flying, box, s.q);
  const models::Model mechanism = virtual_mechanism(robot, {});
  VirtualLoop loop(robot, mechanism, {});
  JointVector tau = JointVector::Constant(robot.num_v(), 7.0);
  const JointVector q = with_object(s.q, box.X_WO);
  EXPECT_EQ(loop.update(q, JointVector::Zero(robot.num_v()), tau), VirtualLoopStatus::kNotCarried);
  EXPECT_EQ(tau, JointVector::Constant(robot.num_v(), 7.0));
  EXPECT_STREQ(name(VirtualLoopStatus::kNotCarried), "not carried");
}

}  // namespace
}  // namespace kagami::control
