// Torque, time at the limit and heat of a servo, against closed forms.
#include "tools/check/servo_load.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kagami::tools {
namespace {

ServoParameters servo() {
  ServoParameters s;
  s.stall_torque = 0.8;  // N m
  s.free_speed = 5.0;    // rad/s
  return s;
}

TEST(ServoLoad, HeatOfAConstantTorqueIsItsShareOfTheHeatAtStall) {
  ServoLoad load(servo());
  for (std::size_t k = 0; k < 100; ++k) load.add(-0.2, 0.0, 0.01, k);
  // a quarter of the current, a sixteenth of 0.8 N m times 5 rad/s
  EXPECT_NEAR(load.rms_torque(), 0.2, 1e-12);  // N m
  EXPECT_NEAR(load.heat(), 0.25, 1e-12);       // W
  EXPECT_EQ(load.top_torque(), 0.2);
  EXPECT_EQ(load.longest_at_limit(), 0.0);
}

TEST(ServoLoad, AverageIsWeightedByTime) {
  ServoLoad load(servo());
  load.add(0.3, 0.0, 3.0, 0);
  load.add(0.1, 0.0, 1.0, 1);
  EXPECT_NEAR(load.rms_torque(), std::sqrt((3 * 0.09 + 0.01) / 4.0), 1e-12);
  EXPECT_EQ(load.top_sample(), 0u);
}

TEST(ServoLoad, LimitFallsWithTheSpeedAndCountsWhileItDrives) {
  ServoLoad load(servo());
  const auto add = [&](double torque, double speed, std::size_t sample) {
    load.add(torque, speed, 0.1, sample);
  };
  add(0.7, 0.0, 0);   // 88 % of stall: not at the limit
  add(0.79, 0.0, 1);  // at it
  add(0.39, 2.5, 2);  // half of stall is left at half of the free speed
  add(-0.79, 0.0, 3);
  add(0.3, 2.5, 4);   // below
  add(0.79, 0.0, 5);  // a shorter stretch
  add(0.05, 4.9, 6);  // as fast as it gets, but hardly loaded
  EXPECT_NEAR(load.longest_at_limit(), 0.3, 1e-12);
  EXPECT_EQ(load.limit_sample(), 1u);
}

TEST(ServoLoad, TurnedAgainstItsDriveIsBrakingAndNoLimit) {
  ServoLoad load(servo());
  load.add(1.5, -2.0, 1.0, 7);
  load.add(-0.7, 2.0, 1.0, 8);  // below stall: what a servo does all the time
  EXPECT_EQ(load.top_braking(), 1.5);
  EXPECT_EQ(load.braking_sample(), 7u);
  EXPECT_EQ(load.longest_at_limit(), 0.0);
  ServoLoad driving(servo());
  driving.add(1.5, 2.0, 1.0, 0);
  EXPECT_EQ(driving.top_braking(), 0.0);
}

TEST(ServoLoad, WhatIsNotANumberIsLeftOut) {
  ServoLoad load(servo());
  load.add(NAN, 0.0, 1.0, 0);
  load.add(0.1, INFINITY, 1.0, 1);
  load.add(0.1, 0.0, 0.0, 2);
  EXPECT_EQ(load.rms_torque(), 0.0);
  EXPECT_EQ(load.heat(), 0.0);
}

}  // namespace
}  // namespace kagami::tools
