#include "drivers/virtual/plant_ode.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <thread>
#include <vector>

#include "models/base/disturbance.hpp"
#include "models/base/errors.hpp"
#include "models/base/hash.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

constexpr double kG = 9.81;

// a rod of 0.1 kg, 0.1 m long, hanging down from a hinge about y
PlantLink rod(int parent, const Vec3& p_PB) {
  PlantLink link;
  link.joint = "rod";
  link.parent = parent;
  link.p_PB = p_PB;
  link.axis = Vec3::UnitY();
  link.mass = 0.1;
  link.com = Vec3(0.0, 0.0, -0.05);
  link.inertia = Vec3(1e-4, 1e-4, 1e-5).asDiagonal();
  return link;
}

constexpr double kRodInertia = 1e-4 + 0.1 * 0.05 * 0.05;  // about the hinge
constexpr double kRodMoment = 0.1 * kG * 0.05;            // at the horizontal

PlantBody one_rod() {
  PlantBody body;
  body.links = {rod(kWorld, Vec3(0.0, 0.0, 1.0))};
  body.link_of_joint = {0};
  return body;
}

PlantBody three_rods() {
  PlantBody body;
  body.links = {rod(kWorld, Vec3(0.0, 0.0, 1.0)), rod(0, Vec3(0.0, 0.0, -0.1)),
                rod(1, Vec3(0.0, 0.0, -0.1))};
  body.links[1].axis = Vec3::UnitX();
  body.link_of_joint = {0, 1, 2};
  return body;
}

double run_limp_period(double rotor_inertia, double amplitude) {
  PlantOde plant(one_rod(), {});
  plant.place({amplitude});
  ServoParameters servo;
  servo.rotor_inertia = rotor_inertia;
  ServoMotor motor(servo, kPlantStep);
  // time between the first and the fifth crossing in the same sense
  double first = -1.0;
  int crossings = 0;
  double before = amplitude;
  for (int k = 1; k < 20000; ++k) {
    plant.set_row(0, motor.coast(plant.rate(0)));
    plant.step();
    const double now = plant.angle(0);
    if (before < 0.0 && now >= 0.0) {
      const double t = (k - now / (now - before)) * kPlantStep;
      if (first < 0.0) first = t;
      if (++crossings == 5) return (t - first) / 4.0;
    }
    before = now;
  }
  return -1.0;
}

TEST(PlantOde, LimpRodSwingsWithThePeriodOfThePhysicalPendulum) {
  constexpr double kAmplitude = 0.1;
  const double small = 2.0 * std::numbers::pi * std::sqrt(kRodInertia / kRodMoment);
  // 1 + a^2/16: first term of the period's series in the amplitude
  EXPECT_NEAR(run_limp_period(0.0, kAmplitude), small * (1.0 + 0.1 * 0.1 / 16.0), 1e-4 * small);
}

TEST(PlantOde, RotorInertiaSlowsTheLimpRod) {
  const double small = 2.0 * std::numbers::pi * std::sqrt((kRodInertia + 0.001) / kRodMoment);
  EXPECT_NEAR(run_limp_period(0.001, 0.1), small * (1.0 + 0.1 * 0.1 / 16.0), 1e-4 * small);
}

TEST(PlantOde, HeldRodDroopsByMomentOverStiffness) {
  PlantOde plant(one_rod(), {});
  const double target = std::numbers::pi / 2.0;
  plant.place({target});
  ServoMotor motor(ServoParameters{}, kPlantStep);
  for (int k = 0; k < 3000; ++k) {
    plant.set_row(0, motor.drive(target, plant.angle(0), plant.rate(0), 1.0));
    plant.step();
    motor.finish(plant.rate(0));
  }
  // the moment acts towards hanging, angle 0: kp (target - angle) = moment x sin(angle)
  const double angle = plant.angle(0);
  EXPECT_NEAR(20.0 * (target - angle), kRodMoment * std::sin(angle), 1e-7);
  EXPECT_NEAR(motor.torque(), kRodMoment * std::sin(angle), 1e-7);
  EXPECT_NEAR(target - angle, kRodMoment / 20.0, 1e-5);
}

// the moment of all links beyond a joint about its axis, from the geometry alone
double static_moment(const PlantBody& body, const std::vector<double>& q, std::size_t joint) {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
  Vec3 axis = Vec3::Zero();
  Vec3 pivot = Vec3::Zero();
  double moment = 0.0;
  for (std::size_t k = 0; k < body.links.size(); ++k) {
    const PlantLink& link = body.links[k];
    p += R * link.p_PB;
    const Mat3 turn = Eigen::AngleAxisd(q[k], link.axis).toRotationMatrix();
    R = Mat3(R * turn);
    if (k == joint) {
      axis = R * link.axis;
      pivot = p;
    }
    const Vec3 arm = p + R * link.com - pivot;
    if (k >= joint) moment += axis.dot(arm.cross(link.mass * body.gravity));
  }
  return moment;
}

