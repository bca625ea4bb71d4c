// Records made from tables of other programs, through the commands.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "models/base/text_file.hpp"
#include "tools/test/replay_case.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;
using test::ReplayCase;
using test::TempFolder;

/// deg RMS per joint, and of all behind them.
std::vector<double> rms_of(const std::string& record) {
  CliCase c;
  EXPECT_EQ(c.run({"compare", record, "--json"}), 0) << c.err;
  std::vector<double> rms;
  const nlohmann::json answer = c.json();
  for (const auto& joint : answer["joints"]) {
    rms.push_back(joint["rms_deg"].is_null() ? 0.0 : joint["rms_deg"].get<double>());
  }
  rms.push_back(answer["rms_deg"]);
  return rms;
}

// What the boards received and read is in the table to half a millisecond.
TEST(LogImport, ATableOfOursGivesTheSameGapAgain) {
  ReplayCase run;
  ASSERT_EQ(run.replay("bow", {"--no-report", "-q"}), 0) << run.err;
  const std::string csv = run.folder.file("bow.csv");
  ASSERT_EQ(run.run({"log", "export", run.out_dir, "--out", csv}), 0) << run.err;
  const std::string again = run.folder.file("again");
  ASSERT_EQ(run.run({"log", "import", csv, "--out", again, "--json"}), 0) << run.err;
  EXPECT_EQ(run.json()["schema"], "kagami.log_import/1");
  EXPECT_EQ(run.json()["joints"].size(), 17u);
  const std::vector<double> before = rms_of(run.out_dir);
  const std::vector<double> after = rms_of(again);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t j = 0; j < before.size(); ++j) EXPECT_NEAR(before[j], after[j], 0.05) << j;
  EXPECT_GT(before.back(), 0.3);  // deg; there is a gap to keep
}

/// A servo at rest at 0, commanded once to 20.4 deg, and measured there 2 deg further.
std::string step_table() {
  std::string text = "time_ms;cmd_deg;measured_deg\n";
  for (int k = 0; k < 300; ++k) {
    const double t = 0.01 * k - 0.5;
    const double q = t < 0.0 ? 2.0 : 22.4 - 20.4 * std::exp(-t / 0.1) * (1.0 + t / 0.1);
    std::string row =
        std::to_string(10 * k) + ";" + (t < 0.0 ? "0" : "20.4") + ";" + std::to_string(q) + "\n";
    for (char& c : row) c = c == '.' ? ',' : c;
    text += row;
  }
  return text;
}

struct BenchCase : CliCase {
  TempFolder folder;
  std::string robot = folder.file("bench");
  std::string csv = folder.file("step.csv");
  std::string out_dir = folder.file("out");

  BenchCase() {
    EXPECT_EQ(run({"robot", "new", robot, "--single-servo", "--mass", "0.02", "--arm", "0.03"}), 0)
        << err;
    std::ofstream(csv) << step_table();
  }
  int import(std::vector<std::string> more = {}) {
    std::vector<std::string> args = {"log", "import", csv, "--model", robot, "--out", out_dir};
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
};

TEST(LogImport, ASingleServoIsComparedWithItsModel) {
  BenchCase c;
  ASSERT_EQ(c.import(), 0) << c.err;
  for (const char* part : {"300 rows", "semicolons", "decimal commas", "in ms, by its name",
                           "column 2 'cmd_deg'", "record: "}) {
    EXPECT_NE(c.out.find(part), std::string::npos) << part << "\n" << c.out;
  }
  ASSERT_EQ(c.run({"compare", c.out_dir, "--json"}), 0) << c.err;
  const nlohmann::json joint = c.json()["joints"][0];
  EXPECT_EQ(joint["name"], "servo");
  EXPECT_EQ(joint["samples"], 300);
  // the servo's lag is 0.2 s, the model's 0.05 s and that of its loop; a model that went to whole
  // degrees would be 0.33 deg further away
  const double loop = (0.5 + 0.853 / 6.16) / 20.0;
  const double ahead = 20.4 * (0.2 - 0.05 - loop) / 2.99;  // deg, mean over the 2.99 s
  EXPECT_NEAR(joint["bias_deg"].get<double>(), ahead - 2.0, 0.1);
  ASSERT_EQ(c.run({"log", "info", c.out_dir, "--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["metadata"]["kagami.run"]["imported_from"], c.csv);
  EXPECT_EQ(c.json()["complete"], true);
}

TEST(LogImport, ARecordIsNotReplacedAndNotVerified) {
  BenchCase c;
  ASSERT_EQ(c.import(), 0) << c.err;
  EXPECT_EQ(c.import(), 2);
  EXPECT_NE(c.err.find("a record exists"), std::string::npos) << c.err;
  EXPECT_EQ(c.import({"--force"}), 0) << c.err;
  EXPECT_EQ(c.run({"verify", c.out_dir}), 2);
  EXPECT_NE(c.err.find("was imported from"), std::string::npos) << c.err;
}

TEST(LogImport, AFaultLeavesNoRecord) {
  BenchCase c;
  std::ofstream(c.csv, std::ios::app) << "5000;1;1\n5000;1;1\n";
  EXPECT_EQ(c.import(), 2);
  EXPECT_NE(c.err.find("row 303, column 1 'time_ms': repeats"), std::string::npos) << c.err;
  EXPECT_FALSE(std::filesystem::exists(c.out_dir));
  EXPECT_EQ(c.import({"--skip-bad-rows"}), 0) << c.err;
  EXPECT_NE(c.err.find("1 bad rows"), std::string::npos) << c.err;
}

TEST(RobotNew, EveryCommandThatTakesARobotTakesIt) {
  BenchCase c;
  EXPECT_EQ(c.run({"replay", c.robot + "/steps.json", "--model", c.robot, "--on", "stand",
                   "--clock", "virtual", "--out", c.out_dir, "--json"}),
            0)
      << c.err;
  EXPECT_LT(c.json()["rms_deg"].get<double>(), 0.5);
  EXPECT_EQ(c.run({"verify", c.out_dir}), 0) << c.err;
  EXPECT_EQ(c.run({"robot", "new", c.robot, "--single-servo"}), 2);
  EXPECT_NE(c.err.find("exists already"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"robot", "new", c.folder.file("other")}), 2);
  EXPECT_EQ(c.run({"robot", "new", c.folder.file("other"), "--single-servo", "--joint", "a\"b"}),
            2);
  EXPECT_FALSE(std::filesystem::exists(c.folder.file("other")));
}

}  // namespace
}  // namespace kagami::tools
