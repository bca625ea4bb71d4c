#include "tools/analysis/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "models/base/errors.hpp"
#include "tools/analysis/html.hpp"
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
