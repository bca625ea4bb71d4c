#include "tools/analysis/record_checks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/base/angle.hpp"
#include "tools/test/cycle_rows.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using runtime::Phase;

/// 4 s in which the model of both knees moves by 30 deg and back, read every 10 ms.
std::vector<CycleRecord> good_rows() {
  std::vector<CycleRecord> rows;
  for (int ms = 0; ms < 4000; ++ms) {
    const double q = to_rad(15.0 * std::sin(1e-3 * ms * 3.0));
    CycleRecord row = test::row_at(ms, Phase::kPlaying, q);
    if (ms % 10 == 5) {
      test::add_reading(row, 0, ms - 2.0, to_rad(std::round(to_deg(q))));
      test::add_reading(row, 1, ms - 2.0, to_rad(std::round(to_deg(q))));
    }
    rows.push_back(row);
  }
  return rows;
}

std::string findings_of(const std::vector<CycleRecord>& rows) {
  RecordCheck check(test::two_joint_wiring());
  for (const CycleRecord& row : rows) check.add(row);
  std::string text;
  for (const std::string& finding : check.findings()) text += finding + "\n";
  return text;
}

TEST(RecordCheck, NothingIsOddAboutAGoodRun) {
  EXPECT_EQ(findings_of(good_rows()), "");
}

TEST(RecordCheck, WithoutSamplesOrReadings) {
  EXPECT_NE(findings_of({}).find("no samples"), std::string::npos);
  std::vector<CycleRecord> rows = good_rows();
  for (CycleRecord& row : rows) row.in.sample_is_new = false;
  EXPECT_NE(findings_of(rows).find("no readings"), std::string::npos);
}

TEST(RecordCheck, AReadingThatStaysWhileTheModelMoves) {
  std::vector<CycleRecord> rows = good_rows();
  for (std::size_t i = 1000; i < rows.size(); ++i) rows[i].in.sample.angle[1] = to_rad(7.0);
  const std::string text = findings_of(rows);
  EXPECT_NE(text.find("right_knee: the reading stays at 7 deg from 1.00 to 3.99 s"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("left_knee"), std::string::npos) << text;
}

TEST(RecordCheck, AJointThatRestsAsItsModelDoesIsNotStuck) {
  std::vector<CycleRecord> rows = good_rows();
  for (CycleRecord& row : rows) {
    row.in.sample.angle[1] = 0.0;
    row.out.q_simulated[1] = to_rad(1.0);
  }
  EXPECT_EQ(findings_of(rows), "");
}

TEST(RecordCheck, AClockThatWasSet) {
  std::vector<CycleRecord> rows = good_rows();
  for (std::size_t i = 3000; i < rows.size(); ++i) rows[i].in.now_ns += 1'000'000'000'000;
  EXPECT_NE(findings_of(rows).find("set 1000.0 s forward after 3.00 s"), std::string::npos)
      << findings_of(rows);
  rows = good_rows();
  for (std::size_t i = 3000; i < 3200; ++i) rows[i].in.now_ns -= 1'000'000'000;
  EXPECT_NE(findings_of(rows).find("200 samples whose time does not rise"), std::string::npos)
      << findings_of(rows);
}

TEST(RecordCheck, MissingSamples) {
  std::vector<CycleRecord> rows = good_rows();
  rows.erase(rows.begin() + 1000, rows.begin() + 2500);
  const std::string text = findings_of(rows);
  EXPECT_NE(text.find("1500 samples are missing in 1 places"), std::string::npos) << text;
  EXPECT_EQ(text.find("clock"), std::string::npos) << text;
  rows.erase(rows.begin() + 500);
  EXPECT_NE(findings_of(rows).find("1501 samples are missing in 2 places"), std::string::npos);
}

TEST(RecordCheck, TwoGainSets) {
  std::vector<CycleRecord> rows = good_rows();
  for (const std::size_t i : {1500u, 2500u}) {
    rows[i].in.tuning_is_new = true;
    rows[i].in.tuning.num_values = 3;
    rows[i].in.tuning.version = rows[i].out.tuning_version = i;
  }
  EXPECT_NE(findings_of(rows).find("changed 2 times, first at 1.50 s"), std::string::npos)
      << findings_of(rows);
}

}  // namespace
}  // namespace kagami::tools
