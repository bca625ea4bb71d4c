// kagami robot ... on a port: consent, and Ctrl-C between the boards.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <map>
#include <sstream>

#include "tools/robot/calibration_file.hpp"
#include "tools/robot/test/robot_case.hpp"
#include "tools/robot/test/robot_on_port.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using test::RobotCase;
using test::RobotOnPort;

TEST(RobotCommand, APortNeedsYesForWhatMovesOrStores) {
  RobotOnPort robot;
  RobotCase c;
  EXPECT_EQ(c.run({"robot", "read", "--robot", robot.path(), "--json"}), 0) << c.err;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"trim", "--set", "left_knee=2"},
        {"switch", "--set", "sleep"},
        {"free"},
        {"home", "--store"}}) {
    std::vector<std::string> args = {"robot"};
    args.insert(args.end(), command.begin(), command.end());
    args.insert(args.end(), {"--robot", robot.path()});
    SCOPED_TRACE(command[0]);
    EXPECT_EQ(c.run(args), 2) << c.err;
    EXPECT_TRUE(c.says("nothing was moved or stored")) << c.err;
  }
  EXPECT_EQ(c.run({"robot", "trim", "--robot", robot.path(), "--set", "left_knee=2", "--yes"}), 0)
      << c.err;
  c.settings.in_is_terminal = true;
  c.input = "y\n";
  EXPECT_EQ(c.run({"robot", "free", "--robot", robot.path()}), 0) << c.err;
  EXPECT_EQ(c.run({"robot", "read", "--robot", robot.path(), "--memory", "x"}), 2);
  // what a restore would clear is part of what is stated
  const std::string file = c.folder.file("backup.json");
  ASSERT_EQ(c.robot({"backup", file}), 0) << c.err;
  nlohmann::json backup = nlohmann::json::parse(std::ifstream(file));
  for (auto& board : backup["boards"]) board["switches"] = 0;
  std::ofstream(file) << backup;
  c.settings.in_is_terminal = false;
  EXPECT_EQ(c.run({"robot", "restore", file, "--robot", robot.path()}), 2);
  EXPECT_TRUE(c.says("the sleep bit is cleared, the servos drive again")) << c.err;
}

/// A robot whose owner presses Ctrl-C while a request with `command` is on its way to board 0.
struct InterruptedRobot {
  /// A robot with a memory file answers late while it saves.
  explicit InterruptedRobot(std::uint8_t at, const std::string& memory_file = "")
      : port(
            [this, at](std::vector<std::uint8_t>& bytes) {
              ++requests[bytes[0]];
              if (bytes[0] != at || is_pressed) return;
              is_pressed = true;
              std::raise(SIGINT);
            },
            test::BoardCase::config(memory_file)) {}

  int run(const std::vector<std::string>& args) {
    std::vector<std::string> all = {"robot"};
    all.insert(all.end(), args.begin(), args.end());
    all.insert(all.end(), {"--robot", port.path(), "--yes"});
    return c.run(all);
  }

  std::array<std::atomic<int>, 256> requests{};  // by command byte
  bool is_pressed = false;
  RobotCase c;
  RobotOnPort port;
};

TEST(RobotCommand, ABackupWithoutTheKeysOfABoardNamesThem) {
  RobotCase c;
  // board 1 does not know the question for a key
  const test::RobotOnPort port([](std::vector<std::uint8_t>& bytes) {
    const bool asks_for_key =
        bytes[0] == static_cast<std::uint8_t>(drivers::rcb1::Command::kGetKey);
    if (asks_for_key && bytes[1] == 1) bytes[0] = 0x11;
  });
  const std::string file = c.folder.file("backup.json");
  EXPECT_EQ(c.run({"robot", "backup", file, "--robot", port.path()}), 0) << c.err;
  EXPECT_TRUE(c.says("board 1 answers for 0 of")) << c.err;
  EXPECT_FALSE(c.says("board 0 answers for")) << c.err;
}

TEST(RobotInterrupted, ATrimIsWrittenOnAllBoards) {
  InterruptedRobot robot(0xE9);
  EXPECT_EQ(robot.run({"trim", "--set", "left_elbow=2", "--set", "left_knee=3"}), 130)
      << robot.c.err;
  EXPECT_TRUE(robot.c.says("what was begun was finished")) << robot.c.err;
  ASSERT_EQ(robot.run({"trim", "--json"}), 0) << robot.c.err;
  int trimmed = 0;
  const nlohmann::json answer = robot.c.json();
  for (const nlohmann::json& joint : answer["joints"]) trimmed += joint["trim_deg"] != 0 ? 1 : 0;
  EXPECT_EQ(trimmed, 2);
}

TEST(RobotInterrupted, SwitchBitsKeysAndScenariosAreWrittenOnAllBoards) {
  for (const auto& [command, args] :
       std::map<std::uint8_t, std::vector<std::string>>{{0xF1, {"switch", "--set", "sleep"}},
                                                        {0xED, {"keys", "--set", "5=1,2,3"}},
                                                        {0xF3, {"scenario", "--set", "0=1"}}}) {
    SCOPED_TRACE(args[0]);
    InterruptedRobot robot(command);
    EXPECT_EQ(robot.run(args), 130) << robot.c.err;
    EXPECT_EQ(robot.requests[command], 2);
  }
}

