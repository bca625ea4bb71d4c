#include "motions/file/formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/rcb4_code.hpp"
#include "motions/file/test/sample_files.hpp"
#include "motions/test/khr1_wiring.hpp"
#include "motions/test/messages.hpp"

namespace kagami::motions {
namespace {

using test::Hth3Item;
using test::Hth3Link;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const RobotWiring& wiring() {
  static const RobotWiring khr1 = test::khr1_wiring();
  return khr1;
}

const MotionMap& map() {
  static const MotionMap small = parse_motion_map(test::small_map(), "small.json");
  return small;
}

ReadOptions mapped() {
  ReadOptions options;
  options.map = &map();
  return options;
}

std::string problem(const std::string& text, const ReadOptions& options = {}) {
  return test::error_of<ConfigError>([&] { parse_motion(text, "mine.x", wiring(), options); });
}

std::size_t column(const Motion& motion, const std::string& joint) {
  return static_cast<std::size_t>(std::find(motion.joints.begin(), motion.joints.end(), joint) -
                                  motion.joints.begin());
}

// degrees of a joint in every pose, rounded to a hundredth
std::vector<double> degrees(const Motion& motion, const std::string& joint) {
  std::vector<double> angles;
  for (const Pose& pose : motion.poses) {
    const auto& angle = pose.angle.at(column(motion, joint));
    angles.push_back(angle ? std::round(to_deg(*angle) * 100.0) / 100.0 : -999.0);
  }
  return angles;
}

std::vector<double> durations(const Motion& motion) {
  std::vector<double> times;
  for (const Pose& pose : motion.poses) times.push_back(std::round(pose.duration * 1e6) / 1e6);
  return times;
}

TEST(Recognise, GoesByTheContent) {
  EXPECT_EQ(recognise(" {\"schema\": 1}", "x"), MotionFormat::kKagami);
  EXPECT_EQ(recognise(test::hth3_file({{}}, {}), "x"), MotionFormat::kHth3);
  EXPECT_EQ(recognise(test::hth4_canvas(), "x"), MotionFormat::kHth4);
  EXPECT_EQ(recognise("<ArrayOfAnyType/>", "x"), MotionFormat::kHth4);
  EXPECT_EQ(recognise(test::hth4_project(), "x"), MotionFormat::kHth4Project);
  EXPECT_EQ(recognise("pos,speed,ch1,ch2,ch3\n", "x"), MotionFormat::kChannelTable);
  EXPECT_EQ(recognise("# c\ntime_s;head_yaw_deg\n0;1\n", "x"), MotionFormat::kJointTable);
  EXPECT_EQ(recognise("1,A,3,0,0,0,0,0,0,0,0,0,0,0,0\n", "x"), MotionFormat::kHth1);
}

TEST(Recognise, NamesWhatIsNoMotion) {
  const auto what = [](const std::string& text) { return problem(text); };
  EXPECT_THAT(what("\x89MCAP0\r\n"), HasSubstr("mine.x: is a record"));
  EXPECT_THAT(what("PK\x03\x04"), HasSubstr("a spreadsheet; save the table as CSV"));
  EXPECT_THAT(what("<robot name='khr1'/>"), HasSubstr("is an XML file of <robot>"));
  EXPECT_THAT(what("[Colors]\nred=1\n"), HasSubstr("with the section '[Colors]'"));
  EXPECT_THAT(what("[TrimData]\nCH1=16384\n"), HasSubstr("home and trim file"));
  EXPECT_THAT(what("[GraphicalEdit]\nType=7\nItems=23\n"),
              HasSubstr("a HeartToHeart3 scenario of 23"));
  EXPECT_THAT(what("cmake_minimum_required(VERSION 3.25)\n"), HasSubstr("another text file"));
  EXPECT_THAT(what(" \r\n"), HasSubstr("mine.x: is empty"));
  EXPECT_THAT(what(test::hth3_file({{}}, {})),
              AllOf(HasSubstr("is a HeartToHeart3 motion (.RCB)"), HasSubstr("--map")));
}

TEST(Hth3, FollowsLinksAndNotNumbers) {
  // 90 deg are 256 counts; times in units of 15 ms
  const Motion m = parse_motion(
      test::hth3_file({{0, 20, 16384 + 256, 16384}, {0, 10, 16384, 16384 + 128}, {0, 30}},
                      {{0, 1, 0}, {0, 0, 2}}, 1),
      "mine.x", wiring(), mapped());
  EXPECT_THAT(degrees(m, "left_shoulder_pitch"), ElementsAre(0, -90, 0));
  EXPECT_THAT(degrees(m, "left_knee"), ElementsAre(35, -10, -10));  // zero at 10 deg
  EXPECT_THAT(durations(m), ElementsAre(0.15, 0.3, 0.45));
  EXPECT_EQ(m.note, "前進");
  EXPECT_FALSE(m.loop);
}

TEST(Hth3, CountsLoops) {
  // 0 pose, 1 counter := 3, 2 pose, 3 counts down, back to 2 while not 0, 4 pose
  const Motion m =
      parse_motion(test::hth3_file({{0, 10}, {1, 1, 33287 + 3}, {0, 20}, {2, 1, 33543}, {0, 30}},
                                   {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {255, 3, 2}, {0, 3, 4}}),
                   "mine.x", wiring(), mapped());
  EXPECT_THAT(durations(m), ElementsAre(0.15, 0.3, 0.3, 0.3, 0.45));
  EXPECT_THAT(m.warnings, IsEmpty());
}

TEST(Hth3, ALoopWithoutEndLoopsTheMotionOrIsRefused) {
  const Motion m = parse_motion(test::hth3_file({{0, 10}, {0, 20}}, {{0, 0, 1}, {0, 1, 0}}),
                                "mine.x", wiring(), mapped());
  EXPECT_TRUE(m.loop);
  EXPECT_EQ(m.poses.size(), 2u);
  EXPECT_THAT(
      problem(test::hth3_file({{0, 10}, {0, 20}, {0, 30}}, {{0, 0, 1}, {0, 1, 2}, {0, 2, 1}}),
              mapped()),
      HasSubstr("the loop back to item 1 'item1' has no end"));
}

TEST(Hth3, ASensorsBranchIsReportedAndCanBeTaken) {
  const std::string text = test::hth3_file({{0, 10}, {2, 1, 36358}, {0, 20}, {0, 30}},
                                           {{0, 0, 1}, {0, 1, 2}, {1, 1, 3}});
  const Motion plain = parse_motion(text, "mine.x", wiring(), mapped());
  EXPECT_THAT(durations(plain), ElementsAre(0.15, 0.3));
  EXPECT_THAT(plain.warnings, ElementsAre(AllOf(HasSubstr("item 1 'item1' depends on a sensor"),
                                                HasSubstr("--branch 1"))));
  ReadOptions options = mapped();
  options.branches = {1};
  EXPECT_THAT(durations(parse_motion(text, "mine.x", wiring(), options)), ElementsAre(0.15, 0.45));
}

TEST(Hth3, FreeAndUnusedChannelsStay) {
  const Motion m =
      parse_motion(test::hth3_file({{0, 10, 16400, 32768}, {0, 10, 32770, 0}}, {{0, 0, 1}}),
                   "mine.x", wiring(), mapped());
  EXPECT_THAT(degrees(m, "left_knee"), ElementsAre(-999, -999));
  EXPECT_THAT(degrees(m, "left_shoulder_pitch"), ElementsAre(-5.63, -999));
  EXPECT_THAT(m.warnings, ElementsAre(HasSubstr("1 values switch a servo off"),
                                      HasSubstr("1 values are 0, which is no position")));
}

TEST(Hth3, NamesPlaceValueAndExpectation) {
  const auto complaint = [](const std::string& text) { return problem(text, mapped()); };
  EXPECT_THAT(complaint(test::hth3_file({{0, 10, 40000}}, {})),
              HasSubstr("mine.x: [Item0] Prm: channel 2 is 40000, a code that is not known"));
  EXPECT_THAT(complaint(test::hth3_file({{0, 0}}, {})), HasSubstr("time 0, expected 1..65535"));
  EXPECT_THAT(complaint(test::hth3_file({{0, 10}}, {{0, 0, 5}})),
              HasSubstr("[Link0] Final: item 5 does not exist, expected 0..0"));
  EXPECT_THAT(complaint(test::hth3_file({{0, 10}}, {}, 3)), HasSubstr("[GraphicalEdit] Start: 3"));
  EXPECT_THAT(complaint(test::hth3_file({{0, 1}, {0, 1}, {0, 1}}, {{0, 0, 1}, {0, 0, 2}})),
              HasSubstr("[Link1] Origin: item 0 'item0' already leads elsewhere"));
  EXPECT_THAT(complaint("[GraphicalEdit]\nType=0\nItems=2\nLinks=0\nStart=0\n[Item0]\nType=0\n"
                        "Prm=1,2\n"),
              HasSubstr("[Item0] Prm: 2 values, expected 25"));
  EXPECT_THAT(complaint("[GraphicalEdit]\nType=0\nItems=1\nLinks=0\nStart=0\nnonsense\n"),
              HasSubstr("mine.x: line 6: "));
}

TEST(Hth4, FollowsTheLinesOfACanvasAndCountsItsLoop) {
  const Motion m = parse_unmapped(test::hth4_canvas(), "mine.x", wiring());
  EXPECT_THAT(m.joints, ElementsAre("ch2", "ch16"));
  // 4000 counts are 135 deg
  EXPECT_THAT(degrees(m, "ch2"), ElementsAre(0, 33.75, 16.88, 33.75, 16.88, 33.75, 16.88, 0));
  EXPECT_THAT(durations(m), ElementsAre(0.15, 0.3, 0.6, 0.3, 0.6, 0.3, 0.6, 1.5));
}

TEST(Hth4, AProjectsCodeGivesTheSame) {
  ReadOptions options;
  options.entry = "M002";
  const Motion canvas = parse_unmapped(test::hth4_canvas(), "mine.x", wiring());
  const Motion once = parse_unmapped(test::hth4_project(), "mine.x", wiring(), options);
  EXPECT_EQ(once.name, "once");
  EXPECT_EQ(degrees(once, "ch2"), degrees(canvas, "ch2"));
  EXPECT_EQ(degrees(once, "ch16"), degrees(canvas, "ch16"));
  EXPECT_EQ(durations(once), durations(canvas));
  options.entry = "twice";
  EXPECT_EQ(parse_unmapped(test::hth4_project(), "mine.x", wiring(), options).poses.size(),
            2 * once.poses.size());
}

TEST(Hth4, AProjectOfSeveralMotionsAsksForOne) {
  EXPECT_THAT(
      test::error_of<ConfigError>([] { parse_unmapped(test::hth4_project(), "mine.x", wiring()); }),
      AllOf(HasSubstr("2 motions, name one with --entry"), HasSubstr("M002 once")));
  ReadOptions options;
  for (const char* entry : {"M003", "M009"}) {
    options.entry = entry;
    EXPECT_THAT(test::error_of<ConfigError>(
                    [&] { parse_unmapped(test::hth4_project(), "mine.x", wiring(), options); }),
                AllOf(HasSubstr(entry), HasSubstr("expected one of: M001 twice, M002 once")));
  }
}

TEST(Hth4, NamesWhatIsWrong) {
  const auto complaint = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return test::error_of<ConfigError>([&] { parse_unmapped(text, "mine.x", wiring()); });
  };
  const std::string canvas = test::hth4_canvas();
  EXPECT_THAT(complaint(canvas, "</Name>", "<Name>"), HasSubstr("mine.x: line 1: "));
  const std::string move = encode_rcb4_move({{2, 8500}, {16, 7500}}, 20);
  EXPECT_THAT(complaint(canvas, move, "XY" + move.substr(2)),
              HasSubstr("activity 2 'B': 'XY', expected a byte"));
  EXPECT_THAT(complaint(canvas, move, move.substr(0, move.size() - 2) + "00"),
              HasSubstr("'B': the sum is 0, expected"));
  EXPECT_THAT(complaint(canvas, move, move.substr(0, 20)), HasSubstr("bytes, expected as many"));
  EXPECT_THAT(complaint(canvas, move, encode_rcb4_move({{2, 60}}, 20)),
              HasSubstr("channel 2 is 60, expected 7500 +- 5334"));
  EXPECT_THAT(
      complaint(canvas, "<GUID>lb</GUID><ConnectMode>False", "<GUID>lb</GUID><ConnectMode>True"),
      HasSubstr("two lines lead on from activity 1 'loop'"));
}

TEST(JointTable, SaysItsUnitOrAsksForIt) {
  const Motion m = parse_motion("time_ms;head_yaw [deg];left_knee_rad\n0;1,5;0,5\n250;;-0,25\n",
                                "mine.x", wiring());
  EXPECT_THAT(degrees(m, "head_yaw"), ElementsAre(1.5, -999));
  EXPECT_NEAR(*m.poses[1].angle[1], -0.25, 1e-15);
  EXPECT_THAT(durations(m), ElementsAre(0.25, 0.25));
  EXPECT_THAT(
      degrees(parse_motion("# unit: deg\ntime_s,head_yaw\n0,3\n1,4\n", "x", wiring()), "head_yaw"),
      ElementsAre(3, 4));
  const std::string bare = "time_s,head_yaw\n0,1\n1,1\n";
  EXPECT_THAT(problem(bare), AllOf(HasSubstr("line 1, field 2: 'head_yaw' has no unit"),
                                   HasSubstr("--unit deg|rad")));
  ReadOptions options;
  options.unit = AngleUnit::kRadians;
  EXPECT_THAT(degrees(parse_motion(bare, "x", wiring(), options), "head_yaw"),
              ElementsAre(57.3, 57.3));
}

TEST(JointTable, ListsEveryProblem) {
  EXPECT_THAT(
      problem("time_s,head_yaw_deg\n1,400\n0.5,x\n2,1,5\n"),
      AllOf(HasSubstr("line 2, field 2 (head_yaw): '400', expected an angle in [-360, 360]"),
            HasSubstr("line 3, field 1: time '0.5', expected later"),
            HasSubstr("line 3, field 2 (head_yaw): 'x'"),
            HasSubstr("line 4: 3 fields, expected 2; decimal commas need ';'")));
}

TEST(ChannelTable, TakesWaitsAndAsksForAStep) {
  std::string names, home;
  for (int channel = 1; channel <= 24; ++channel) names += ",ch" + std::to_string(channel);
  for (int channel = 2; channel <= 24; ++channel) home += ",225";
  const std::string waits = "pos,speed,wait_s" + names + "\n0,4,0.5,5" + home + "\n1,4,0.5,95" +
                            home + "\n2,4,0.1,5" + home + "\n";
  const Motion m = parse_motion(waits, "x", wiring());
  EXPECT_THAT(degrees(m, "left_shoulder_pitch"), ElementsAre(0, -90, 0));
  EXPECT_THAT(durations(m), ElementsAre(0.5, 0.5, 0));  // 90 deg at code 4 take 0.324 s
  EXPECT_THAT(m.warnings, ElementsAre(HasSubstr("wait_s of 1 poses is shorter")));
  const std::string frames = "frame" + names + "\n0,5" + home + "\n1,6" + home + "\n";
  EXPECT_THAT(problem(frames), HasSubstr("mine.x: the table has neither speeds nor times"));
  ReadOptions options;
  options.step = 0.04;
  EXPECT_THAT(durations(parse_motion(frames, "x", wiring(), options)), ElementsAre(0.04, 0.04));
}

TEST(MotionMapFile, ListsEveryProblem) {
  const auto complaint = [](const std::string& text) {
    return test::error_of<ConfigError>([&] { parse_motion_map(text, "map.json"); });
  };
  EXPECT_THAT(
      complaint(R"({"schema": "kagami.motion_map/1", "name": "x", "chanels": [], "channels": [
      {"channel": 1, "joint": "a", "sign": 0}, {"channel": 99, "joint": "b"},
      {"channel": 2, "joint": "c"}, {"channel": 2, "joint": "d"}]})"),
      AllOf(HasSubstr("/channels/0/sign: 0, expected 1 or -1"),
            HasSubstr("/channels/1/channel: 99 is outside [0, 40]"),
            HasSubstr("/channels/3/channel: is mapped twice"), HasSubstr("chanels")));
  const MotionMap half = parse_motion_map(
      R"({"schema": "kagami.motion_map/1", "name": "x", "channels": [{"channel": 1, "joint": "tail"}]})",
      "map.json");
  EXPECT_THAT(test::error_of<ConfigError>([&] { check_map(half, wiring()); }),
              AllOf(HasSubstr("joint 'head_yaw' of the robot has no channel"),
                    HasSubstr("joint 'tail' is not one of the robot's")));
}

