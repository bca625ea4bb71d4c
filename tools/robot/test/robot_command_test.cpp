// kagami robot ..., as an owner runs it.
#include <gtest/gtest.h>

#include <fstream>

#include "tools/robot/test/robot_case.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using test::RobotCase;

TEST(RobotCommand, InfoShowsBoardsAndStoredMotions) {
  RobotCase c;
  c.store_motion();
  ASSERT_EQ(c.robot({"info"}, {"--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["schema"], "kagami.robot_info/1");
  EXPECT_EQ(c.json()["boards"][1]["motions"], 1);
  EXPECT_EQ(c.json()["boards"][0]["home"][0], 5);
  EXPECT_EQ(c.json()["stored"][0]["number"], 2);
  EXPECT_TRUE(c.json()["stored"][0]["problem"].is_null());
}

TEST(RobotCommand, InfoOfOneBoardAloneIsStillShown) {
  RobotCase c;
  EXPECT_EQ(c.robot({"info"}, {"--fault", "1:mute", "--json"}), 4);
  EXPECT_EQ(c.json()["boards"][0]["answers"], true);
  EXPECT_EQ(c.json()["boards"][1]["answers"], false);
  EXPECT_TRUE(c.json()["boards"][1]["home"].is_null());
  EXPECT_TRUE(c.says("board 1 does not answer"));
}

TEST(RobotCommand, InfoThatIsIncompleteIsAFailure) {
  RobotCase c;
  c.store_motion();
  bool has_scenarios_alone = false;
  for (int k = 2; k < 60 && !has_scenarios_alone; ++k) {
    SCOPED_TRACE(k);
    const int code =
        c.robot({"info"}, {"--json", "--fault", "1:mute, for 6, from " + std::to_string(0.01 * k)});
    const nlohmann::json board = c.json()["boards"][1];
    bool is_complete = true;
    for (const char* part : {"switches", "home", "trim_deg", "motions", "scenarios"}) {
      is_complete &= !board[part].is_null();
    }
    EXPECT_EQ(code, is_complete ? 0 : 4) << c.out << c.err;
    EXPECT_TRUE(is_complete || !c.json()["problems"].empty());
    has_scenarios_alone = board["motions"].is_null() && !board["scenarios"].is_null();
  }
  EXPECT_TRUE(has_scenarios_alone);
}

TEST(RobotCommand, ReadShowsAnglesAgesAndFreeServos) {
  RobotCase c;
  ASSERT_EQ(c.robot({"read"}, {"--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["joints"][0]["name"], "head_yaw");
  EXPECT_EQ(c.json()["joints"][0]["count"], 90);
  EXPECT_EQ(c.json()["joints"][0]["asleep"], false);
  EXPECT_GE(c.json()["joints"][0]["age_s"].get<double>(), 0.0);
  ASSERT_EQ(c.robot({"read", "--watch", "--times", "3"}), 0) << c.err;
  std::size_t tables = 0;
  for (std::size_t at = 0; (at = c.out.find("head_yaw", at)) != std::string::npos; ++at) ++tables;
  EXPECT_EQ(tables, 3u);
}

// the age grows; a value that was not read again is never shown as fresh
TEST(RobotCommand, ReadStatesTheAgeOfWhatIsNotReadAnyMore) {
  RobotCase c;
  EXPECT_EQ(
      c.robot({"read", "--watch", "--times", "8", "--every", "0.5"}, {"--fault", "1:off, from 2"}),
      4);
  EXPECT_TRUE(c.says("no answer")) << c.out;
  EXPECT_TRUE(c.says("not known")) << c.out;
  const std::size_t last = c.out.rfind("left_knee");
  double age = 0.0;
  ASSERT_EQ(std::sscanf(c.out.c_str() + last, "left_knee %*d %*d %lf", &age), 1);
  EXPECT_GT(age, 0.5);
}

TEST(RobotCommand, TrimIsKeptAndItsLossShown) {
  RobotCase c;
  ASSERT_EQ(c.robot({"trim", "--set", "left_knee=-3"}, {"--json"}), 0) << c.err;
  ASSERT_EQ(c.robot({"trim"}, {"--json"}), 0) << c.err;
  const nlohmann::json answer = c.json();
  EXPECT_EQ(answer["joints"].size(), 17u);
  for (const nlohmann::json& joint : answer["joints"]) {
    EXPECT_EQ(joint["lost_deg"], joint["name"] == "left_knee" ? 3 : 0) << joint;
  }
  EXPECT_EQ(c.robot({"trim", "--set", "left_kne=-3"}), 2);
  EXPECT_TRUE(c.says("did you mean 'left_knee'"));
  EXPECT_EQ(c.robot({"trim", "--set", "left_knee=20"}), 2);
  EXPECT_TRUE(c.says("-20..19"));
}

TEST(RobotCommand, AStoredMotionIsPlayedToItsEnd) {
  RobotCase c;
  c.store_motion();
  ASSERT_EQ(c.robot({"play", "2"}, {"--json"}), 0) << c.err;
  // 20 deg at 3.4 ms/deg, then 25 deg; the other board moves 10 deg, the least travel, twice
  EXPECT_NEAR(c.json()["seconds"][0].get<double>(), 45 * 0.0034, 0.01);
  EXPECT_LE(c.json()["largest_difference_deg"].get<int>(), 3);
}

TEST(RobotCommand, AMotionThatTheBoardsDoNotPlayIsAFinding) {
  RobotCase c;
  c.store_motion();
  nlohmann::json file = nlohmann::json::parse(std::ifstream(c.memory));
  file["boards"][0]["motions"]["2"]["poses"][1]["counts"][2] = 120;  // 30 deg from home
  std::ofstream(c.memory) << file;
  EXPECT_EQ(c.robot({"play", "2"}, {"--fault", "0:neverfollow", "--json"}), 6);
  EXPECT_TRUE(c.says("left_elbow ended 30 deg from its last pose")) << c.err;
  EXPECT_TRUE(c.says("The motion bit of board 0 is off")) << c.err;
  EXPECT_GT(c.json()["largest_difference_deg"], 5);
  EXPECT_TRUE(c.json()["problem"].is_string());
  ASSERT_EQ(c.robot({"scenario", "--set", "1=2"}), 0) << c.err;
  EXPECT_EQ(c.robot({"scenario", "--play", "1"}, {"--fault", "0:neverfollow"}), 6);
  EXPECT_FALSE(c.says("was played")) << c.out;
}

TEST(RobotCommand, EmptyOutOfStepAndSleepingAreNotPlayed) {
  RobotCase c;
  c.store_motion();
  EXPECT_EQ(c.robot({"play", "3"}), 5);
  EXPECT_TRUE(c.says("motion 3 is empty"));
  EXPECT_EQ(c.robot({"play", "40"}), 2);
  nlohmann::json file = nlohmann::json::parse(std::ifstream(c.memory));
  file["boards"][1]["motions"]["2"]["count"] = 1;
  std::ofstream(c.memory) << file;
  EXPECT_EQ(c.robot({"play", "2"}), 5);
  EXPECT_TRUE(c.says("board 0 has 2 poses, board 1 has 1 poses")) << c.err;
  EXPECT_EQ(c.robot({"info"}), 0);
  EXPECT_TRUE(c.says("is out of step")) << c.out;
  // zeros: nothing is started on a robot whose pose is not known
  EXPECT_EQ(c.robot({"play", "2"}, {"--fault", "0:zeros"}), 5);
}

TEST(RobotCommand, ScenariosAreWrittenAndPlayed) {
  RobotCase c;
  c.store_motion();
  ASSERT_EQ(c.robot({"scenario", "--set", "1=2,2"}, {"--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["scenarios"][1]["motions"], nlohmann::json({2, 2}));
  ASSERT_EQ(c.robot({"scenario", "--play", "1"}), 0) << c.err;
  EXPECT_EQ(c.robot({"scenario", "--play", "0"}), 5);
  ASSERT_EQ(c.robot({"scenario", "--set", "1="}, {"--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["scenarios"][1]["motions"].size(), 0u);
  EXPECT_EQ(c.robot({"scenario", "--set", "1=2,50"}), 2);
}

TEST(RobotCommand, KeysStateThatTheirFieldsAreInferred) {
  RobotCase c;
  ASSERT_EQ(c.robot({"keys", "--set", "5=1,2,3"}, {"--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["boards"][1]["keys"][0]["bytes"], nlohmann::json({1, 2, 3}));
  EXPECT_TRUE(c.says("inferred"));
  EXPECT_EQ(c.robot({"keys", "--set", "5=1,2"}), 2);
  EXPECT_EQ(c.robot({"keys", "--set", "5=1,2,232"}), 2);
}

TEST(RobotCommand, KeysThatCannotBeReadAreAFailure) {
  RobotCase c;
  EXPECT_EQ(c.robot({"keys"}, {"--fault", "1:mute, from 0.5"}), 4) << c.out;
  EXPECT_EQ(c.robot({"keys"}, {"--fault", "0:flip 2:3, from 0.2"}), 4) << c.out;
}

TEST(RobotCommand, FreeIsConfirmedOrSaidNotToBe) {
  RobotCase c;
  EXPECT_EQ(c.robot({"free"}), 0) << c.err;
  EXPECT_TRUE(c.says("board 1: free, confirmed"));
  EXPECT_EQ(c.robot({"free"}, {"--fault", "1:nosleep"}), 4);
  EXPECT_TRUE(c.says("board 0: free, confirmed"));
  EXPECT_TRUE(c.says("board 1: NOT confirmed"));
}

TEST(RobotCommand, BackupAndRestoreMoveAMemoryToAnotherRobot) {
  RobotCase c;
  c.store_motion();
  const std::string file = c.folder.file("backup.json");
  ASSERT_EQ(c.robot({"backup", file}), 0) << c.err;
  EXPECT_EQ(c.robot({"backup", file}), 2) << "an old backup is not replaced by accident";
  c.memory = c.folder.file("other.json");
  ASSERT_EQ(c.robot({"restore", file}, {"--json"}), 0) << c.err;
  EXPECT_EQ(c.json()["written"], nlohmann::json({"motion 2"}));
  EXPECT_EQ(c.json()["differences"].size(), 0u);
  ASSERT_EQ(c.robot({"play", "2"}), 0) << c.err;
}

TEST(RobotCommand, AHomeIsRestoredOnlyWithThePoseHeld) {
  RobotCase c;
  const std::string file = c.folder.file("backup.json");
  ASSERT_EQ(c.robot({"backup", file}), 0) << c.err;
  nlohmann::json backup = nlohmann::json::parse(std::ifstream(file));
  backup["boards"][0]["memory"]["home"][2] = 75;
  std::ofstream(file) << backup;
  EXPECT_EQ(c.robot({"restore", file}), 6);
  EXPECT_TRUE(c.says("board 0, home: channel 3: 90 deg, expected 75 deg")) << c.err;
  EXPECT_TRUE(c.says("--home moves the robot"));
  ASSERT_EQ(c.robot({"restore", file, "--home"}), 0) << c.err;
  EXPECT_TRUE(c.says("written and read back: home")) << c.out;
  EXPECT_EQ(c.robot({"restore", file}), 0) << c.err;
}

TEST(RobotCommand, ABackupThatIsCutOffWritesNothing) {
  RobotCase c;
  const std::string file = c.folder.file("backup.json");
  EXPECT_EQ(c.robot({"backup", file}, {"--fault", "1:off, from 1"}), 4);
  EXPECT_TRUE(c.says("was not written")) << c.err;
  EXPECT_FALSE(fs::exists(file));
}

TEST(RobotCommand, AFileThatCannotBeWrittenIsSaidBeforeTheWork) {
  RobotCase c;
  const std::string file = c.folder.file("absent") + "/a.json";
  EXPECT_EQ(c.robot({"backup", file}, {"--fault", "*:off"}), 1) << c.err;
  EXPECT_TRUE(c.says("absent")) << c.err;
  c.input = "\nq\n";
  EXPECT_EQ(c.run({"motion", "record", file, "--robot", "virtual"}), 1) << c.err;
  EXPECT_FALSE(c.says("are free")) << c.err;
  EXPECT_TRUE(fs::is_empty(c.folder.path()) || !fs::exists(file));
}

TEST(RobotCommand, TheSleepBitOfAFileIsSetAfterItsHomeIsStored) {
  RobotCase c;
  const std::string file = c.folder.file("backup.json");
  ASSERT_EQ(c.robot({"backup", file}), 0) << c.err;
  nlohmann::json backup = nlohmann::json::parse(std::ifstream(file));
  backup["boards"][0]["memory"]["home"][2] = 75;
  for (auto& board : backup["boards"]) board["switches"] = 1;
  std::ofstream(file) << backup;
  EXPECT_EQ(c.robot({"restore", file, "--home"}), 0) << c.err;
  EXPECT_TRUE(c.says("written and read back: home, switch bits")) << c.out;
}

TEST(RobotCommand, SetIdIsRefusedForTwoBoards) {
  RobotCase c;
  EXPECT_EQ(c.robot({"set-id", "4"}), 4);
  EXPECT_TRUE(c.says("2 boards answer (ID 0, 1)")) << c.err;
  EXPECT_EQ(c.robot({"set-id", "4"}, {"--fault", "1:off"}), 0) << c.err;
  EXPECT_TRUE(c.says("ID 4 answers, it was 0"));
}

}  // namespace
}  // namespace kagami::tools
