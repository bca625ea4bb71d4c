#include "tools/analysis/series.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tools/analysis/series_builder.hpp"
#include "tools/test/cycle_rows.hpp"

namespace kagami::tools {
namespace {

using runtime::Phase;
using test::add_reading;
using test::row_at;

TEST(ValueAt, IsLinearBetweenTicksAndNothingOutside) {
  const std::vector<double> time = {1.0, 2.0, 4.0};
  const std::vector<double> value = {10.0, 20.0, 0.0};
  EXPECT_EQ(value_at(time, value, 1.0), 10.0);
  EXPECT_EQ(value_at(time, value, 1.25), 12.5);
  EXPECT_EQ(value_at(time, value, 3.0), 10.0);
  EXPECT_EQ(value_at(time, value, 4.0), 0.0);
  EXPECT_TRUE(std::isnan(value_at(time, value, 0.99)));
  EXPECT_TRUE(std::isnan(value_at(time, value, 4.01)));
  EXPECT_TRUE(std::isnan(value_at({}, {}, 1.0)));
}

TEST(SeriesBuilder, PutsReadingsAtTheirOwnTimes) {
  SeriesBuilder builder(test::two_joint_wiring());
  builder.add(row_at(0, Phase::kPlaying, 0.1));
  auto row = row_at(20, Phase::kPlaying, 0.2);
  add_reading(row, 0, 12.0, 0.5);
  add_reading(row, 1, 15.5, 0.6);
  builder.add(row);
  const RunSeries run = builder.take();
  ASSERT_EQ(run.joints[0].time.size(), 1u);
  EXPECT_NEAR(run.joints[0].time[0], 0.0120, 1e-12);  // s; arrived at 0.020
  EXPECT_NEAR(run.joints[1].time[0], 0.0155, 1e-12);  // s
  EXPECT_EQ(run.joints[1].angle[0], 0.6);
  EXPECT_EQ(run.joints[1].channel, 15);
  EXPECT_EQ(run.simulated.angle[1], (std::vector<double>{0.1, 0.2}));
}

TEST(SeriesBuilder, LeavesTheLeadInOutOfTheReadingsButNotOfTheCurve) {
  SeriesBuilder builder(test::two_joint_wiring());
  auto lead_in = row_at(0, Phase::kLeadIn, 0.0);
  add_reading(lead_in, 0, -5.0, 1.0);
  builder.add(lead_in);
  auto playing = row_at(10, Phase::kPlaying, 0.0);
  add_reading(playing, 0, 8.0, 2.0);  // taken before the motion began, arrived after
  builder.add(playing);
  auto later = row_at(20, Phase::kSettling, 0.0);
  add_reading(later, 0, 18.0, 3.0);
  builder.add(later);
  const RunSeries run = builder.take();
  EXPECT_EQ(run.joints[0].angle, std::vector<double>{3.0});
  EXPECT_EQ(run.simulated.time.size(), 3u);
}

TEST(SeriesBuilder, TakesEachReadingOnce) {
  SeriesBuilder builder(test::two_joint_wiring());
  builder.add(row_at(0, Phase::kPlaying, 0.0));
  auto row = row_at(10, Phase::kPlaying, 0.0);
  add_reading(row, 0, 8.0, 1.0);
  builder.add(row);
  auto other_board = row_at(11, Phase::kPlaying, 0.0);
  add_reading(other_board, 0, 8.0, 1.0);  // the same reading once more, flagged as new
  add_reading(other_board, 1, 10.0, 1.0);
  builder.add(other_board);
  const RunSeries run = builder.take();
  EXPECT_EQ(run.joints[0].time.size(), 1u);
  EXPECT_EQ(run.joints[1].time.size(), 1u);
}

TEST(SeriesBuilder, StaleReadingsDoNotCount) {
  SeriesBuilder builder(test::two_joint_wiring());
  builder.add(row_at(0, Phase::kPlaying, 0.0));
  auto row = row_at(10, Phase::kPlaying, 0.0);
  add_reading(row, 0, 8.0, 1.0);
  row.in.sample_is_new = false;
  builder.add(row);
  auto failed = row_at(20, Phase::kPlaying, 0.0);
  add_reading(failed, 0, 18.0, 1.0);
  failed.in.sample.reading[0].is_new = false;
  builder.add(failed);
  EXPECT_TRUE(builder.take().joints[0].time.empty());
}

TEST(SeriesBuilder, StopsWhenTheServosAreCommandedToSleep) {
  SeriesBuilder builder(test::two_joint_wiring());
  builder.add(row_at(0, Phase::kPlaying, 0.0));
  auto limp = row_at(10, Phase::kReleasing, 0.0);
  add_reading(limp, 0, 8.0, 1.0);
  builder.add(limp);
  const RunSeries run = builder.take();
  EXPECT_TRUE(run.joints[0].time.empty());
  EXPECT_EQ(run.simulated.time.size(), 1u);
}

TEST(SeriesBuilder, WaitsForTheShadowToStart) {
  SeriesBuilder builder(test::two_joint_wiring());
  builder.add(row_at(0, Phase::kWaiting, std::nan("")));
  builder.add(row_at(1, Phase::kLeadIn, 0.5));
  EXPECT_EQ(builder.take().simulated.time.size(), 1u);
}

TEST(SeriesBuilder, LeavesOutRowsWhoseClockStoodStill) {
  SeriesBuilder builder(test::two_joint_wiring());
  builder.add(row_at(5, Phase::kPlaying, 0.1));
  builder.add(row_at(5, Phase::kPlaying, 0.2));
  EXPECT_EQ(builder.take().simulated.time.size(), 1u);
}

}  // namespace
}  // namespace kagami::tools
