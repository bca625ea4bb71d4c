// Forecasts on the twins, their band, and the watch that reports when a robot leaves it.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/test/support/expect_refused.hpp"
#include "models/test/support/no_alloc.hpp"
#include "tools/tune/band_watch.hpp"
#include "tools/tune/forecast.hpp"
#include "tools/tune/joint_test.hpp"
#include "tools/tune/test/promote_case.hpp"

namespace kagami::tools {
namespace {

using test::expect_refused;
using test::gains_text;
using test::in_the_walk;
using test::kBetter;
using test::khr1_on_stand;
using test::plant_servos;
using test::readings_after;
using test::robot_loop;
using test::watched;

TEST(Forecast, PredictsABandThatTheRobotKeepsAndASickOneLeaves) {
  const PresentState now = in_the_walk();
  const Forecast run = forecast(khr1_on_stand(), now, kBetter);
  EXPECT_TRUE(run.ok) << run.why;
  ASSERT_EQ(run.t.size(), 201u);
  EXPECT_NEAR(run.t.back(), 2.0, 1e-9);
  for (const PredictedBand& band : run.joints) {
    for (std::size_t i = 0; i < run.t.size(); ++i) {
      ASSERT_LE(band.low[i], band.mean[i] + 1e-12);
      ASSERT_LE(band.mean[i], band.high[i] + 1e-12);
    }
  }
  const auto knee = static_cast<std::size_t>(joint_index(khr1_on_stand(), "left_knee"));
  EXPECT_LT(run.rms_after[knee], 0.9 * run.rms_before[knee]);

  BandWatch well(run);
  RobotLoop robot = robot_loop(plant_servos());
  const auto stays = watched(well, readings_after(robot, now, kBetter));
  EXPECT_FALSE(stays.has_value()) << stays->joint << " at " << stays->time << " s: " << stays->angle
                                  << " in " << stays->low << ".." << stays->high;
  EXPECT_TRUE(well.is_over(2.01));
  // a servo whose gear slips: it gives a fifth of its torque and lags by half a second
  ServoSet sick = plant_servos();
  sick.joints[knee].filter_1 = 0.5;
  sick.joints[knee].stall_torque *= 0.2;
  BandWatch ill(run);
  RobotLoop sick_robot = robot_loop(sick);
  const auto left = watched(ill, readings_after(sick_robot, now, kBetter));
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(left->joint, static_cast<int>(knee));
  EXPECT_TRUE(left->angle < left->low || left->angle > left->high);
}

TEST(Forecast, ReportsWhichJointWouldFollowWorseAndIsTheSameEveryTime) {
  PresentState now = in_the_walk();
  ForecastSettings settings;
  settings.twins = 2;
  settings.seconds = 1.0;
  const std::vector<control::TunableValue> worse{{"left_knee/kp", 40.0}};
  now.changed_gains = kBetter;
  const Forecast a = forecast(khr1_on_stand(), now, worse, settings);
  EXPECT_FALSE(a.ok);
  EXPECT_NE(a.why.find("left_knee"), std::string::npos) << a.why;
  const Forecast b = forecast(khr1_on_stand(), now, worse, settings);
  EXPECT_EQ(a.joints[9].mean, b.joints[9].mean);
  EXPECT_EQ(a.rms_after, b.rms_after);
  const nlohmann::json j = side_run_json(a, khr1_on_stand().joint_names);
  EXPECT_EQ(j.at("predicted").at("left_knee").at("low").size(), a.t.size());
}

TEST(Forecast, OfARobotThatHoldsItsPoseStaysThere) {
  PresentState now;
  now.gains = gains_text("awa_2009");
  now.changed_gains = kBetter;
  now.pose[9] = to_rad(20.0);
  ForecastSettings settings;
  settings.seconds = 0.5;
  const Forecast run = forecast(khr1_on_stand(), now, {}, settings);
  EXPECT_TRUE(run.ok) << run.why;
  EXPECT_NEAR(run.joints[9].mean.back(), to_rad(20.0), to_rad(1.0));
  EXPECT_NEAR(run.joints[10].mean.back(), 0.0, to_rad(1.0));
}

TEST(Forecast, RefusesWhatCannotBeTried) {
  const PresentState now = in_the_walk();
  const auto run = [&](const std::vector<control::TunableValue>& changes, double seconds,
                       int twins) {
    ForecastSettings s;
    s.seconds = seconds;
    s.twins = twins;
    (void)forecast(khr1_on_stand(), now, changes, s);
  };
  expect_refused([&] { run({{"left_knee/kp", -1.0}}, 1.0, 1); }, "expected 0..1000");
  expect_refused([&] { run({{"left_knee/kq", 1.0}}, 1.0, 1); }, "no gain");
  expect_refused([&] { run({}, 99.0, 1); }, "seconds");
  expect_refused([&] { run({}, 1.0, 0); }, "twins");
}

/// Joint 0 rests at 0 within 0.01 rad and goes to 0.5 rad at 0.5 s; 2 s.
Forecast stepping() {
  Forecast run;
  run.joints.resize(1);
  for (int i = 0; i <= 200; ++i) {
    run.t.push_back(0.01 * i);
    const double mean = i < 50 ? 0.0 : 0.5;
    run.joints[0].low.push_back(mean - 0.01);
    run.joints[0].mean.push_back(mean);
    run.joints[0].high.push_back(mean + 0.01);
  }
  return run;
}

// every 10 ms from `from`, what the joint reads
std::optional<BandExit> watch_over(BandWatch& watch, double from, double to,
                                   const std::function<double(double)>& angle) {
  for (double t = from; t < to; t += 0.01) {
    if (const auto left = watch.add_reading(0, t, angle(t))) return left;
  }
  return std::nullopt;
}

TEST(BandWatch, JudgesAWindowAndNotAReading) {
  const BandAllowance allowance;
  const Forecast run = stepping();
  const auto step = [](double t) { return t < 0.5 ? 0.0 : 0.5; };
  BandWatch watch(run);
  // within band and allowance for ever; 25 ms late; a reading of nonsense now and then
  EXPECT_FALSE(watch_over(watch, 0.0, 0.9, [&](double t) { return step(t - 0.025) + 0.035; }));
  const test::NoAlloc guard;
  EXPECT_FALSE(watch.add_reading(0, 0.9, 0.5 + 0.2));
  EXPECT_EQ(guard.count(), 0);
  EXPECT_FALSE(watch_over(watch, 0.91, 1.2, step));
  // constantly off by a little more than all that is allowed: after the first window, not before
  BandWatch other(run);
  const auto left = watch_over(other, 0.6, 2.0, [](double) { return 0.5 + 0.01 + 0.0263; });
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(left->joint, 0);
  EXPECT_NEAR(left->time, 0.6, 0.011);
  EXPECT_NEAR(left->high, 0.51 + allowance.angle, 1e-12);
  EXPECT_FALSE(other.add_reading(0, 1.9, 9.0));  // reported once
  BandWatch early(run);
  EXPECT_FALSE(watch_over(early, 0.0, 0.499, [](double) { return 0.3; }));
  EXPECT_TRUE(watch_over(early, 0.51, 0.7, [](double) { return 0.3; }).has_value());
}

TEST(BandWatch, DetectsAnExcursionWhenItsMeanSquareIsBeyondTheBandsOwn) {
  // stays inside for half a second, then x off: k readings of 51 in the window are, so k x^2 > 51
  // b^2
  const double b = 0.01 + BandAllowance{}.angle;
  const double x = 4.0 * b;  // k > 51 / 16: the fourth
  BandWatch watch(stepping());
  EXPECT_FALSE(watch_over(watch, 0.6, 1.395, [](double) { return 0.5; }));
  int k = 0;
  std::optional<BandExit> left;
  for (; !left && k < 20; ++k) left = watch.add_reading(0, 1.4 + 0.01 * k, 0.5 + x);
  EXPECT_EQ(k, 4);
  // a NaN is seen at once
  BandWatch blind(stepping());
  EXPECT_FALSE(watch_over(blind, 0.6, 1.2, [](double) { return 0.5; }));
  EXPECT_TRUE(blind.add_reading(0, 1.2, std::nan("")).has_value());
}

TEST(BandWatch, RefusesWhatItCannotWatch) {
  const Forecast run = stepping();
  EXPECT_FALSE(BandWatch(run).add_reading(3, 0.5, 9.0));
  EXPECT_FALSE(BandWatch(run).add_reading(0, 2.5, 9.0));  // over
  EXPECT_TRUE(BandWatch(run).is_over(2.5));
  EXPECT_TRUE(BandWatch(run, {0.0, 0.0, 0.1}).add_reading(0, 0.3, 0.011).has_value());
  expect_refused([] { BandWatch{Forecast{}}; }, "no prediction");
  expect_refused([&] { BandWatch(run, {-1.0, 0.0, 1.0}); }, "allowance");
  expect_refused([&] { BandWatch(run, {0.0, 0.0, 0.0}); }, "window");
}

}  // namespace
}  // namespace kagami::tools
