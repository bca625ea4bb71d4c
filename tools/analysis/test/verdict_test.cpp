#include "tools/analysis/verdict.hpp"

#include <gtest/gtest.h>

#include "tools/test/synthetic_run.hpp"

namespace kagami::tools {
namespace {

using test::SyntheticRun;

Comparison with_offset(double offset_deg) {
  SyntheticRun run;
  run.add("knee", test::walk_curve(20.0), 0.0, offset_deg, 0.0);
  run.add("elbow", test::walk_curve(20.0), 0.0, 0.0, 0.0);
  return compare(run.series);
}

TEST(Verdict, ToleranceJudgesTheRms) {
  const std::vector<JointVerdict> all = verdicts(with_offset(2.0), 1.0);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_FALSE(all[0].passed);
  EXPECT_EQ(all[0].text, "RMS 2.00 deg, allowed 1.00 deg");
  EXPECT_TRUE(all[1].passed);
  EXPECT_EQ(failures_text(all), "knee 2.00");
  EXPECT_FALSE(all_passed(all));
}

// RMS 2 deg in both: only the bias shows that the joint moved by 4.
TEST(Verdict, WithABaselineToleranceJudgesTheChange) {
  const std::vector<JointVerdict> turned = verdicts(with_offset(2.0), with_offset(-2.0), 1.0);
  EXPECT_FALSE(turned[0].passed);
  EXPECT_EQ(turned[0].text, "bias changed by 4.00 deg, allowed 1.00 deg");
  EXPECT_TRUE(all_passed(verdicts(with_offset(2.0), with_offset(2.5), 1.0)));
}

TEST(Verdict, NothingToJudgeHasNotPassed) {
  EXPECT_FALSE(all_passed(verdicts(Comparison{}, 30.0)));
}

TEST(Verdict, EqualMeansEveryNumber) {
  EXPECT_TRUE(are_equal(with_offset(1.0), with_offset(1.0)));
  using Change = void (*)(JointComparison&);
  for (const Change change : {Change([](JointComparison& j) { j.name = "other"; }),
                              Change([](JointComparison& j) { ++j.samples; }),
                              Change([](JointComparison& j) { *j.rms_deg += 1e-9; }),
                              Change([](JointComparison& j) { *j.max_deg += 1e-9; }),
                              Change([](JointComparison& j) { *j.bias_deg += 1e-9; }),
                              Change([](JointComparison& j) { j.lag_ms.reset(); })}) {
    Comparison other = with_offset(1.0);
    change(other.joints[0]);
    EXPECT_FALSE(are_equal(with_offset(1.0), other));
  }
}

TEST(Verdict, JUnitHasOneTestCaseAJointAndEscapesNames) {
  SyntheticRun run;
  run.add("<knee>", test::walk_curve(20.0), 0.0, 2.0, 0.0);
  const std::string xml = junit_text("compare \"x\"", verdicts(compare(run.series), 1.0));
  EXPECT_EQ(xml,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"compare &quot;x&quot;\" tests=\"1\" failures=\"1\">\n"
            "  <testcase classname=\"kagami.compare\" name=\"&lt;knee&gt;\">"
            "<failure message=\"RMS 2.00 deg, allowed 1.00 deg\"/></testcase>\n"
            "</testsuite>\n");
}

}  // namespace
}  // namespace kagami::tools
