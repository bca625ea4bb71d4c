#include "control/safety/safety_gate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "models/base/errors.hpp"

namespace kagami::control {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDt = 0.001;

/// Three joints, -1..1 rad, 2 rad/s, jumps up to 0.05 rad.
SafetyLimits limits() {
  SafetyLimits limits;
  limits.num_joints = 3;
  for (std::size_t i = 0; i < 3; ++i) {
    limits.angle_min[i] = -1.0;
    limits.angle_max[i] = 1.0;
    limits.rate_max[i] = 2.0;
  }
  limits.jump_max = 0.05;
  return limits;
}

JointArray<double> pose(double a, double b, double c) {
  return {a, b, c};
}

SafetyGate begun() {
  SafetyGate gate(limits());
  GateReport report;
  EXPECT_EQ(gate.begin(pose(0, 0, 0), pose(0, 0, 0), report), GateStatus::kOk);
  EXPECT_EQ(report.count, 0);
  return gate;
}

TEST(SafetyGate, PassesWhatIsSafeUnchanged) {
  SafetyGate gate = begun();
  GateReport report;
  EXPECT_EQ(gate.pass_stream(pose(0.001, -0.001, 0.0), kDt, report), GateStatus::kOk);
  EXPECT_EQ(gate.safe(), pose(0.001, -0.001, 0.0));
  EXPECT_EQ(report.count, 0);
}

TEST(SafetyGate, RefusesAJumpBeyondTheLimitAndNamesEachJoint) {
  SafetyGate gate(limits());
  GateReport report;
  EXPECT_EQ(gate.begin(pose(0, 0.3, 0), pose(0.06, 0.3, -0.07), report), GateStatus::kRefused);
  ASSERT_EQ(report.count, 2);
  EXPECT_EQ(report.findings[0].kind, GateFindingKind::kJump);
  EXPECT_EQ(report.findings[0].joint, 0);
  EXPECT_DOUBLE_EQ(report.findings[0].value, 0.06);
  EXPECT_EQ(report.findings[1].joint, 2);
}

TEST(SafetyGate, AcceptsAJumpOfExactlyTheLimit) {
  SafetyGate gate(limits());
  GateReport report;
  EXPECT_EQ(gate.begin(pose(0, 0, 0), pose(0.05, -0.05, 0), report), GateStatus::kOk);
}

TEST(SafetyGate, RefusesAStartFromAPoseFarOutsideTheSoftLimits) {
  SafetyGate gate(limits());
  GateReport report;
  // the clamp itself would be the jump
  EXPECT_EQ(gate.begin(pose(1.2, 0, 0), pose(1.2, 0, 0), report), GateStatus::kRefused);
  ASSERT_EQ(report.count, 2);
  EXPECT_EQ(report.findings[0].kind, GateFindingKind::kLimit);
  EXPECT_EQ(report.findings[1].kind, GateFindingKind::kJump);
}

TEST(SafetyGate, RefusesAStartWithoutAFiniteMeasurement) {
  SafetyGate gate(limits());
  GateReport report;
  EXPECT_EQ(gate.begin(pose(0, kNaN, 0), pose(0, 0, 0), report), GateStatus::kRefused);
  ASSERT_EQ(report.count, 1);
  EXPECT_EQ(report.findings[0].kind, GateFindingKind::kNotFinite);
  EXPECT_EQ(report.findings[0].joint, 1);
}

TEST(SafetyGate, RefusesTheWholeTargetWhenOneValueIsNotFinite) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    SafetyGate gate = begun();
    GateReport report;
    ASSERT_EQ(gate.pass_stream(pose(0.001, 0, 0), kDt, report), GateStatus::kOk);
    EXPECT_EQ(gate.pass_stream(pose(0.002, 0, bad), kDt, report), GateStatus::kRefused);
    EXPECT_EQ(gate.safe(), pose(0.001, 0, 0));
    std::uint8_t speed = 3;
    EXPECT_EQ(gate.pass_pose(pose(bad, 0, 0), speed, report), GateStatus::kRefused);
    EXPECT_EQ(gate.safe(), pose(0.001, 0, 0));
    EXPECT_EQ(report.count, 1);  // one episode
    EXPECT_EQ(gate.pass_stream(pose(0.001, 0, 0), kDt, report), GateStatus::kOk);
    ASSERT_EQ(report.count, 2);
    EXPECT_EQ(report.findings[1].kind, GateFindingKind::kFinite);
  }
}