// what a file means does not change when it goes through ours and back
TEST(RoundTrip, KeepsAnglesAndTimesOfEveryFormat) {
  ReadOptions read = mapped();
  const Motion bound = bind_motion(parse_motion(test::hth3_file({{0, 20, 16384 + 37, 16384 - 11},
                                                                 {0, 13, 16384 + 200, 16390},
                                                                 {0, 255, 16384, 16500}},
                                                                {{0, 0, 1}, {0, 1, 2}, {0, 2, 0}}),
                                                "mine.x", wiring(), read),
                                   wiring());
  ASSERT_TRUE(bound.loop);
  WriteOptions write;
  write.map = &map();
  for (const MotionFormat format : {MotionFormat::kKagami, MotionFormat::kHth3}) {
    SCOPED_TRACE(format_key(format));
    const Motion back = bind_motion(
        parse_motion(motion_text(bound, format, wiring(), write), "x", wiring(), read), wiring());
    ASSERT_EQ(back.poses.size(), bound.poses.size());
    for (std::size_t p = 0; p < back.poses.size(); ++p) {
      EXPECT_NEAR(back.poses[p].duration, bound.poses[p].duration, 1e-12);
      for (std::size_t j = 0; j < back.joints.size(); ++j)
        EXPECT_NEAR(*back.poses[p].angle[j], *bound.poses[p].angle[j], 1e-12);
    }
    EXPECT_TRUE(back.loop);
  }
  // the steps of the other formats: 0.034 deg and frames of 15 ms; digits of time
  for (const MotionFormat format : {MotionFormat::kHth4, MotionFormat::kJointTable}) {
    SCOPED_TRACE(format_key(format));
    const Motion back = bind_motion(
        parse_motion(motion_text(bound, format, wiring(), write), "x", wiring(), read), wiring());
    ASSERT_EQ(back.poses.size(), bound.poses.size());
    for (std::size_t p = 0; p < back.poses.size(); ++p) {
      EXPECT_NEAR(back.poses[p].duration, bound.poses[p].duration, 1e-9);
      for (std::size_t j = 0; j < back.joints.size(); ++j)
        EXPECT_NEAR(to_deg(*back.poses[p].angle[j]), to_deg(*bound.poses[p].angle[j]), 0.017);
    }
  }
}

