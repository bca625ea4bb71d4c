// The servo-driven body: against closed forms on one hinge, and as KHR-1 on the stand.
#include "models/actuator/servo_driven_robot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/actuator/servo.hpp"
#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/test/support/milliseconds.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

using test::kMs;

constexpr double kMass = 0.2;      // kg, of the arm
constexpr double kArm = 0.05;      // m, hinge to mass centre
constexpr double kInertia = 1e-4;  // kg m^2, about the mass centre

// one hinge about y with a hanging arm, on board 0
class Hinge : public ::testing::Test {
 protected:
  Hinge() {
    ModelBuilder builder;
    builder.add_body("arm", kWorld, "hinge", {JointType::kRevolute, Vec3::UnitY()}, Pose{},
                     {kMass, Vec3(0.0, 0.0, -kArm), kInertia * Mat3::Identity()});
    model_ = builder.build();
    wiring_.boards = {{0, false}};
    wiring_.joints.resize(1);
    wiring_.joints[0].joint = "hinge";
    wiring_.joints[0].channel = 1;
    wiring_.speed.seconds_per_degree.fill(0.0028);
    servos_.joints.resize(1);
  }
  ServoParameters& servo() { return servos_.joints[0]; }

  // runs for `seconds` after a command to `angle` at time 0, from rest at 0
  ServoDrivenRobot run(double angle, double seconds, std::int64_t dt_ns) const {
    ServoDrivenRobot body(model_, servos_, wiring_);
    JointArray<double> q{};
    body.reset(q, 0);
    q[0] = angle;
    body.command(0, q, 0, 0);
    const auto end_ns = static_cast<std::int64_t>(std::llround(seconds * 1e9));
    while (body.time_ns() < end_ns) body.step(dt_ns);
    return body;
  }

  Model model_;
  ServoSet servos_;
  RobotWiring wiring_;
};

TEST_F(Hinge, SettlesWhereGravityAndThePositionLoopBalance) {
  const ServoDrivenRobot body = run(0.5, 8.0, kMs);
  const double gravity = kMass * 9.81 * kArm * std::sin(body.q()[0]);
  EXPECT_NEAR(0.5 - body.q()[0], gravity / servo().kp, 1e-9);  // rad: torque / kp
  EXPECT_NEAR(body.torque()[0], gravity, 1e-8);
  EXPECT_NEAR(body.qd()[0], 0.0, 1e-9);
}

TEST_F(Hinge, LinkMassScaleIsAnotherMassAndInertia) {
  servo().link_mass_scale = 1.5;
  const ServoDrivenRobot scaled = run(0.5, 0.3, kMs);
  servo().link_mass_scale = 1.0;
  ModelBuilder builder;
  builder.add_body("arm", kWorld, "hinge", {JointType::kRevolute, Vec3::UnitY()}, Pose{},
                   {1.5 * kMass, Vec3(0.0, 0.0, -kArm), 1.5 * kInertia * Mat3::Identity()});
  model_ = builder.build();
  const ServoDrivenRobot heavy = run(0.5, 0.3, kMs);
  EXPECT_NEAR(scaled.q()[0], heavy.q()[0], 1e-12);
  EXPECT_NEAR(scaled.torque()[0], heavy.torque()[0], 1e-12);
}

TEST_F(Hinge, ConvergesToTheExactFilterWhenTheServoIsStiff) {
  // light arm, no delay: the joint follows the two filters with the lag (b + kde)/kp of its loop
  servo().delay = 0.0;
  servo().kp = 200.0;
  servo().kde = 0.0;
  servo().stall_torque = 20.0;
  servo().free_speed = 50.0;
  const ServoDrivenRobot body = run(to_rad(20.0), 0.3, kMs);
  TargetFilter filter(0.1, 0.1);
  filter.reset(0.0);
  filter.set_step(1e-3);
  double u = 0.0;
  for (int i = 1; i <= 300; ++i) {
    const double next = std::min(to_rad(20.0), to_rad(i * 1e-3 / 0.0028));
    filter.step(u, next);
    u = next;
  }
  // loop lag (b + kde)/kp = 2 ms at 0.9 rad/s, gravity below 1e-3 rad
  EXPECT_NEAR(body.q()[0], filter.output(), 4e-3);
}

