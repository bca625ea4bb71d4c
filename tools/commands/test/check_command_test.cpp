// kagami check: findings against closed forms, verdict, exit code, answer and picture.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/base/text_file.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using Json = nlohmann::json;
using test::CliCase;
using test::TempFolder;

/// One pose of a motion: speed code and seconds (below 0: not given), angles in deg.
struct CheckPose {
  int speed = -1;
  double seconds = -1.0;
  std::vector<double> angles;
};

struct CheckCase : CliCase {
  TempFolder folder;

  std::string motion(const std::string& name, const std::vector<std::string>& joints,
                     const std::vector<CheckPose>& poses) {
    Json list = Json::array();
    for (const CheckPose& pose : poses) {
      list.push_back({{"angles_deg", pose.angles}});
      if (pose.speed >= 0) list.back()["speed"] = pose.speed;
      if (pose.seconds >= 0.0) list.back()["duration_s"] = pose.seconds;
    }
    const Json file = {
        {"schema", "kagami.motion/1"}, {"name", name}, {"joints", joints}, {"poses", list}};
    std::ofstream(folder.file(name + ".json")) << file;
    return folder.file(name + ".json");
  }
  /// The folder of one servo that swings `mass` kg at `arm` m.
  std::string bench(double mass, double arm) {
    EXPECT_EQ(run({"robot", "new", folder.file("bench"), "--single-servo", "--mass",
                   std::to_string(mass), "--arm", std::to_string(arm)}),
              0)
        << err;
    return folder.file("bench");
  }
  int check(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> args = {"check", name, "--json"};
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
  /// Of that kind, worst first.
  [[nodiscard]] std::vector<Json> findings(const std::string& kind) const {
    std::vector<Json> found;
    const Json answer = Json::parse(out);
    for (const Json& finding : answer.at("findings"))
      if (finding.at("kind") == kind) found.push_back(finding);
    return found;
  }
};

TEST(CheckCommand, BowIsGreenOnTheFloor) {
  CheckCase c;
  ASSERT_EQ(c.check("bow"), 0) << c.err;
  const Json answer = c.json();
  EXPECT_EQ(answer.at("schema"), "kagami.motion_check/1");
  EXPECT_EQ(answer.at("verdict"), "green") << answer;
  EXPECT_EQ(answer.at("twin").at("fell_shadow"), false);
  EXPECT_GT(answer.at("twin").at("least_margin_mm"), 10.0);
  EXPECT_EQ(answer.at("joints").size(), 17u);
}

TEST(CheckCommand, AStandHasNoBalance) {
  CheckCase c;
  ASSERT_EQ(c.check("wave", {"--on", "stand"}), 0) << c.err;
  EXPECT_TRUE(c.json().at("twin").at("least_margin_mm").is_null());
  EXPECT_TRUE(c.json().at("twin").at("longest_slip_mm").is_null());
}

TEST(CheckCommand, TorqueAndHeatOfALevelArmAreThoseOfItsWeight) {
  CheckCase c;
  const std::string bench = c.bench(0.15, 0.1);
  const std::string hold =
      c.motion("hold", {"servo"}, {{-1, 1.0, {90.0}}, {-1, 40.0, {90.0}}, {-1, 1.0, {90.0}}});
  ASSERT_EQ(c.check(hold, {"--on", "stand", "--model", bench}), 0) << c.err;
  const Json load = c.json().at("joints").at(0).at("load");
  const double weight = 0.15 * 9.81 * 0.1;  // N m
  // the way up, 1.6 s of 43.6 with less torque, takes 2 % of the square
  EXPECT_NEAR(load.at("rms_torque_nm"), weight, 0.03 * weight);
  const double share = load.at("rms_torque_nm").get<double>() / 0.853;
  EXPECT_NEAR(load.at("heat_w"), share * share * 0.853 * 6.16, 1e-9);
  EXPECT_EQ(load.at("stall_torque_nm"), 0.853);
  EXPECT_EQ(c.json().at("verdict"), "amber");  // the way from home
  EXPECT_TRUE(c.findings("heat").empty());
}

TEST(CheckCommand, AnArmThatIsTooHeavyStallsItsServo) {
  CheckCase c;
  const std::string bench = c.bench(1.0, 0.1);  // 0.98 N m, the servo has 0.853
  const std::string hold =
      c.motion("hold", {"servo"}, {{-1, 1.0, {0.0}}, {-1, 1.0, {90.0}}, {-1, 3.0, {90.0}}});
  EXPECT_EQ(c.check(hold, {"--on", "stand", "--model", bench}), 6) << c.out;
  ASSERT_EQ(c.findings("torque").size(), 1u) << c.out;
  EXPECT_EQ(c.findings("torque").at(0).at("level"), "red");
  EXPECT_EQ(c.findings("torque").at(0).at("joint"), "servo");
  EXPECT_EQ(c.findings("heat").size(), 1u);
}

TEST(CheckCommand, SpeedOfASpeedCodeIsTheTables) {
  CheckCase c;
  const std::string bench = c.bench(0.01, 0.05);
  // code 5 takes 6 ms per degree
  const std::string swing = c.motion("swing", {"servo"}, {{7, -1.0, {0.0}}, {5, -1.0, {80.0}}});
  ASSERT_EQ(c.check(swing, {"--on", "stand", "--model", bench, "--mode", "keyframe"}), 0) << c.out;
  EXPECT_NEAR(c.json().at("joints").at(0).at("top_speed_deg_s"), 1.0 / 0.006, 1e-6);
  EXPECT_EQ(c.json().at("verdict"), "green") << c.out;
}

TEST(CheckCommand, SpeedsBeyondServoAndBoardsAreFound) {
  CheckCase c;
  const auto swing = [&](const char* name, double seconds) {
    return c.motion(name, {"right_shoulder_pitch"},
                    {{-1, 1.0, {0.0}}, {-1, seconds, {-60.0}}, {-1, 1.0, {-60.0}}});
  };
  // ramp: 60 deg in 0.15 s are 400 deg/s; the boards' fastest code is 1 deg in 2.8 ms
  ASSERT_EQ(c.check(swing("fast", 0.15), {"--on", "stand", "--mode", "ramp"}), 0) << c.out;
  ASSERT_EQ(c.findings("speed").size(), 1u) << c.out;
  EXPECT_EQ(c.findings("speed").at(0).at("level"), "amber");
  EXPECT_EQ(c.findings("speed").at(0).at("joint"), "right_shoulder_pitch");
  EXPECT_NEAR(c.json().at("joints").at(4).at("top_speed_deg_s"), 400.0, 1e-6);
  EXPECT_NEAR(c.json().at("speed_limit_deg_s"), 1.0 / 0.0028, 1e-6);
  // half as fast is no finding, and twice as fast is out of reach
  EXPECT_EQ(c.check(swing("fast", 0.15), {"--on", "stand", "--mode", "ramp", "--speed", "0.5"}), 0);
  EXPECT_TRUE(c.findings("speed").empty()) << c.out;
  EXPECT_EQ(c.check(swing("faster", 0.075), {"--on", "stand", "--mode", "ramp"}), 6) << c.out;
  EXPECT_EQ(c.findings("speed").at(0).at("level"), "red");

  // a bench board is faster than the servo on it, which does 353 deg/s
  const std::string bench = c.bench(0.01, 0.05);
  const std::string quick =
      c.motion("quick", {"servo"}, {{-1, 1.0, {0.0}}, {-1, 0.15, {60.0}}, {-1, 1.0, {60.0}}});
  ASSERT_EQ(c.check(quick, {"--on", "stand", "--model", bench, "--mode", "ramp"}), 0) << c.out;
  ASSERT_EQ(c.findings("speed").size(), 1u) << c.out;
  EXPECT_NE(c.findings("speed").at(0).at("text").get<std::string>().find("its servo"),
            std::string::npos);
}

TEST(CheckCommand, AHandInTheBodyIsRedWithLinksJointAndTime) {
  CheckCase c;
  const std::string hit =
      c.motion("hit", {"right_elbow"}, {{6, -1.0, {0.0}}, {6, -1.0, {90.0}}, {6, -1.0, {0.0}}});
  ASSERT_EQ(c.check(hit, {"--on", "stand"}), 6) << c.out;
  const std::vector<Json> found = c.findings("collision");
  ASSERT_EQ(found.size(), 2u) << c.out;
  std::string text;
  for (const Json& finding : found) {
    EXPECT_EQ(finding.at("joint"), "right_elbow");
    text += finding.at("text").get<std::string>();
  }
  EXPECT_NE(text.find("base_link and right_forearm"), std::string::npos) << text;
  EXPECT_GT(found[0].at("at_s"), 0.1);
  EXPECT_LT(found[0].at("at_s"), 1.0);
  EXPECT_LT(c.json().at("twin").at("nearest_links_mm"), -2.0);
}

TEST(CheckCommand, FallOnIceIsRedAndLyingDownIsNot) {
  CheckCase c;
  EXPECT_EQ(c.check("front_laydown", {"--friction", "0"}), 6) << c.out;
  EXPECT_FALSE(c.findings("fall").empty());
  EXPECT_EQ(c.check("front_laydown"), 0) << c.out;
  EXPECT_TRUE(c.findings("fall").empty()) << c.out;
  ASSERT_EQ(c.findings("lying").size(), 1u);
  EXPECT_EQ(c.findings("lying").at(0).at("level"), "amber");
}

TEST(CheckCommand, LineBudgetIsBytesAndAnswersOfARound) {
  CheckCase c;
  ASSERT_EQ(c.check("wave", {"--on", "stand"}), 0) << c.err;
  // two boards, set (16 + 2 bytes) and read (3 + 14), at 115200 baud with 10 bits a byte, and four
  // answers of the fast virtual boards after 1 ms each
  const double bytes = 2 * (16 + 2 + 3 + 14) + 0.0;
  const Json line = c.json().at("twin").at("line");
  EXPECT_NEAR(line.at("bytes_per_round"), bytes, 0.01);
  EXPECT_NEAR(line.at("round_s"), bytes * 10 / 115200 + 4 * 1e-3, 1e-5);
  EXPECT_TRUE(c.findings("line").empty());

  // one board: a round of 5 ms; a pose of 1 deg at 0.1 ms per degree is gone before it is sent
  const std::string bench = c.bench(0.01, 0.05);
  const std::string burst = c.motion(
      "burst", {"servo"}, {{7, -1.0, {0.0}}, {0, -1.0, {1.0}}, {0, -1.0, {2.0}}, {7, -1.0, {3.0}}});
  EXPECT_EQ(c.check(burst, {"--on", "stand", "--model", bench, "--mode", "keyframe"}), 6) << c.out;
  ASSERT_EQ(c.findings("line").size(), 1u) << c.out;
  EXPECT_EQ(c.findings("line").at(0).at("level"), "red");
  c.check(burst, {"--on", "stand", "--model", bench, "--mode", "ramp"});
  ASSERT_EQ(c.findings("line").size(), 1u) << c.out;
  EXPECT_EQ(c.findings("line").at(0).at("level"), "amber") << c.out;
}

TEST(CheckCommand, StartIsMeasuredFromHomeAndAMotionMaySlide) {
  CheckCase c;
  const std::string away = c.motion("away", {"head_yaw"}, {{7, -1.0, {20.0}}, {7, -1.0, {0.0}}});
  ASSERT_EQ(c.check(away, {"--on", "stand"}), 0) << c.out;
  ASSERT_EQ(c.findings("start").size(), 1u);
  EXPECT_EQ(c.findings("start").at(0).at("joint"), "head_yaw");
  EXPECT_EQ(c.json().at("verdict"), "amber");
  const std::string home = c.motion("near", {"head_yaw"}, {{7, -1.0, {2.0}}, {7, -1.0, {0.0}}});
  ASSERT_EQ(c.check(home, {"--on", "stand"}), 0) << c.out;
  EXPECT_EQ(c.json().at("verdict"), "green");
}

TEST(CheckCommand, SameMotionSameAnswerAndTheTwinsServosCount) {
  CheckCase c;
  ASSERT_EQ(c.check("wave", {"--on", "stand"}), 0);
  const std::string first = c.out;
  ASSERT_EQ(c.check("wave", {"--on", "stand"}), 0);
  EXPECT_EQ(c.out, first);
  std::ofstream(c.folder.file("weak.json")) << R"({"schema": "kagami.servos/1",
      "default": {"stall_torque": 0.02}, "joints": {}, "supply": {"sag": 0}})";
  EXPECT_EQ(c.check("wave", {"--on", "stand", "--twin", c.folder.file("weak.json")}), 6) << c.out;
  EXPECT_FALSE(c.findings("torque").empty());
}

