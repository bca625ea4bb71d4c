// What the check permits before a real robot moves, and what the record says of it.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "drivers/virtual/pty_server.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/text_file.hpp"
#include "runtime/clock/clock.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;
using test::TempFolder;

constexpr const char* kNoPort = "/nowhere/port";
constexpr int kPortMissing = 3;  // the exit code of a run that the check has let through

struct PreflightCase : CliCase {
  TempFolder folder;

  std::string motion(const std::string& name, const std::string& joint, double first,
                     double second) {
    std::ofstream(folder.file(name + ".json"))
        << R"({"schema": "kagami.motion/1", "name": ")" << name << R"(", "joints": [")" << joint
        << R"("], "poses": [{"speed": 6, "angles_deg": [)" << first
        << R"(]}, {"speed": 6, "angles_deg": [)" << second << "]}]}";
    return folder.file(name + ".json");
  }
  std::string amber() { return motion("amber", "head_yaw", 10, 0); }
  std::string red() { return motion("red", "right_elbow", 0, 90); }

  int replay(const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> args = {"replay", name,         "--robot", kNoPort,           "--on",
                                     "stand",  "--unproven", "--out",   folder.file("out")};
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
  void answer(const std::string& text) {
    settings.in_is_terminal = !text.empty();
    input = text;
  }
};

TEST(Preflight, GreenNeedsNothingBeyondTheUsualAnswer) {
  PreflightCase c;
  EXPECT_EQ(c.replay("home", {"--yes"}), kPortMissing) << c.err;
  EXPECT_EQ(c.replay("home", {}), 2);
  c.answer("y\n");
  EXPECT_EQ(c.replay("home", {}), kPortMissing) << c.err;
}

TEST(Preflight, AmberNeedsTheFlagOrAnAnswer) {
  PreflightCase c;
  EXPECT_EQ(c.replay(c.amber(), {"--yes"}), 2) << c.err;
  EXPECT_NE(c.err.find("--accept amber"), std::string::npos) << c.err;
  EXPECT_NE(c.err.find("head_yaw is 10.0 deg"), std::string::npos) << c.err;
  EXPECT_EQ(c.replay(c.amber(), {"--yes", "--accept", "amber"}), kPortMissing) << c.err;
  EXPECT_EQ(c.replay(c.amber(), {"--yes", "--accept", "red"}), kPortMissing) << c.err;
  EXPECT_EQ(c.replay(c.amber(), {"--accept", "amber"}), 2) << "neither --yes nor an answer";
  c.answer("n\n");
  EXPECT_EQ(c.replay(c.amber(), {}), 2);
  c.answer("y\n");
  EXPECT_EQ(c.replay(c.amber(), {}), kPortMissing) << c.err;
  EXPECT_NE(c.err.find("The check is amber. Move the robot?"), std::string::npos) << c.err;
}

TEST(Preflight, RedNeedsItsFlagWhateverIsAnswered) {
  PreflightCase c;
  c.answer("y\n");
  EXPECT_EQ(c.replay(c.red(), {}), 6) << c.err;
  EXPECT_EQ(c.replay(c.red(), {"--yes", "--accept", "amber"}), 6) << c.err;
  EXPECT_NE(c.err.find("--accept red"), std::string::npos) << c.err;
  EXPECT_NE(c.err.find("base_link and right_forearm"), std::string::npos) << c.err;
  EXPECT_EQ(c.replay(c.red(), {"--yes", "--accept", "red"}), kPortMissing) << c.err;
  EXPECT_EQ(c.replay("home", {"--yes", "--accept", "green"}), 2);
}

TEST(Preflight, FurtherMotionsAreCheckedToo) {
  PreflightCase c;
  EXPECT_EQ(c.replay("home", {"--yes", "--more-motion", c.red()}), 6) << c.err;
  EXPECT_NE(c.err.find("red: collision"), std::string::npos) << c.err;
}

TEST(Preflight, TheVirtualRobotNeedsNoCheck) {
  PreflightCase c;
  EXPECT_EQ(c.run({"replay", c.red(), "--on", "stand", "--clock", "virtual", "--no-report", "--out",
                   c.folder.file("out"), "-q"}),
            0)
      << c.err;
  EXPECT_EQ(c.run({"log", "info", c.folder.file("out") + "/run.mcap", "--json"}), 0);
  EXPECT_FALSE(c.json().at("metadata").at("kagami.run").contains("check_verdict"));
}

/// Virtual boards on a pseudo-terminal, served by a thread.
class ServedRobot {
 public:
  ServedRobot() : robot_(config()), server_(robot_, clock_) {
    thread_ = std::thread([this] { server_.serve(stop_); });
  }
  ~ServedRobot() {
    stop_ = true;
    thread_.join();
  }
  [[nodiscard]] const std::string& path() const { return server_.path(); }

 private:
  static drivers::virtual_robot::VirtualRobotConfig config() {
    drivers::virtual_robot::VirtualRobotConfig c;
    const std::filesystem::path folder =
        std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1";
    c.robot = models::read_robot_folder(folder, models::BaseKind::kFixed);
    c.servos = drivers::virtual_robot::read_plant_servos(c.robot, folder, "");
    c.behaviour = drivers::virtual_robot::board_preset("fast");
    return c;
  }

  runtime::SteadyClock clock_;
  drivers::virtual_robot::VirtualRobot robot_;
  drivers::virtual_robot::PtyServer server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(Preflight, TheRecordAndItsReportNameVerdictFindingsAndAcceptance) {
  const ServedRobot robot;
  PreflightCase c;
  const std::string out = c.folder.file("ran");
  const auto replay = [&](const std::string& motion, std::vector<std::string> more) {
    std::vector<std::string> args = {"replay", motion,       "--robot", robot.path(), "--on",
                                     "stand",  "--unproven", "--out",   out,          "--force"};
    args.insert(args.end(), more.begin(), more.end());
    c.run(args);
    const std::string said = c.err;
    EXPECT_EQ(c.run({"log", "info", out + "/run.mcap", "--json"}), 0) << said << c.err;
    return c.json().at("metadata").at("kagami.run");
  };
  nlohmann::json metadata = replay(c.amber(), {"--yes", "--accept", "amber"});
  EXPECT_EQ(metadata.at("check_verdict"), "amber");
  EXPECT_EQ(metadata.at("check_findings"), "start");
  EXPECT_EQ(metadata.at("check_accepted"), "--accept amber");
  const std::string report = read_text_file(out + "/report.html");
  EXPECT_NE(report.find("amber (start), accepted: --accept amber"), std::string::npos);
  EXPECT_NE(report.find("--unproven --accept amber"), std::string::npos);
  EXPECT_EQ(c.run({"verify", out + "/run.mcap"}), 0) << c.err;

  c.answer("y\n");
  metadata = replay(c.amber(), {"--no-report"});
  EXPECT_EQ(metadata.at("check_accepted"), "answered at the terminal");
  metadata = replay("home", {"--no-report"});
  EXPECT_EQ(metadata.at("check_verdict"), "green");
  EXPECT_EQ(metadata.at("check_accepted"), "");
}

}  // namespace
}  // namespace kagami::tools
