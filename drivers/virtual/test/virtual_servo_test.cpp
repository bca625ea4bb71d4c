#include "drivers/virtual/servo_chain.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "drivers/virtual/board_ramp.hpp"
#include "drivers/virtual/test/virtual_host.hpp"
#include "models/base/angle.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

using test::khr1_speeds;

constexpr double kStep = 1e-3;

ChannelDegrees degrees_of(double first, double second) {
  ChannelDegrees degrees{};
  degrees[0] = first;
  degrees[1] = second;
  return degrees;
}

TEST(BoardRamp, ScaledChannelsArriveTogether) {
  BoardRamp ramp(khr1_speeds(true));
  ramp.settle(ChannelDegrees{});
  // 60 deg at code 3: 60 x 0.0034 s = 204 ms
  EXPECT_EQ(ramp.start(degrees_of(60.0, 20.0), 0b11, 3, 1'000'000), 205'000'000);
  EXPECT_DOUBLE_EQ(ramp.at(0, 1'000'000 + 102'000'000), 30.0);
  EXPECT_DOUBLE_EQ(ramp.at(1, 1'000'000 + 102'000'000), 10.0);
  EXPECT_DOUBLE_EQ(ramp.at(0, 205'000'000), 60.0);
  EXPECT_DOUBLE_EQ(ramp.at(1, 205'000'000), 20.0);
}

TEST(BoardRamp, UnscaledChannelsRunAtOneRate) {
  BoardRamp ramp(khr1_speeds(false));
  ramp.settle(ChannelDegrees{});
  EXPECT_EQ(ramp.start(degrees_of(60.0, 20.0), 0b11, 3, 0), 204'000'000);
  EXPECT_DOUBLE_EQ(ramp.at(1, 34'000'000), 10.0);
  EXPECT_DOUBLE_EQ(ramp.at(1, 68'000'000), 20.0);
  EXPECT_DOUBLE_EQ(ramp.at(0, 68'000'000), 20.0);
}

TEST(BoardRamp, ShortPoseTakesTheTimeOfTenDegrees) {
  BoardRamp ramp(khr1_speeds(true));
  ramp.settle(ChannelDegrees{});
  EXPECT_EQ(ramp.start(degrees_of(2.0, 0.0), 0b11, 7, 0), 178'000'000);
  EXPECT_DOUBLE_EQ(ramp.at(0, 89'000'000), 1.0);
}

TEST(BoardRamp, NewPoseTurnsRoundWhereTheOldOneStands) {
  BoardRamp ramp(khr1_speeds(true));
  ramp.settle(ChannelDegrees{});
  ramp.start(degrees_of(60.0, 0.0), 0b11, 3, 0);
  ramp.start(degrees_of(0.0, 0.0), 0b11, 3, 102'000'000);
  EXPECT_DOUBLE_EQ(ramp.at(0, 102'000'000), 30.0);
  EXPECT_DOUBLE_EQ(ramp.at(0, 102'000'000 + 51'000'000), 15.0);
}

TEST(BoardRamp, ChannelOutsideThePoseContinues) {
  BoardRamp ramp(khr1_speeds(true));
  ramp.settle(ChannelDegrees{});
  ramp.start(degrees_of(60.0, 0.0), 0b11, 3, 0);
  EXPECT_EQ(ramp.start(degrees_of(0.0, 10.0), 0b10, 0, 10'000'000), 38'000'000);
  EXPECT_DOUBLE_EQ(ramp.at(0, 102'000'000), 30.0);
}

ServoParameters plain_servo() {
  ServoParameters servo;
  servo.delay = 0.0;
  servo.filter_1 = servo.filter_2 = 0.0;
  return servo;
}

TEST(TargetChain, DelaysByWholeAndBrokenSteps) {
  ServoParameters servo = plain_servo();
  servo.delay = 0.0165;
  TargetChain chain(servo, kStep);
  chain.settle(0.0);
  // a ramp of 1 rad/s: what comes out is the ramp of 16.5 ms ago
  for (int k = 1; k <= 200; ++k) {
    const double out = chain.follow(k * kStep);
    EXPECT_NEAR(out, k < 17 ? 0.0 : k * kStep - 0.0165, k < 17 ? 5.1e-4 : 1e-12) << k;
  }
}

TEST(TargetChain, LongestDelayOfAServoFileFits) {
  ServoParameters servo = plain_servo();
  servo.delay = 0.2;
  TargetChain chain(servo, kStep);
  chain.settle(0.0);
  for (int k = 1; k <= 199; ++k) EXPECT_EQ(chain.follow(1.0), 0.0) << k;
  chain.follow(1.0);
  EXPECT_EQ(chain.follow(1.0), 1.0);
}

TEST(TargetChain, TwoFiltersAnswerARampInClosedForm) {
  ServoParameters servo = plain_servo();
  servo.filter_1 = servo.filter_2 = 0.1;
  TargetChain chain(servo, kStep);
  chain.settle(0.0);
  constexpr double kLag = 0.1;
  for (int k = 1; k <= 1000; ++k) {
    const double t = k * kStep;
    const double exact = t - 2.0 * kLag + (t + 2.0 * kLag) * std::exp(-t / kLag);
    // the second filter takes a curve for a straight line: h^2 / 12 of its curvature, 10 1/s
    EXPECT_NEAR(chain.follow(t), exact, 2e-6) << t;
  }
}

TEST(TargetChain, TwoFiltersAnswerAStepInClosedForm) {
  ServoParameters servo = plain_servo();
  servo.filter_1 = 0.05;
  servo.filter_2 = 0.10;
  TargetChain chain(servo, kStep);
  chain.settle(0.0);
  for (int k = 1; k <= 1000; ++k) {
    // the step is drawn as a ramp over one millisecond: half of that late
    const double t = (k - 0.5) * kStep;
    const double exact = 1.0 - (0.10 * std::exp(-t / 0.10) - 0.05 * std::exp(-t / 0.05)) / 0.05;
    EXPECT_NEAR(chain.follow(1.0), exact, 1e-4) << t;
  }
}