TEST(RoundTrip, APauseBecomesRepeatedPosesInHeartToHeart1) {
  Motion m;
  m.name = "pause";
  m.joints = {"left_knee"};
  m.poses = {{"a", {to_rad(0)}, 4, 0.0}, {"b", {to_rad(20)}, 4, 2.0}, {"c", {to_rad(0)}, 4, 0.0}};
  const Motion bound = bind_motion(m, wiring());
  const std::string text = motion_text(bound, MotionFormat::kHth1, wiring());
  const Motion back = bind_motion(parse_motion(text, "x", wiring()), wiring());
  EXPECT_GT(back.poses.size(), 3u);
  EXPECT_TRUE(back.has_speed_codes());
  EXPECT_NEAR(back.duration(), bound.duration(), 0.02);  // half the shortest pause
  EXPECT_EQ(back.poses[1].label, "b");
  EXPECT_NEAR(to_deg(*back.poses[2].angle[column(back, "left_knee")]), 20.0, 1e-9);
}

TEST(RoundTrip, AProjectKeepsEverythingElse) {
  const Motion bound = bind_motion(
      parse_motion(test::hth3_file({{0, 20, 16421, 16373}, {0, 13, 16400, 16390}}, {{0, 0, 1}}),
                   "mine.x", wiring(), mapped()),
      wiring());
  WriteOptions write;
  write.map = &map();
  write.project = test::hth4_project();
  write.project_file = "old.h4p";
  write.entry = "M003";
  const std::string text = motion_text(bound, MotionFormat::kHth4Project, wiring(), write);
  ReadOptions read = mapped();
  read.entry = "M003";
  EXPECT_EQ(bind_motion(parse_motion(text, "x", wiring(), read), wiring()).poses.size(), 2u);
  ReadOptions other;
  other.entry = "M001";
  EXPECT_EQ(parse_unmapped(text, "x", wiring(), other).poses.size(), 16u);
  write.entry = "M007";
  EXPECT_THAT(test::error_of<ConfigError>(
                  [&] { motion_text(bound, MotionFormat::kHth4Project, wiring(), write); }),
              HasSubstr("old.h4p: no motion 'M007'"));
  write.project.clear();
  EXPECT_THAT(test::error_of<ConfigError>(
                  [&] { motion_text(bound, MotionFormat::kHth4Project, wiring(), write); }),
              HasSubstr("--project"));
}

}  // namespace
}  // namespace kagami::motions
