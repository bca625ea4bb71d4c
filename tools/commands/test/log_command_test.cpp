#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "models/base/text_file.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/record_file.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;
using test::RecordedRun;
using test::TempFolder;
using test::write_record;

TEST(LogInfo, CountsMessagesAndRates) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  ASSERT_EQ(c.run({"log", "info", folder.file("run.mcap"), "--json"}), 0) << c.err;
  const nlohmann::json object = c.json();
  EXPECT_EQ(object["schema"], "kagami.log_info/1");
  EXPECT_EQ(object["messages"], 3000);
  EXPECT_EQ(object["channels"][0]["topic"], "/cycle");
  EXPECT_NEAR(object["channels"][0]["rate_hz"].get<double>(), 1000.0, 1e-6);  // Hz; 2999 in 2.999 s
  EXPECT_EQ(object["metadata"]["kagami.run"]["robot"], "virtual");
  EXPECT_EQ(object["compression"], "zstd");
  EXPECT_EQ(object["index_rebuilt"], false);
  EXPECT_EQ(object["bytes"], std::filesystem::file_size(folder.file("run.mcap")));
}

TEST(LogInfo, ReportsTheSameAsText) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  ASSERT_EQ(c.run({"log", "info", folder.file("run.mcap")}), 0) << c.err;
  for (const char* expected :
       {"/cycle", "3000", "1000.0", "zstd", "kagami.run", "robot: virtual", "robot.json"})
    EXPECT_NE(c.out.find(expected), std::string::npos) << expected << "\n" << c.out;
}

TEST(LogInfo, ReportsThatTheIndexWasRebuilt) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  std::filesystem::resize_file(folder.file("run.mcap"),
                               std::filesystem::file_size(folder.file("run.mcap")) / 2);
  CliCase c;
  ASSERT_EQ(c.run({"log", "info", folder.file("run.mcap"), "--json"}), 1) << c.err;
  EXPECT_EQ(c.json()["index_rebuilt"], true);
  EXPECT_EQ(c.json()["complete"], false);
  EXPECT_NE(c.err.find("warning: "), std::string::npos);
  EXPECT_NE(c.err.find("incomplete"), std::string::npos);
}

TEST(LogInfo, NamesWhatIsOddAndWhatCanStillBeSaid) {
  const TempFolder folder;
  const std::string file = folder.file("run.mcap");
  CliCase c;
  RecordedRun run;
  run.other_version = true;
  write_record(file, run);
  ASSERT_EQ(c.run({"log", "info", file, "--json"}), 0) << c.err;
  EXPECT_NE(c.err.find("with other fields of /cycle"), std::string::npos) << c.err;
  EXPECT_EQ(c.json()["findings"].size(), 1u);
  for (const char* command : {"compare", "log changes"}) {
    const std::string name = command;
    const bool is_log = name != "compare";
    EXPECT_EQ(c.run(is_log ? std::vector<std::string>{"log", "changes", file}
                           : std::vector<std::string>{"compare", file}),
              2);
    EXPECT_NE(c.err.find("with other fields of /cycle"), std::string::npos) << c.err;
  }
  run = {};
  run.seconds = 0.0;
  std::filesystem::remove(file);
  write_record(file, run);
  ASSERT_EQ(c.run({"log", "info", file}), 0) << c.err;
  EXPECT_NE(c.err.find("no samples"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"compare", file}), 0) << c.err;
  EXPECT_NE(c.err.find("no samples: nothing can be compared"), std::string::npos) << c.err;
  run.seconds = 3.0;
  run.turned_at = 700;
  std::filesystem::remove(file);
  write_record(file, run);
  ASSERT_EQ(c.run({"log", "info", file}), 0) << c.err;
  EXPECT_EQ(c.err.find("gain sets"), std::string::npos) << "samples are not read: " << c.err;
  ASSERT_EQ(c.run({"log", "info", file, "--check"}), 0) << c.err;
  EXPECT_NE(c.err.find("changed 2 times, first at 0.70 s"), std::string::npos) << c.err;
}

