#include "tools/analysis/record_columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/base/angle.hpp"
#include "tools/analysis/compare.hpp"
#include "tools/test/record_file.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

struct ColumnsCase {
  test::TempFolder folder;
  std::string file = folder.file("run.mcap");

  RunRecord record(const test::RecordedRun& run = {}) const {
    test::write_record(file, run);
    return RunRecord(file);
  }
};

TEST(RecordColumns, HaveARowPerTickAndAPlacePerJoint) {
  const ColumnsCase c;
  const RunRecord record = c.record();
  const RecordColumns columns = read_columns(record, {});
  const std::size_t rows = record.num_rows();
  ASSERT_GT(rows, 1000u);
  EXPECT_EQ(columns.num_joints, 17u);
  EXPECT_EQ(columns.time.size(), rows);
  EXPECT_EQ(columns.phase.size(), rows);
  EXPECT_EQ(columns.motion_time.size(), rows);
  for (const auto* table : {&columns.reference, &columns.command, &columns.simulated,
                            &columns.measured, &columns.residual, &columns.torque})
    EXPECT_EQ(table->size(), rows * 17u);
  EXPECT_DOUBLE_EQ(columns.time[0], 0.0);
  EXPECT_NEAR(columns.time[1500], 1.5, 1e-12);
}

TEST(RecordColumns, AReadingIsInTheRowOfItsOwnTimeAndTheOthersAreNan) {
  const ColumnsCase c;
  const RunRecord record = c.record();
  const auto names = record.joint_names();
  const auto knee =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "left_knee") - names.begin());
  const RecordColumns columns = read_columns(record, {});
  const auto measured = [&](std::size_t row) { return columns.measured[row * 17 + knee]; };
  // read at tick 1009, taken 4.3 ms before
  const double angle_deg = to_deg(measured(1005));
  EXPECT_NEAR(angle_deg, std::round(angle_deg), 1e-9);
  EXPECT_NEAR(measured(1005), columns.simulated[1005 * 17 + knee], to_rad(0.6));
  for (const std::size_t row : {1004u, 1006u, 1009u}) EXPECT_TRUE(std::isnan(measured(row))) << row;
}

TEST(RecordColumns, ComparedReadingsHaveTheRmsOfTheComparison) {
  const ColumnsCase c;
  const RunRecord record = c.record({.offset_deg = 2.0});
  const Comparison comparison = compare(record.series());
  const std::vector<ComparedReadings> all = read_compared(record, {});
  ASSERT_EQ(all.size(), comparison.joints.size());
  for (std::size_t j = 0; j < all.size(); ++j) {
    double sum = 0.0;
    for (std::size_t i = 0; i < all[j].time.size(); ++i) {
      const double gap = all[j].simulated[i] - all[j].measured[i];
      sum += gap * gap;
    }
    ASSERT_EQ(all[j].time.size(), comparison.joints[j].samples);
    const double rms = std::sqrt(sum / static_cast<double>(all[j].time.size()));
    EXPECT_NEAR(to_deg(rms), comparison.joints[j].rms_deg.value(), 1e-9) << j;
  }
}

TEST(RecordColumns, ReadingEndsWithWhatComesBetween) {
  const ColumnsCase c;
  const RunRecord record = c.record();
  const Between stop = [] { throw std::runtime_error("stopped"); };
  EXPECT_THROW(read_columns(record, stop), std::runtime_error);
  EXPECT_THROW(read_compared(record, stop), std::runtime_error);
}

}  // namespace
}  // namespace kagami::tools
