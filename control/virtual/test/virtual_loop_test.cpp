// Virtual closed loop on the open arm of the thesis's chapter 7, against O11: another program's
// closed forms and multipliers, along every one of its motions.
#include "control/virtual/virtual_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "control/virtual/test/virtual_loop_arm.hpp"
#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/dynamics/aba.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/forward_sample.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::control {
namespace {

using test::max_abs;

using namespace test_arm;

Vec3 end_of(const Model& robot, const JointVector& q) {
  models::Kinematics k(robot);
  models::forward_kinematics(robot, q, JointVector::Zero(4), k);
  return k.X_WB[3] * Vec3(0.0, 0.0, 0.5);
}

/// The open arm with gravity under its controller, in the form that an integrator takes.
class ControlledArm final : public models::AccelerationSource {
 public:
  ControlledArm(const Model& robot, VirtualLoop& loop, bool printed_sign)
      : robot_(robot), loop_(loop), aba_(robot), printed_sign_(printed_sign) {}

  bool acceleration(double, const JointVector& q, const JointVector& v,
                    JointVector& vdot) noexcept override {
    // kd (2 v - v): what the minus of Eq. (7.9) as printed makes of the target's rate 0
    if (printed_sign_ && !loop_.set_target(JointVector::Zero(4), 2.0 * v)) return false;
    status = loop_.update(q, v, tau);
    if (status != VirtualLoopStatus::kOk) return false;
    vdot.resize(v.size());
    models::aba(robot_, q, v, tau, aba_, vdot);
    return true;
  }

  JointVector tau = JointVector::Zero(4);
  VirtualLoopStatus status = VirtualLoopStatus::kOk;

