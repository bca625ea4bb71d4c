#include "tools/report/run_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tools/report/report_run.hpp"
#include "tools/test/record_file.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::RecordedRun;
using test::TempFolder;

constexpr std::size_t kLeftKnee = 9;  // of the KHR-1

ReportRun watched(const TempFolder& folder, const RecordedRun& run) {
  test::write_record(folder.file("run.mcap"), run);
  return report_of(RunRecord(folder.file("run.mcap"))).run;
}

TEST(RunWatch, CurvesHoldWhatTheRecordHas) {
  const TempFolder folder;
  RecordedRun recorded;
  recorded.offset_deg = 2.0;
  const ReportRun run = watched(folder, recorded);
  ASSERT_EQ(run.course.curves.size(), 17u);
  EXPECT_NEAR(run.course.duration, 2.999, 1e-9);
  EXPECT_NEAR(run.course.began.value_or(0.0), 0.2, 1e-9);
  const JointCurves& knee = run.course.curves[kLeftKnee];
  EXPECT_NEAR(knee.simulated.range().first, 10.0, 0.01);  // deg: 30 +- 20
  EXPECT_NEAR(knee.simulated.range().second, 50.0, 0.01);
  EXPECT_EQ(knee.measured.range().second, 52.0F);
  EXPECT_TRUE(knee.loop.is_empty() || !std::isnan(knee.loop.range().first));
}

TEST(RunWatch, TheLargestDifferenceOfTheCurveIsThatOfTheTable) {
  const TempFolder folder;
  RecordedRun recorded;
  recorded.delay = 0.03;
  recorded.offset_deg = -1.0;
  const ReportRun run = watched(folder, recorded);
  for (std::size_t j = 0; j < run.comparison.joints.size(); ++j) {
    const Extremes range = run.course.curves[j].difference.range();
    EXPECT_NEAR(std::max(std::abs(range.first), std::abs(range.second)),
                run.comparison.joints[j].max_deg.value_or(-1.0), 1e-5)
        << j;
  }
}

TEST(RunWatch, GainSetsAreMarkedWithWhatTheyChanged) {
  const TempFolder folder;
  RecordedRun recorded;
  recorded.turned_at = 1000;
  const ReportRun run = watched(folder, recorded);
  ASSERT_EQ(run.course.gains.size(), 2u);
  EXPECT_NEAR(run.course.gains[0].time, 1.0, 1e-9);  // s
  EXPECT_NEAR(run.course.gains[1].time, 1.5, 1e-9);
  EXPECT_EQ(run.course.gains[1].what, "1 5.0 -> 4.2") << "the second value stayed";
  EXPECT_TRUE(run.course.gains[1].is_applied);
}

TEST(RunWatch, DurationsAreCounted) {
  const TempFolder folder;
  const ReportRun run = watched(folder, {});
  ASSERT_FALSE(run.course.durations.empty());
  EXPECT_EQ(run.course.durations.front().name, "tick interval");
  EXPECT_NEAR(run.course.durations.front().p50, 1000.0, 1.0);  // us
  double ticks = 0.0;
  for (const DurationBar& bar : run.course.durations.front().bars) ticks += bar.count;
  EXPECT_EQ(ticks, 2999.0);
  EXPECT_EQ(run.course.durations.back().name, "age of a reading");
  EXPECT_NEAR(run.course.durations.back().p50, 4300.0, 140.0);  // us, a bucket is 3.2 % wide
}

TEST(Episodes, AFaultLastsUntilItsEndOrThatOfTheRun) {
  const auto at = [](double time, runtime::EventCode code, int joint) {
    return RunEvent{time, {0, code, static_cast<std::int16_t>(joint), 0.0}, "sentence"};
  };
  const std::vector<RunSpan> spans = episodes(
      {at(1.0, runtime::EventCode::kDoesNotFollow, 3),
       at(1.5, runtime::EventCode::kFollowsAgain, 4), at(2.0, runtime::EventCode::kFrozen, 5),
       at(2.5, runtime::EventCode::kFollowsAgain, 3),
       at(2.6, runtime::EventCode::kMotionEnded, -1)},
      9.0);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].from, 1.0);
  EXPECT_EQ(spans[0].to, 2.5) << "of the same joint";
  EXPECT_EQ(spans[1].to, 9.0);
}

/// A joint that answers a step of `size` deg at 1 s with a time constant of 0.1 s after 20 ms.
std::vector<StepResponse> steps_of(double size, double hold, double lead_deg) {
  StepWatch watch(0);
  for (int tick = 0; tick < 4000; ++tick) {
    const double t = 1e-3 * tick;
    const bool is_up = t >= 1.0 && t < 1.0 + hold;
    const double command = is_up ? size : lead_deg;
    const double since = t - 1.02;
    const double angle = since > 0.0 && is_up ? size * (1.0 - std::exp(-since / 0.1)) : 0.0;
    watch.add_tick(t, command, angle);
    if (tick % 10 == 0) watch.add_reading(t, std::round(angle));
  }
  return watch.take();
}

TEST(StepWatch, MeasuresAStepInClosedForm) {
  const std::vector<StepResponse> steps = steps_of(20.0, 5.0, 0.0);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_NEAR(steps[0].time, 1.0, 1e-9);
  ASSERT_TRUE(steps[0].simulated && steps[0].measured);
  EXPECT_NEAR(steps[0].simulated->rise.value_or(0.0), 0.1 * std::log(9.0), 0.003);  // s
  EXPECT_NEAR(steps[0].simulated->settling.value_or(0.0), 0.02 - 0.1 * std::log(0.02), 0.01);
  EXPECT_EQ(steps[0].simulated->overshoot, 0.0);
  // whole degrees at 100 Hz: a reading and a step of the angle
  EXPECT_NEAR(steps[0].measured->rise.value_or(0.0), 0.1 * std::log(9.0), 0.04);
}

TEST(StepWatch, LeavesOutWhatIsNoStepThatSettles) {
  EXPECT_TRUE(steps_of(2.0, 5.0, 0.0).empty()) << "too small";
  EXPECT_TRUE(steps_of(20.0, 0.1, 0.0).size() <= 1) << "the way back alone may settle";
  EXPECT_TRUE(steps_of(20.0, 5.0, -15.0).empty()) << "the joint was not where the command was";
  StepWatch ramp(0);
  for (int tick = 0; tick < 4000; ++tick) {
    const double angle = std::min(30.0, 0.01 * tick);
    ramp.add_tick(1e-3 * tick, angle, angle);
    ramp.add_reading(1e-3 * tick, angle);
  }
  EXPECT_TRUE(ramp.take().empty()) << "a ramp";
}

}  // namespace
}  // namespace kagami::tools
