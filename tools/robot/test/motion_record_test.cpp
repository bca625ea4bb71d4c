// kagami motion record, as an owner runs it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tools/robot/test/robot_case.hpp"
#include "tools/robot/test/robot_on_port.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using test::RobotCase;
using test::RobotOnPort;

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

TEST(MotionRecord, AfterAnUndoTheTimeIsThatSinceThePoseBefore) {
  RobotCase c;
  const std::string file = c.folder.file("wave.json");
  c.input = "\n\nu\n\nq\n";
  std::vector<std::string> args = {"motion", "record", file, "--as-timed"};
  for (const std::string& option : still_robot()) args.push_back(option);
  ASSERT_EQ(c.run(args), 0) << c.err;
  const nlohmann::json motion = nlohmann::json::parse(std::ifstream(file));
  ASSERT_EQ(motion["poses"].size(), 2u);
  EXPECT_NEAR(motion["poses"][1]["duration_s"].get<double>(), 0.22, 0.04);  // of two readings
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
  EXPECT_TRUE(c.says("'x': expected Enter, u, q"));
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

TEST(MotionRecord, KeepsThePosesOfAPortThatDisappears) {
  RobotOnPort robot;
  RobotCase c;
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
