// Virtual loops of robots of which no actuator drives a part: free flight, soles on the ground, an
// object between both hands. Oracles: conservation, closed forms of statics and of the gap, our
// closed-chain forward dynamics and a tree with the object's mass added to one hand.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "control/test/support/controllers.hpp"
#include "control/virtual/test/virtual_loop_arm.hpp"
#include "control/virtual/virtual_loop.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/closed_chains/loop_stepper.hpp"
#include "models/dynamics/aba.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/forward_sample.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::control {
namespace {

using models::BaseKind;
using models::Model;
using models::Pose;
using test::max_abs;

Model khr1_on(BaseKind base) {
  return test::khr1(base).model;
}

models::Kinematics kinematics_at(const Model& model, const JointVector& q, const JointVector& v) {
  models::Kinematics k(model);
  models::forward_kinematics(model, q, v, k);
  return k;
}

/// Weld of frames a and b (empty: the world) as they stand at q.
models::Loop weld(const Model& model, const std::string& name, const std::string& a,
                  const std::string& b, const JointVector& q) {
  const models::Kinematics k = kinematics_at(model, q, JointVector::Zero(model.num_v()));
  const models::Frame fa = model.frame(a);
  models::Frame fb;
  if (!b.empty()) fb = model.frame(b);
  const Pose X_WB = b.empty() ? Pose{} : models::frame_pose(k, fb);
  models::Loop loop;
  loop.name = name;
  loop.body_a = fa.body;
  loop.body_b = fb.body;
  loop.X_AL = fa.X_BF;
  loop.X_BJ = fb.X_BF * (models::inverse(X_WB) * models::frame_pose(k, fa));
  return loop;
}

Model with_loops(const Model& model, const std::vector<models::Loop>& loops) {
  models::ModelBuilder builder(model);
  for (const models::Loop& l : loops) {
    builder.add_loop(l.name, l.body_a, l.X_AL, l.body_b, l.X_BJ, l.joint);
  }
  return builder.build();
}

int dof(const Model& model, const std::string& joint) {
  return model.body(model.find_joint(joint)).v_index;
}

JointFeedback lead(const Model& model, const std::vector<std::pair<std::string, double>>& targets,
                   const JointVector& q, double kd = 0.03) {
  JointFeedback f = no_joint_feedback(model);
  f.target = q;
  for (const auto& [joint, target] : targets) {
    f.kp[dof(model, joint)] = 0.3;
    f.kd[dof(model, joint)] = kd;
    f.target[model.body(model.find_joint(joint)).q_index] = target;
  }
  return f;
}

/// The open robot under gravity and its virtual loop.
class Driven final : public models::AccelerationSource {
 public:
  Driven(const Model& robot, VirtualLoop& loop)
      : robot_(robot), loop_(loop), aba_(robot), tau(JointVector::Zero(robot.num_v())) {}
  bool acceleration(double, const JointVector& q, const JointVector& v,
                    JointVector& vdot) noexcept override {
    if (loop_.update(q, v, tau) != VirtualLoopStatus::kOk) return false;
    vdot.resize(v.size());
    models::aba(robot_, q, v, tau, aba_, vdot);
    return true;
  }

 private:
  const Model& robot_;
  VirtualLoop& loop_;
  models::AbaWorkspace aba_;

