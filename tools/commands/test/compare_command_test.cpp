#include <gtest/gtest.h>

#include <cmath>
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

nlohmann::json joint_of(const nlohmann::json& rows, const std::string& name) {
  for (const nlohmann::json& row : rows)
    if (row["name"] == name) return row;
  return nullptr;
}

RecordedRun delayed(double delay) {
  RecordedRun run;
  run.delay = delay;
  return run;
}

TEST(CompareCommand, ShowsSeventeenJoints) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"), delayed(0.02));
  CliCase c;
  ASSERT_EQ(c.run({"compare", folder.file("run.mcap")}), 0) << c.err;
  constexpr int kSentences = 2;  // how far apart, what happened
  EXPECT_EQ(std::count(c.out.begin(), c.out.end(), '\n'), kSentences + 1 + 1 + 17 + 3) << c.out;
  EXPECT_EQ(c.out.rfind("Robot and model were 0.47 deg RMS apart over 4760 readings; ", 0), 0u)
      << c.out;
  EXPECT_NE(c.out.find("left_knee"), std::string::npos);
  EXPECT_NE(c.err.find("warning: no causes: "), std::string::npos) << "its model is not recorded";
}

TEST(CompareCommand, JsonIsOneObjectWithTheMetrics) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"), delayed(0.02));
  CliCase c;
  ASSERT_EQ(c.run({"compare", folder.file("run.mcap"), "--json"}), 0) << c.err;
  const nlohmann::json object = c.json();
  EXPECT_EQ(object["schema"], "kagami.compare/1");
  EXPECT_EQ(object["motion"], "walk_forward");
  ASSERT_EQ(object["joints"].size(), 17u);
  const nlohmann::json knee = joint_of(object["joints"], "left_knee");
  EXPECT_NEAR(knee["lag_ms"].get<double>(), 20.0, 1.5);  // ms; whole degrees at 100 Hz
  EXPECT_LT(knee["lag_sigma_ms"].get<double>(), 1.5);
  EXPECT_GT(knee["beyond_noise_deg"].get<double>(), 1.0);
  EXPECT_NEAR(object["mean_abs_deg"].get<double>(), 0.14, 0.01);
  EXPECT_EQ(knee["samples"], 280);  // 2.8 s after the lead-in
  EXPECT_TRUE(joint_of(object["joints"], "left_elbow")["lag_ms"].is_null());
}

TEST(CompareCommand, ToleranceDecidesTheExitCode) {
  const TempFolder folder;
  RecordedRun run;
  run.offset_deg = 2.0;
  write_record(folder.file("run.mcap"), run);
  CliCase c;
  EXPECT_EQ(c.run({"compare", folder.file("run.mcap"), "--tolerance", "2.5"}), 0) << c.err;
  EXPECT_EQ(c.run({"compare", folder.file("run.mcap"), "--tolerance", "1.5"}), 6);
  EXPECT_NE(c.err.find("above the tolerance of 1.50 deg RMS: left_knee 2.0"), std::string::npos)
      << c.err;
  EXPECT_EQ(c.run({"compare", folder.file("run.mcap"), "--tolerance", "1.5", "--json"}), 6);
  EXPECT_EQ(c.json()["within_tolerance"], false);
}

TEST(CompareCommand, BaselineShowsWhatChanged) {
  const TempFolder folder;
  write_record(folder.file("a.mcap"), delayed(0.0));
  write_record(folder.file("b.mcap"), delayed(0.02));
  CliCase c;
  ASSERT_EQ(
      c.run({"compare", folder.file("b.mcap"), "--baseline", folder.file("a.mcap"), "--json"}), 0);
  const nlohmann::json change = joint_of(c.json()["changes"], "right_knee");
  EXPECT_NEAR(change["lag_ms"].get<double>(), 20.0, 1.5);  // ms
  ASSERT_EQ(c.run({"compare", folder.file("b.mcap"), "--baseline", folder.file("a.mcap")}), 0);
  EXPECT_NE(c.out.find("Change against the baseline"), std::string::npos);
}

TEST(CompareCommand, WithABaselineToleranceJudgesTheChange) {
  const TempFolder folder;
  RecordedRun run;
  run.offset_deg = 2.0;
  write_record(folder.file("a.mcap"), run);
  run.offset_deg = -2.0;
  write_record(folder.file("b.mcap"), run);
  const std::string a = folder.file("a.mcap");
  const std::string b = folder.file("b.mcap");
  const std::string xml = folder.file("verdict.xml");
  CliCase c;
  EXPECT_EQ(c.run({"compare", b, "--baseline", a, "--tolerance", "3", "--junit", xml}), 6);
  EXPECT_NE(c.err.find("deg of change: left_knee 4.0"), std::string::npos) << c.err;
  const std::string text = read_text_file(xml);
  EXPECT_NE(text.find("tests=\"17\" failures=\"1\""), std::string::npos) << text;
  EXPECT_EQ(c.run({"compare", a, "--baseline", a, "--tolerance", "0.01"}), 0) << c.err;
  EXPECT_NE(c.out.find("Both records have equal readings"), std::string::npos) << c.out;
  EXPECT_EQ(c.run({"compare", a, "--junit", xml}), 2) << "nothing to judge by";
}

