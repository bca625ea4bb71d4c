// The report's page, its data and its figures.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/page_data.hpp"
#include "tools/report/report.hpp"
#include "tools/report/report_script.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;

/// A run of `seconds`, ticks at 1 kHz and readings at 100 Hz, of joints with rising errors; a peak
/// of one reading is 40 deg high.
ReportData made_up(double seconds, std::size_t joints) {
  ReportData data;
  data.conclusion = {"Robot and model were 1.00 deg RMS apart."};
  data.run.facts.motion = "walk";
  data.run.facts.file = "run.mcap";
  RunCourse& course = data.run.course;
  course.duration = seconds;
  course.began = 0.0;
  course.states = {{0.0, seconds, "running", runtime::EventLevel::kInfo}};
  course.curves.resize(joints);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> noise(-1.0, 1.0);
  for (std::size_t j = 0; j < joints; ++j) {
    JointComparison joint;
    joint.name = "joint_" + std::to_string(j);
    joint.channel = static_cast<int>(j) + 1;
    joint.samples = static_cast<std::size_t>(100.0 * seconds);
    joint.rms_deg = 1.0 + static_cast<double>(j);
    joint.max_deg = 40.0;
    data.run.comparison.joints.push_back(joint);
    const auto ticks = static_cast<int>(1000.0 * seconds);
    const int each = seconds > 100.0 ? 5 : 1;  // fewer of them fill a long run, too
    for (int tick = 0; tick < ticks; tick += each) {
      const double t = 1e-3 * tick;
      const double angle = 30.0 * std::sin(t) + noise(random);
      JointCurves& curves = course.curves[j];
      curves.command.add(t, angle);
      curves.reference.add(t, angle);
      curves.simulated.add(t, angle);
      if (tick % 10 != 0) continue;
      curves.measured.add(t, std::round(angle));
      curves.difference.add(t, tick == ticks / 20 * 10 ? 40.0 : noise(random));
    }
  }
  data.run.comparison.samples = 100;
  data.run.comparison.rms_deg = 1.0;
  return data;
}

std::vector<int> numbers_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  for (std::size_t i = 0; i + 3 < text.size(); i += 4) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t digit = digits.find(text[i + k]);
      word = word << 6 | (digit == std::string::npos ? 0U : static_cast<std::uint32_t>(digit));
    }
    bytes += {static_cast<char>(word >> 16 & 0xFF), static_cast<char>(word >> 8 & 0xFF),
              static_cast<char>(word & 0xFF)};
    if (text[i + 3] == '=') bytes.pop_back();
    if (text[i + 2] == '=') bytes.pop_back();
  }
  std::vector<int> numbers;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto low = static_cast<unsigned char>(bytes[i]);
    const auto high = static_cast<unsigned char>(bytes[i + 1]);
    numbers.push_back(static_cast<std::int16_t>(static_cast<std::uint16_t>(high << 8 | low)));
  }
  return numbers;
}

TEST(ReportPage, TenMinutesOfSeventeenJointsStayUnderFiveMebibytes) {
  ReportData data = made_up(600.0, 17);
  data.baseline = data.run;
  const std::string page = report_page(data);
  EXPECT_LT(page.size(), kMostReportBytes);
  EXPECT_GT(page.size(), std::size_t{1} << 20) << "the curves are not there";
}

TEST(ReportPage, ALongListOfEventsLeavesRoomForTheCurves) {
  ReportData data = made_up(20.0, 17);
  for (int k = 0; k < 2000; ++k) {
    data.run.course.events.push_back(
        {0.01 * k, {k, runtime::EventCode::kRateClamped, 3, 1.0}, std::string(300, 'x')});
  }
  EXPECT_LT(report_page(data).size(), kMostReportBytes);
}