 private:
  const Model& robot_;
  VirtualLoop& loop_;
  models::AbaWorkspace aba_;
  bool printed_sign_;
};

/// One motion of O11: its mechanism and its law.
struct Motion {
  const char* id;
  Model (*mechanism)(const Model&);
  double angle = 1e-5;   ///< rad; ten times what was seen, g++ 12 -O2; O11 requires 1e-5, 1e-3 when
                         ///< a singular pose is on the way
  double torque = 1e-3;  ///< N m; the same, O11 requires 1e-3, 0.05
  double end = 1e-9;     ///< m; O11 requires 1e-6
  bool on_angle = false;  ///< the crank's angle is fed back, not the end's place
  bool gravity = false;   ///< in the virtual mechanism, too
  bool printed_sign = false;
  double dt = 1e-3;  ///< s
};

// The four-bar passes 90 degrees in the fourth and the third; the third is fast there. In the
// second the angle has grown to 20 turns, the torque to 5000 N m. In the seventh the crank passes
// its dead point twice, in the eighth it stops there.
const std::vector<Motion> kMotions = {
    {"o11-fourbar", four_bar, 1e-10, 1e-9, 1e-11, true},
    {"o11-fourbar-printed-sign", four_bar, 1e-5, 0.1, 1e-8, true, false, true},
    {"o11-fourbar-gravity-in-virtual-loop", four_bar, 1e-7, 1e-5, 1e-8, true, true},
    {"o11-fourbar-through-singular", four_bar, 1e-7, 1e-6, 1e-9, true},
    {"o11-slider", slider_crank, 1e-9, 1e-6, 1e-10, false, false, false, 2e-3},
    {"o11-slider-minus-1m", slider_crank, 1e-9, 1e-6, 1e-10, false, false, false, 2e-3},
    {"o11-slider-singular", slider_crank, 1e-9, 1e-6, 1e-10, false, false, false, 2e-3},
    {"o11-slider-singular-angle-feedback", slider_crank, 1e-9, 1e-6, 1e-10, true, false, false,
     2e-3},
};

nlohmann::json case_of(const nlohmann::json& json, const std::string& id) {
  for (const nlohmann::json& c : json.at("cases")) {
    if (c.at("id") == id) return c;
  }
  ADD_FAILURE() << id;
  return {};
}

Model mechanism_of(const Motion& m, const Model& robot) {
  const Model mechanism = m.mechanism(robot);
  if (!m.gravity) return mechanism;
  models::ModelBuilder builder(mechanism);
  builder.set_gravity(robot.gravity());
  return builder.build();
}

void set_law(const Motion& m, const Model& robot, const nlohmann::json& c, VirtualLoop& loop) {
  if (!m.on_angle) {
    loop.set_feedback(on_end(c.at("kp"), c.at("kd"), c.at("xe_des")));
    return;
  }
  const bool slider = std::string(m.id).find("slider") != std::string::npos;
  const double target = to_rad(slider ? 90.0 : c.value("theta1_des_deg", 0.0));
  loop.set_feedback(on_joint(robot, 0, c.at("kp"), c.at("kd"), target));
}

TEST(VirtualLoop, ComputesTheAccelerationsAndTorquesOfO11AtEveryPose) {
  const nlohmann::json json = test::read_fixture("o11_virtual_loop.json");
  const Model robot = arm();
  int rows = 0;
  for (const Motion& m : kMotions) {
    SCOPED_TRACE(m.id);
    const nlohmann::json c = case_of(json, m.id);
    const Model mechanism = mechanism_of(m, robot);
    VirtualLoop loop(robot, mechanism, {});
    set_law(m, robot, c, loop);
    for (const nlohmann::json& row : c.at("rows")) {
      const JointVector v = columns(row, 5);
      if (m.printed_sign) {
        ASSERT_TRUE(loop.set_target(JointVector::Zero(4), 2.0 * v));
      }
      JointVector tau;
      ASSERT_EQ(loop.update(columns(row, 1), v, tau), VirtualLoopStatus::kOk) << row.at(0);
      // rad/s^2, N m: 12 digits of angles of up to 140 rad, drawn back by 400 1/s^2
      const double digits = 1e-8 * (1.0 + max_abs(columns(row, 1)) + max_abs(columns(row, 9)));
      EXPECT_LT(max_abs(loop.acceleration() - columns(row, 9)), digits) << row.at(0);
      EXPECT_LT(max_abs(tau - columns(row, 13)), 10.0 * digits) << row.at(0);
      const double u = m.on_angle ? loop.joint_force()[0] : loop.frame_force().force().x();
      EXPECT_NEAR(u, row.at(19).get<double>(), digits) << row.at(0);
      ++rows;
    }
  }
  EXPECT_GT(rows, 180);
}

TEST(VirtualLoop, LeadsTheOpenArmAlongEveryMotionOfO11) {
  const nlohmann::json json = test::read_fixture("o11_virtual_loop.json");
  const Model robot = arm();
  for (const Motion& m : kMotions) {
    SCOPED_TRACE(m.id);
    const nlohmann::json c = case_of(json, m.id);
    const Model mechanism = mechanism_of(m, robot);
    VirtualLoop loop(robot, mechanism, {});
    set_law(m, robot, c, loop);
    ControlledArm source(robot, loop, m.printed_sign);
    models::Integrator rk4(robot, models::Scheme::kRk4);
    models::State s{columns(c.at("rows").at(0), 1), columns(c.at("rows").at(0), 5)};
    double t = 0.0;
    double angle = 0.0;
    double torque = 0.0;
    double end = 0.0;
    long step = 0;
    for (const nlohmann::json& row : c.at("rows")) {
      for (const long stop = std::lround(row.at(0).get<double>() / m.dt); step < stop; ++step) {
        ASSERT_EQ(rk4.advance(source, m.dt, t, s), models::StepStatus::kOk)
            << t << " " << name(source.status);
      }
      JointVector vdot;
      ASSERT_TRUE(source.acceleration(t, s.q, s.v, vdot));
      angle = std::max(angle, max_abs(s.q - columns(row, 1)));
      torque = std::max(torque, max_abs(source.tau - columns(row, 13)));
      const Vec3 p = end_of(robot, s.q);
      // the four-bar's end is at rest, the slider's moves along x alone
      end = std::max(end, std::abs(p.z() + 0.5));
      if (m.mechanism == four_bar) end = std::max(end, std::abs(p.x() - 1.0));
    }
    EXPECT_LT(angle, m.angle);
    EXPECT_LT(torque, m.torque);
    EXPECT_LT(end, m.end);
  }
}

TEST(VirtualLoop, WithoutAControllerTheArmFallsAsInO11) {
  const nlohmann::json json = test::read_fixture("o11_virtual_loop.json");
  const nlohmann::json c = case_of(json, "o11-uncontrolled");
  const Model robot = arm();
  models::AbaSource source(robot);
  models::Integrator rk4(robot, models::Scheme::kRk4);
  models::State s{columns(c.at("rows").at(0), 1), columns(c.at("rows").at(0), 5)};
  double t = 0.0;
  long step = 0;
  for (const nlohmann::json& row : c.at("rows")) {
    for (const long stop = std::lround(row.at(0).get<double>() * 2e3); step < stop; ++step) {
      ASSERT_EQ(rk4.advance(source, 0.5e-3, t, s), models::StepStatus::kOk);
    }
    EXPECT_LT(max_abs(s.q - columns(row, 1)), 1e-5) << t;  // rad; at 1 ms 1.8e-5
    const Vec3 p = end_of(robot, s.q);
    EXPECT_NEAR(p.x(), row.at(13).get<double>(), 1e-5);
  }
}

// 90 degrees is where the four-bar's branches cross. The torque on joint 1 alone needs loop forces
// that grow without bound; shared between joints 1 and 4, each fed by its own angle, it does not.
TEST(VirtualLoop, StopsAtTheFourBarsCrossingWithTheTorqueShared) {
  const Model robot = arm();
  const Model mechanism = four_bar(robot);
  VirtualLoop loop(robot, mechanism, {});
  JointFeedback f = on_joint(robot, 0, 2.5, 2.5, kPi / 2.0);
  f.kp[3] = f.kd[3] = 2.5;
  f.target[3] = -kPi / 2.0;
  loop.set_feedback(f);
  ControlledArm source(robot, loop, false);
  models::Integrator rk4(robot, models::Scheme::kRk4);
  models::State s{(JointVector(4) << 85.0, 5.0, 175.0, -85.0).finished() * (kPi / 180.0),
                  JointVector::Zero(4)};
  double t = 0.0;
  double worst = 0.0;
  double wrench = 0.0;
  const double w = std::sqrt(3.0) / 2.0;
  for (int step = 0; step < 8000; ++step) {
    ASSERT_EQ(rk4.advance(source, 1e-3, t, s), models::StepStatus::kOk)
        << t << " " << name(source.status);
    const double gone = std::exp(-1.5 * t) * (std::cos(w * t) + std::sqrt(3.0) * std::sin(w * t));
    worst = std::max(worst, std::abs(s.q[0] - to_rad(90.0 - 5.0 * gone)));
    wrench = std::max(wrench, loop.dynamics().wrench(0).force().norm());
  }
  EXPECT_LT(worst, 1e-6);  // rad, O11's closed form
  EXPECT_LT((end_of(robot, s.q) - Vec3(1.0, 0.0, -0.5)).norm(), 1e-9);
  EXPECT_LT(wrench, 5.0);  // N
}

// O11 tabulates the multipliers' answer up to the crossing, where they have another one: going
// straight on keeps theta1'' = 0.6 u there, too
TEST(VirtualLoop, AcceleratesAlongItsBranchUpToTheCrossingAndAtIt) {
  const nlohmann::json json = test::read_fixture("o11_virtual_loop.json");
  const Model robot = arm();
  const Model mechanism = four_bar(robot);
  VirtualLoop loop(robot, mechanism, {});
  JointVector q(4);
  q << 60.0, 30.0, 150.0, -60.0;
  q *= kPi / 180.0;
  EXPECT_LT(max_abs(loop.look_around(q) - q), 1e-9);
  double last = 1.0;
  for (const nlohmann::json& row : json.at("singular")) {
    const double deg = row.at("theta1_deg");
    SCOPED_TRACE(deg);
    const double rate = row.at("thetad1");
    q << deg, 90.0 - deg, 90.0 + deg, -deg;
    q *= kPi / 180.0;
    const JointVector branch = (JointVector(4) << 1.0, -1.0, 1.0, -1.0).finished();
    loop.set_feedback(on_joint(robot, 0, row.at("u_ex"), 0.0, q[0] + 1.0));
    JointVector tau;
    ASSERT_EQ(loop.update(q, rate * branch, tau), VirtualLoopStatus::kOk);
    // rad/s^2; rounding over the square of the distance to the crossing, 2e-4 rad at 89.99 degrees
    EXPECT_LT(max_abs(loop.acceleration() - row.at("expected_theta1dd").get<double>() * branch),
              1e-7);
    EXPECT_LT(loop.dynamics().smallest_singular_value(), last);
    last = loop.dynamics().smallest_singular_value();
    EXPECT_EQ(loop.dynamics().rank(), deg < 90.0 ? 3 : 2);
  }
  EXPECT_LT(last, 1e-12);
}

TEST(VirtualLoop, DrawsTheArmBackToWhereTheLoopCloses) {
  const Model robot = arm();
  const Model mechanism = four_bar(robot);
  VirtualLoop loop(robot, mechanism, {});
  loop.set_feedback(on_joint(robot, 0, 5.0, 5.0, to_rad(30.0)));
  ControlledArm source(robot, loop, false);
  models::Integrator rk4(robot, models::Scheme::kRk4);
  models::State s{JointVector(4), JointVector::Zero(4)};
  s.q << 60.0, 30.0, 150.0, -60.0;
  s.q *= kPi / 180.0;
  s.q += (JointVector(4) << 0.003, -0.004, 0.005, 0.002).finished();  // rad
  double t = 0.0;
  ASSERT_GT((end_of(robot, s.q) - Vec3(1.0, 0.0, -0.5)).norm(), 1e-3);
  while (t < 2.0) ASSERT_EQ(rk4.advance(source, 1e-3, t, s), models::StepStatus::kOk);
  EXPECT_LT((end_of(robot, s.q) - Vec3(1.0, 0.0, -0.5)).norm(), 1e-9);  // m
}

// three dimensions: the KHR-1 on its stand swings both arms as if its hands held one rod
TEST(VirtualLoop, KeepsBothHandsOfTheKhr1Together) {
  const Model robot =
      models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFixed)
          .model;
  models::State s = models::neutral_state(robot);
  const BodyIndex left = robot.find_joint("left_elbow");
  const BodyIndex right = robot.find_joint("right_elbow");
  const auto apart = [&](const JointVector& q) {
    models::Kinematics k(robot);
    models::forward_kinematics(robot, q, JointVector::Zero(robot.num_v()), k);
    return models::inverse(k.X_WB[static_cast<std::size_t>(right)]) *
           k.X_WB[static_cast<std::size_t>(left)];
  };
  const Pose held = apart(s.q);
  const std::vector<models::Loop> rod{
      link_end("rod", left, Pose{}, right, held, models::JointType::kFixed, Vec3::Zero())};
  const Model mechanism = virtual_mechanism(robot, rod);
  VirtualLoop loop(robot, mechanism, {});
  JointFeedback f = no_joint_feedback(robot);
  const int roll = robot.body(robot.find_joint("left_shoulder_roll")).v_index;
  const int shoulder = robot.body(robot.find_joint("left_shoulder_pitch")).v_index;
  const int other = robot.body(robot.find_joint("right_shoulder_pitch")).v_index;
  f.kp[shoulder] = f.kp[roll] = 0.1;  // the left arm is led, the right one follows the rod
  f.kd[shoulder] = f.kd[roll] = 0.015;
  f.target[shoulder] = -0.8;
  f.target[roll] = 0.3;
  loop.set_feedback(f);
  ControlledArm source(robot, loop, false);
  models::Integrator rk4(robot, models::Scheme::kRk4);
  double t = 0.0;
  double worst = 0.0;
  for (int step = 0; step < 1500; ++step) {
    ASSERT_EQ(rk4.advance(source, 1e-3, t, s), models::StepStatus::kOk) << t;
    const Pose now = apart(s.q);
    worst = std::max({worst, (now.p - held.p).norm(), (now.R - held.R).norm()});
  }
  EXPECT_LT(worst, 1e-12);  // m, rad
  EXPECT_NEAR(s.q[shoulder], -0.8, 0.01);
  EXPECT_NEAR(s.q[other], s.q[shoulder], 1e-12);
  EXPECT_GT(s.q[roll], 0.25);  // the elbows turn against it
  EXPECT_LT(s.q[roll + 1], -0.25);
}

