// kagami robot ... and kagami motion record, as an owner runs them.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "drivers/virtual/pty_server.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/clock/clock.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
namespace vr = drivers::virtual_robot;
using test::CliCase;
using test::TempFolder;

/// Commands on one virtual robot, whose memory is kept between them.
struct RobotCase : CliCase {
  TempFolder folder;
  std::string memory = folder.file("memory.json");

  int robot(std::vector<std::string> args, const std::vector<std::string>& more = {}) {
    args.insert(args.begin(), "robot");
    args.insert(args.end(), {"--robot", "virtual", "--memory", memory});
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
  [[nodiscard]] bool says(const std::string& text) const {
    return err.find(text) != std::string::npos || out.find(text) != std::string::npos;
  }
  /// Motion 2 of two poses on both boards.
  void store_motion() {
    nlohmann::json pose_0 = {{{"pose", 0},
                              {"speed", 3},
                              {"counts", {5, 0, 70, 225, 225, 90, 175, 180, 90, 225, 225, 225}}},
                             {{"pose", 1},
                              {"speed", 3},
                              {"counts", {5, 0, 95, 225, 225, 90, 175, 180, 90, 225, 225, 225}}}};
    nlohmann::json pose_1 = {{{"pose", 0},
                              {"speed", 3},
                              {"counts", {88, 115, 110, 90, 92, 225, 92, 65, 65, 90, 88, 225}}},
                             {{"pose", 1},
                              {"speed", 3},
                              {"counts", {88, 115, 115, 90, 92, 225, 92, 65, 65, 90, 88, 225}}}};
    ASSERT_EQ(robot({"trim", "--set", "head_yaw=0", "--set", "left_elbow=1"}), 0) << err;
    nlohmann::json file = nlohmann::json::parse(std::ifstream(memory));
    file["boards"][0]["motions"]["2"] = {{"count", 2}, {"poses", pose_0}};
    file["boards"][1]["motions"]["2"] = {{"count", 2}, {"poses", pose_1}};
    file["boards"][0]["trim"][2] = 0;
    std::ofstream(memory) << file;
  }
};

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

TEST(RobotCommand, SetIdIsRefusedForTwoBoards) {
  RobotCase c;
  EXPECT_EQ(c.robot({"set-id", "4"}), 4);
  EXPECT_TRUE(c.says("2 boards answer (ID 0, 1)")) << c.err;
  EXPECT_EQ(c.robot({"set-id", "4"}, {"--fault", "1:off"}), 0) << c.err;
  EXPECT_TRUE(c.says("ID 4 answers, it was 0"));
}

// motion record

/// Options of a robot whose joints stay where they are, free or not; left_elbow reads 60.
std::vector<std::string> still_robot() {
  std::string stuck = "*:stuck 0";
  for (int channel = 1; channel < 12; ++channel) stuck += ", stuck " + std::to_string(channel);
  return {"--robot", "virtual", "--fault", stuck, "--fault", "0:reads 2:60"};
}

TEST(MotionRecord, TakesTheTimeBetweenTheKeys) {
  RobotCase c;
  const std::string file = c.folder.file("wave.json");
  c.input = "\n\nq\n";
  std::vector<std::string> args = {"motion", "record", file, "--as-timed", "--pose-time", "9"};
  for (const std::string& option : still_robot()) args.push_back(option);
  ASSERT_EQ(c.run(args), 0) << c.err;
  const nlohmann::json motion = nlohmann::json::parse(std::ifstream(file));
  EXPECT_EQ(motion["poses"][0]["duration_s"], 9);
  // in simulated time a pose takes two readings of each board, 50 ms apart
  EXPECT_NEAR(motion["poses"][1]["duration_s"].get<double>(), 0.11, 0.02);
}

TEST(MotionRecord, TakesUndoesLabelsAndWrites) {
  RobotCase c;
  const std::string file = c.folder.file("wave.json");
  c.input = "\narms up\nu\nx\nrest\nq\n";
  // the joints stay where they are, and one reads 60
  std::vector<std::string> args = {"motion", "record", file, "--pose-time", "0.8", "--json"};
  for (const std::string& option : still_robot()) args.push_back(option);
  ASSERT_EQ(c.run(args), 0) << c.err;
  EXPECT_EQ(c.json()["poses"], 2);
  EXPECT_TRUE(c.says("taken back; 1 poses are left"));
  EXPECT_TRUE(c.says("'x' is no key here"));
  const nlohmann::json motion = nlohmann::json::parse(std::ifstream(file));
  EXPECT_EQ(motion["schema"], "kagami.motion/1");
  EXPECT_EQ(motion["poses"][1]["label"], "rest");
  EXPECT_EQ(motion["poses"][1]["duration_s"], 0.8);
  EXPECT_EQ(motion["joints"][3], "left_elbow");
  EXPECT_EQ(motion["poses"][1]["angles_deg"][3], -30);
  ASSERT_EQ(c.run({"motion", "show", file}), 0) << c.err;
}

TEST(MotionRecord, PosesWithoutAReadingAreNotTaken) {
  RobotCase c;
  const std::string file = c.folder.file("wave.json");
  c.input = "\n\nq\n";
  EXPECT_EQ(c.run({"motion", "record", file, "--robot", "virtual", "--fault", "0:zeros"}), 1);
  EXPECT_TRUE(c.says("all positions read 0; the pose was not taken")) << c.err;
  EXPECT_TRUE(c.says("was not written"));
  EXPECT_FALSE(fs::exists(file));
}

TEST(MotionRecord, NeedsServosThatAreConfirmedFree) {
  RobotCase c;
  c.input = "\nq\n";
  EXPECT_EQ(c.run({"motion", "record", c.folder.file("a.json"), "--robot", "virtual", "--fault",
                   "1:nosleep"}),
            4);
  EXPECT_TRUE(c.says("not confirmed that the servos are free")) << c.err;
}

TEST(MotionRecord, DoesNotReplaceAFileByAccident) {
  RobotCase c;
  std::ofstream(c.folder.file("a.json")) << "x";
  EXPECT_EQ(c.run({"motion", "record", c.folder.file("a.json"), "--robot", "virtual"}), 2);
  EXPECT_EQ(c.run({"motion", "record", c.folder.file("a.txt"), "--robot", "virtual"}), 2);
}

// a port

/// A virtual robot on a pseudo-terminal, served by a thread until it is unplugged.
class RobotOnPort {
 public:
  RobotOnPort() : robot_(config()), server_(std::in_place, robot_, clock_) {
    thread_ = std::thread([this] { server_->serve(stop_); });
  }
  ~RobotOnPort() { unplug(); }
  void unplug() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    server_.reset();
  }
  [[nodiscard]] std::string path() const { return server_->path(); }