TEST(PageData, HasThePeaksOfAllReadings) {
  const ReportData data = made_up(60.0, 2);
  const json object = page_data(data, 20'000);  // few: every value stands for many
  EXPECT_EQ(object["schema"], "kagami.report/1");
  ASSERT_EQ(object["joints"].size(), 2u);
  EXPECT_EQ(object["joints"][0]["name"], "joint_1") << "sorted by error";
  for (const json& joint : object["joints"]) {
    ASSERT_EQ(joint["curves"].size(), 5u);
    const json& difference = joint["curves"][4];
    EXPECT_EQ(difference["key"], "difference");
    const double offset = difference["offset"].get<double>();
    const double step = difference["step"].get<double>();
    double most = -INFINITY;
    const std::vector<int> numbers = numbers_of(difference["values"].get<std::string>());
    for (const int number : numbers) {
      if (number != -32768) most = std::max(most, offset + step * number);
    }
    EXPECT_NEAR(most, 40.0, 1e-3);  // deg, half a step of 16 bits
    EXPECT_EQ(difference["greatest"], 40.0);
    const double end = joint["stretch_s"].get<double>() * static_cast<double>(numbers.size()) / 2.0;
    EXPECT_NEAR(end, 60.0, 1.01 * joint["stretch_s"].get<double>());
    EXPECT_LT(difference["values"].get<std::string>().size(), 4000u);
  }
}

TEST(PageData, ShortRunsKeepFiveMilliseconds) {
  const json object = page_data(made_up(5.0, 1), 1'000'000);
  EXPECT_DOUBLE_EQ(object["joints"][0]["stretch_s"].get<double>(), 0.005);
}

TEST(HeatFigure, ShowsTheLargestDifferenceOfEachStretch) {
  const ReportData data = made_up(600.0, 2);
  const std::string csv = heat_figure(data).csv;
  EXPECT_NE(csv.find(",40,40\n"), std::string::npos) << "the peak of one reading in ten minutes";
  EXPECT_EQ(csv.rfind("t_s,\"joint_1_deg\",\"joint_0_deg\"\n", 0), 0u) << csv.substr(0, 80);
}

TEST(ReportPage, TextsOfTheRecordAreNoMarkup) {
  ReportData data = made_up(1.0, 1);
  const std::string hostile =
      "</script><script>alert(1)</script><img src=x onerror=\"a\">'\xFF\x01";
  data.conclusion = {hostile};
  data.run.facts.motion = data.run.facts.robot = data.run.facts.date = hostile;
  data.run.facts.file = data.run.facts.incomplete = hostile;
  data.run.facts.run["program"] = hostile;
  data.run.facts.config = {{"motion_file", hostile}, {"on", hostile}, {"faults", hostile}};
  data.run.facts.result = {{"state_hash", hostile}, {"line", hostile}, {"fell", hostile}};
  data.run.comparison.joints[0].name = hostile;
  RunCourse& course = data.run.course;
  course.events.push_back({0.5, {0, runtime::EventCode::kStarted, -1, 0.0}, hostile});
  course.states[0].what = hostile;
  course.controllers = course.faults = course.states;
  course.gains.push_back({0.5, hostile, true});
  course.durations.push_back({hostile, hostile, {{10.0, 3.0}}, 1.0, 2.0, 3.0});
  data.more.push_back({"more",
                       hostile,
                       hostile,
                       hostile,
                       hostile,
                       {{hostile, {{hostile, {1.0, 2.0}, {1.0, 2.0}, true}}, hostile}}});
  data.baseline = data.run;
  const std::string page = report_page(data);
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = page.find("<script", at)) != std::string::npos; ++at) ++scripts;
  EXPECT_EQ(scripts, report_script().text.empty() ? 0u : 2u) << "the page's own";
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("onerror=\"a\""), std::string::npos);
  EXPECT_NO_THROW((void)json(page).dump()) << "no valid UTF-8";
  for (const ReportFigure& figure : all_figures(data)) {
    EXPECT_EQ(figure.svg.file_text().find("<script"), std::string::npos) << figure.id;
    EXPECT_EQ(figure.id.find_first_of("/.<>"), std::string::npos) << figure.id;
  }
}

TEST(ReportPage, LoadsNothing) {
  const std::string page = report_page(made_up(1.0, 2));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* token : {"src=", "<link", "@import", "url("}) {
    // the libraries' script may name such words; the page itself must not
    const std::string own = page.substr(0, page.find("<script>"));
    EXPECT_EQ(own.find(token), std::string::npos) << token;
  }
}

TEST(ReportPage, AnEmptyRunIsStillAPage) {
  ReportData data;
  EXPECT_NE(report_page(data).find("nothing can be compared"), std::string::npos);
  data.run.comparison.joints.resize(1);
  data.run.comparison.joints[0].name = "left_knee";
  EXPECT_NE(report_page(data).find("left_knee"), std::string::npos) << "without any curve";
}

TEST(ReportPage, SortsTheJointsByError) {
  const std::string page = report_page(made_up(1.0, 3));
  EXPECT_LT(page.find("id=\"joint-2\""), page.find("id=\"joint-1\""));
  EXPECT_LT(page.find("id=\"joint-1\""), page.find("id=\"joint-0\""));
}

TEST(ReportPage, TheBaselineIsDrawnToo) {
  ReportData data = made_up(2.0, 2);
  data.baseline = data.run;
  data.baseline->course.began = 0.5;
  EXPECT_DOUBLE_EQ(baseline_shift(data), -0.5);
  const std::vector<DrawnCurve> curves = drawn_curves(data, 1, 0.0);
  ASSERT_EQ(curves.size(), 8u);
  EXPECT_EQ(curves[0].key, "base");
  EXPECT_NE(report_page(data).find("baseline measured"), std::string::npos);
  data.baseline->comparison.joints[1].name = "of another robot";
  EXPECT_EQ(drawn_curves(data, 1, 0.0).size(), 5u);
}

