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

/// A motion of the KHR-2HV: home, then the left knee (channel 13) bent by 90 deg.
const std::string kHth3 = [] {
  std::string text = "[GraphicalEdit]\nType=0\nItems=2\nLinks=1\nStart=0\nName=bend\n";
  for (int item = 0; item < 2; ++item) {
    text += "[Item" + std::to_string(item) + "]\nName=p\nType=0\nPrm=60";
    for (int channel = 1; channel <= 24; ++channel)
      text += channel == 13 && item == 1 ? ",16128" : ",16384";
    text += "\n";
  }
  return text + "[Link0]\nMain=0\nOrigin=0\nFinal=1\nPoint=\n";
}();

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

TEST(MotionShow, JsonIsAMotionFile) {
  MotionCase c;
  ASSERT_EQ(c.run({"motion", "show", "bow", "--json"}), 0) << c.err;
  const nlohmann::json object = c.json();
  EXPECT_EQ(object["schema"], "kagami.motion/1");
  ASSERT_EQ(object["poses"].size(), 4u);
  EXPECT_EQ(object["poses"][1]["speed"], 7);
  // speed code 7 takes 0.0178 s per degree: 40 deg are 0.712 s
  EXPECT_NEAR(object["poses"][1]["duration_s"].get<double>(), 0.712, 1e-9);
  std::ofstream(c.folder.file("bow.json")) << c.out;
  ASSERT_EQ(c.run({"motion", "diff", "bow", c.folder.file("bow.json"), "--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["equal"], true);
}

TEST(MotionShow, ShowsTheChannelsOfAnotherRobot) {
  MotionCase c;
  ASSERT_EQ(c.show("other.RCB", kHth3), 0) << c.err;
  EXPECT_NE(c.out.find("ch13"), std::string::npos) << c.out;
  EXPECT_NE(c.out.find("motion convert"), std::string::npos) << c.out;
  EXPECT_EQ(c.run({"motion", "show", c.folder.file("other.RCB"), "--json"}), 2);
  EXPECT_NE(c.err.find("--map"), std::string::npos) << c.err;
}

TEST(MotionConvert, WritesAMotionAndShowsBeforeAndAfter) {
  MotionCase c;
  std::ofstream(c.folder.file("other.RCB")) << kHth3;
  const std::string out = c.folder.file("mine.json");
  ASSERT_EQ(c.run({"motion", "convert", c.folder.file("other.RCB"), "--map", "khr2hv", "--out", out,
                   "--json"}),
            0)
      << c.err;
  const nlohmann::json file = c.json()["files"][0];
  EXPECT_EQ(file["from"], "hth3");
  EXPECT_EQ(file["to"], "kagami");
  EXPECT_EQ(file["poses"], nlohmann::json({2, 2}));
  // channel 13, the left knee, bends the other way there: 16384 - 256 counts are 90 deg here
  for (const nlohmann::json& joint : file["joints"]) {
    if (joint["joint"] != "left_knee") continue;
    EXPECT_EQ(joint["channel"], 13);
    EXPECT_EQ(joint["after_deg"], nlohmann::json({0.0, 90.0}));
  }
  ASSERT_EQ(c.run({"motion", "show", out, "--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["poses"].size(), 2u);
}

TEST(MotionConvert, ReplacesNothingAndWritesNothingOfARefusedFile) {
  MotionCase c;
  std::string far = kHth3;
  far.replace(far.find("16128"), 5, "15984");  // the knee at 141 deg
  std::ofstream(c.folder.file("far.RCB")) << far;
  std::ofstream(c.folder.file("other.RCB")) << kHth3;
  const std::string out = c.folder.file("mine.json");
  const std::vector<std::string> one = {
      "motion", "convert", c.folder.file("far.RCB"), "--map", "khr2hv", "--out", out};
  EXPECT_EQ(c.run(one), 2);
  EXPECT_NE(c.err.find("--clip"), std::string::npos) << c.err;
  EXPECT_FALSE(std::filesystem::exists(out));
  std::vector<std::string> clipped = one;
  clipped.emplace_back("--clip");
  ASSERT_EQ(c.run(clipped), 0) << c.err;
  EXPECT_EQ(c.run(clipped), 2);
  EXPECT_NE(c.err.find("exists"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"motion", "convert", c.folder.file("other.RCB"), "--out", out, "--force"}), 2);
  EXPECT_NE(c.err.find("--map khr2hv"), std::string::npos) << c.err;

  // a batch goes on after a file that is refused
  std::filesystem::create_directory(c.folder.file("all"));
  EXPECT_EQ(c.run({"motion", "convert", c.folder.file("far.RCB"), c.folder.file("other.RCB"),
                   "--map", "khr2hv", "--out", c.folder.file("all"), "--json"}),
            2);
  EXPECT_EQ(c.json()["refused"], 1);
  EXPECT_TRUE(std::filesystem::exists(c.folder.file("all/other.json")));
  EXPECT_FALSE(std::filesystem::exists(c.folder.file("all/far.json")));
}

TEST(MotionEdit, MirrorsByTheRobotsOwnAxes) {
  MotionCase c;
  const std::string once = c.folder.file("once.json"), twice = c.folder.file("twice.json");
  ASSERT_EQ(c.run({"motion", "mirror", "walk_forward", "--out", once}), 0) << c.err;
  ASSERT_EQ(c.run({"motion", "mirror", once, "--out", twice}), 0) << c.err;
  ASSERT_EQ(c.run({"motion", "diff", "walk_forward", twice, "--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["equal"], true);
  ASSERT_EQ(c.run({"motion", "show", once, "--json"}), 0) << c.err;
  const nlohmann::json mirror = c.json();
  ASSERT_EQ(c.run({"motion", "show", "walk_forward", "--json"}), 0) << c.err;
  const nlohmann::json walk = c.json();
  // pitch as it is, roll and yaw with the other sign
  const auto angle = [](const nlohmann::json& motion, const std::string& joint, int pose) {
    const auto& joints = motion["joints"];
    const auto at = std::find(joints.begin(), joints.end(), joint) - joints.begin();
    return motion["poses"][static_cast<std::size_t>(pose)]["angles_deg"]
                 [static_cast<std::size_t>(at)]
                     .get<double>();
  };
  EXPECT_EQ(angle(mirror, "right_knee", 2), angle(walk, "left_knee", 2));
  EXPECT_EQ(angle(mirror, "right_hip_roll", 2), -angle(walk, "left_hip_roll", 2));
  EXPECT_EQ(angle(mirror, "head_yaw", 2), -angle(walk, "head_yaw", 2));
}

TEST(MotionEdit, JoinsTrimsAndRetimes) {
  MotionCase c;
  const std::string out = c.folder.file("out.json");
  const auto seconds = [&](std::vector<std::string> arguments) {
    for (const char* argument : {"--out", out.c_str(), "--force", "--json"})
      arguments.emplace_back(argument);
    arguments.insert(arguments.begin(), "motion");
    EXPECT_EQ(c.run(arguments), 0) << c.err;
    return c.json()["duration_s"].get<double>();
  };
  const double bow = seconds({"trim", "bow"});
  EXPECT_NEAR(seconds({"reverse", "bow"}), bow, 1e-9);
  EXPECT_NEAR(seconds({"trim", "bow", "--from", "0.5", "--to", "1.25"}), 0.75, 1e-9);
  EXPECT_NEAR(seconds({"join", "bow", "bow", "--transition", "0.8"}), 2 * bow + 0.8, 1e-9);
  EXPECT_NEAR(seconds({"blend", "bow", "bow"}), bow, 1e-9);
  EXPECT_GT(seconds({"retime", "bow", "--limit", "20"}), bow);
  std::ofstream(c.folder.file("graph.json"))
      << R"({"schema": "kagami.motion_graph/1", "name": "show", "motions": {"a": "bow", "b": "out.json"},
            "transitions": [{"from": "a", "to": "b", "duration_s": 1}], "play": ["a", "b"]})";
  seconds({"trim", "bow"});
  const std::string show = c.folder.file("show.json");
  ASSERT_EQ(c.run({"motion", "graph", c.folder.file("graph.json"), "--out", show, "--json"}), 0)
      << c.err;
  EXPECT_NEAR(c.json()["duration_s"].get<double>(), 2 * bow + 1.0, 1e-9);
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
