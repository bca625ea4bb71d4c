// The joint PID against O15 (exact linear answers and recursions of a stated rule, made by another
// program), against itself (two ways to say the same), and against bad input.
#include "control/pid/pid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "control/pid/gain_set.hpp"
#include "control/pid/joint_pid.hpp"
#include "control/test/support/control_period.hpp"
#include "models/base/errors.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::control {
namespace {

using test::kDt;

const StandardGains kThesis{5.0, 0.5, 0.1};

PidSettings thesis(PidOutput output) {
  PidSettings s;
  s.output = output;
  s.gains = parallel_form(kThesis);
  return s;
}

PidInput input(double reference, double measured, double dt = kDt) {
  PidInput in;
  in.dt = dt;
  in.sample_dt = dt;
  in.reference = reference;
  in.measured = measured;
  return in;
}

/// The plants of O15: the joint's speed is u (A), or u turns an inertia with friction (B).
struct Plant {
  bool torque = false;
  double J = 0.01;  // kg m^2
  double b = 0.05;  // N m s
  double theta = 0.0;
  double w = 0.0;

  void step(double u, double h) {
    if (torque) w += h * (u - b * w) / J;
    theta += h * (torque ? w : u);
  }
};

PidSettings settings_of(const nlohmann::json& c) {
  PidSettings s = thesis(c.at("plant") == "torque" ? PidOutput::kTorque : PidOutput::kSpeed);
  if (c.contains("deriv")) s.derivative = DerivativeOn::kError;
  s.anti_windup = c.contains("aw") ? AntiWindup::kConditional : AntiWindup::kNone;
  if (c.contains("sat")) s.output_limit = c.at("sat");
  return s;
}

TEST(Pid, IsTheRecursionOfO15ToTheLastDigits) {
  const nlohmann::json json = test::read_fixture("o15_pid_servo.json");
  int rows = 0;
  for (const auto& [key, c] : json.at("cases").items()) {
    SCOPED_TRACE(key);
    Pid pid(settings_of(c), kDt);
    Plant plant;
    plant.torque = c.at("plant") == "torque";
    pid.start_cold(plant.theta);
    int k = 0;
    for (const nlohmann::json& row : c.at("rows")) {
      double u = 0.0;
      double theta = 0.0;
      for (const int end = static_cast<int>(std::lround(row[0].get<double>() / kDt)); k <= end;
           ++k) {
        theta = plant.theta;
        u = pid.step(input(c.at("target"), theta));
        plant.step(u, kDt);
      }
      // rad; u where the derivative divides the last digit of theta by 1 ms: rad/s, N m
      EXPECT_NEAR(theta, row[1].get<double>(), 1e-12);
      EXPECT_NEAR(pid.unlimited(), row[2].get<double>(), 1e-12 * (1.0 + std::abs(pid.unlimited())));
      EXPECT_NEAR(u, row[3].get<double>(), 1e-12 * (1.0 + std::abs(u)));
      ++rows;
    }
  }
  EXPECT_GT(rows, 300);
}

void expect_linear(const nlohmann::json& c, DerivativeOn derivative, Plant plant) {
  const double h = 1e-4;
  PidSettings s = thesis(plant.torque ? PidOutput::kTorque : PidOutput::kSpeed);
  s.derivative = derivative;
  Pid pid(s, h);
  pid.start_cold(0.0);
  int k = 0;
  for (const nlohmann::json& sample : c.at("samples")) {
    const double t = sample.at("t");
    for (const int end = static_cast<int>(std::lround(t / h)); k < end; ++k) {
      plant.step(pid.step(input(1.0, plant.theta, h)), h);
    }
    // the exact answer jumps at 0; 1 % of the step is O15's bound for other discretisations
    if (t > 0.0) {
      EXPECT_NEAR(plant.theta, sample.at("theta").get<double>(), 0.01);
    }
  }
}

TEST(Pid, FollowsTheExactAnswerOfTheContinuousLoop) {
  const nlohmann::json json = test::read_fixture("o15_pid_servo.json");
  const nlohmann::json& linear = json.at("linear");
  expect_linear(linear.at("A").at("measurement"), DerivativeOn::kMeasurement, Plant{});
  expect_linear(linear.at("A").at("error"), DerivativeOn::kError, Plant{});
  int cases = 0;
  for (const nlohmann::json& c : linear.at("B")) {
    if (c.at("J").get<double>() < 0.005) continue;  // a pole of -540 1/s needs a smaller step
    SCOPED_TRACE(c.at("J").get<double>());
    Plant plant{true, c.at("J"), c.at("b")};
    expect_linear(c, c.at("deriv") == "error" ? DerivativeOn::kError : DerivativeOn::kMeasurement,
                  plant);
    ++cases;
  }
  EXPECT_GT(cases, 1);
}

double overshoot(AntiWindup kind) {
  PidSettings s = thesis(PidOutput::kTorque);
  s.anti_windup = kind;
  s.output_limit = 0.8532;  // N m, the KHR-1's servo
  Pid pid(s, kDt);
  Plant plant;
  plant.torque = true;
  double top = 0.0;
  for (int k = 0; k < 4000; ++k) {
    plant.step(pid.step(input(1.5707963267948966, plant.theta)), kDt);
    top = std::max(top, plant.theta);
  }
  EXPECT_NEAR(plant.theta, 1.5707963267948966, 1e-3);  // no offset is left
  return top / 1.5707963267948966 - 1.0;
}

TEST(Pid, BothAntiWindupsOvershootLess) {
  EXPECT_NEAR(overshoot(AntiWindup::kNone), 0.2368, 5e-4);         // O15
  EXPECT_NEAR(overshoot(AntiWindup::kConditional), 0.0750, 5e-4);  // O15
  EXPECT_LT(overshoot(AntiWindup::kBackCalculation), 0.12);        // half of none; measured 0.0606
}

TEST(Pid, BackCalculationLeavesTheLimitInItsTrackingTime) {
  PidSettings s = thesis(PidOutput::kTorque);
  s.gains.kd = 0.0;
  s.output_limit = 1.0;
  s.anti_windup = AntiWindup::kBackCalculation;
  s.tracking_time = 0.1;
  Pid pid(s, kDt);
  for (int k = 0; k < 4000; ++k) EXPECT_EQ(pid.step(input(1.0, 0.0)), 1.0);
  // at rest ki e = (u - 1) / tracking_time: u = 1 + 10 * 0.1 before this step's correction
  EXPECT_NEAR(pid.unlimited(), 2.0, 1e-9);
}

TEST(Pid, GainsGoFromOneFormToTheOtherAndBack) {
  const ParallelGains p = parallel_form(kThesis);
  EXPECT_TRUE(p.kp == 5.0 && p.ki == 10.0 && p.kd == 0.5);
  const StandardGains s = standard_form(p);
  EXPECT_TRUE(s.kp == 5.0 && s.ti == 0.5 && s.td == 0.1);
  EXPECT_EQ(standard_form({}).kp, 0.0);
  EXPECT_THROW(standard_form({0.0, 1.0, 0.0}), ConfigError);
}

/// Half a second into a step, with everything in motion.
Pid moving(Plant& plant, const PidSettings& s) {
  Pid pid(s, kDt);
  pid.start_cold(0.0);
  for (int k = 0; k < 500; ++k) plant.step(pid.step(input(1.0, plant.theta)), kDt);
  return pid;
}

TEST(Pid, AChangeOfEverySettingLeavesTheOutputWhereItWas) {
  Plant plant;
  PidSettings s = thesis(PidOutput::kSpeed);
  Pid stays = moving(plant, s);
  Pid changes = stays;
  s.gains = {3.0, 2.0, 0.2};
  s.derivative = DerivativeOn::kError;
  s.rate_feed_forward = 1.0;
  changes.set(s);
  s.gains = {8.0, 20.0, 0.9};
  s.anti_windup = AntiWindup::kBackCalculation;
  changes.set(s);
  // the joint continues at its rate: what differs is one step's integral and one step's change of P
  const double rate = stays.unlimited();
  const PidInput next = input(1.0, plant.theta);
  const double u = stays.step(next);
  EXPECT_GT(std::abs(rate), 0.5);
  EXPECT_NEAR(changes.step(next), u, 0.01);  // rad/s; measured 0.002, without the take-over 0.6
}

TEST(Pid, WithoutIntegralGainATakenOverOutputIsForgotten) {
  // a speed in 0.05 s, so that a target moves on by no more than 0.05 s of it; a torque in 0.5 s
  for (const auto& [output, time] :
       {std::pair{PidOutput::kSpeed, 0.05}, {PidOutput::kTorque, 0.5}}) {
    PidSettings s = thesis(output);
    s.gains.ki = 0.0;
    Pid pid(s, kDt);
    pid.start(0.0, 0.0, 0.8);
    double way = 0.0;
    for (int k = 1; k <= 5000; ++k) {
      const double u = pid.step(input(0.0, 0.0));
      if (k == 100) {
        EXPECT_NEAR(u, 0.8 * std::pow(1.0 + kDt / time, -100.0), 1e-12);
      }
      way += kDt * u;
    }
    EXPECT_NEAR(way, 0.8 * time, 1e-3 * time);
  }
}

TEST(Pid, StartsAtTheOutputOfThePreviousController) {
  Pid pid(thesis(PidOutput::kSpeed), kDt);
  pid.start(0.7, 0.2, 0.3);
  // one step's integral is 10 * 0.5 * 1 ms
  EXPECT_NEAR(pid.step(input(0.7, 0.2)), 0.3 + 0.005, 1e-14);
}

TEST(Pid, ContinuesFromAManualOutput) {
  Pid pid(thesis(PidOutput::kSpeed), kDt);
  pid.start_cold(0.0);
  double q = 0.0;
  for (int k = 0; k < 300; ++k) {
    pid.follow(input(1.0, q), -0.4);
    q += -0.4 * kDt;
  }
  // 10 * 1.12 * 1 ms of integral and 5 * 0.4 ms of a falling angle
  EXPECT_NEAR(pid.step(input(1.0, q)), -0.4, 0.015);
}

TEST(Pid, AMeasurementThatIsNotNewLeavesItsRate) {
  PidSettings s = thesis(PidOutput::kSpeed);
  s.gains = {0.0, 0.0, 0.5};
  Pid pid(s, 6e-3);
  pid.start_cold(0.0);
  PidInput in = input(0.0, 0.006);
  in.sample_dt = 6e-3;  // 1 rad/s
  EXPECT_NEAR(pid.step(in), -0.5, 1e-15);
  in.sample_dt = 0.0;
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(pid.step(in), -0.5, 1e-15);
}

TEST(Pid, FeedForwardAddsTheReferencesRateAndGravity) {
  PidSettings s;
  s.rate_feed_forward = 1.0;
  s.gravity_feed_forward = 0.5;
  Pid pid(s, kDt);
  PidInput in = input(0.0, 0.0);
  in.reference_rate = 0.25;
  in.gravity = 3.0;
  EXPECT_EQ(pid.step(in), 1.75);
}

TEST(Pid, AFilteredDerivativeIsAFirstOrderLag) {
  PidSettings s;
  s.gains.kd = 1.0;
  s.output = PidOutput::kTorque;
  s.filter_time = 0.05;
  Pid pid(s, 1e-5);
  double u = 0.0;
  for (int k = 0; k < 5000; ++k) u = pid.step(input(0.0, 1e-5 * (k + 1), 1e-5));  // 1 rad/s, 0.05 s
  EXPECT_NEAR(u, -(1.0 - std::exp(-1.0)), 1e-4);
}

TEST(Pid, RefusesGainsThatCannotWork) {
  const auto refused = [](void (*spoil)(PidSettings&), const std::string& expected) {
    PidSettings s = thesis(PidOutput::kSpeed);
    spoil(s);
    try {
      check(s, kDt, "joint 3");
      ADD_FAILURE() << expected;
    } catch (const ConfigError& e) {
      EXPECT_NE(std::string(e.what()).find("joint 3: " + expected), std::string::npos) << e.what();
    }
  };
  refused([](PidSettings& s) { s.gains.kp = -1.0; }, "kp -1 is outside [0, 1000]");
  refused([](PidSettings& s) { s.gains.ki = std::nan(""); }, "ki nan");
  refused([](PidSettings& s) { s.gains.kd = 2000.0; }, "kd 2000");
  refused([](PidSettings& s) { s.filter_time = -0.1; }, "filter_time");
  refused([](PidSettings& s) { s.tracking_time = 1e9; }, "tracking_time");
  refused([](PidSettings& s) { s.output_limit = 0.0; }, "output_limit");
  refused([](PidSettings& s) { s.rate_feed_forward = -1.0; }, "rate_feed_forward");
  refused([](PidSettings& s) { s.gravity_feed_forward = 3.0; }, "gravity_feed_forward");
  refused([](PidSettings& s) { s.lead_time = 0.6; }, "lead_time");
  refused([](PidSettings& s) { s.gains.kd = 1.0; }, "kd 1 (kp td) must be below");
  PidSettings s = thesis(PidOutput::kSpeed);
  s.gains.kd = 1.0;
  s.filter_time = kDt;  // now below 3
  EXPECT_NO_THROW(check(s, kDt, ""));
  EXPECT_THROW(check(s, 0.0, ""), ConfigError);
  EXPECT_THROW(Pid(s, -1.0), ConfigError);
}

TEST(JointPid, KeepsItsStateWhenAnInputIsBad) {
  const std::vector<PidSettings> settings(17, thesis(PidOutput::kSpeed));
  JointPid pid(settings, kDt);
  JointPidInput in;
  in.dt = kDt;
  in.sample_dt.fill(kDt);
  in.reference.fill(1.0);
  pid.start_cold(in.measured);
  JointArray<double> u{};
  ASSERT_EQ(pid.step(in, u), PidStatus::kOk);
  const JointArray<double> before = u;
  const double integral = pid.joint(16).integral();
  const auto refused = [&](const JointPidInput& bad, PidStatus status, int joint) {
    EXPECT_EQ(pid.step(bad, u), status) << name(status);
    EXPECT_EQ(pid.bad_joint(), joint);
    EXPECT_EQ(u, before);
    EXPECT_EQ(pid.joint(16).integral(), integral);
  };
  JointPidInput bad = in;
  bad.measured[16] = std::nan("");
  refused(bad, PidStatus::kNotFinite, 16);
  bad = in;
  bad.reference[3] = std::numeric_limits<double>::infinity();
  refused(bad, PidStatus::kNotFinite, 3);
  bad = in;
  bad.sample_dt[2] = -1.0;
  refused(bad, PidStatus::kBadStep, 2);
  bad = in;
  bad.dt = 0.0;
  refused(bad, PidStatus::kBadStep, -1);
  JointArray<double> hand{};
  hand[5] = std::nan("");
  EXPECT_EQ(pid.follow(in, hand), PidStatus::kNotFinite);
  EXPECT_EQ(pid.bad_joint(), 5);
}

TEST(JointPid, CountsHowLongAJointIsAtItsLimitAndAllocatesNothing) {
  std::vector<PidSettings> settings(2, thesis(PidOutput::kSpeed));
  settings[1].output_limit = 1.0;
  JointPid pid(settings, kDt);
  JointPidInput in;
  in.dt = kDt;
  in.sample_dt.fill(kDt);
  in.reference.fill(0.5);
  JointArray<double> u{};
  const test::NoAlloc guard;
  for (int k = 0; k < 10; ++k) ASSERT_EQ(pid.step(in, u), PidStatus::kOk);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(pid.saturated_time(0), 0.0);
  EXPECT_NEAR(pid.saturated_time(1), 0.01, 1e-12);
  EXPECT_EQ(u[1], 1.0);
  EXPECT_THROW(pid.set_all(std::vector<PidSettings>(3)), ConfigError);
  EXPECT_THROW(JointPid(std::vector<PidSettings>{}, kDt), ConfigError);
}

}  // namespace
}  // namespace kagami::control
