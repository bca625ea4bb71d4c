#include "tools/analysis/compare.hpp"

#include <gtest/gtest.h>

#include "tools/analysis/lag.hpp"
#include "tools/analysis/verdict.hpp"
#include "tools/test/synthetic_run.hpp"

namespace kagami::tools {
namespace {

using test::SyntheticRun;

TEST(Compare, ConstantOffsetIsBiasRmsAndMaximum) {
  const SyntheticRun run = SyntheticRun().add("knee", test::walk_curve(20.0), 0.0, -1.5, 0.0);
  const JointComparison joint = compare(run.series).joints[0];
  EXPECT_NEAR(*joint.bias_deg, 1.5, 1e-3);  // deg; simulated minus measured, linear between ticks
  EXPECT_NEAR(*joint.rms_deg, 1.5, 1e-3);   // deg
  EXPECT_NEAR(*joint.max_deg, 1.5, 1e-3);   // deg
  EXPECT_NEAR(*joint.lag_ms, 0.0, 0.05);    // ms; the offset must not move it
}

// A second of ticks that the record lost: a line over it would be off by tens of degrees.
TEST(Compare, LostTicksAreNoPartOfAnError) {
  SyntheticRun run = SyntheticRun().add("knee", test::walk_curve(60.0), 0.020, -1.5, 0.0);
  const JointComparison whole = compare(run.series).joints[0];
  auto& time = run.series.simulated.time;
  auto& angle = run.series.simulated.angle[0];
  time.erase(time.begin() + 3100, time.begin() + 4200);
  angle.erase(angle.begin() + 3100, angle.begin() + 4200);
  const JointComparison joint = compare(run.series).joints[0];
  EXPECT_LT(joint.samples, whole.samples - 90);        // 1.1 s of 95 readings each
  EXPECT_NEAR(*joint.bias_deg, *whole.bias_deg, 0.5);  // deg; another part of the steps is left
  EXPECT_NEAR(*joint.max_deg, *whole.max_deg, 0.2);    // deg
  EXPECT_NEAR(*joint.lag_ms, *whole.lag_ms, 0.5);      // ms
}

TEST(Compare, SineThatLagsHasTheRmsOfTheClosedForm) {
  // sin(w t) - sin(w (t - d)) = 2 sin(w d / 2) cos(...): RMS = sqrt(2) sin(w d / 2) amplitude
  const double w = 2.0 * std::numbers::pi;  // rad/s; 8 whole periods in the run
  const double d = 0.050;                   // s
  SyntheticRun run(8.0);
  run.add(
      "knee", [w](double t) { return 10.0 * std::sin(w * t); }, d, 0.0, 0.0);
  const JointComparison joint = compare(run.series).joints[0];
  EXPECT_NEAR(*joint.rms_deg, 10.0 * std::sqrt(2.0) * std::sin(w * d / 2.0), 0.01);  // deg
  EXPECT_NEAR(*joint.lag_ms, 50.0, 0.05);                                            // ms
}

TEST(Compare, OnlyRoundingLeavesTheFloor) {
  const SyntheticRun run = SyntheticRun().add("knee", test::walk_curve(20.0), 0.0, 0.0, 1.0);
  const JointComparison joint = compare(run.series).joints[0];
  EXPECT_NEAR(*joint.rms_deg, *joint.floor_deg, 1e-3);         // deg; the same thing
  EXPECT_NEAR(*joint.floor_deg, 1.0 / std::sqrt(12.0), 0.02);  // deg; uniform rounding error
}

TEST(Compare, TwentyMillisecondsMoreShowAsTwenty) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    for (const double base : {-0.010, 0.0, 0.0137}) {  // s
      SyntheticRun before;
      SyntheticRun after;
      before.seed = after.seed = seed;
      before.add("knee", test::walk_curve(15.0), base, 0.3, 1.0);
      after.add("knee", test::walk_curve(15.0), base + 0.020, 0.3, 1.0);
      const double first = *compare(before.series).joints[0].lag_ms;
      const double second = *compare(after.series).joints[0].lag_ms;
      EXPECT_NEAR(first, 1e3 * base, 1.5);     // ms; largest measured 0.43
      EXPECT_NEAR(second - first, 20.0, 1.5);  // ms; required 3, largest measured 0.68
    }
  }
}

