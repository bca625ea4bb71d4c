// Twenty drawn robots: how near the fit comes to their servos, and how well it predicts. Prints the
// distribution (docs/identify.md).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tools/identify/test/blind_robot.hpp"

namespace kagami::tools {
namespace {

/// KAGAMI_BLIND_ROBOTS draws another number.
unsigned number_of_robots() {
  const char* text = std::getenv("KAGAMI_BLIND_ROBOTS");
  return text == nullptr ? 20 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

TEST(IdentifyLong, TwentyDrawnRobots) {
  test::BlindResult result;
  for (unsigned seed = 1; seed <= number_of_robots(); ++seed) {
    test::BlindRobot blind(seed);
    result.add(blind, blind.identified());
    std::printf("%u robots\n", seed);
    result.print();
    std::fflush(stdout);
  }
  EXPECT_EQ(result.lag.share_within(), 1.0);
  EXPECT_EQ(result.trim.share_within(), 1.0);
  EXPECT_EQ(result.play.share_within(), 1.0);
  EXPECT_EQ(result.gain.share_within(), 1.0);
  EXPECT_EQ(result.on_stand.share_within(), 1.0);
  EXPECT_EQ(result.on_floor.share_within(), 1.0);
}

}  // namespace
}  // namespace kagami::tools