TEST(CheckCommand, TextNamesVerdictFindingsAndFigures) {
  CheckCase c;
  const std::string away = c.motion("away", {"head_yaw"}, {{7, -1.0, {20.0}}, {7, -1.0, {0.0}}});
  ASSERT_EQ(c.run({"check", away, "--on", "stand"}), 0) << c.err;
  for (const char* part :
       {"away: amber", "start", "head_yaw is 20.0 deg", "speed", "links", "torque", "70 bytes"})
    EXPECT_NE(c.out.find(part), std::string::npos) << part << "\n" << c.out;
  EXPECT_EQ(c.out.find("balance"), std::string::npos) << "on the stand";
  ASSERT_EQ(c.run({"check", "side_left"}), 0) << c.err;
  EXPECT_NE(c.out.find("balance  mass centre up to"), std::string::npos) << c.out;
  ASSERT_EQ(c.run({"check", "home"}), 0) << c.err;
  EXPECT_NE(c.out.find("balance  mass centre at least"), std::string::npos) << c.out;
}

TEST(CheckCommand, SeveralMotionsAreALineEach) {
  CheckCase c;
  const std::string hit = c.motion("hit", {"right_elbow"}, {{6, -1.0, {0.0}}, {6, -1.0, {90.0}}});
  std::ofstream(c.folder.file("broken.json")) << R"({"schema": "kagami.motion/1"})";
  EXPECT_EQ(c.run({"check", "home", hit, c.folder.file("broken.json"), "--on", "stand"}), 6);
  EXPECT_NE(c.out.find("home    green    -"), std::string::npos) << c.out;
  EXPECT_NE(c.out.find("hit     red      collision"), std::string::npos) << c.out;
  EXPECT_NE(c.out.find("broken  red      file"), std::string::npos) << c.out;
  EXPECT_EQ(c.run({"check", "home", "wave", "--on", "stand", "--json"}), 0) << c.err;
  EXPECT_EQ(c.json().at("schema"), "kagami.motion_checks/1");
  EXPECT_EQ(c.json().at("checks").size(), 2u);
}