TEST(VirtualLoop, AnswersBadInputWithAStatusAndLeavesTheTorques) {
  const Model robot = arm();
  const Model mechanism = four_bar(robot);
  VirtualLoop loop(robot, mechanism, {});
  JointVector q(4);
  q << 60.0, 30.0, 150.0, -60.0;
  q *= kPi / 180.0;
  const JointVector v = JointVector::Zero(4);
  JointVector tau = JointVector::Constant(4, 7.0);
  const auto refused = [&](const JointVector& q_in, const JointVector& v_in,
                           VirtualLoopStatus status) {
    EXPECT_EQ(loop.update(q_in, v_in, tau), status) << name(status);
    EXPECT_EQ(max_abs(tau - JointVector::Constant(4, 7.0)), 0.0);
  };
  JointVector bad = q;
  bad[2] = std::nan("");
  refused(bad, v, VirtualLoopStatus::kNotFinite);
  refused(q, bad, VirtualLoopStatus::kNotFinite);
  refused(q, JointVector::Zero(3), VirtualLoopStatus::kNotFinite);
  bad = q;
  bad[1] += 0.1;
  refused(bad, v, VirtualLoopStatus::kOpen);
  EXPECT_FALSE(loop.set_target(JointVector::Zero(3), v));
  EXPECT_FALSE(loop.set_target(Pose{}, models::Motion::zero()));  // no frame is fed back
  ASSERT_EQ(loop.update(q, v, tau), VirtualLoopStatus::kOk);
  loop.set_feedback(on_end(1.0, 1.0, 1.0));
  const test::NoAlloc guard;
  ASSERT_EQ(loop.update(q + JointVector::Constant(4, 1e-4), v, tau), VirtualLoopStatus::kOk);
  // next to the crossing, in motion
  q << 89.9999, 0.0001, 179.9999, -89.9999;
  q *= kPi / 180.0;
  const JointVector moving = 0.1 * (JointVector(4) << 1.0, -1.0, 1.0, -1.0).finished();
  ASSERT_EQ(loop.update(q, moving, tau), VirtualLoopStatus::kOk);
  EXPECT_EQ(loop.dynamics().rank(), 2);
  EXPECT_EQ(guard.count(), 0);
}