// The standard deviation is that of the errors over many runs.
TEST(Compare, LagHasAnHonestStandardDeviation) {
  constexpr unsigned kRuns = 60;
  unsigned within_two = 0;
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    SyntheticRun run;
    run.seed = seed;
    run.add("knee", test::walk_curve(8.0), 0.017, 0.3, 1.0);
    const JointComparison joint = compare(run.series).joints[0];
    ASSERT_TRUE(joint.lag_ms && joint.lag_sigma_ms);
    EXPECT_LT(*joint.lag_sigma_ms, 2.0);  // ms
    if (std::abs(*joint.lag_ms - 17.0) <= 2.0 * *joint.lag_sigma_ms) ++within_two;
  }
  EXPECT_GE(within_two, kRuns * 9 / 10);
}

TEST(Compare, BeyondTheNoiseIsWhatRoundingDoesNotMake) {
  SyntheticRun run;
  run.add("knee", test::walk_curve(20.0), 0.0, 2.0, 1.0);
  run.add("elbow", test::walk_curve(20.0), 0.0, 0.0, 1.0);
  const Comparison both = compare(run.series);
  EXPECT_NEAR(*both.joints[0].beyond_noise_deg, 2.0, 0.02);
  EXPECT_NEAR(*both.joints[1].beyond_noise_deg, 0.0, 0.05);
  EXPECT_NEAR(*both.joints[0].mean_abs_deg, 2.0, 0.02);
  EXPECT_EQ(*both.joints[1].share_within_resolution, 1.0);
  EXPECT_NEAR(*both.mean_abs_deg, 0.5 * (2.0 + 0.25), 0.02);  // rounding: uniform up to half
  EXPECT_NEAR(*both.bias_deg, -1.0, 0.02);
}

TEST(Compare, RunsThatDifferWidenTheNoise) {
  SyntheticRun run;
  SyntheticRun other;
  run.add("knee", test::walk_curve(20.0), 0.0, 1.0, 1.0);
  other.add("knee", test::walk_curve(20.0), 0.0, -1.0, 1.0);
  EXPECT_GT(*compare(run.series).joints[0].beyond_noise_deg, 0.9);
  const JointComparison joint = compare(run.series, {other.series}).joints[0];
  EXPECT_NEAR(*joint.noise_deg, std::sqrt(2.0), 0.1);  // 2 deg apart: sqrt(0.5 * 2^2)
  EXPECT_EQ(*joint.beyond_noise_deg, 0.0);
}

TEST(Compare, LagOfASingleMoveIsFound) {
  SyntheticRun run;
  run.add("elbow", test::single_move(40.0), 0.035, 0.0, 1.0);
  EXPECT_NEAR(*compare(run.series).joints[0].lag_ms, 35.0, 1.5);  // ms; rounding of a short move
}

TEST(Compare, RobotThatLeadsHasANegativeLag) {
  SyntheticRun run;
  run.add("knee", test::walk_curve(20.0), -0.040, 0.0, 1.0);
  EXPECT_NEAR(*compare(run.series).joints[0].lag_ms, -40.0, 1.0);  // ms
}

TEST(Compare, JointAtRestHasNeitherLagNorFloor) {
  const SyntheticRun run = SyntheticRun().add("head", test::rest(3.2), 0.0, 0.0, 1.0);
  const JointComparison joint = compare(run.series).joints[0];
  EXPECT_FALSE(joint.lag_ms);
  EXPECT_FALSE(joint.floor_deg);
  EXPECT_NEAR(*joint.bias_deg, 0.2, 1e-9);  // deg
}

TEST(FindLag, IsSilentAboutAJointThatMovesLittle) {
  const SyntheticRun run = SyntheticRun().add("head", test::walk_curve(1.0), 0.02, 0.0, 1.0);
  EXPECT_FALSE(compare(run.series).joints[0].lag_ms);
}

TEST(FindLag, IsFinerThanItsSteps) {
  const SyntheticRun run = SyntheticRun().add("knee", test::walk_curve(20.0), 0.02045, 0.0, 0.0);
  EXPECT_NEAR(*compare(run.series).joints[0].lag_ms, 20.45, 0.02);  // ms; steps of 1 ms
}

TEST(FindLag, IsSilentWhenTheJointDoesSomethingElse) {
  // the model's motion is in the readings, but another one is three times as large
  SyntheticRun run;
  run.add("knee", test::walk_curve(20.0), 0.02, 0.0, 1.0);
  std::vector<double>& angle = run.series.joints[0].angle;
  for (std::size_t i = 0; i < angle.size(); ++i) angle[i] += to_rad(i % 2 == 0 ? 60.0 : -60.0);
  EXPECT_FALSE(compare(run.series).joints[0].lag_ms);
}

