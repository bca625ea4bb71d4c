#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;
using test::TempFolder;

/// A HeartToHeart 1 file; every pose has this speed and this value in channel 1, 0 in the others.
std::string csv(int poses, const std::string& speed, const std::string& value, int channels = 24) {
  std::string text = "no,name,speed,ch1..ch24\r\n";
  for (int i = 0; i < poses; ++i) {
    text += "0,pose," + speed + "," + value;
    for (int ch = 2; ch <= channels; ++ch) text += ",0";
    text += "\r\n";
  }
  return text;
}

struct MotionCase : CliCase {
  TempFolder folder;

  int show(const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name), std::ios::binary) << text;
    return run({"motion", "show", folder.file(name)});
  }
};

TEST(MotionList, ShowsTheShippedMotions) {
  CliCase c;
  ASSERT_EQ(c.run({"motion", "list"}), 0) << c.err;
  for (const char* name :
       {"walk_forward", "walk_backward", "side_left", "side_right", "front_laydown", "back_laydown",
        "getup_front", "getup_back", "home", "bow", "wave", "push_up", "squat", "identify"})
    EXPECT_NE(c.out.find(std::string("\n") + name + " "), std::string::npos) << name;
  EXPECT_EQ(c.out.find("does not fit"), std::string::npos) << c.out;
}

TEST(MotionList, JsonHasTheSame) {
  CliCase c;
  ASSERT_EQ(c.run({"motion", "list", "--json"}), 0) << c.err;
  const nlohmann::json object = c.json();
  EXPECT_EQ(object["schema"], "kagami.motions/1");
  EXPECT_EQ(object["motions"].size(), 14u);
  for (const nlohmann::json& motion : object["motions"]) {
    EXPECT_TRUE(motion["problem"].is_null()) << motion;
    EXPECT_TRUE(motion["duration_s"].is_number()) << motion;
  }
}

TEST(MotionList, ShowsWhyAMotionDoesNotFit) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "motions");
  std::filesystem::create_directory_symlink(
      std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data", folder.path() / "robots");
  std::ofstream(folder.path() / "motions/broken.json") << "{";
  CliCase c;
  ASSERT_EQ(c.run({"motion", "list", "--data", folder.path().string()}), 0) << c.err;
  EXPECT_NE(c.out.find("does not fit: "), std::string::npos) << c.out;
}

TEST(MotionShow, GivesPosesSpeedsAndTimes) {
  CliCase c;
  ASSERT_EQ(c.run({"motion", "show", "bow", "--json"}), 0) << c.err;
  const nlohmann::json object = c.json();
  EXPECT_EQ(object["schema"], "kagami.motion_show/1");
  ASSERT_EQ(object["poses"].size(), 4u);
  EXPECT_EQ(object["poses"][1]["speed"], 7);
  // speed code 7 takes 0.0178 s per degree: 40 deg are 0.712 s
  EXPECT_NEAR(object["poses"][1]["at_s"].get<double>(), 0.712, 1e-9);
  EXPECT_NEAR(object["poses"][1]["angle_deg"]["left_hip_pitch"].get<double>(), -40.0, 1e-9);
}

TEST(MotionShow, PrintsATableByChannel) {
  CliCase c;
  ASSERT_EQ(c.run({"motion", "show", "bow"}), 0) << c.err;
  EXPECT_NE(c.out.find("ch14"), std::string::npos) << c.out;
  EXPECT_NE(c.out.find("14  left_hip_pitch"), std::string::npos) << c.out;
}

TEST(MotionShow, WarnsOfClippedAngles) {
  MotionCase c;
  ASSERT_EQ(c.show("clip.csv", csv(2, "3", "-20")), 0) << c.err;  // home 5 + -20 is below 0
  EXPECT_NE(c.err.find("warning: "), std::string::npos) << c.err;
}

TEST(MotionShow, UnknownNameSuggestsTheNearest) {
  CliCase c;
  EXPECT_EQ(c.run({"motion", "show", "walk_foward"}), 2);
  EXPECT_NE(c.err.find("did you mean 'walk_forward'?"), std::string::npos) << c.err;
  EXPECT_EQ(c.out, "");
}

