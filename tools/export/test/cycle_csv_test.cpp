#include "tools/export/cycle_csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tools/test/cycle_rows.hpp"

namespace kagami::tools {
namespace {

using runtime::Phase;
using test::add_reading;
using test::row_at;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

struct CsvCase {
  std::ostringstream out;
  CycleCsv csv{out, test::two_joint_wiring()};

  std::vector<std::string> finish() {
    csv.finish();
    return lines_of(out.str());
  }
};

TEST(CycleCsv, BeginsWithTimeAndOneColumnPerJointAndQuantity) {
  CsvCase c;
  const auto header = cells_of(c.finish().at(0));
  ASSERT_EQ(header.size(), 3u + 6u * 2u + 9u + 2u * 2u + 2u);
  EXPECT_EQ(header[0], "t");
  EXPECT_EQ(header[3], "q_reference/left_knee");
  EXPECT_EQ(header[9], "q_measured/left_knee");
  EXPECT_EQ(header[14], "torque_simulated/right_knee");
}

TEST(CycleCsv, EveryLineHasTheColumnsOfTheHeader) {
  CsvCase c;
  for (int ms = 0; ms < 20; ++ms) {
    auto row = row_at(ms, Phase::kPlaying, 0.1 * ms);
    if (ms % 5 == 4) add_reading(row, 0, ms - 2.0, 0.5);
    c.csv.add(row);
  }
  const auto lines = c.finish();
  ASSERT_EQ(lines.size(), 21u);
  for (const std::string& line : lines) EXPECT_EQ(cells_of(line).size(), 30u) << line;
  EXPECT_EQ(c.csv.lines(), 20u);
}

TEST(CycleCsv, ReadingStandsWhereItWasTakenNotWhereItArrived) {
  CsvCase c;
  for (int ms = 0; ms < 10; ++ms) {
    auto row = row_at(ms, Phase::kPlaying, 0.0);
    if (ms == 8) {
      add_reading(row, 1, 3.4, 0.625);
      row.out.residual_is_new[1] = true;
      row.out.residual[1] = -0.25;
    }
    c.csv.add(row);
  }
  const auto lines = c.finish();
  for (int ms = 0; ms < 10; ++ms) {
    const auto cells = cells_of(lines.at(static_cast<std::size_t>(ms) + 1));
    EXPECT_EQ(cells[10], ms == 3 ? "0.625" : "") << ms;
    EXPECT_EQ(cells[12], ms == 3 ? "-0.25" : "") << ms;
    EXPECT_EQ(cells[9], "") << "the other board has not been read";
  }
}

TEST(CycleCsv, AgesOfReadingsAndAllEventsAreInTheirRow) {
  CsvCase c;
  auto row = row_at(8, Phase::kPlaying, 0.0);
  add_reading(row, 1, 3.0, 0.625);
  row.out.num_events = 2;
  row.out.events[0].code = runtime::EventCode::kRateClamped;
  row.out.events[1].code = runtime::EventCode::kShadowReset;
  c.csv.add(row);
  const auto lines = c.finish();
  const auto cells = cells_of(lines.at(1));
  const auto at = [&](const std::string& name) {
    const auto header = cells_of(lines.at(0));
    const auto found = std::find(header.begin(), header.end(), name);
    return cells.at(static_cast<std::size_t>(found - header.begin()));
  };
  EXPECT_EQ(at("reading_age/1"), "");
  EXPECT_EQ(at("reading_age/2"), "0.005000");
  EXPECT_EQ(at("events"), std::string(event_name(row.out.events[0].code)) + " " +
                              event_name(row.out.events[1].code));
}

TEST(CycleCsv, CommandStandsWhereTheBoardReceivedIt) {
  CsvCase c;
  for (int ms = 0; ms < 10; ++ms) {
    auto row = row_at(ms, Phase::kPlaying, 0.0);
    if (ms >= 6) {
      drivers::BoardCommand& command = row.in.sample.command[1];
      command.mode = drivers::TargetMode::kPositions;
      command.sequence = 1;
      command.speed = 3;
      command.effective_ns = row_at(2, Phase::kPlaying, 0.0).in.now_ns;
      command.counts[2] = 120;  // 30 deg from home
    }
    c.csv.add(row);
  }
  const auto lines = c.finish();
  for (int ms = 0; ms < 10; ++ms) {
    const auto cells = cells_of(lines.at(static_cast<std::size_t>(ms) + 1));
    EXPECT_EQ(cells[27], ms == 2 ? "3" : "") << ms;          // speed_code/2
    EXPECT_EQ(cells[28], "") << "the other board got none";  // q_received/left_knee
    EXPECT_EQ(cells[29], ms == 2 ? "0.5235988" : "") << ms;
  }
}

TEST(CycleCsv, GainsStandWhereTheyChange) {
  std::ostringstream out;
  CycleCsv csv(out, test::two_joint_wiring(), {"pid/left_knee/kp", "pid/left_knee/ki"});
  csv.set_gains({0.2, 1.0});
  for (int ms = 0; ms < 4; ++ms) {
    if (ms == 2) csv.set_gains({0.7, 1.0});
    csv.add(row_at(ms, Phase::kPlaying, 0.0));
  }
  csv.finish();
  const auto lines = lines_of(out.str());
  EXPECT_EQ(cells_of(lines[0])[30], "gain/pid/left_knee/kp");
  for (const auto& [line, value] : {std::pair{1, "0.2"}, {2, ""}, {3, "0.7"}, {4, ""}}) {
    EXPECT_EQ(cells_of(lines.at(static_cast<std::size_t>(line)))[30], value) << line;
  }
}

TEST(CycleCsv, TimeRisesStrictly) {
  CsvCase c;
  for (const int ms : {0, 1, 1, 2, 1, 5}) c.csv.add(row_at(ms, Phase::kPlaying, 0.0));
  const auto lines = c.finish();
  ASSERT_EQ(lines.size(), 5u);
  double before = -1.0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const double t = std::stod(cells_of(lines[i])[0]);
    EXPECT_GT(t, before);
    before = t;
  }
  EXPECT_EQ(c.csv.left_out(), 2u);
}

TEST(CycleCsv, NotANumberIsAnEmptyCell) {
  CsvCase c;
  c.csv.add(row_at(0, Phase::kWaiting, std::nan("")));
  const auto cells = cells_of(c.finish().at(1));
  EXPECT_EQ(cells[7], "");  // q_simulated/left_knee
  EXPECT_EQ(cells[0], "0.000000000");
}

TEST(CycleCsv, NamesFromFilesCannotBreakTheHeader) {
  RobotWiring wiring = test::two_joint_wiring();
  wiring.joints[0].joint = "a,b\"c\n/d";
  std::ostringstream out;
  CycleCsv csv(out, wiring);
  const auto lines = lines_of(out.str());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(cells_of(lines[0])[3], "q_reference/a_b_c__d");
}

TEST(CycleCsv, LongRunsAreWrittenAsTheyGo) {
  CsvCase c;
  for (int ms = 0; ms < 2000; ++ms) c.csv.add(row_at(ms, Phase::kPlaying, 0.0));
  EXPECT_GT(c.csv.lines(), 1400u) << "lines wait half a second at most";
}

}  // namespace
}  // namespace kagami::tools