 public:
  JointVector tau;
};

const std::vector<std::pair<std::string, double>> kSwing = {{"left_shoulder_pitch", -0.8},
                                                            {"left_shoulder_roll", 0.3}};

TEST(VirtualLoopInFlight, InternalForcesLeaveTheMomentumAsItWas) {
  const Model robot = khr1_on(BaseKind::kFloating);
  models::State s = models::neutral_state(robot);
  const std::vector<models::Loop> rod{weld(robot, "rod", "left_forearm", "right_forearm", s.q)};
  const Model mechanism = virtual_mechanism(robot, rod);
  VirtualLoop loop(robot, mechanism, {});
  loop.set_feedback(lead(robot, kSwing, s.q));
  s.v.head<6>() << 0.4, -0.2, 0.3, 0.2, 0.1, 3.0;  // rad/s, m/s: thrown
  Driven source(robot, loop);
  models::Integrator rk4(robot, models::Scheme::kRk4);
  const models::Force before = models::momentum_about_com(robot, kinematics_at(robot, s.q, s.v));
  const models::LoopDynamics closed(mechanism);
  models::LoopKinematics gap(mechanism);
  double mass = 0.0;
  for (int i = 0; i < robot.num_bodies(); ++i) mass += robot.body(i).inertia.mass;
  double t = 0.0;
  double linear = 0.0;
  double angular = 0.0;
  double open = 0.0;
  for (int step = 0; step < 2400; ++step) {
    ASSERT_EQ(rk4.advance(source, 0.25e-3, t, s), models::StepStatus::kOk) << t;
    const models::Force h = models::momentum_about_com(robot, kinematics_at(robot, s.q, s.v));
    const Vec3 fallen = before.force() + mass * t * robot.gravity();
    linear = std::max(linear, (h.force() - fallen).norm());
    angular = std::max(angular, (h.moment() - before.moment()).norm());
    models::place_loops(mechanism, s.q, gap);
    open = std::max(open, gap.e.cwiseAbs().maxCoeff());
    ASSERT_EQ(source.tau.head<6>().cwiseAbs().maxCoeff(), 0.0);
  }
  EXPECT_LT(linear, 1e-12);  // kg m/s
  EXPECT_LT(angular, 1e-9);  // kg m^2/s
  EXPECT_LT(open, 1e-9);     // m, rad
  EXPECT_NEAR(s.q[robot.body(robot.find_joint("left_shoulder_pitch")).q_index], -0.8, 0.1);
}

TEST(VirtualLoopInFlight, TheFallingRobotHasTheRequiredAcceleration) {
  const Model robot = khr1_on(BaseKind::kFloating);
  models::State s = models::neutral_state(robot);
  const std::vector<models::Loop> rod{weld(robot, "rod", "left_forearm", "right_forearm", s.q)};
  const Model mechanism = virtual_mechanism(robot, rod);
  VirtualLoop loop(robot, mechanism, {});
  loop.set_feedback(lead(robot, kSwing, s.q));
  models::AbaWorkspace aba(robot);
  JointVector tau = s.v;
  JointVector vdot = s.v;
  for (int k = 0; k < 40; ++k) {
    // off the loops, too: by up to 3 mm
    for (int i = 0; i < robot.num_v(); ++i) s.v[i] = 0.3 * std::sin(1.0 + 3.0 * k + 7.0 * i);
    JointVector q = s.q;
    models::integrate(robot, s.v, k % 2 == 0 ? 1e-2 : 1e-5, q);
    ASSERT_EQ(loop.update(q, s.v, tau), VirtualLoopStatus::kOk) << k;
    models::aba(robot, q, s.v, tau, aba, vdot);
    EXPECT_LT(max_abs(vdot - loop.acceleration()), 1e-9 * (1.0 + max_abs(vdot))) << k;
    EXPECT_EQ(tau.head<6>().cwiseAbs().maxCoeff(), 0.0);
  }
}

// the gap's own equation: e'' + 2 w e' + w^2 e = 0, whatever the arm does meanwhile
TEST(VirtualLoopGap, ClosesByItsClosedFormWhileTheArmMoves) {
  const Model robot = test_arm::arm();
  const Model mechanism = test_arm::four_bar(robot);
  VirtualLoop loop(robot, mechanism, {20.0, 0.02});
  loop.set_feedback(test_arm::on_joint(robot, 0, 5.0, 5.0, 0.3));
  for (const double size : {1.0, 1e-2, 1e-4}) {
    SCOPED_TRACE(size);
    models::State s{JointVector(4), JointVector::Zero(4)};
    s.q << 60.0, 30.0, 150.0, -60.0;
    s.q *= test_arm::kPi / 180.0;
    s.q += size * (JointVector(4) << 0.003, -0.004, 0.005, 0.002).finished();  // rad
    s.v[1] = 0.05 * size;
    models::LoopKinematics gap(mechanism);
    models::place_loops(mechanism, s.q, gap);
    const Eigen::VectorXd e0 = gap.e;
    const Eigen::VectorXd rate0 = gap.J * s.v + 20.0 * e0;
    const double most = e0.cwiseAbs().maxCoeff();
    ASSERT_GT(most, 1e-3 * size);
    Driven source(robot, loop);
    models::Integrator rk4(robot, models::Scheme::kRk4);
    double t = 0.0;
    double off = 0.0;
    while (t < 0.5) {
      ASSERT_EQ(rk4.advance(source, 1e-3, t, s), models::StepStatus::kOk) << t;
      models::place_loops(mechanism, s.q, gap);
      off = std::max(off, (gap.e - (e0 + t * rate0) * std::exp(-20.0 * t)).cwiseAbs().maxCoeff());
    }
    // m, rad: J is the gap's rate to first order in it; Runge-Kutta and rounding add 1e-12
    EXPECT_LT(off, most * most + 1e-12);
    EXPECT_LT(s.q[0], 0.9);  // it went on: 1.05 before
  }
}

/// Legs without hip yaw hold it by themselves: where they are alike it would be the same equation
/// twice.
void leave_yaw(models::Loop& sole) {
  sole.joint.type = models::JointType::kRevolute;
  sole.joint.axis = Vec3::UnitZ();
}

/// A khr1 supported by `soles`; `more` holds all other loops that close.
struct Standing {
  explicit Standing(const std::vector<std::string>& soles, const std::vector<std::string>& more)
      : open(khr1_on(BaseKind::kFloating)), s(models::neutral_state(open)) {
    s.q[2] = 0.2519;
    std::vector<models::Loop> ground;
    for (const std::string& sole : soles) ground.push_back(weld(open, sole, sole, "", s.q));
    if (ground.size() > 1) leave_yaw(ground[1]);
    robot = with_loops(open, ground);
    std::vector<models::Loop> ties;
    for (const std::string& sole : more) {
      ties.push_back(weld(open, "v_" + sole, sole, "", s.q));
      leave_yaw(ties.back());
    }
    mechanism = virtual_mechanism(robot, ties);
  }
  Model open;
  models::State s;
  Model robot = open;
  Model mechanism = open;
};

// the left knee, too: at the straight leg, a dead point, the loop alone lets it bend either way
const std::vector<std::pair<std::string, double>> kCrouch = {{"left_knee", 0.75},
                                                             {"right_hip_pitch", -0.4},
                                                             {"right_knee", 0.75},
                                                             {"right_ankle_pitch", -0.35}};

TEST(VirtualLoopStanding, TheGroundCarriesTheWeightAndTheBaseGetsNoTorque) {
  for (const bool both : {false, true}) {
    SCOPED_TRACE(both);
    const std::vector<std::string> right{"r_sole"};
    const std::vector<std::string> feet{"r_sole", "l_sole"};
    Standing st(both ? feet : right,
                both ? std::vector<std::string>{} : std::vector<std::string>{"l_sole"});
    VirtualLoop loop(st.robot, st.mechanism, {});
    loop.set_feedback(lead(st.robot, {}, st.s.q));
    JointVector tau = st.s.v;
    ASSERT_EQ(loop.update(st.s.q, st.s.v, tau), VirtualLoopStatus::kOk);
    EXPECT_EQ(tau.head<6>().cwiseAbs().maxCoeff(), 0.0);
    // statics: forces sum to the weight, moments about the mass centre to zero
    const models::Kinematics k = kinematics_at(st.robot, st.s.q, st.s.v);
    const Vec3 com = models::center_of_mass(st.robot, k);
    double mass = 0.0;
    for (int i = 0; i < st.robot.num_bodies(); ++i) mass += st.robot.body(i).inertia.mass;
    Vec3 force = Vec3::Zero();
    Vec3 moment = Vec3::Zero();
    const std::vector<std::string>& soles = both ? feet : right;
    for (std::size_t i = 0; i < soles.size(); ++i) {
      const models::Force F = loop.own_wrench(static_cast<int>(i));
      const Vec3 p = models::frame_pose(k, st.robot.frame(soles[i])).p;
      force += F.force();
      moment += F.moment() + (p - com).cross(F.force());
      // nothing pulls at the floor
      EXPECT_GT(F.force().z(), 0.0);
    }
    EXPECT_LT((force + mass * st.robot.gravity()).norm(), 1e-9);  // N
    EXPECT_LT(moment.norm(), 1e-9);                               // N m
  }
}

// closed-chain forward dynamics with gravity, the ground's welds alone: another algorithm than
// (open-1) to (open-3)
TEST(VirtualLoopStanding, TheStandingRobotHasTheRequiredAcceleration) {
  for (const bool both : {false, true}) {
    SCOPED_TRACE(both);
    Standing st(
        both ? std::vector<std::string>{"r_sole", "l_sole"} : std::vector<std::string>{"r_sole"},
        both ? std::vector<std::string>{} : std::vector<std::string>{"l_sole"});
    VirtualLoop loop(st.robot, st.mechanism, {});
    loop.set_feedback(lead(st.robot, kCrouch, st.s.q, 0.07));
    models::LoopStepper plant(st.robot);
    models::LoopDynamics ground(st.robot);
    models::LoopKinematics soles(st.mechanism);
    JointVector tau = st.s.v;
    JointVector vdot = st.s.v;
    double off = 0.0;
    double open = 0.0;
    for (int step = 0; step < 1000; ++step) {
      ASSERT_EQ(loop.update(st.s.q, st.s.v, tau), VirtualLoopStatus::kOk) << step;
      ASSERT_EQ(ground.run(st.s.q, st.s.v, tau, models::ExternalLoads{}, vdot),
                models::LoopStatus::kOk);
      off = std::max(off, max_abs(vdot - loop.acceleration()) / (1.0 + max_abs(vdot)));
      models::place_loops(st.mechanism, st.s.q, soles);
      open = std::max(open, soles.e.cwiseAbs().maxCoeff());
      ASSERT_EQ(plant.semi_implicit(tau, 1e-3, st.s), models::LoopStatus::kOk) << step;
    }
    // part of it; the stepper leaves gaps of up to 1e-12 m, which w^2 / 0.05 m makes 8e-9 of;
    // else 1e-12 was seen
    EXPECT_LT(off, 1e-8);
    EXPECT_LT(open, 1e-4);  // m, rad: steps of first order
    EXPECT_NEAR(st.s.q[st.robot.body(st.robot.find_joint("right_knee")).q_index], 0.75, 0.02);
    EXPECT_NEAR(st.s.q[st.robot.body(st.robot.find_joint("left_knee")).q_index], 0.75, 0.02);
  }
}

}  // namespace
}  // namespace kagami::control