TEST(PlantOde, HoldingTorquesOfAChainBalanceGravity) {
  const PlantBody body = three_rods();
  const std::vector<double> target = {0.7, -0.9, 1.1};
  PlantOde plant(body, {});
  plant.place(target);
  std::vector<ServoMotor> motors(3, ServoMotor(ServoParameters{}, kPlantStep));
  for (int k = 0; k < 3000; ++k) {
    for (int j = 0; j < 3; ++j) {
      const auto at = static_cast<std::size_t>(j);
      plant.set_row(j, motors[at].drive(target[at], plant.angle(j), plant.rate(j), 1.0));
    }
    plant.step();
    for (int j = 0; j < 3; ++j) motors[static_cast<std::size_t>(j)].finish(plant.rate(j));
  }
  const std::vector<double> q = {plant.angle(0), plant.angle(1), plant.angle(2)};
  for (std::size_t j = 0; j < 3; ++j) {
    // joints give way by the engine's error reduction and CFM: some 1e-6 N m
    EXPECT_NEAR(motors[j].torque(), -static_moment(body, q, j), 1e-5) << j;
  }
}

TEST(PlantOde, DrivenJointAnswersAStepLikeASecondOrderSystem) {
  PlantBody body = one_rod();
  body.gravity = Vec3::Zero();
  PlantOde plant(body, {});
  plant.place({0.0});
  const ServoParameters servo;
  ServoMotor motor(servo, kPlantStep);
  constexpr double kTarget = 0.02;  // 0.4 N m: below stall
  // I a = kp (target - angle) - (kde + b) v
  const double I = kRodInertia + servo.rotor_inertia;
  const double c = servo.kde + servo.stall_torque / servo.free_speed;
  const double root = std::sqrt(c * c - 4.0 * I * servo.kp);
  const double slow = (-c + root) / (2.0 * I);
  const double fast = (-c - root) / (2.0 * I);
  for (int k = 1; k <= 300; ++k) {
    plant.set_row(0, motor.drive(kTarget, plant.angle(0), plant.rate(0), 1.0));
    plant.step();
    motor.finish(plant.rate(0));
    const double t = k * kPlantStep;
    const double exact =
        kTarget * (1.0 + (fast * std::exp(slow * t) - slow * std::exp(fast * t)) / (slow - fast));
    // first order in the step: 1 ms x the slow pole of 34 1/s, of which e^-1 at most is seen
    EXPECT_NEAR(plant.angle(0), exact, 0.02 * kTarget) << t;
  }
}

TEST(PlantOde, DrivenJointTrailsASteadyRampByDampingOverStiffness) {
  PlantBody body = one_rod();
  body.gravity = Vec3::Zero();
  PlantOde plant(body, {});
  plant.place({-1.0});
  const ServoParameters servo;
  ServoMotor motor(servo, kPlantStep);
  double target = -1.0;
  for (int k = 0; k < 1500; ++k) {
    plant.set_row(0, motor.drive(target, plant.angle(0), plant.rate(0), 1.0));
    plant.step();
    motor.finish(plant.rate(0));
    target += 1.0 * kPlantStep;
  }
  const double b = servo.stall_torque / servo.free_speed;
  // the sample has the target of its start: one step more
  EXPECT_NEAR(target - plant.angle(0), (servo.kde + b) / servo.kp + kPlantStep, 1e-6);
}

TEST(PlantOde, CoulombFrictionHoldsWhatIsLighter) {
  PlantOde held(one_rod(), {1.01 * kRodMoment});
  PlantOde falling(one_rod(), {0.9 * kRodMoment});
  held.place({std::numbers::pi / 2.0});
  falling.place({std::numbers::pi / 2.0});
  for (int k = 0; k < 500; ++k) {
    held.step();
    falling.step();
  }
  EXPECT_NEAR(held.angle(0), std::numbers::pi / 2.0, 1e-6);
  EXPECT_LT(falling.angle(0), 1.4);
}

std::uint64_t run_hash() {
  PlantOde plant(three_rods(), {});
  plant.place({1.0, 0.5, -0.3});
  std::vector<ServoMotor> motors(3, ServoMotor(ServoParameters{}, kPlantStep));
  StateHash hash;
  for (int k = 0; k < 2000; ++k) {
    for (int j = 0; j < 3; ++j) {
      auto& motor = motors[static_cast<std::size_t>(j)];
      const double target = 0.5 * std::sin(0.01 * k + j);
      plant.set_row(j, j == 2 ? motor.coast(plant.rate(j))
                              : motor.drive(target, plant.angle(j), plant.rate(j), 1.0));
    }
    plant.step();
    for (int j = 0; j < 3; ++j) {
      motors[static_cast<std::size_t>(j)].finish(plant.rate(j));
      hash.add(plant.angle(j));
      hash.add(plant.rate(j));
    }
  }
  return hash.value();
}