TEST(CompareCommand, RepeatsWidenTheNoise) {
  const TempFolder folder;
  RecordedRun run;
  write_record(folder.file("a.mcap"), run);
  run.offset_deg = 2.0;
  write_record(folder.file("b.mcap"), run);
  CliCase c;
  const std::string b = folder.file("b.mcap");
  ASSERT_EQ(c.run({"compare", b, "--repeat", folder.file("a.mcap"), "--json"}), 0) << c.err;
  const nlohmann::json knee = joint_of(c.json()["joints"], "left_knee");
  EXPECT_NEAR(knee["noise_deg"].get<double>(), std::sqrt(2.0), 0.01);  // deg, of two runs 2 apart
  run.motion = "push_up";
  write_record(folder.file("other.mcap"), run);
  EXPECT_EQ(c.run({"compare", b, "--repeat", folder.file("other.mcap")}), 2);
  EXPECT_NE(c.err.find("expected runs of the same motion"), std::string::npos) << c.err;
}

TEST(CompareCommand, WritesAPage) {
  const TempFolder folder;
  RecordedRun run;
  run.motion = "<script>walk</script>";
  write_record(folder.file("run.mcap"), run);
  CliCase c;
  ASSERT_EQ(c.run({"compare", folder.file("run.mcap"), "--html", folder.file("run.html")}), 0);
  const std::string page = read_text_file(folder.file("run.html"));
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_EQ(page.find("<script>walk"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;walk"), std::string::npos);
}

TEST(CompareCommand, WritesFiguresWithTheAnswerBesideThem) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"), delayed(0.02));
  write_record(folder.file("base.mcap"));
  CliCase c;
  ASSERT_EQ(c.run({"compare", folder.file("run.mcap"), "--baseline", folder.file("base.mcap"),
                   "--figures", folder.file("figures"), "--json"}),
            0)
      << c.err;
  EXPECT_EQ(nlohmann::json::parse(read_text_file(folder.file("figures/result.json"))), c.json());
  const std::string csv = read_text_file(folder.file("figures/joint_left_knee.csv"));
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "t_s,base_deg,base_twin_deg,base_difference_deg,reference_deg,measured_deg,twin_deg,"
            "loop_deg,difference_deg");
  EXPECT_NE(read_text_file(folder.file("figures/heat.svg")).find("<svg xmlns="), std::string::npos);
}

TEST(CompareCommand, PageThatCannotBeWrittenIsAFailure) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  EXPECT_EQ(c.run({"compare", folder.file("run.mcap"), "--html", folder.file("no/run.html")}), 1);
  EXPECT_NE(c.err.find("no/run.html' cannot be written: No such file"), std::string::npos) << c.err;
}

TEST(CompareCommand, MissingRecordIsAUsageError) {
  CliCase c;
  EXPECT_EQ(c.run({"compare", "/nowhere/run.mcap"}), 2);
  EXPECT_NE(c.err.find("/nowhere/run.mcap"), std::string::npos) << c.err;
  EXPECT_EQ(c.out, "");
}

TEST(CompareCommand, FileThatIsNoRecordIsABadInputFile) {
  const TempFolder folder;
  std::ofstream(folder.file("run.mcap")) << "hello";
  CliCase c;
  EXPECT_EQ(c.run({"compare", folder.file("run.mcap"), "--json"}), 2);
  EXPECT_EQ(c.out, "");
  EXPECT_NE(c.err.find("run.mcap"), std::string::npos) << c.err;
}

TEST(CompareCommand, McapWithoutARunReportsWhatIsMissing) {
  const TempFolder folder;
  RecordedRun run;
  run.with_robot = false;
  write_record(folder.file("a.mcap"), run);
  run.with_robot = true;
  run.with_cycle = false;
  write_record(folder.file("b.mcap"), run);
  CliCase c;
  EXPECT_EQ(c.run({"compare", folder.file("a.mcap")}), 2);
  EXPECT_NE(c.err.find("no attachment 'robot.json'"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"compare", folder.file("b.mcap")}), 2);
  EXPECT_NE(c.err.find("no channel /cycle"), std::string::npos) << c.err;
}

TEST(CompareCommand, CutRecordIsComparedAsFarAsItGoes) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  std::filesystem::resize_file(folder.file("run.mcap"),
                               std::filesystem::file_size(folder.file("run.mcap")) * 3 / 4);
  CliCase c;
  ASSERT_EQ(c.run({"compare", folder.file("run.mcap"), "--json"}), 1) << c.err;
  EXPECT_EQ(c.json()["complete"], false);
  EXPECT_GT(joint_of(c.json()["joints"], "left_knee")["samples"].get<int>(), 100);
  EXPECT_NE(c.err.find("warning: "), std::string::npos) << c.err;
}

TEST(CompareCommand, ToleranceOutOfRangeIsAUsageError) {
  const TempFolder folder;
  write_record(folder.file("run.mcap"));
  CliCase c;
  EXPECT_EQ(c.run({"compare", folder.file("run.mcap"), "--tolerance", "-1"}), 2);
  EXPECT_NE(c.err.find("--tolerance"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"compare", folder.file("run.mcap"), "--tolerence", "1"}), 2);
  EXPECT_NE(c.err.find("did you mean '--tolerance'?"), std::string::npos) << c.err;
}

TEST(CompareCommand, TheBaselineOfAnotherMotionIsNamed) {
  const TempFolder folder;
  RecordedRun other;
  other.motion = "bow";
  write_record(folder.file("a.mcap"));
  write_record(folder.file("b.mcap"), other);
  CliCase c;
  ASSERT_EQ(c.run({"compare", folder.file("a.mcap"), "--baseline", folder.file("b.mcap")}), 0)
      << c.err;
  EXPECT_NE(c.err.find("b.mcap: another motion, bow"), std::string::npos) << c.err;
}

}  // namespace
}  // namespace kagami::tools