TEST(FindLag, IsSilentWhenRoundingHidesIt) {
  // 4 deg in 6 s: 0.7 deg/s, so that 0.29 deg of rounding over 500 readings mean 19 ms
  SyntheticRun run;
  run.add(
      "head", [](double t) { return 4.0 * t / 6.0; }, 0.02, 0.0, 1.0);
  EXPECT_FALSE(compare(run.series).joints[0].lag_ms);
}

TEST(FindLag, IsSilentBeyondTheSearch) {
  SyntheticRun run;
  run.add("elbow", test::single_move(40.0), 0.6, 0.0, 1.0);
  EXPECT_FALSE(compare(run.series).joints[0].lag_ms);
}

TEST(FindLag, IsSilentWithTooFewReadings) {
  SyntheticRun run;
  run.reading_hz = 2.0;
  run.add("knee", test::walk_curve(20.0), 0.0, 0.0, 1.0);
  EXPECT_FALSE(compare(run.series).joints[0].lag_ms);
}

TEST(FindLag, PeriodicMotionGivesTheShiftNearestToZero) {
  const double period = 0.25;  // s; shifts of 20, -230 and 270 ms look alike
  SyntheticRun run;
  run.add(
      "knee", [&](double t) { return 20.0 * std::sin(2.0 * std::numbers::pi * t / period); }, 0.020,
      0.0, 1.0);
  EXPECT_NEAR(*compare(run.series).joints[0].lag_ms, 20.0, 0.5);  // ms
}

TEST(Compare, OverallRmsWeighsSamplesNotJoints) {
  SyntheticRun run;
  run.add("a", test::rest(0.0), 0.0, 3.0, 0.0);
  run.reading_hz = 47.5;  // the second joint has half the samples
  run.add("b", test::rest(0.0), 0.0, 0.0, 0.0);
  const Comparison result = compare(run.series);
  const double a = static_cast<double>(result.joints[0].samples);
  const double b = static_cast<double>(result.joints[1].samples);
  EXPECT_NEAR(*result.rms_deg, std::sqrt(9.0 * a / (a + b)), 1e-9);  // deg
}

TEST(Compare, WithoutReadingsNothingIsClaimed) {
  SyntheticRun run;
  run.add("knee", test::walk_curve(20.0), 0.0, 0.0, 1.0);
  run.series.joints[0].time.clear();
  run.series.joints[0].angle.clear();
  const Comparison result = compare(run.series);
  EXPECT_EQ(result.joints[0].samples, 0u);
  EXPECT_FALSE(result.joints[0].rms_deg);
  EXPECT_FALSE(result.rms_deg);
  EXPECT_FALSE(all_passed(verdicts(result, 30.0)));
}

TEST(Compare, ReadingsOutsideTheCurveAreLeftOut) {
  SyntheticRun run;
  run.add("knee", test::rest(10.0), 0.0, 0.0, 0.0);
  const std::size_t inside = run.series.joints[0].time.size();
  run.series.joints[0].time.push_back(100.0);
  run.series.joints[0].angle.push_back(5.0);
  EXPECT_EQ(compare(run.series).joints[0].samples, inside);
}

TEST(Compare, ToleranceHoldsForEachJoint) {
  SyntheticRun run;
  run.add("a", test::rest(0.0), 0.0, 1.0, 0.0).add("b", test::rest(0.0), 0.0, 0.1, 0.0);
  EXPECT_TRUE(all_passed(verdicts(compare(run.series), 1.01)));
  EXPECT_FALSE(all_passed(verdicts(compare(run.series), 0.99)));
}

TEST(Changes, SubtractTheBaselineByName) {
  SyntheticRun base;
  base.add("a", test::walk_curve(20.0), 0.0, 0.5, 0.0).add("b", test::rest(0.0), 0.0, 0.0, 0.0);
  SyntheticRun run;
  run.add("b", test::rest(0.0), 0.0, 1.0, 0.0).add("a", test::walk_curve(20.0), 0.02, 0.5, 0.0);
  run.add("c", test::rest(0.0), 0.0, 1.0, 0.0);
  const auto change = changes(compare(run.series), compare(base.series));
  EXPECT_NEAR(*change[0].bias_deg, -1.0, 1e-9);  // deg
  EXPECT_FALSE(change[0].lag_ms) << "at rest in both";
  EXPECT_NEAR(*change[1].lag_ms, 20.0, 0.1);  // ms
  EXPECT_FALSE(change[2].rms_deg) << "not in the baseline";
}

}  // namespace
}  // namespace kagami::tools