TEST(LogChanges, NamesEachSetWithItsTick) {
  const TempFolder folder;
  RecordedRun run;
  run.turned_at = 700;
  write_record(folder.file("run.mcap"), run);
  CliCase c;
  ASSERT_EQ(c.run({"log", "changes", folder.file("run.mcap"), "--json"}), 0) << c.err;
  const nlohmann::json object = c.json();
  EXPECT_EQ(object["schema"], "kagami.log_changes/1");
  ASSERT_EQ(object["changes"].size(), 2u);
  EXPECT_EQ(object["changes"][1]["tick"], 1200);
  EXPECT_EQ(object["changes"][1]["version"], 2);
  EXPECT_EQ(object["changes"][1]["applied"], true);
  EXPECT_EQ(object["changes"][1]["values"], nlohmann::json({4.2, 10.0}));
  ASSERT_EQ(c.run({"log", "changes", folder.file("run.mcap")}), 0) << c.err;
  EXPECT_NE(c.out.find("      1 5.0, 2 10.0\n"), std::string::npos) << c.out;
  EXPECT_NE(c.out.find("      1 5.0 -> 4.2\n"), std::string::npos)
      << "only what differs: " << c.out;
}

// a joint is tested in a run, as on a robot; the record gives its metrics
TEST(LogTests, GivesTheMetricsOfAJointThatTheRunTested) {
  const TempFolder folder;
  CliCase c;
  ASSERT_EQ(
      c.run({"replay", "bow", "--clock", "virtual", "--on", "stand", "--controller", "pid",
             "--no-report", "--at", "8:test=step:left_elbow:10:1", "--out", folder.file("run")}),
      0)
      << c.err;
  ASSERT_EQ(c.run({"log", "tests", folder.file("run/run.mcap"), "--json"}), 0) << c.err;
  const nlohmann::json object = c.json();
  EXPECT_EQ(object["schema"], "kagami.log_tests/1");
  ASSERT_EQ(object["tests"].size(), 1u) << object;
  const nlohmann::json& test = object["tests"][0];
  EXPECT_EQ(test["kind"], "step");
  EXPECT_EQ(test["joint"], "left_elbow");
  EXPECT_NEAR(test["size_deg"].get<double>(), 10.0, 1e-9);
  EXPECT_NEAR(test["tick_to"].get<double>() - test["tick_from"].get<double>(), 1000.0, 2.0);
  // the step itself: its reference ends 10 deg from where it was
  const nlohmann::json& reference = test["curves"]["reference_deg"];
  const nlohmann::json& target = test["curves"]["target_deg"];
  EXPECT_NEAR(reference.back().get<double>() - reference.front().get<double>(), 10.0, 1e-9);
  EXPECT_GT(target.back().get<double>() - target.front().get<double>(), 0.5);
  ASSERT_EQ(c.run({"log", "tests", folder.file("run/run.mcap")}), 0) << c.err;
  EXPECT_NE(c.out.find("step left_elbow"), std::string::npos) << c.out;
}

TEST(LogTests, ReportsWhyATestWasAborted) {
  const TempFolder folder;
  CliCase c;
  c.run({"replay", "bow", "--clock", "virtual", "--on", "stand", "--no-report", "--at",
         "8:test=ramp:left_elbow:10:4", "--at", "10:stop=slow", "--out", folder.file("run")});
  ASSERT_EQ(c.run({"log", "tests", folder.file("run/run.mcap"), "--json"}), 0) << c.err;
  const nlohmann::json object = c.json();
  ASSERT_EQ(object["tests"].size(), 1u) << object;
  EXPECT_EQ(object["tests"][0]["joint"], "left_elbow");
  EXPECT_NE(object["tests"][0]["broken"], "");
  EXPECT_FALSE(object["tests"][0].contains("metrics"));
  ASSERT_EQ(c.run({"log", "tests", folder.file("run/run.mcap")}), 0) << c.err;
  EXPECT_NE(c.out.find("ramp left_elbow at tick"), std::string::npos) << c.out;
}

TEST(LogTests, ARunWithoutOneReportsIt) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  ASSERT_EQ(c.run({"log", "tests", folder.file("run.mcap")}), 0) << c.err;
  EXPECT_NE(c.out.find("no joint was tested"), std::string::npos) << c.out;
}