TEST(ServoMotor, UnsaturatedRowHasTheFormulasNumbers) {
  ServoMotor motor(ServoParameters{}, kStep);
  // by hand: u = 20 x 0.02 = 0.4, b = 0.853 / 6.16, den = b + 0.5 + 0.02 + 1
  const double b = 0.853 / 6.16;
  const double den = b + 0.5 + 0.02 + 1.0;
  const MotorRow row = motor.drive(0.02, 0.0, 0.3, 1.0);
  ASSERT_TRUE(row.is_on);
  EXPECT_DOUBLE_EQ(row.speed, (0.4 + 1.0 * 0.3) / den);
  EXPECT_DOUBLE_EQ(row.compliance, 1.0 / den);
  motor.finish(0.25);
  EXPECT_DOUBLE_EQ(motor.torque(), 0.4 - (b + 0.5 + 0.02) * 0.25);
}

TEST(ServoMotor, SaturatedRowFollowsTheMotorLine) {
  ServoMotor motor(ServoParameters{}, kStep);
  const double b = 0.853 / 6.16;
  const MotorRow row = motor.drive(-1.0, 0.0, 0.0, 0.5);
  EXPECT_DOUBLE_EQ(row.speed, -0.5 * 0.853 / (b + 1.0));
  motor.finish(0.0);
  EXPECT_DOUBLE_EQ(motor.torque(), -0.5 * 0.853);
  motor.drive(-1.0, 0.0, -6.16, 1.0);
  motor.finish(-6.16);
  EXPECT_NEAR(motor.torque(), 0.0, 1e-12);  // no torque left at the free speed
}

TEST(ServoMotor, DeadBandIsFullWidth) {
  ServoParameters servo;
  servo.dead_band = to_rad(1.0);
  ServoMotor motor(servo, kStep);
  EXPECT_EQ(motor.drive(to_rad(0.49), 0.0, 0.0, 1.0).speed, 0.0);
  motor.finish(0.0);
  EXPECT_EQ(motor.torque(), 0.0);
  motor.drive(to_rad(0.6), 0.0, 0.0, 1.0);
  motor.finish(0.0);
  EXPECT_NEAR(motor.torque(), 20.0 * to_rad(0.1), 1e-12);
}

TEST(ServoMotor, TrimMovesTheCentre) {
  ServoParameters servo;
  servo.trim = to_rad(1.0);
  ServoMotor motor(servo, kStep);
  EXPECT_EQ(motor.drive(0.2, 0.2 + servo.trim, 0.0, 1.0).speed, 0.0);
}

TEST(ServoMotor, GearPlayIsCrossedBeforeTorqueReverses) {
  ServoParameters servo;
  servo.backlash = to_rad(1.0);
  ServoMotor motor(servo, kStep);
  int forward = 0;
  while (!motor.drive(0.04, 0.0, 0.0, 1.0).is_on) ++forward;
  int back = 0;
  while (!motor.drive(-0.04, 0.0, 0.0, 1.0).is_on) ++back;
  // the motor runs at u / b = 5.8 rad/s: from the middle half a degree, then a whole one
  const double per_step = 20.0 * 0.04 / (0.853 / 6.16) * kStep;
  EXPECT_EQ(forward, static_cast<int>(std::ceil(to_rad(0.5) / per_step)));
  EXPECT_EQ(back, static_cast<int>(std::ceil(to_rad(1.0) / per_step)));
}

TEST(ServoMotor, ServoWithoutDriveKeepsItsRotor) {
  ServoMotor motor(ServoParameters{}, kStep);
  const MotorRow row = motor.coast(2.0);
  EXPECT_TRUE(row.is_on);
  EXPECT_DOUBLE_EQ(row.speed, 2.0);
  EXPECT_DOUBLE_EQ(row.compliance, 1.0);  // h / J
  motor.finish(1.9);
  EXPECT_EQ(motor.torque(), 0.0);

  ServoParameters massless;
  massless.rotor_inertia = 0.0;
  EXPECT_FALSE(ServoMotor(massless, kStep).coast(2.0).is_on);
}

TEST(ServoMotor, FrictionHasTheFormOfTheModel) {
  ServoParameters servo = plain_servo();
  servo.coulomb_friction = 0.05;
  servo.static_friction = 0.08;
  servo.stribeck_speed = 0.2;
  servo.load_friction = 0.2;
  servo.viscous_friction = 0.03;
  ServoMotor motor(servo, kStep);
  const double b = servo.stall_torque / servo.free_speed;
  const double rate = 0.2;
  const MotorRow row = motor.drive(0.03, 0.0, rate, 1.0);
  EXPECT_NEAR(1.0 / row.compliance,
              b + servo.kde + kStep * servo.kp + 0.03 + servo.rotor_inertia / kStep, 1e-9);
  const double transmitted = servo.kp * 0.03 - (b + servo.kde) * rate;
  EXPECT_NEAR(motor.dry_friction(rate), 0.05 + 0.08 * std::exp(-1.0) + 0.2 * std::abs(transmitted),
              1e-12);
  const MotorRow coasting = motor.coast(rate);
  EXPECT_NEAR(1.0 / coasting.compliance, 0.03 + servo.rotor_inertia / kStep, 1e-9);
  EXPECT_NEAR(motor.dry_friction(3.0), 0.05, 1e-12);  // nothing is transmitted
}

}  // namespace
}  // namespace kagami::drivers::virtual_robot