TEST(VirtualLoop, RefusesWhatCannotWork) {
  const Model robot = arm();
  const Model mechanism = four_bar(robot);
  EXPECT_THROW(VirtualLoop(robot, robot, {}), ConfigError);  // no loop
  const Model other = models::read_model(KAGAMI_SOURCE_DIR "/models/data/planar_3r").model;
  EXPECT_THROW(VirtualLoop(other, mechanism, {}), ConfigError);
  const Model floating = models::read_model(KAGAMI_SOURCE_DIR "/models/data/hoap2_10dof").model;
  EXPECT_THROW(VirtualLoop(floating, floating, {}), ConfigError);
  EXPECT_THROW(VirtualLoop(robot, mechanism, {-1.0, 0.02}), ConfigError);
  EXPECT_THROW(VirtualLoop(robot, mechanism, {20.0, 0.0}), ConfigError);
  VirtualLoop loop(robot, mechanism, {});
  JointFeedback f = on_joint(robot, 0, 5.0, -5.0, 0.0);
  EXPECT_THROW(loop.set_feedback(f), ConfigError);
  f = on_joint(robot, 0, 5.0, 5.0, std::nan(""));
  EXPECT_THROW(loop.set_feedback(f), ConfigError);
  f = no_joint_feedback(other);
  EXPECT_THROW(loop.set_feedback(f), ConfigError);
  FrameFeedback end = on_end(1.0, std::nan(""), 0.0);
  EXPECT_THROW(loop.set_feedback(end), ConfigError);
  end = on_end(1.0, 1.0, 0.0);
  end.frame.body = 4;
  EXPECT_THROW(loop.set_feedback(end), ConfigError);
  // its end would have to reach 5 m
  const std::vector<models::Loop> far{link_end("far", 3, Pose{}, kWorld,
                                               Pose{Mat3::Identity(), Vec3(5.0, 0.0, 0.0)},
                                               models::JointType::kFixed, Vec3::Zero())};
  const Model unreachable = virtual_mechanism(robot, far);
  VirtualLoop never(robot, unreachable, {});
  EXPECT_THROW(never.look_around(JointVector::Zero(4)), ConfigError);
}

}  // namespace
}  // namespace kagami::control