TEST(LogChanges, ARunWithoutChangesReportsIt) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  ASSERT_EQ(c.run({"log", "changes", folder.file("run.mcap")}), 0) << c.err;
  EXPECT_NE(c.out.find("nothing was changed"), std::string::npos) << c.out;
}

TEST(LogExport, WritesOneLinePerTick) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  ASSERT_EQ(
      c.run({"log", "export", folder.file("run.mcap"), "--out", folder.file("run.csv"), "--json"}),
      0)
      << c.err;
  EXPECT_EQ(c.json()["lines"], 3000);
  const std::string csv = read_text_file(folder.file("run.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3001);
  EXPECT_EQ(csv.rfind("t,phase,motion_time,q_reference/", 0), 0u);
  EXPECT_EQ(csv.size(), c.json()["bytes"].get<std::size_t>());
}

TEST(LogExport, PrintsTheSizeBefore) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  ASSERT_EQ(c.run({"log", "export", folder.file("run.mcap"), "--out", folder.file("run.csv")}), 0);
  EXPECT_EQ(c.err.rfind("writing about ", 0), 0u) << c.err;
}

TEST(LogExport, RefusesToOverwriteTheRecord) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  const auto before = std::filesystem::file_size(folder.file("run.mcap"));
  CliCase c;
  EXPECT_EQ(c.run({"log", "export", folder.file("run.mcap"), "--out", folder.file("run.mcap")}), 2);
  EXPECT_EQ(std::filesystem::file_size(folder.file("run.mcap")), before);
}

TEST(LogExport, UnwritableFileIsAFailure) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  EXPECT_EQ(c.run({"log", "export", folder.file("run.mcap"), "--out", folder.file("no/run.csv")}),
            1);
  EXPECT_NE(c.err.find("no/run.csv' cannot be written"), std::string::npos) << c.err;
}

TEST(LogExport, FullDiskIsAFailure) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  EXPECT_EQ(c.run({"log", "export", folder.file("run.mcap"), "--out", "/dev/full"}), 1);
  EXPECT_NE(c.err.find("check the space on the disk"), std::string::npos) << c.err;
}

TEST(LogExport, NeedsAnOutputFile) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  EXPECT_EQ(c.run({"log", "export", folder.file("run.mcap")}), 2);
  EXPECT_NE(c.err.find("--out"), std::string::npos) << c.err;
}

TEST(LogRecover, MakesACutRecordReadableButNotComplete) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  std::filesystem::resize_file(folder.file("run.mcap"),
                               std::filesystem::file_size(folder.file("run.mcap")) / 2);
  CliCase c;
  ASSERT_EQ(c.run({"log", "recover", folder.file("run.mcap"), "--out", folder.file("whole.mcap"),
                   "--json"}),
            0)
      << c.err;
  const auto messages = c.json()["messages"];
  ASSERT_EQ(c.run({"log", "info", folder.file("whole.mcap"), "--json"}), 1) << c.err;
  EXPECT_EQ(c.json()["messages"], messages);
  EXPECT_EQ(c.json()["index_rebuilt"], false);
  EXPECT_EQ(c.json()["complete"], false);  // the samples that were cut off are still missing
  EXPECT_EQ(c.json()["damage"], "");
}

TEST(LogCommands, FileThatIsNoRecordIsABadInputFile) {
  const TempFolder folder;
  std::ofstream(folder.file("x.mcap")) << "no record";
  CliCase c;
  EXPECT_EQ(c.run({"log", "info", folder.file("x.mcap")}), 2);
  EXPECT_NE(c.err.find("x.mcap"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"log", "export", folder.file("x.mcap"), "--out", folder.file("x.csv")}), 2);
  EXPECT_EQ(c.run({"log", "recover", folder.file("x.mcap"), "--out", folder.file("y.mcap")}), 2);
  EXPECT_EQ(c.run({"log", "info", folder.file("gone.mcap")}), 2);
}

TEST(LogCommands, UnknownCommandGetsTheNearest) {
  CliCase c;
  EXPECT_EQ(c.run({"log", "exprot"}), 2);
  EXPECT_NE(c.err.find("unknown command 'exprot', did you mean 'export'?"), std::string::npos);
}

}  // namespace
}  // namespace kagami::tools
