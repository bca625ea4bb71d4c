#include "tools/analysis/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "models/base/errors.hpp"
#include "tools/test/synthetic_run.hpp"

namespace kagami::tools {
namespace {

using test::SyntheticRun;

SyntheticRun two_joints() {
  SyntheticRun run;
  run.add("head_yaw", test::rest(0.0), 0.0, 0.0, 1.0);
  run.add("left_knee", test::walk_curve(20.0), 0.02, 0.0, 1.0);
  run.series.motion = "walk";
  return run;
}

TEST(Report, TextHasOneLinePerJointAndDashesForWhatWasNotMeasured) {
  const std::string text = comparison_text(compare(two_joints().series));
  EXPECT_NE(text.find("head_yaw      0.00      0.00     0.00      0.00      0.00           -       "
                      "0.50       0.00"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nleft_knee     1.29 "), std::string::npos) << text;
  EXPECT_NE(text.find("deg RMS over 1138 readings"), std::string::npos) << text;
}

TEST(Report, JsonHasNullForWhatWasNotMeasured) {
  const nlohmann::json rows = joints_json(compare(two_joints().series));
  EXPECT_EQ(rows[0]["name"], "head_yaw");
  EXPECT_TRUE(rows[0]["lag_ms"].is_null());
  EXPECT_TRUE(rows[0]["floor_deg"].is_null());
  EXPECT_NEAR(rows[1]["lag_ms"].get<double>(), 20.0, 1.0);  // ms
  EXPECT_EQ(rows[1]["channel"], 2);
}

TEST(Report, ChangesAreShownJointByJoint) {
  const Comparison run = compare(two_joints().series);
  SyntheticRun base;
  base.add("left_knee", test::walk_curve(20.0), 0.0, 0.0, 1.0);
  const Comparison baseline = compare(base.series);
  const nlohmann::json rows = changes_json(run, baseline);
  EXPECT_TRUE(rows[0]["rms_deg"].is_null());
  EXPECT_NEAR(rows[1]["lag_ms"].get<double>(), 20.0, 1.0);  // ms
  EXPECT_NE(changes_text(run, baseline).find("left_knee"), std::string::npos);
}

TEST(ReportPage, EscapesNamesAndFacts) {
  SyntheticRun run;
  run.add("<script>alert(1)</script>", test::walk_curve(20.0), 0.0, 0.0, 1.0);
  const std::string page = comparison_page({"a<b>&\"c\"", {"1 < 2"}, {{"Motion", "<img src=x>"}}},
                                           compare(run.series), run.series);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("<title>a&lt;b&gt;&amp;&quot;c&quot;</title>"), std::string::npos);
}

TEST(ReportPage, TakesNothingFromOutside) {
  const SyntheticRun run = two_joints();
  const std::string page = comparison_page({"t", {}, {}}, compare(run.series), run.series);
  for (const char* token : {"http:", "https:", "src=", "href=", "url(", "@import"})
    EXPECT_EQ(page.find(token), std::string::npos) << token;
}

TEST(ReportPage, DrawsBothCurvesOfEveryJointSmall) {
  SyntheticRun run(60.0);
  for (int j = 0; j < 17; ++j) run.add("joint", test::walk_curve(20.0), 0.0, 0.0, 1.0);
  const std::string page = comparison_page({"t", {}, {}}, compare(run.series), run.series);
  std::size_t lines = 0;
  for (std::size_t at = page.find("<polyline"); at != std::string::npos;
       at = page.find("<polyline", at + 1))
    ++lines;
  EXPECT_EQ(lines, 34u);
  EXPECT_LT(page.size(), 400'000u);  // bytes; a minute of 17 joints
}

TEST(ReportPage, JointWithoutReadingsReportsIt) {
  SyntheticRun run = two_joints();
  run.series.joints[0].time.clear();
  run.series.joints[0].angle.clear();
  const std::string page = comparison_page({"t", {}, {}}, compare(run.series), run.series);
  EXPECT_NE(page.find("No readings."), std::string::npos);
}

TEST(HtmlEscaped, KeepsUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(html_escaped("鏡 °"), "鏡 °");
  EXPECT_EQ(html_escaped("a\xFF"
                         "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(html_escaped("\xC0\xBC"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "overlong <";
  EXPECT_EQ(html_escaped("\xE9\x8F"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "cut character";
  EXPECT_EQ(html_escaped(std::string("\0\x1b", 2)), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(HtmlEscaped, RandomBytesGiveMarkupFreeUtf8) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (int k = 0; k < 20; ++k) bytes += static_cast<char>(random() & 0xFF);
    const std::string text = html_escaped(bytes);
    EXPECT_EQ(text.find_first_of("<>\"'"), std::string::npos);
    EXPECT_NO_THROW((void)nlohmann::json(text).dump()) << "no valid UTF-8";
  }
}

}  // namespace
}  // namespace kagami::tools