TEST(RobotInterrupted, ACalibrationIsAppliedAsAWhole) {
  InterruptedRobot robot(0xE9);
  const fs::path own = robot.c.folder.file("mine");
  fs::create_directories(own);
  for (const char* name : {"robot.json", "robot.urdf", "plant.json"}) {
    fs::copy_file(test::BoardCase::folder() / name, own / name);
  }
  CalibrationVersion wanted = present_calibration(wiring_of(own), "mine");
  for (CalibratedJoint& joint : wanted.joints) joint.trim_deg = 2;
  const std::string file = robot.c.folder.file("wanted.json");
  std::ofstream(file) << calibration_text(wanted);
  EXPECT_EQ(robot.run({"calibrate", "--model", own.string(), "--roll-back", file}), 130)
      << robot.c.err;
  EXPECT_EQ(robot.requests[0xE9], 2);
  for (const JointWiring& joint : wiring_of(own).joints) EXPECT_EQ(joint.trim_deg, 2);
}

TEST(RobotInterrupted, EveryBoardIsFreed) {
  InterruptedRobot robot(0xF1);
  EXPECT_EQ(robot.run({"free"}), 130) << robot.c.err;
  EXPECT_TRUE(robot.c.says("board 1: free, confirmed")) << robot.c.out;
}

TEST(RobotInterrupted, AMotionStartsOnAllBoards) {
  RobotCase stored;
  stored.store_motion();
  InterruptedRobot robot(0xEF, stored.memory);
  EXPECT_EQ(robot.run({"play", "2"}), 130) << robot.c.err;
  EXPECT_EQ(robot.requests[0xEF], 2);
  EXPECT_TRUE(robot.c.says("it plays to its end")) << robot.c.err;
}

TEST(RobotInterrupted, AHomeIsStoredOnAllBoardsOrOnNone) {
  InterruptedRobot moving(0xFD);
  EXPECT_EQ(moving.run({"home", "--store"}), 130) << moving.c.err;
  EXPECT_TRUE(moving.c.says("interrupted; no home was stored")) << moving.c.err;
  EXPECT_EQ(moving.requests[0xFB], 0);
  InterruptedRobot storing(0xFB);
  EXPECT_EQ(storing.run({"home", "--store", "--within", "5"}), 130) << storing.c.err;
  EXPECT_EQ(storing.requests[0xFB], 2);
}

// Ctrl-C as a text appears, in simulated time

/// Standard error of a command that is interrupted when it shows `text`.
class InterruptingText final : public std::stringbuf {
 public:
  explicit InterruptingText(std::string text) : text_(std::move(text)) {}

 protected:
  int sync() override {
    const std::string all = str();
    const std::size_t from = std::max(looked_at_, text_.size()) - text_.size();
    looked_at_ = all.size();
    if (!is_raised_ && all.find(text_, from) != std::string::npos) {
      is_raised_ = true;
      std::raise(SIGINT);
    }
    return 0;
  }

 private:
  std::size_t looked_at_ = 0;
  std::string text_;
  bool is_raised_ = false;
};

/// The command's exit code; its standard error goes to `c`.
int run_until(RobotCase& c, const std::string& text, std::vector<std::string> args) {
  args.insert(args.begin(), "robot");
  args.insert(args.end(), {"--robot", "virtual", "--memory", c.memory});
  std::istringstream in;
  std::ostringstream out;
  InterruptingText buffer(text);
  std::ostream err(&buffer);
  double now = 0.0;
  ConsoleSettings settings;
  settings.err_is_terminal = true;
  settings.seconds = [&] { return ++now; };  // all of the progress is shown
  Console io(in, out, err, settings);
  const int code = run_cli(args, io, add_main_commands);
  c.out = out.str();
  c.err = buffer.str();
  return code;
}

TEST(RobotInterrupted, ARestoreEndsWithItsItem) {
  RobotCase c;
  c.store_motion();
  const std::string file = c.folder.file("backup.json");
  ASSERT_EQ(c.robot({"backup", file}), 0) << c.err;
  nlohmann::json backup = nlohmann::json::parse(std::ifstream(file));
  backup["boards"][0]["memory"]["home"][2] = 75;
  std::ofstream(file) << backup;
  // in the item before the home, and as the home begins
  for (const char* text : {"% motion 2", "% home"}) {
    SCOPED_TRACE(text);
    c.memory = c.folder.file(std::string("memory ") + text[2] + ".json");
    EXPECT_EQ(run_until(c, text, {"restore", file, "--home"}), 130) << c.err;
    EXPECT_TRUE(c.says("written and read back: motion 2\n")) << c.out;
    EXPECT_TRUE(c.says("not written: home")) << c.err;
    ASSERT_EQ(c.robot({"home"}, {"--json"}), 0) << c.err;
    const nlohmann::json answer = c.json();
    ASSERT_EQ(answer["joints"].size(), 17u);
    for (const nlohmann::json& joint : answer["joints"]) EXPECT_NE(joint["home_deg"], 75);
  }
  c.memory = c.folder.file("last.json");
  EXPECT_EQ(run_until(c, "% motion 2", {"restore", file}), 130) << "the last item";
  EXPECT_TRUE(c.says("interrupted before the memory was read back")) << c.err;
}

TEST(RobotInterrupted, NoBoardIsStartedAfterAStop) {
  RobotCase c;
  c.store_motion();
  EXPECT_EQ(run_until(c, "motion 2 starts", {"play", "2"}), 130) << c.err;
  EXPECT_TRUE(c.says("no board was started")) << c.err;
}

}  // namespace
}  // namespace kagami::tools