TEST(MotionShow, MissingFileIsNamed) {
  CliCase c;
  EXPECT_EQ(c.run({"motion", "show", "./gone.csv"}), 2);
  EXPECT_NE(c.err.find("./gone.csv"), std::string::npos) << c.err;
}

TEST(MotionShow, WrongNumberOfFieldsNamesTheLine) {
  MotionCase c;
  EXPECT_EQ(c.show("short.csv", csv(1, "3", "0", 20)), 2);
  EXPECT_NE(c.err.find("short.csv: line 2"), std::string::npos) << c.err;
}

TEST(MotionShow, SpeedNineNamesLineValueAndRange) {
  MotionCase c;
  EXPECT_EQ(c.show("fast.csv", csv(1, "9", "0")), 2);
  EXPECT_NE(c.err.find("fast.csv: line 2"), std::string::npos) << c.err;
  EXPECT_NE(c.err.find('9'), std::string::npos) << c.err;
  EXPECT_NE(c.err.find("0..7"), std::string::npos) << c.err;
}

TEST(MotionShow, AngleOfTwoHundredIsRefusedInOurFormat) {
  MotionCase c;
  EXPECT_EQ(c.show("far.json",
                   R"({"schema": "kagami.motion/1", "name": "far", "joints": ["head_yaw"],
                       "poses": [{"angles_deg": [200], "duration_s": 1}]})"),
            2);
  EXPECT_NE(c.err.find("200"), std::string::npos) << c.err;
}

TEST(MotionShow, UnknownJointIsNamed) {
  MotionCase c;
  EXPECT_EQ(c.show("tail.json",
                   R"({"schema": "kagami.motion/1", "name": "tail", "joints": ["tail_yaw"],
                       "poses": [{"angles_deg": [20], "duration_s": 1}]})"),
            2);
  EXPECT_NE(c.err.find("tail_yaw"), std::string::npos) << c.err;
}

TEST(MotionShow, AMillionLinesAreRefused) {
  MotionCase c;
  std::string text = "header\n";
  for (int i = 0; i < 1'000'000; ++i) text += "0,p,3\n";
  EXPECT_EQ(c.show("long.csv", text), 2);
  EXPECT_NE(c.err.find("long.csv"), std::string::npos) << c.err;
  EXPECT_LT(c.err.size(), 5000u) << "one message, not a million";
}

TEST(MotionShow, UnknownRobotListsTheShippedOnes) {
  CliCase c;
  EXPECT_EQ(c.run({"motion", "show", "bow", "--model", "khr9"}), 2);
  EXPECT_NE(c.err.find("unknown robot 'khr9', shipped: "), std::string::npos) << c.err;
}

TEST(Motion, WrongNameGetsTheNearest) {
  CliCase c;
  EXPECT_EQ(c.run({"motion", "shwo", "bow"}), 2);
  EXPECT_NE(c.err.find("did you mean 'show'?"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"motion"}), 2);
}

TEST(EveryCommand, HasHelpWithTwoExamples) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"replay"},
                                                  {"compare"},
                                                  {"verify"},
                                                  {"motion"},
                                                  {"motion", "list"},
                                                  {"motion", "show"},
                                                  {"board"},
                                                  {"ports"},
                                                  {"log"},
                                                  {"log", "info"},
                                                  {"log", "export"},
                                                  {"log", "recover"}}) {
    CliCase c;
    std::vector<std::string> args = command;
    args.push_back("--help");
    EXPECT_EQ(c.run(args), 0) << command.back();
    const std::size_t examples = c.out.find("Examples:\n  kagami " + command.front());
    ASSERT_NE(examples, std::string::npos) << c.out;
    EXPECT_NE(c.out.find("\n  kagami " + command.front(), examples + 12), std::string::npos)
        << c.out;
  }
}

}  // namespace
}  // namespace kagami::tools
