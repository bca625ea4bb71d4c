#include "tools/cli/log_digest.hpp"

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

TEST(LogDigest, KindIgnoresJointsAndNumbers) {
  EXPECT_EQ(LogDigest::kind_of("left_knee: -354.5 deg/s is too much."),
            LogDigest::kind_of("head_yaw: 12 deg/s is too much."));
  EXPECT_NE(LogDigest::kind_of("left_knee: too fast"), LogDigest::kind_of("left_knee: too slow"));
}

TEST(LogDigest, ShowsThreeOfAKindAndCountsTheRest) {
  RemarksCase c;
  LogDigest remarks(c.io);
  for (int i = 0; i < 100; ++i) remarks.add("left_knee: " + std::to_string(i) + " deg/s.");
  remarks.add("The motion has ended.");
  EXPECT_EQ(c.lines(), 4);
  remarks.finish();
  EXPECT_NE(c.err.str().find("97 more remarks"), std::string::npos) << c.err.str();
}

TEST(LogDigest, ShowsAllUnderVerbose) {
  RemarksCase c;
  c.io.verbose = true;
  LogDigest remarks(c.io);
  for (int i = 0; i < 10; ++i) remarks.add("left_knee: " + std::to_string(i) + " deg/s.");
  remarks.finish();
  EXPECT_EQ(c.lines(), 10);
}

TEST(LogDigest, IsEmptyWhenNothingWasHidden) {
  RemarksCase c;
  LogDigest remarks(c.io);
  remarks.add("one");
  remarks.finish();
  EXPECT_EQ(c.err.str(), "one\n");
}

}  // namespace
}  // namespace kagami::tools