TEST(SmallMultiples, HaveAPanelForEachAndAValueForEachPoint) {
  SmallMultiples multiples;
  multiples.id = "history";
  multiples.title = "History";
  multiples.x_label = "run";
  multiples.y_label = "RMS, deg";
  for (int j = 0; j < 17; ++j) {
    multiples.panels.push_back(
        {"joint_" + std::to_string(j), {{"RMS", {1.0, 2.0, 3.0}, {0.5, NAN, 0.25 * j}, true}}, ""});
  }
  const ReportFigure figure = figure_of(multiples);
  const std::string svg = figure.svg.file_text();
  std::size_t dots = 0;
  for (std::size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at) ++dots;
  EXPECT_EQ(dots, 34u) << "a gap has no dot";
  EXPECT_NE(figure.csv.find("\"joint_16\",\"RMS\",3,4\n"), std::string::npos) << figure.csv;
  EXPECT_EQ(std::count(figure.csv.begin(), figure.csv.end(), '\n'), 1 + 17 * 3);
  ReportData data = made_up(1.0, 1);
  data.more.push_back(multiples);
  EXPECT_NE(report_page(data).find("id=\"history-section\""), std::string::npos);
}

TEST(Figures, AreWrittenAsSvgAndCsv) {
  const test::TempFolder folder;
  ReportData data = made_up(2.0, 2);
  data.run.comparison.joints[1].name = "joint/0";  // the same file name after the change
  write_figures(folder.path() / "new/figures", data);
  for (const char* name : {"timeline", "heat", "joint_joint_0", "joint_joint_0_2"}) {
    const std::string svg =
        read_text_file(folder.path() / "new/figures" / (std::string(name) + ".svg"));
    EXPECT_NE(svg.find("xmlns=\"http://www.w3.org/2000/svg\""), std::string::npos) << name;
    EXPECT_EQ(svg.find("var(--"), std::string::npos) << "not every program knows variables";
    EXPECT_GT(read_text_file(folder.path() / "new/figures" / (std::string(name) + ".csv")).size(),
              20u);
  }
  const std::string csv = read_text_file(folder.path() / "new/figures/joint_joint_0.csv");
  EXPECT_EQ(csv.rfind("t_s,command_deg,reference_deg,measured_deg,twin_deg,difference_deg\n", 0),
            0u);
  std::filesystem::create_directories(folder.path() / "file");
  EXPECT_THROW(write_figures("/proc/no", data), RecordError);
}

TEST(ReproductionCommands, NameTheOptionsOfTheRun) {
  RecordFacts facts;
  facts.file = "it's.mcap";
  facts.config = {
      {"motion_file", "walk.json"},
      {"clock", "virtual"},
      {"on", "floor"},
      {"rate_hz", 500.0},
      {"mode", "auto"},
      {"read_every", 3},
      {"answer_latency_s", 0.004},
      {"board", "fast"},
      {"timeline",
       {{{"at_s", 1.5}, {"do", "controller=pid_2"}}, {{"at_s", 2.0}, {"do", "pause"}}}}};
  const std::vector<std::string> commands = reproduction_commands(facts);
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0],
            "kagami replay walk.json --clock virtual --rate 500.0 --read every:3 --latency 4 "
            "--switch 1.5:pid_2 --at 2:pause");
  EXPECT_EQ(commands[1], "kagami verify 'it'\\''s.mcap'");
}

TEST(Base64, IsThatOfRfc4648) {
  for (const auto& [bytes, text] : {std::pair{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="},
                                    {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(base64(bytes), text);
  }
}

TEST(RoundTicks, AreRoundAndInside) {
  for (const double from : {-3.7, 0.0, 12.0}) {
    for (const double span : {1e-3, 0.7, 9.0, 600.0}) {
      const std::vector<double> ticks = round_ticks(from, from + span, 8);
      ASSERT_GE(ticks.size(), 3u);
      EXPECT_LE(ticks.size(), 10u);
      EXPECT_GE(ticks.front(), from - 1e-9);
      EXPECT_LE(ticks.back(), from + span + 1e-9);
    }
  }
  EXPECT_EQ(round_ticks(1.0, 1.0, 5).size(), 1u);
  EXPECT_EQ(log_ticks(1.0, 10.0), (std::vector<double>{1.0, 2.0, 5.0, 10.0}));
}

}  // namespace
}  // namespace kagami::tools