TEST(SafetyGate, ClampsToTheSoftLimitsAndReportsEachEpisodeOnce) {
  SafetyGate gate = begun();
  GateReport report;
  std::uint8_t speed = 4;
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(gate.pass_pose(pose(1.5, -7.0, 0.2), speed, report), GateStatus::kClamped);
  }
  EXPECT_EQ(gate.safe(), pose(1.0, -1.0, 0.2));
  ASSERT_EQ(report.count, 2);
  EXPECT_EQ(report.findings[0].value, 1.5);
  EXPECT_EQ(report.findings[1].value, -7.0);
  for (int k = 0; k < 2000; ++k) gate.advance(kDt, report);
  EXPECT_EQ(report.count, 2);
  EXPECT_EQ(gate.pass_pose(pose(0.5, -7.0, 0.2), speed, report), GateStatus::kClamped);
  for (int k = 0; k < 900; ++k) gate.advance(kDt, report);
  EXPECT_EQ(report.count, 2);
  for (int k = 0; k < 200; ++k) gate.advance(kDt, report);
  ASSERT_EQ(report.count, 3);  // the other joint is outside as long as its pose is
  EXPECT_EQ(report.findings[2].kind, GateFindingKind::kLimitCleared);
  EXPECT_EQ(report.findings[2].joint, 0);
  EXPECT_EQ(report.findings[2].value, 1.5);
}

// targets that jump in and out of limits and rates at every tick
TEST(SafetyGate, ReportsAtMostOneFindingPerJointAndSecondWithTheWorstValue) {
  SafetyGate gate = begun();
  double last[2] = {-10.0, -10.0};
  double furthest = 0.0, reported = 0.0;
  int findings = 0;
  for (int k = 0; k < 10'000; ++k) {
    const double now = k * kDt;
    GateReport report;
    gate.advance(kDt, report);
    const double swing = 1.2 + 1e-4 * k;
    furthest = std::max(furthest, swing);
    (void)gate.pass_stream(pose(k % 2 == 0 ? swing : 0.0, k % 7 == 0 ? -3.0 : 0.0, 0), kDt, report);
    for (int f = 0; f < report.count; ++f) {
      const GateFinding& finding = report.findings[static_cast<std::size_t>(f)];
      ASSERT_LT(finding.joint, 2);
      EXPECT_GE(now - last[finding.joint], SafetyGate::kQuiet - 2 * kDt) << now;
      last[finding.joint] = now;
      ++findings;
    }
  }
  EXPECT_GE(findings, 4);  // limit and rate of both joints
  // quiet for long: every episode ends once, with the worst value
  for (int k = 0; k < 5'000; ++k) {
    GateReport report;
    gate.advance(kDt, report);
    (void)gate.pass_stream(pose(0, 0, 0), kDt, report);
    for (int f = 0; f < report.count; ++f) {
      const GateFinding& finding = report.findings[static_cast<std::size_t>(f)];
      if (finding.kind == GateFindingKind::kLimitCleared && finding.joint == 0)
        reported = finding.value;
    }
  }
  EXPECT_DOUBLE_EQ(reported, furthest - 1e-4);  // the last swing was at an even tick
}

TEST(SafetyGate, LimitsTheRateAgainstThePreviousCommand) {
  SafetyGate gate = begun();
  GateReport report;
  // 0.1 rad at 2 rad/s take 50 steps of 1 ms
  int steps = 0;
  while (gate.safe()[0] != 0.1 && steps < 1000) {
    (void)gate.pass_stream(pose(0.1, 0, 0), kDt, report);
    ++steps;
  }
  EXPECT_EQ(steps, 50);
  EXPECT_EQ(report.count, 1);  // it ends after a quiet time, not between two ticks
  for (int k = 0; k < 1001; ++k) {
    gate.advance(kDt, report);
    (void)gate.pass_stream(pose(0.1, 0, 0), kDt, report);
  }
  ASSERT_EQ(report.count, 2);
  EXPECT_DOUBLE_EQ(report.findings[1].value, 100.0);  // rad/s, the worst
  EXPECT_EQ(report.findings[0].kind, GateFindingKind::kRate);
  EXPECT_DOUBLE_EQ(report.findings[0].value, 100.0);  // rad/s: 0.1 rad in 1 ms
  EXPECT_EQ(report.findings[1].kind, GateFindingKind::kRateCleared);
}

