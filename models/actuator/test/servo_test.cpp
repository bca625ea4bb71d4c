// Closed forms of the board ramp, the target filters and the drive law.
#include "models/actuator/servo.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/actuator/board_ramp.hpp"
#include "models/base/angle.hpp"
#include "models/base/test/support/milliseconds.hpp"

namespace kagami::models {
namespace {

using test::kMs;

SpeedTable table(bool scaled) {
  SpeedTable speed;
  speed.seconds_per_degree = {0.0028, 0.0030, 0.0032, 0.0034, 0.0036, 0.0038, 0.0086, 0.0178};
  speed.scaled = scaled;
  return speed;
}

JointArray<double> pose(double a, double b) {
  JointArray<double> q{};
  q[0] = to_rad(a);
  q[1] = to_rad(b);
  return q;
}

TEST(BoardRamp, ScaledJointsArriveTogether) {
  BoardRamp ramp(table(true), {0, 1});
  ramp.reset(pose(0.0, 10.0), 0);
  ramp.command(pose(60.0, -10.0), 6, 100 * kMs);  // 60 deg at 8.6 ms/deg: 516 ms
  EXPECT_DOUBLE_EQ(ramp.at(0, 100 * kMs).angle, 0.0);
  EXPECT_NEAR(to_deg(ramp.at(0, 358 * kMs).angle), 30.0, 1e-12);
  EXPECT_NEAR(to_deg(ramp.at(1, 358 * kMs).angle), 0.0, 1e-12);
  EXPECT_LT(to_deg(ramp.at(0, 615 * kMs).angle), 60.0);
  EXPECT_DOUBLE_EQ(to_deg(ramp.at(0, 616 * kMs).angle), 60.0);
  EXPECT_DOUBLE_EQ(to_deg(ramp.at(1, 700 * kMs).angle), -10.0);
}

TEST(BoardRamp, ShortMovesTakeAsLongAsTenDegrees) {
  BoardRamp ramp(table(true), {0, 1});
  ramp.reset(pose(0.0, 0.0), 0);
  ramp.command(pose(2.0, 1.0), 0, 0);  // 10 deg at 2.8 ms/deg
  EXPECT_NEAR(to_deg(ramp.at(0, 14 * kMs).angle), 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(to_deg(ramp.at(1, 28 * kMs).angle), 1.0);
}

TEST(BoardRamp, UnscaledJointsRunAtOneRate) {
  BoardRamp ramp(table(false), {0, 1});
  ramp.reset(pose(0.0, 0.0), 0);
  ramp.command(pose(60.0, -10.0), 6, 0);
  EXPECT_DOUBLE_EQ(to_deg(ramp.at(1, 86 * kMs).angle), -10.0);
  EXPECT_NEAR(to_deg(ramp.at(0, 86 * kMs).angle), 10.0, 1e-12);
  EXPECT_DOUBLE_EQ(to_deg(ramp.at(0, 516 * kMs).angle), 60.0);
}

TEST(BoardRamp, NewCommandStartsWhereTheOldRampIs) {
  BoardRamp ramp(table(true), {0, 1});
  ramp.reset(pose(0.0, 0.0), 0);
  ramp.command(pose(60.0, 0.0), 6, 0);
  ramp.command(pose(0.0, 0.0), 6, 258 * kMs);  // from 30 deg back: 258 ms
  EXPECT_NEAR(to_deg(ramp.at(0, 258 * kMs).angle), 30.0, 1e-12);
  EXPECT_NEAR(to_deg(ramp.at(0, 387 * kMs).angle), 15.0, 1e-12);
  EXPECT_NEAR(to_deg(ramp.at(0, 129 * kMs).angle), 15.0, 1e-12);  // the past stays
}

TEST(BoardRamp, HistoryBeyondItsSizeHoldsTheOldestStart) {
  BoardRamp ramp(table(true), {0, 1});
  ramp.reset(pose(0.0, 0.0), 0);
  for (int i = 1; i <= 200; ++i) ramp.command(pose(i, 0.0), 7, i * 10 * kMs);
  EXPECT_TRUE(std::isfinite(ramp.at(0, 0).angle));
  EXPECT_GT(ramp.at(0, 0).angle, 0.0);  // the oldest of 64 commands is number 137
  EXPECT_DOUBLE_EQ(to_deg(ramp.at(0, 5000 * kMs).angle), 200.0);
}

TEST(BoardRamp, ReleaseHoldsTheRampWithoutDriveUntilTheNextCommand) {
  BoardRamp ramp(table(true), {0, 1});
  ramp.reset(pose(0.0, 0.0), 0);
  ramp.command(pose(60.0, 0.0), 6, 0);
  ramp.release(258 * kMs);
  EXPECT_TRUE(ramp.at(0, 257 * kMs).driven);
  EXPECT_FALSE(ramp.at(0, 300 * kMs).driven);
  EXPECT_NEAR(to_deg(ramp.at(0, 900 * kMs).angle), 30.0, 1e-12);
  ramp.command(pose(60.0, 0.0), 6, 1000 * kMs);
  EXPECT_TRUE(ramp.at(0, 1000 * kMs).driven);
}

TEST(BoardRamp, CommandsOutOfOrderCountFromTheLastOne) {
  BoardRamp ramp(table(true), {0, 1});
  ramp.reset(pose(0.0, 0.0), 0);
  ramp.command(pose(60.0, 0.0), 6, 100 * kMs);
  ramp.command(pose(30.0, 0.0), 6, 50 * kMs);  // 258 ms from 100 ms on
  EXPECT_DOUBLE_EQ(ramp.at(0, 100 * kMs).angle, 0.0);
  EXPECT_NEAR(to_deg(ramp.at(0, 229 * kMs).angle), 15.0, 1e-12);
}

TEST(TargetFilter, StepResponseIsTheClosedForm) {
  // equal time constants: 1 - (1 + t/T) exp(-t/T); the step comes within the first, tiny, interval
  TargetFilter filter(0.1, 0.1);
  filter.reset(0.0);
  filter.set_step(1e-3);
  filter.step(1.0, 1.0);
  for (int i = 2; i <= 1000; ++i) {
    const double t = i * 1e-3;
    const double want = 1.0 - (1.0 + t / 0.1) * std::exp(-t / 0.1);
    ASSERT_NEAR(filter.step(1.0, 1.0), want, 1e-13) << t;
  }
}

TEST(TargetFilter, StepResponseWithUnequalConstantsIsTheClosedForm) {
  for (const auto& [T1, T2] :
       {std::pair{0.12, 0.05}, std::pair{0.05, 0.12}, std::pair{0.1, 0.1 + 1e-9},
        std::pair{0.1, 0.0}, std::pair{0.0, 0.1}}) {
    TargetFilter filter(T1, T2);
    filter.reset(0.0);
    filter.set_step(2e-3);
    for (int i = 1; i <= 300; ++i) {
      const double t = i * 2e-3;
      const double E1 = T1 > 0.0 ? std::exp(-t / T1) : 0.0;
      const double E2 = T2 > 0.0 ? std::exp(-t / T2) : 0.0;
      const double want = std::abs(T1 - T2) < 1e-6 ? 1.0 - (1.0 + t / T1) * E1
                                                   : 1.0 - (T1 * E1 - T2 * E2) / (T1 - T2);
      ASSERT_NEAR(filter.step(1.0, 1.0), want, 1e-8) << T1 << " " << T2 << " " << t;
    }
  }
}

TEST(TargetFilter, FollowsARampWithItsTwoTimeConstantsOfDelay) {
  TargetFilter filter(0.08, 0.12);
  filter.reset(0.0);
  filter.set_step(1e-3);
  double u = 0.0;
  double out = 0.0;
  for (int i = 0; i < 4000; ++i) {
    out = filter.step(u, u + 1e-3);
    u += 1e-3;
  }
  EXPECT_NEAR(out, u - 0.2, 1e-12);
}

TEST(TargetFilter, OneLongStepEqualsManyShortOnesOnARamp) {
  TargetFilter coarse(0.08, 0.12);
  TargetFilter fine(0.08, 0.12);
  coarse.reset(0.3);
  fine.reset(0.3);
  coarse.set_step(0.1);
  fine.set_step(1e-4);
  for (int i = 0; i < 1000; ++i) fine.step(i * 1e-3, (i + 1) * 1e-3);
  EXPECT_NEAR(coarse.step(0.0, 1.0), fine.output(), 1e-12);
}

TEST(TargetFilter, WithoutTimeConstantsPassesTheTarget) {
  TargetFilter filter(0.0, 0.0);
  filter.set_step(1e-3);
  EXPECT_EQ(filter.step(0.2, 0.5), 0.5);
}

// torque at the step's end for an acceleration a
double torque(const ServoDrive& d, double a) {
  return d.tau_0 - d.inertia * a;
}

TEST(ServoDrive, IsProportionalDerivativeAtTheStepsEnd) {
  const ServoParameters s;
  const double h = 1e-3;
  const double v = 0.4;
  const double a = 30.0;
  const double v_new = v + h * a;
  const ServoDrive d = servo_drive(s, 0.02, 0.0, v, h, 1.0);
  const double b = 0.853 / 6.16;
  const double want = s.kp * (0.02 - h * v_new) - (b + s.kde) * v_new - s.rotor_inertia * a;
  EXPECT_FALSE(d.saturated);
  EXPECT_NEAR(torque(d, a), want, 1e-15);
}

TEST(ServoDrive, SaturatedServoRunsOnTheTorqueSpeedLine) {
  const ServoParameters s;
  for (const double v : {0.0, 2.0, 6.16, 7.0}) {
    const ServoDrive d = servo_drive(s, 1.0, 0.0, v, 1e-3, 1.0);
    EXPECT_TRUE(d.saturated);
    EXPECT_NEAR(d.tau_0, 0.853 * (1.0 - v / 6.16), 1e-12);  // 0 at free speed, braking above
  }
  EXPECT_NEAR(servo_drive(s, -1.0, 0.0, 0.0, 1e-3, 1.0).tau_0, -0.853, 1e-12);
}

TEST(ServoDrive, SaggingSupplyLowersTheStallTorque) {
  const ServoParameters s;
  EXPECT_NEAR(servo_drive(s, 1.0, 0.0, 0.0, 1e-3, 0.8).tau_0, 0.8 * 0.853, 1e-12);
}

TEST(ServoDrive, DeadBandDrivesOnlyBeyondHalfItsWidth) {
  ServoParameters s;
  s.dead_band = 0.02;
  EXPECT_EQ(servo_drive(s, 0.009, 0.0, 0.0, 1e-3, 1.0).tau_0, 0.0);
  EXPECT_GT(servo_drive(s, 0.009, 0.0, 0.0, 1e-3, 1.0).inertia, s.rotor_inertia);  // still brakes
  EXPECT_NEAR(servo_drive(s, 0.013, 0.0, 0.0, 1e-3, 1.0).tau_0, 20.0 * 0.003, 1e-12);
  EXPECT_NEAR(servo_drive(s, -0.013, 0.0, 0.0, 1e-3, 1.0).tau_0, -20.0 * 0.003, 1e-12);
}

TEST(ServoDrive, BacklashLetsTheJointSwingFreelyInside) {
  ServoParameters s;
  s.backlash = 0.02;
  const ServoDrive inside = servo_drive(s, 0.009, 0.0, 3.0, 1e-3, 1.0);
  EXPECT_EQ(inside.tau_0, 0.0);
  EXPECT_EQ(inside.inertia, 0.0);
  EXPECT_NEAR(servo_drive(s, 0.013, 0.0, 0.0, 1e-3, 1.0).tau_0, 20.0 * 0.003, 1e-12);
}

TEST(ServoDrive, TrimShiftsTheTarget) {
  ServoParameters s;
  s.trim = 0.01;
  EXPECT_NEAR(servo_drive(s, 0.0, 0.0, 0.0, 1e-3, 1.0).tau_0, 0.2, 1e-12);
  EXPECT_NEAR(servo_drive(s, 0.0, 0.01, 0.0, 1e-3, 1.0).tau_0, 0.0, 1e-12);
}

TEST(ServoDrive, CoulombFrictionOpposesMotionWithItsTorque) {
  ServoParameters s;
  s.coulomb_friction = 0.1;
  s.kp = 0.1;
  s.kde = 0.0;
  const double b = s.stall_torque / s.free_speed;
  for (const double v : {-2.0, 0.5}) {
    const double without = -(b + 1e-3 * s.kp) * v;
    EXPECT_NEAR(servo_drive(s, 0.0, 0.0, v, 1e-3, 1.0).tau_0 - without, -std::copysign(0.1, v),
                1e-12);
  }
}

/// N m that friction takes from the torque at this speed.
double friction_of(const ServoParameters& s, double target, double v) {
  ServoParameters without = s;
  without.coulomb_friction = without.viscous_friction = 0.0;
  without.static_friction = without.load_friction = 0.0;
  return servo_drive(without, target, 0.0, v, 1e-3, 1.0).tau_0 -
         servo_drive(s, target, 0.0, v, 1e-3, 1.0).tau_0;
}

TEST(ServoDrive, ViscousFrictionGrowsWithSpeedWithAndWithoutDrive) {
  ServoParameters s;
  s.viscous_friction = 0.03;
  for (const double v : {-2.0, 0.5, 4.0}) {
    EXPECT_NEAR(friction_of(s, 0.0, v), 0.03 * v, 1e-12);
    EXPECT_NEAR(servo_released(s, v, 1e-3).tau_0, -0.03 * v, 1e-12);
  }
}

TEST(ServoDrive, StaticFrictionFallsOffWithSpeedToTheCoulombFriction) {
  ServoParameters s;
  s.coulomb_friction = 0.05;
  s.static_friction = 0.08;
  s.stribeck_speed = 0.2;
  EXPECT_NEAR(friction_of(s, 0.0, 0.002), 0.05 + 0.08 * std::exp(-1e-4), 1e-12);
  EXPECT_NEAR(friction_of(s, 0.0, 0.2), 0.05 + 0.08 * std::exp(-1.0), 1e-12);
  EXPECT_NEAR(friction_of(s, 0.0, -0.2), -0.05 - 0.08 * std::exp(-1.0), 1e-12);
  EXPECT_NEAR(friction_of(s, 0.0, 3.0), 0.05, 1e-12);
}

TEST(ServoDrive, LoadFrictionIsAShareOfTheTransmittedTorque) {
  ServoParameters s;
  s.load_friction = 0.2;
  const double b = s.stall_torque / s.free_speed;
  const double v = 0.3;
  EXPECT_NEAR(friction_of(s, 0.03, v), 0.2 * std::abs(s.kp * 0.03 - (b + s.kde) * v), 1e-12);
  EXPECT_NEAR(friction_of(s, 1.0, v), 0.2 * (s.stall_torque - b * v), 1e-12);  // saturated
  EXPECT_EQ(servo_released(s, v, 1e-3).tau_0, 0.0);
}

TEST(ServoDrive, ReleasedServoGivesNoTorque) {
  const ServoParameters s;
  const ServoDrive d = servo_released(s, 2.0, 1e-3);
  EXPECT_EQ(d.tau_0, 0.0);
  EXPECT_EQ(d.inertia, s.rotor_inertia);
}

}  // namespace
}  // namespace kagami::models
