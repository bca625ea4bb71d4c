// kagami tune without a page: its options, its answer, its refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"
#include "tools/tune/tune_options.hpp"

namespace kagami::tools {
namespace {

using TuneCase = test::CommandCase<add_tune>;

TEST(TuneCommand, SetsAGainTestsItsJointAndAnswersInJson) {
  TuneCase cli;
  ASSERT_EQ(
      cli.run({"tune", "--set", "left_knee/kp=4.2", "--step", "left_knee", "10deg", "--json"}), 0)
      << cli.err;
  const nlohmann::json j = cli.json();
  EXPECT_EQ(j.at("schema"), "kagami.tune/1");
  EXPECT_EQ(j.at("before").at("gains").at("left_knee/kp"), 5.0);
  EXPECT_EQ(j.at("after").at("gains").at("left_knee/kp"), 4.2);
  for (const char* when : {"before", "after"}) {
    const nlohmann::json& test = j.at(when).at("tests").at(0);
    EXPECT_EQ(test.at("joint"), "left_knee");
    EXPECT_NEAR(test.at("size_deg").get<double>(), 10.0, 1e-9);
    EXPECT_GT(test.at("metrics").at("overshoot_pct").get<double>(), 20.0);  // the thesis's gains
    EXPECT_GT(test.at("measured").at("rise_s").get<double>(), 0.1);
    EXPECT_EQ(test.at("curves").at("angle_deg").size(), 401u);
    EXPECT_GT(test.at("metrics").at("spectrum").at("amplitude_deg").size(), 20u);
  }
}

// a test must not seem to be of the robot that was named
TEST(TuneCommand, RefusesATestOfARobotThatItWouldNotMove) {
  TuneCase port;
  EXPECT_EQ(port.run({"tune", "--robot", "/dev/ttyUSB7", "--step", "left_knee", "10deg"}), 2);
  EXPECT_NE(port.err.find("/dev/ttyUSB7"), std::string::npos) << port.err;
  EXPECT_NE(port.err.find("dashboard"), std::string::npos) << port.err;
  TuneCase floor;
  EXPECT_EQ(floor.run({"tune", "--on", "floor", "--step", "left_knee", "10deg"}), 2);
  EXPECT_NE(floor.err.find("stand"), std::string::npos) << floor.err;
}

TEST(TuneCommand, PrintsTablesForPeople) {
  TuneCase cli;
  ASSERT_EQ(cli.run({"tune", "--set", "left_knee/lead_time=0.2", "--ramp", "left_knee", "20deg",
                     "--seconds", "1", "--plant", "twin"}),
            0)
      << cli.err;
  EXPECT_NE(cli.out.find("left_knee/lead_time"), std::string::npos) << cli.out;
  EXPECT_NE(cli.out.find("ramp left_knee"), std::string::npos) << cli.out;
}

TEST(TuneCommand, AutotunesAJointAndSavesASetThatCanBeLoaded) {
  const test::TempFolder folder;
  const std::string file = (folder.path() / "mine.json").string();
  TuneCase cli;
  ASSERT_EQ(
      cli.run({"tune", "--autotune", "left_knee", "--method", "relay", "--save", file, "--json"}),
      0)
      << cli.err;
  EXPECT_EQ(cli.json().at("saved"), file);
  EXPECT_EQ(cli.json().at("autotune").at("method"), "relay");
  TuneCase again;
  ASSERT_EQ(
      again.run({"tune", "--gains", file, "--step", "left_knee", "10", "--seconds", "1", "--json"}),
      0)
      << again.err;
  EXPECT_EQ(again.json().at("before").at("gains").at("left_knee/kp"),
            cli.json().at("after").at("gains").at("left_knee/kp"));
  EXPECT_FALSE(again.json().at("after").contains("tests"));  // nothing changed
  TuneCase twice;
  EXPECT_EQ(twice.run({"tune", "--set", "all/kp=1", "--save", file}), 2);
  EXPECT_NE(twice.err.find("exists"), std::string::npos) << twice.err;
}

TEST(TuneCommand, TriesAChangeOnTheTwinsAndReportsWhenNotToPromoteIt) {
  TuneCase cli;
  EXPECT_EQ(cli.run({"tune", "--try", "hold", "--set", "left_knee/kp=60", "--seconds", "1"}), 6);
  EXPECT_NE(cli.out.find("do not promote"), std::string::npos) << cli.out;
}

TEST(TuneCommand, FollowsAMotionWithBothGainsAndTriesThemInIt) {
  TuneCase cli;
  ASSERT_EQ(cli.run({"tune", "--track", "bow", "--try", "bow", "--at", "0.5", "--seconds", "1",
                     "--set", "all/lead_time=0.15", "--json"}),
            0)
      << cli.err;
  const nlohmann::json j = cli.json();
  EXPECT_EQ(j.at("before").at("track").at("joints_rms_deg").size(), 17u);
  EXPECT_LT(j.at("after").at("track").at("rms_deg"), j.at("before").at("track").at("rms_deg"));
  EXPECT_EQ(j.at("try").at("predicted").at("head_yaw").at("low").size(), 101u);
}

TEST(TuneCommand, RefusesWhatItCannotDo) {
  const auto refused = [](const std::vector<std::string>& args, const std::string& expected) {
    TuneCase cli;
    EXPECT_EQ(cli.run(args), 2) << expected;
    EXPECT_NE(cli.err.find(expected), std::string::npos) << cli.err;
  };
  refused({"tune", "--set", "left_knee/kp=-1"}, "expected 0..1000");
  refused({"tune", "--set", "left_knee/kp"}, "expected JOINT/GAIN=NUMBER");
  refused({"tune", "--step", "left_knee", "tendeg"}, "expected an angle");
  refused({"tune", "--step", "knee", "10deg"}, "the robot 'khr1' has");
  refused({"tune", "--autotune", "all", "--method", "relay"}, "a relay drives one joint");
  refused({"tune", "--gains", "khr1_hands", "--set", "all/kp=1"}, "expected one that sets targets");
}

TEST(AngleOf, ReadsDegreesAndRadians) {
  EXPECT_DOUBLE_EQ(angle_of("10deg"), to_rad(10.0));
  EXPECT_DOUBLE_EQ(angle_of("-7.5"), to_rad(-7.5));
  EXPECT_DOUBLE_EQ(angle_of("0.2rad"), 0.2);
  for (const char* bad : {"", "deg", "10grad", "nan", "inf"}) {
    EXPECT_THROW((void)angle_of(bad), ConfigError) << bad;
  }
}

}  // namespace
}  // namespace kagami::tools