TEST(CheckCommand, PictureShowsWhatWasFound) {
  CheckCase c;
  const std::string hit = c.motion("hit", {"right_elbow"}, {{6, -1.0, {0.0}}, {6, -1.0, {90.0}}});
  const std::string file = c.folder.file("hit.svg");
  EXPECT_EQ(c.run({"check", hit, "--on", "stand", "--picture", file}), 6) << c.err;
  const std::string svg = read_text_file(file);
  EXPECT_EQ(svg.rfind("<?xml", 0), 0u);
  for (const char* part :
       {"hit: red", "run into each other", "largest torque", "right_elbow", "class=\"error\""})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(svg.find("mass centre"), std::string::npos) << "on the stand";
  EXPECT_EQ(c.run({"check", "home", "--picture", file}), 0) << c.err;
  EXPECT_NE(read_text_file(file).find("mass centre"), std::string::npos);
  EXPECT_EQ(c.run({"check", "home", "wave", "--picture", file}), 2);
  EXPECT_NE(c.err.find("--picture"), std::string::npos) << c.err;
}

TEST(CheckCommand, WrongInputIsNamed) {
  CheckCase c;
  EXPECT_EQ(c.run({"check", "wawe"}), 2);
  EXPECT_NE(c.err.find("wave"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"check"}), 2);
  EXPECT_EQ(c.run({"check", "wave", "--model", "no_such_robot"}), 2);
  EXPECT_EQ(c.run({"check", "wave", "--speed", "9"}), 2);
  const std::string picture = c.folder.file("none/x.svg");
  EXPECT_EQ(c.run({"check", "home", "--on", "stand", "--picture", picture}), 1);
  std::ofstream(c.folder.file("far.json")) << R"({"schema": "kagami.motion/1", "name": "far",
      "joints": ["head_yaw"], "poses": [{"speed": 7, "angles_deg": [500]}]})";
  EXPECT_EQ(c.check(c.folder.file("far.json")), 6) << c.err;
  ASSERT_EQ(c.findings("file").size(), 1u);
  EXPECT_NE(c.findings("file").at(0).at("text").get<std::string>().find("far.json"),
            std::string::npos)
      << c.out;
}

}  // namespace
}  // namespace kagami::tools