 private:
  static vr::VirtualRobotConfig config() {
    vr::VirtualRobotConfig c;
    const fs::path folder = fs::path(KAGAMI_SOURCE_DIR) / "models/data/khr1";
    c.robot = models::read_robot_folder(folder, models::BaseKind::kFixed);
    c.servos = vr::read_plant_servos(c.robot, folder, "");
    c.behaviour = vr::board_preset("fast");
    return c;
  }

  runtime::SteadyClock clock_;
  vr::VirtualRobot robot_;
  std::optional<vr::PtyServer> server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

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
}

TEST(MotionRecord, KeepsThePosesOfAPortThatDisappears) {
  RobotOnPort robot;
  RobotCase c;
  struct Hand : std::streambuf {};
  const std::string file = c.folder.file("a.json");
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  /// Enter once, then the cable comes off, then Enter again.
  class Keys : public std::streambuf {
   public:
    explicit Keys(RobotOnPort& robot) : robot_(robot) {}

   protected:
    int underflow() override {
      if (++keys_ > 3) return traits_type::eof();
      if (keys_ == 2) robot_.unplug();
      setg(&enter_, &enter_, &enter_ + 1);
      return traits_type::to_int_type(enter_);
    }

   private:
    RobotOnPort& robot_;
    int keys_ = 0;
    char enter_ = '\n';
  };
  Keys keys(robot);
  std::istream hand(&keys);
  Console io(hand, out, err, {});
  const std::vector<std::string> args = {"motion",  "record",     file,
                                         "--robot", robot.path(), "--yes"};
  const int code = run_cli(args, io, add_main_commands);
  // a joint may still swing at the first key: then nothing was taken, and nothing is written
  EXPECT_EQ(code, 3) << err.str();
  EXPECT_EQ(fs::exists(file),
            err.str().find("the poses before it were written") != std::string::npos)
      << err.str();
}

}  // namespace
}  // namespace kagami::tools