TEST(SafetyGate, TwoPerCentOverTheRateAreSlowedWithoutAFinding) {
  SafetyGate gate = begun();
  GateReport report;
  (void)gate.pass_stream(pose(0.00203, 0, 0), kDt, report);  // rad in 1 ms; 2 rad/s are allowed
  EXPECT_DOUBLE_EQ(gate.safe()[0], 0.002);
  EXPECT_EQ(report.count, 0);
  (void)gate.pass_stream(pose(0.00405, 0, 0), kDt, report);  // from 0.002
  EXPECT_DOUBLE_EQ(gate.safe()[0], 0.004);
  EXPECT_EQ(report.count, 1);
}

TEST(SafetyGate, ALongerStepAllowsALongerWay) {
  SafetyGate gate = begun();
  GateReport report;
  EXPECT_EQ(gate.pass_stream(pose(-0.03, 0, 0), 0.02, report), GateStatus::kOk);
  EXPECT_EQ(gate.pass_stream(pose(-0.08, 0, 0), 0.02, report), GateStatus::kClamped);
  EXPECT_DOUBLE_EQ(gate.safe()[0], -0.07);
}

TEST(SafetyGate, DoesNotRateLimitAPoseThatTheBoardInterpolates) {
  SafetyGate gate = begun();
  GateReport report;
  std::uint8_t speed = 0;
  EXPECT_EQ(gate.pass_pose(pose(0.9, -0.9, 0.9), speed, report), GateStatus::kOk);
  EXPECT_EQ(gate.safe(), pose(0.9, -0.9, 0.9));
}

TEST(SafetyGate, BoundsTheSpeedCode) {
  SafetyGate gate = begun();
  GateReport report;
  for (int code = 0; code < 256; ++code) {
    auto speed = static_cast<std::uint8_t>(code);
    const GateStatus status = gate.pass_pose(pose(0, 0, 0), speed, report);
    EXPECT_EQ(speed, code <= 7 ? code : 7);
    EXPECT_EQ(status, code <= 7 ? GateStatus::kOk : GateStatus::kClamped);
  }
}

TEST(SafetyGate, AFullReportNeverOverflows) {
  SafetyLimits wide = limits();
  wide.num_joints = kMaxJoints;
  for (std::size_t i = 0; i < kMaxJoints; ++i) {
    wide.angle_min[i] = -1;
    wide.angle_max[i] = 1;
    wide.rate_max[i] = 1;
  }
  SafetyGate gate(wide);
  GateReport report;
  JointArray<double> far{};
  far.fill(5.0);
  for (int k = 0; k < 3; ++k) (void)gate.begin(JointArray<double>{}, far, report);
  // limit of each joint once, jump of each joint at every try, as far as there is room
  EXPECT_EQ(report.count, 2 * kMaxJoints + 2);
}

TEST(SafetyGate, RefusesLimitsThatMakeNoSense) {
  const auto refused = [](auto change) {
    SafetyLimits bad = limits();
    change(bad);
    EXPECT_THROW(SafetyGate{bad}, ConfigError);
  };
  refused([](SafetyLimits& l) { l.num_joints = 0; });
  refused([](SafetyLimits& l) { l.num_joints = kMaxJoints + 1; });
  refused([](SafetyLimits& l) { l.jump_max = kNaN; });
  refused([](SafetyLimits& l) { l.angle_min[1] = 1.0; });
  refused([](SafetyLimits& l) { l.angle_max[2] = kInfinity; });
  refused([](SafetyLimits& l) { l.rate_max[0] = 0.0; });
}

TEST(SafetyGate, TakesSoftLimitsFromTheWiringAndRatesFromTheServos) {
  RobotWiring wiring;
  wiring.joints = {{"knee", 1, 1, 90, 0, -0.5, 1.5}, {"hip", 2, 1, 90, 0, -1.0, 1.0}};
  ServoSet servos;
  servos.joints.resize(2);
  servos.joints[1].free_speed = 3.0;
  const SafetyLimits taken = safety_limits(wiring, servos);
  EXPECT_EQ(taken.num_joints, 2);
  EXPECT_EQ(taken.angle_min[0], -0.5);
  EXPECT_EQ(taken.angle_max[0], 1.5);
  EXPECT_EQ(taken.rate_max[0], 6.16);
  EXPECT_EQ(taken.rate_max[1], 3.0);
  servos.joints.pop_back();
  EXPECT_THROW(safety_limits(wiring, servos), ConfigError);
}

}  // namespace
}  // namespace kagami::control