TEST_F(Hinge, UnloadedSaturatedServoReachesItsFreeSpeed) {
  servo().filter_1 = servo().filter_2 = 0.0;
  servo().rotor_inertia = 0.0;
  wiring_.speed.seconds_per_degree.fill(1e-4);
  ServoDrivenRobot body(model_, servos_, wiring_);
  body.reset({}, 0);
  JointArray<double> q{};
  q[0] = 3.0;
  body.command(0, q, 0, 0);
  double fastest = 0.0;
  for (int i = 0; i < 300; ++i) {
    body.step(kMs);
    fastest = std::max(fastest, body.qd()[0]);
  }
  // gravity of the arm changes the line's end by at most 0.098 N m / 0.138 N m s/rad
  EXPECT_NEAR(fastest, 6.16, 0.098 / 0.138);
}

TEST_F(Hinge, HalvingTheStepHalvesTheError) {
  const double exact = run(1.0, 0.35, 15'625).q()[0];  // 1/64 ms
  double last = 0.0;
  for (const std::int64_t dt : {2 * kMs, kMs, kMs / 2}) {
    const double error = std::abs(run(1.0, 0.35, dt).q()[0] - exact);
    EXPECT_LT(error, 5e-3);
    if (last > 0.0) {
      EXPECT_NEAR(last / error, 2.0, 0.3);  // first order
    }
    last = error;
  }
}

TEST_F(Hinge, IsStableForTheWholeRangeOfGainsAndSteps) {
  for (const double kp : {2.0, 40.0, 200.0}) {
    for (const std::int64_t dt : {kMs / 2, kMs, 4 * kMs}) {
      servo().kp = kp;
      const ServoDrivenRobot body = run(1.0, 4.0, dt);
      EXPECT_TRUE(body.is_valid());
      EXPECT_LT(std::abs(body.qd()[0]), 1e-2) << kp << " " << dt;
    }
  }
}

TEST_F(Hinge, LateKnownCommandGivesTheSameMotionToTheLastBit) {
  JointArray<double> q{};
  ServoDrivenRobot in_time(model_, servos_, wiring_);
  ServoDrivenRobot late(model_, servos_, wiring_);
  q[0] = 0.7;
  in_time.command(0, q, 0, 50 * kMs);
  for (int i = 0; i < 400; ++i) {
    in_time.step(kMs);
    if (i == 60) late.command(0, q, 0, 50 * kMs);  // 10 ms late, the servo delays by 16
    late.step(kMs);
    ASSERT_EQ(in_time.q()[0], late.q()[0]) << i;
  }
}

TEST_F(Hinge, DelayShiftsTheResponseByItsLength) {
  const double quick = run(0.7, 0.300, kMs).q()[0];
  servo().delay += 0.020;
  EXPECT_NEAR(run(0.7, 0.320, kMs).q()[0], quick, 1e-12);
}

TEST_F(Hinge, ReleasedJointFallsLimp) {
  JointArray<double> q{};
  q[0] = 1.0;
  ServoDrivenRobot body(model_, servos_, wiring_);
  body.reset(q, 0);
  body.release(0, 0);
  for (int i = 0; i < 60; ++i) body.step(kMs);
  EXPECT_LT(body.q()[0], 0.95);
  body.command(0, q, 0, body.time_ns());
  for (int i = 0; i < 3000; ++i) body.step(kMs);
  EXPECT_NEAR(body.q()[0], 1.0, 0.01);
}

TEST_F(Hinge, DryFrictionHoldsASmallLoad) {
  servo().coulomb_friction = 0.2;
  JointArray<double> q{};
  q[0] = 1.0;
  ServoDrivenRobot body(model_, servos_, wiring_);
  body.reset(q, 0);
  body.release(0, 0);
  for (int i = 0; i < 1000; ++i) body.step(kMs);
  EXPECT_NEAR(body.q()[0], 1.0, 1.5e-3);  // rad: creeps at most at 1e-3 rad/s
}

TEST_F(Hinge, TinyStepIsIgnoredAndBadBoardsToo) {
  ServoDrivenRobot body(model_, servos_, wiring_);
  body.step(0);
  body.command(5, {}, 0, 0);
  body.release(-1, 0);
  EXPECT_EQ(body.time_ns(), 0);
}

// a list of one disturbance, as in a file
std::vector<Disturbance> disturbances_of(const char* text) {
  const std::string all = std::string("{\"disturbances\": [") + text + "]}";
  const ConfigDocument document = ConfigDocument::parse(all, "test.json");
  return read_disturbances(document.root(), DisturbanceScope::kRun);
}

TEST_F(Hinge, ATorqueStepDeflectsItByTorqueOverStiffness) {
  ServoDrivenRobot body(model_, servos_, wiring_);
  body.disturb(disturbances_of(
      R"({"kind": "torque", "joint": "hinge", "torque": 0.2, "from": 1, "for": 5})"));
  body.reset({}, 0);
  body.disturb_from(500 * kMs);
  while (body.time_ns() < 1500 * kMs) body.step(kMs);
  EXPECT_EQ(body.q()[0], 0.0) << "its time 0 is at half a second";
  while (body.time_ns() < 6400 * kMs) body.step(kMs);
  // spring kp q and the hanging arm hold against it
  const double q = body.q()[0];
  EXPECT_NEAR(servo().kp * q + kMass * 9.81 * kArm * std::sin(q), 0.2, 1e-8);  // N m
  while (body.time_ns() < 12000 * kMs) body.step(kMs);
  EXPECT_NEAR(body.q()[0], 0.0, 1e-9);
}

TEST_F(Hinge, APayloadSagsItByItsMomentAndLeavesItFree) {
  ServoDrivenRobot body(model_, servos_, wiring_);
  body.disturb(disturbances_of(
      R"({"kind": "payload", "body": "hinge", "at": [0.1, 0, 0], "mass": 0.3, "from": 0, "for": 6})"));
  body.reset({}, 0);
  body.disturb_from(0);
  while (body.time_ns() < 5900 * kMs) body.step(kMs);
  const double q = body.q()[0];
  const double moment = 9.81 * (0.3 * 0.1 * std::cos(q) - kMass * kArm * std::sin(q));
  EXPECT_GT(q, 0.005);                        // rad; +y turns x down
  EXPECT_NEAR(servo().kp * q, moment, 1e-8);  // N m
  while (body.time_ns() < 12000 * kMs) body.step(kMs);
  EXPECT_NEAR(body.q()[0], 0.0, 1e-9);
}

TEST_F(Hinge, DisturbancesWithoutATimeZeroLeaveEveryBitAlone) {
  const ServoDrivenRobot alone = run(0.5, 0.3, kMs);
  ServoDrivenRobot body(model_, servos_, wiring_);
  body.disturb(
      disturbances_of(R"({"kind": "torque", "joint": "hinge", "torque": 0.2, "from": 0})"));
  JointArray<double> q{};
  body.reset(q, 0);
  q[0] = 0.5;
  body.command(0, q, 0, 0);
  while (body.time_ns() < 300 * kMs) body.step(kMs);
  EXPECT_EQ(body.q()[0], alone.q()[0]);
  EXPECT_EQ(body.qd()[0], alone.qd()[0]);
}

TEST_F(Hinge, RefusesServosForAnotherNumberOfJoints) {
  servos_.joints.resize(2);
  EXPECT_THROW(ServoDrivenRobot(model_, servos_, wiring_), ModelError);
}

class Khr1OnStand : public ::testing::Test {
 protected:
  RobotDescription robot_ =
      read_robot_folder(std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1", BaseKind::kFixed);
  ServoDrivenRobot body_{robot_.model, robot_.servos, robot_.wiring};

  void crouch(std::int64_t at_ns) {
    JointArray<double> q{};
    for (std::size_t j = 7; j < 17; ++j) q[j] = 0.1 * static_cast<double>(j % 5) - 0.2;
    body_.command(0, q, 3, at_ns);
    body_.command(1, q, 3, at_ns);
  }
};

TEST_F(Khr1OnStand, HoldsAPoseWithTheGravityTorquesOfRnea) {
  crouch(0);
  for (int i = 0; i < 6000; ++i) body_.step(kMs);
  JointVector q(17);
  for (int j = 0; j < 17; ++j) q[j] = body_.q()[static_cast<std::size_t>(j)];
  RneaWorkspace w(robot_.model);
  JointVector tau;
  rnea(robot_.model, q, JointVector::Zero(17), JointVector::Zero(17), w, tau);
  for (int j = 0; j < 17; ++j) {
    EXPECT_NEAR(body_.torque()[static_cast<std::size_t>(j)], tau[j], 1e-6) << j;  // N m
  }
}

TEST_F(Khr1OnStand, RepeatsItsMotionToTheLastBit) {
  ServoDrivenRobot other(robot_.model, robot_.servos, robot_.wiring);
  JointArray<double> q{};
  q.fill(0.3);
  for (int round = 0; round < 2; ++round) {
    body_.reset({}, 0);
    other.reset({}, 0);
    body_.command(1, q, 5, 3 * kMs);
    other.command(1, q, 5, 3 * kMs);
    for (int i = 0; i < 200; ++i) {
      body_.step(kMs);
      other.step(kMs);
      ASSERT_EQ(body_.q(), other.q());
    }
  }
}

TEST_F(Khr1OnStand, AllocatesNothingAndLocksNothingAfterSetUp) {
  const test::NoAlloc allocations;
  const test::NoLock locks;
  body_.reset({}, 0);
  crouch(0);
  body_.step(kMs);
  body_.step(2 * kMs);
  body_.release(0, 5 * kMs);
  body_.step(kMs);
  const long allocated = allocations.count();
  EXPECT_EQ(allocated, 0);
  EXPECT_EQ(locks.count(), 0);
}

// every kind in one run on the floor: masses, friction, gravity, forces change without the heap
TEST(Khr1Disturbed, AllocatesNothingAndRepeatsItsBits) {
  const RobotDescription robot =
      read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", BaseKind::kFloating);
  const auto run = [&robot](long* mallocs) {
    ServoDrivenRobot body(robot.model, robot.servos, robot.wiring, robot.boxes, FloorOptions{});
    body.disturb(disturbances_of(
        R"({"kind": "payload", "body": "left_elbow", "mass": 0.1, "from": 0.01, "for": 0.1},
           {"kind": "payload", "mass": 0.2, "from": 0.05, "for": 0.1},
           {"kind": "friction", "mu_static": 0.3, "from": 0.02, "for": 0.1},
           {"kind": "ground", "slope": 0.02, "from": 0.01, "for": 0.15, "ramp": 0.05},
           {"kind": "wrench", "body": "head_yaw", "force": [1, 0, 0], "moment": [0, 0, 0.1],
            "axes": "body", "from": 0.1, "for": 0.1})"));
    body.reset({}, 0);
    body.disturb_from(0);
    const kagami::test::NoAlloc guard;
    while (body.time_ns() < 250 * kMs) body.step(kMs);
    *mallocs = guard.count();
    return body.q();
  };
  long mallocs = -1;
  const JointArray<double> first = run(&mallocs);
  EXPECT_EQ(mallocs, 0);
  EXPECT_EQ(run(&mallocs), first);
}

TEST(Khr1Disturbed, RefusesWhatTheStandHolds) {
  const RobotDescription robot =
      read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", BaseKind::kFixed);
  ServoDrivenRobot body(robot.model, robot.servos, robot.wiring);
  for (const char* text : {R"({"kind": "payload", "mass": 0.1, "from": 0})",
                           R"({"kind": "friction", "scale": 2, "from": 0})",
                           R"({"kind": "ground", "slope": 0.02, "from": 0, "ramp": 1})",
                           R"({"kind": "torque", "joint": "tail", "torque": 1, "from": 0})"}) {
    EXPECT_THROW(body.disturb(disturbances_of(text)), ConfigError) << text;
  }
}

TEST_F(Khr1OnStand, SupplySagSlowsAHeavyMove) {
  robot_.servos.supply.sag = 0.9;
  JointArray<double> q{};
  q.fill(1.0);
  for (ServoParameters& s : robot_.servos.joints) s.filter_1 = s.filter_2 = 0.0;
  ServoDrivenRobot strong(
      robot_.model,
      [&] {
        ServoSet set = robot_.servos;
        set.supply.sag = 0.0;
        return set;
      }(),
      robot_.wiring);
  ServoDrivenRobot sagging(robot_.model, robot_.servos, robot_.wiring);
  for (ServoDrivenRobot* body : {&strong, &sagging}) {
    body->command(0, q, 0, 0);
    body->command(1, q, 0, 0);
    for (int i = 0; i < 150; ++i) body->step(kMs);
  }
  EXPECT_LT(sagging.q()[9], strong.q()[9] - 0.01);
}

}  // namespace
}  // namespace kagami::models