TEST(PlantOde, FreshPlantsRepeatEveryBit) {
  EXPECT_EQ(run_hash(), run_hash());
}

// a run and a try beside it: the engine's common threading ended the program here
TEST(PlantOde, PlantsInSeveralThreadsDoNotFeelEachOther) {
  const std::uint64_t alone = run_hash();
  std::array<std::uint64_t, 4> together{};
  std::vector<std::thread> threads;
  for (std::uint64_t& hash : together) {
    threads.emplace_back([&hash] {
      for (int k = 0; k < 3; ++k) hash = run_hash();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t hash : together) EXPECT_EQ(hash, alone);
}

TEST(PlantOde, MasslessLinkIsRefused) {
  PlantBody body = one_rod();
  body.links[0].mass = 0.0;
  EXPECT_THROW(PlantOde(body, {}), ModelError);
}

// the rod is held at angle 0, hanging, by a servo of 20 N m/rad
template <class Disturb>
double held_angle(int steps, Disturb disturb) {
  PlantOde plant(one_rod(), {});
  plant.place({0.0});
  ServoMotor motor(ServoParameters{}, kPlantStep);
  for (int k = 0; k < steps; ++k) {
    plant.set_row(0, motor.drive(0.0, plant.angle(0), plant.rate(0), 1.0));
    disturb(k, plant);
    plant.step();
    motor.finish(plant.rate(0));
  }
  return plant.angle(0);
}

TEST(PlantOde, OutsideTorquesAndForcesDeflectAServoByItsStiffness) {
  const double q = held_angle(3000, [](int, PlantOde& p) { p.add_torque(0, 0.2); });
  EXPECT_NEAR(20.0 * q + kRodMoment * std::sin(q), 0.2, 1e-6);  // N m
  // 2 N along x at the rod's end, 0.1 m below the hinge about y: turns it back
  const double r = held_angle(3000, [](int, PlantOde& p) {
    p.add_wrench(0, {0.0, 0.0, -0.1}, {2.0, 0.0, 0.0}, Vec3::Zero());
  });
  EXPECT_NEAR(20.0 * r + kRodMoment * std::sin(r), -0.2 * std::cos(r), 1e-6);
  const double m = held_angle(3000, [](int, PlantOde& p) {
    p.add_wrench(0, Vec3::Zero(), Vec3::Zero(), {0, 0.2, 0});
  });
  EXPECT_NEAR(m, q, 1e-9);  // a moment about the axis is a torque
}

TEST(PlantOde, APayloadSagsAServoAndLeavesIt) {
  int ball = -1;
  const auto carry = [&ball](int last) {
    return [&ball, last](int k, PlantOde& p) {
      if (k == 0) ball = p.attach(0, {0.05, 0.0, -0.1}, 0.2);
      if (k == last) p.detach(ball);
    };
  };
  const double q = held_angle(3000, carry(-1));
  // N m: the rod, and the ball at 0.05 m along x and 0.1 m down; its weld gives way by 1e-6
  const double moment =
      0.2 * kG * (0.05 * std::cos(q) - 0.1 * std::sin(q)) - kRodMoment * std::sin(q);
  EXPECT_GT(q, 1e-3);
  EXPECT_NEAR(20.0 * q, moment, 1e-5);
  EXPECT_NEAR(held_angle(6000, carry(3000)), 0.0, 1e-6);
  PlantOde plant(one_rod(), {});
  EXPECT_EQ(plant.attach(kWorld, Vec3::Zero(), 1.0), -1) << "the stand carries nothing";
  plant.detach(-1);
  plant.detach(7);
}

TEST(PlantOde, TurnedGravityHangsALimpRodAside) {
  PlantOde plant(one_rod(), {});
  plant.place({0.0});
  plant.set_gravity(tilted_gravity(Vec3(0.0, 0.0, -kG), 0.1, 0.0));  // falls toward +x
  ServoParameters servo;
  ServoMotor motor(servo, kPlantStep);
  double mean = 0.0;  // over whole periods it swings about where it would hang: -0.1 rad about y
  double least = 0.0;
  for (int k = 0; k < 4000; ++k) {
    plant.set_row(0, motor.coast(plant.rate(0)));
    plant.step();
    motor.finish(plant.rate(0));
    least = std::min(least, plant.angle(0));
    mean += plant.angle(0) / 4000.0;
  }
  EXPECT_LT(least, -0.15);
  EXPECT_NEAR(mean, -0.1, 0.02);
}

}  // namespace
}  // namespace kagami::drivers::virtual_robot
