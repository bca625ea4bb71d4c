// What the check says where it knows less: links far apart, a motion that was not played.
#include "tools/check/check_text.hpp"

#include <gtest/gtest.h>

#include "tools/check/check_findings.hpp"
#include "tools/check/twin_check.hpp"

namespace kagami::tools {
namespace {

MotionCheck check_of(const char* motion, std::optional<double> longest) {
  const std::filesystem::path source = KAGAMI_SOURCE_DIR;
  runtime::RunConfig config;
  config.robot_folder = source / "models/data/khr1";
  config.motion_file = source / "motions/data" / motion;
  TwinCheckOptions options;
  options.longest = longest;
  return check_on_twin(config, options);
}

TEST(CheckText, NoDistanceIsStatedOfLinksFarApart) {
  const auto robot = models::read_robot_folder(
      std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1", models::BaseKind::kFixed);
  MotionWatch watch(robot, 6.0);
  watch.nearest = {0.05, 0};  // of the balls about two boxes
  MotionCheck check;
  add_twin_findings(check, robot, {}, 1.0, watch, {});
  EXPECT_EQ(check.twin->nearest_links, 0.02);
  EXPECT_NE(check_text(check).find("all more than 20 mm apart"), std::string::npos)
      << check_text(check);
  check.twin->nearest_links = 0.007;
  check.twin->nearest_link_a = "left_foot";
  check.twin->nearest_link_b = "right_foot";
  EXPECT_NE(check_text(check).find("nearest: left_foot and right_foot, 7.0 mm apart"),
            std::string::npos)
      << check_text(check);
}

TEST(CheckText, ALongMotionThatIsNotPlayedIsNotGreen) {
  const MotionCheck played = check_of("bow.json", 60.0);
  EXPECT_EQ(played.verdict(), Verdict::kGreen) << check_text(played);
  EXPECT_TRUE(played.twin.has_value());
  const MotionCheck check = check_of("bow.json", 1.0);
  EXPECT_FALSE(check.twin.has_value());
  EXPECT_EQ(check.verdict(), Verdict::kAmber) << check_text(check);
  EXPECT_NE(check_text(check).find("longer than 1 s are not checked here"), std::string::npos)
      << check_text(check);
}

}  // namespace
}  // namespace kagami::tools
