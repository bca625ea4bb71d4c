#include "tools/cli/remarks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace kagami::tools {
namespace {

struct RemarksCase {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console io{in, out, err, {}};

  int lines() const {
    const std::string text = err.str();
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST(Remarks, KindForgetsJointsAndNumbers) {
  EXPECT_EQ(Remarks::kind_of("left_knee: -354.5 deg/s is too much."),
            Remarks::kind_of("head_yaw: 12 deg/s is too much."));
  EXPECT_NE(Remarks::kind_of("left_knee: too fast"), Remarks::kind_of("left_knee: too slow"));
}

TEST(Remarks, ShowsThreeOfAKindAndCountsTheRest) {
  RemarksCase c;
  Remarks remarks(c.io);
  for (int i = 0; i < 100; ++i) remarks.add("left_knee: " + std::to_string(i) + " deg/s.");
  remarks.add("The motion has ended.");
  EXPECT_EQ(c.lines(), 4);
  remarks.finish();
  EXPECT_NE(c.err.str().find("97 more remarks"), std::string::npos) << c.err.str();
}

TEST(Remarks, ShowsAllUnderVerbose) {
  RemarksCase c;
  c.io.verbose = true;
  Remarks remarks(c.io);
  for (int i = 0; i < 10; ++i) remarks.add("left_knee: " + std::to_string(i) + " deg/s.");
  remarks.finish();
  EXPECT_EQ(c.lines(), 10);
}

TEST(Remarks, SaysNothingWhenNothingWasHidden) {
  RemarksCase c;
  Remarks remarks(c.io);
  remarks.add("one");
  remarks.finish();
  EXPECT_EQ(c.err.str(), "one\n");
}

}  // namespace
}  // namespace kagami::tools
