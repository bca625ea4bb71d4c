// The torques that carry a standing robot: on one foot, on both, whatever the root.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "control/balance/balance.hpp"
#include "control/balance/test/balance_scene.hpp"
#include "models/base/errors.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::control {
namespace {

using namespace test_scene;

// a trunk that floats, its foot on the ground: the same torques as with the foot for a root
TEST(Balance, CompensatesGravityFromTheFootWhateverTheRoot) {
  const nlohmann::json json = test::read_fixture("o12_balance.json");
  const models::Model from_trunk = test::model_from_json(json.at("scene_model"));
  const models::Model from_foot = hoap2(models::BaseKind::kFixed);
  Balance a(from_trunk, robot_of(from_trunk), thesis_settings());
  Balance b(from_foot, robot_of(from_foot), thesis_settings());
  models::State s = models::neutral_state(from_foot);
  models::State trunk = models::neutral_state(from_trunk);
  for (int j = 0; j < kLegJoints; ++j) {
    const double q = 0.3 * std::sin(1.0 + 1.7 * j);
    s.q[robot_of(from_foot).legs[static_cast<std::size_t>(j)].q_index] = q;
    trunk.q[robot_of(from_trunk).legs[static_cast<std::size_t>(j)].q_index] = q;
  }
  // the trunk where the held foot puts it
  models::Kinematics k(from_foot);
  models::forward_kinematics(from_foot, s.q, s.v, k);
  const std::size_t upper = static_cast<std::size_t>(from_foot.find_body("upper"));
  const models::Pose X = k.X_WB[upper] * models::Pose{Mat3::Identity(), Vec3(0.0, 0.039, 0.0)};
  const Eigen::Quaterniond turn(X.R);
  trunk.q.head<7>() << X.p, turn.w(), turn.x(), turn.y(), turn.z();
  ASSERT_EQ(a.start(trunk.q), BalanceControlStatus::kOk);
  ASSERT_EQ(b.start(s.q), BalanceControlStatus::kOk);
  JointVector tau_a;
  JointVector tau_b;
  ASSERT_EQ(a.update(trunk.q, trunk.v, 1e-3, tau_a), BalanceControlStatus::kOk);
  ASSERT_EQ(b.update(s.q, s.v, 1e-3, tau_b), BalanceControlStatus::kOk);
  EXPECT_EQ(tau_a.head<6>().norm(), 0.0);
  for (std::size_t j = 0; j < kLegJoints; ++j) {
    EXPECT_NEAR(tau_a[robot_of(from_trunk).legs[j].v_index],
                tau_b[robot_of(from_foot).legs[j].v_index], 1e-12);  // N m
  }
}

// feet shared: the forces that the torques leave to the soles carry the robot, each at its own foot
TEST(Balance, SharesTheLoadOfBothFeetAsTheMassCentreLiesBetweenThem) {
  const models::Model floating = hoap2(models::BaseKind::kFloating);
  const models::Model held = hoap2(models::BaseKind::kFixed);
  models::State f = models::neutral_state(floating);
  const models::State h = models::neutral_state(held);
  JointVector tau[2];
  const models::Model* robots[2] = {&floating, &held};
  const models::State* states[2] = {&f, &h};
  for (int i = 0; i < 2; ++i) {
    BalanceRobot robot = robot_of(*robots[i]);
    robot.other_foot = robots[i]->frame("link10");
    Balance balance(*robots[i], robot, thesis_settings());
    ASSERT_EQ(balance.start(states[i]->q), BalanceControlStatus::kOk);
    const test::NoAlloc guard;
    ASSERT_EQ(balance.update(states[i]->q, states[i]->v, 1e-3, tau[i]), BalanceControlStatus::kOk);
    EXPECT_EQ(guard.count(), 0);
    EXPECT_GT(balance.damping()[balance.damping().size() - 1], 0.0);
  }
  EXPECT_LT((tau[0].tail(10) - tau[1]).norm(), 1e-12);  // N m; one robot, two roots
  // symmetric: half the load each, straight above each foot but for the mass centre's 0.43 mm
  const LegSlots legs = robot_of(held).legs;
  const double half = 0.5 * held.total_mass() * 9.81;
  for (const LegJoint roll : {kRightAnkleRoll, kLeftAnkleRoll}) {
    // the foot's own 0.15 kg hangs below its ankle, 10 mm ahead: nothing about x
    EXPECT_NEAR(tau[1][legs[roll].v_index], 0.0, 1e-12);
  }
  const double ahead = 0.15 / held.total_mass() * 2.0 * 0.01;  // m, c: the feet's 10 mm
  EXPECT_NEAR(std::abs(tau[1][legs[kRightAnklePitch].v_index]), half * ahead - 0.15 * 9.81 * 0.01,
              1e-12);
  BalanceRobot twice = robot_of(held);
  twice.other_foot = twice.support_foot;
  EXPECT_THROW(Balance(held, twice, thesis_settings()), ConfigError);
}

// leaning: the mass centre is nearer to one foot. What the torques leave to the soles is the
// weight by the lever rule, in line with the mass centre; with it nothing accelerates
void expect_shared_by_the_lever(const models::Model& robot) {
  models::State s = models::neutral_state(robot);
  BalanceRobot feet = robot_of(robot);
  feet.other_foot = robot.frame("link10");
  for (const LegJoint roll : {kRightHipRoll, kLeftHipRoll}) s.q[feet.legs[roll].q_index] = 0.06;
  Balance balance(robot, feet, thesis_settings());
  ASSERT_EQ(balance.start(s.q), BalanceControlStatus::kOk);
  JointVector tau;
  ASSERT_EQ(balance.update(s.q, s.v, 1e-3, tau), BalanceControlStatus::kOk);
  tau.head<6>().setZero();

  models::Kinematics k(robot);
  models::forward_kinematics(robot, s.q, s.v, k);
  const Vec3 c = models::center_of_mass(robot, k);
  const Vec3 r = models::frame_pose(k, feet.support_foot).p;
  const Vec3 o = models::frame_pose(k, *feet.other_foot).p;
  const Vec3 d(o.x() - r.x(), o.y() - r.y(), 0.0);
  const double share = d.dot(c - r) / d.squaredNorm();  // of the other foot
  EXPECT_GT(std::abs(share - 0.5), 0.02);
  std::vector<models::Force> F_ext(static_cast<std::size_t>(robot.num_bodies()),
                                   models::Force::zero());
  const auto stand_on = [&](const models::Frame& foot, double part) {
    const models::Pose& X_WB = k.X_WB[static_cast<std::size_t>(foot.body)];
    const Vec3 f(0.0, 0.0, part * robot.total_mass() * 9.81);
    // level with the foot, and where the line between the feet passes the mass centre
    Vec3 p = models::frame_pose(k, foot).p + (c - r - share * d);
    p.z() = models::frame_pose(k, foot).p.z();
    F_ext[static_cast<std::size_t>(foot.body)] =
        models::Force::from(X_WB.R.transpose() * (p - X_WB.p).cross(f), X_WB.R.transpose() * f);
  };
  stand_on(feet.support_foot, 1.0 - share);
  stand_on(*feet.other_foot, share);
  models::ForwardDynamics dynamics(robot, models::Algorithm::kAba);
  JointVector vdot;
  ASSERT_EQ(dynamics.run(s.q, s.v, tau, {.F_ext = F_ext, .added_inertia = nullptr}, vdot),
            models::DynamicsStatus::kOk);
  EXPECT_LT(vdot.cwiseAbs().maxCoeff(), 1e-9);  // rad/s^2, m/s^2
}

TEST(Balance, LeaningItSharesTheLoadByTheLeverWhateverItsRoot) {
  const nlohmann::json json = test::read_fixture("o12_balance.json");
  expect_shared_by_the_lever(hoap2(models::BaseKind::kFloating));
  expect_shared_by_the_lever(test::model_from_json(json.at("scene_model")));
}
}  // namespace
}  // namespace kagami::control
