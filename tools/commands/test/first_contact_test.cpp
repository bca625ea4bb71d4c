// What `kagami replay` reports when the boards do not answer as they should: exit code and message.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "drivers/virtual/faults.hpp"
#include "drivers/virtual/pty_server.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "runtime/clock/clock.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;
using test::CliCase;
using test::TempFolder;

/// A virtual robot on a pseudo-terminal, served by a thread, with faults.
class FaultyRobot {
 public:
  explicit FaultyRobot(const std::vector<std::string>& faults_of_board)
      : robot_(config()), server_(robot_, clock_) {
    for (std::size_t b = 0; b < faults_of_board.size(); ++b) {
      if (!faults_of_board[b].empty())
        robot_.inject(static_cast<int>(b), vr::parse_faults(faults_of_board[b]));
    }
    thread_ = std::thread([this] { server_.serve(stop_); });
  }
  ~FaultyRobot() {
    stop_ = true;
    thread_.join();
  }
  [[nodiscard]] const std::string& path() const { return server_.path(); }

 private:
  static vr::VirtualRobotConfig config() {
    vr::VirtualRobotConfig c;
    const std::filesystem::path folder =
        std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1";
    c.robot = models::read_robot_folder(folder, models::BaseKind::kFixed);
    c.servos = vr::read_plant_servos(c.robot, folder, "");
    c.behaviour = vr::board_preset("fast");
    return c;
  }

  runtime::SteadyClock clock_;
  vr::VirtualRobot robot_;
  vr::PtyServer server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Exit code of a replay against such a robot; `message` is its standard error.
int replay_against(const std::vector<std::string>& faults, std::string& message) {
  const FaultyRobot robot(faults);
  const TempFolder folder;
  CliCase c;
  c.run({"replay", "bow", "--on", "stand", "--robot", robot.path(), "--unproven", "--yes",
         "--no-report", "--out", folder.file("out")});
  message = c.err;
  return c.code;
}

TEST(FirstContact, EachFaultOfABoardHasItsSentenceAndExitCode4) {
  struct Case {
    std::vector<std::string> faults;
    std::vector<std::string> expected;  // all of them are in the message
  };
  const std::vector<Case> cases = {
      {{"mute", "mute"}, {"board"}},     // silence of both
      {{"", "mute"}, {"board 1"}},       // of one
      {{"id 5", ""}, {"board 0", "5"}},  // another board answers
      {{"", "flip 1:0"}, {"board 1"}},   // bad sums
      {{"", "drop 1"}, {"board 1"}},     // short replies
      {{"extra 3", ""}, {"board 0"}},    // noise before a reply
      {{"", "zeros"}, {"board 1"}},      // no reading
  };
  for (const Case& c : cases) {
    const std::string faults = c.faults[0] + " | " + c.faults[1];
    SCOPED_TRACE(faults);
    std::string message;
    EXPECT_EQ(replay_against(c.faults, message), 4) << message;
    for (const std::string& part : c.expected) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
    }
    std::printf("%-14s %s", faults.c_str(), message.substr(message.find("error")).c_str());
  }
}

TEST(FirstContact, FaultsOfAReplayInVirtualTimeBeginWithinIt) {
  const TempFolder folder;
  CliCase c;
  const auto replay = [&](const std::string& fault) {
    return c.run({"replay", "bow", "--on", "stand", "--clock", "virtual", "--no-report", "--json",
                  "--out", folder.file("out"), "--fault", fault});
  };
  EXPECT_EQ(replay("*:mute, from 2"), 4) << c.err;
  EXPECT_EQ(replay("1:shout"), 2);
  EXPECT_NE(c.err.find("shout"), std::string::npos) << c.err;
}

/// Exit code of a replay in virtual time whose robot has these faults; what it wrote to stderr.
int replay_with_faults(const std::vector<std::string>& faults, std::string& message) {
  const TempFolder folder;
  CliCase c;
  std::vector<std::string> arguments = {"replay",      "bow",     "--on",  "stand",
                                        "--clock",     "virtual", "--out", folder.file("out"),
                                        "--no-report", "--json"};
  for (const std::string& fault : faults) arguments.insert(arguments.end(), {"--fault", fault});
  const int code = c.run(arguments);
  message = c.err;
  return code;
}

TEST(FirstContact, EachVerdictOfTheProbeHasItsOwnSentence) {
  struct Case {
    std::vector<std::string> faults;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {{"1:mute"}, "board 1 does not answer, the other one does: 5 of 5 questions brought no byte"},
      {{"1:off"}, "board 1 does not answer, the other one does: 5 of 5 questions brought no byte"},
      {{"1:ackonly"}, "board 1 does not answer"},
      {{"0:echo"}, "the line echoes our own bytes (5 of 5 requests came back)"},
      {{"0:extra 1"}, "board 0: 5 of 5 answers begin with 1 foreign byte (55,"},
      {{"0:late 0.035"}, "board 0 answers too late: 36.0 ms after the request in 5 of 5"},
      {{"0:id 1", "1:id 0"}, "the boards' ids are swapped: board 1 answered 5 of 5"},
      {{"1:zeros"}, "board 1: every position reads 0 in 5 of 5 readings"},
      {{"0:ack 21"}, "board 0 rejects its switch bits"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.faults[0]);
    std::string message;
    EXPECT_EQ(replay_with_faults(c.faults, message), 4) << message;
    EXPECT_NE(message.find(c.expected), std::string::npos) << message;
  }
}

TEST(FirstContact, OneGlitchGivesNoVerdict) {
  for (const char* glitch : {"late 0.033", "late 0.074", "late 0.13", "echo, until 0.001",
                             "extra 1", "id 1", "zeros", "mute", "drop 1", "flip 0:3"}) {
    const std::string text = glitch;
    const bool has_end = text.find("until") != std::string::npos;
    for (const std::string& fault : {"0:" + text + (has_end ? "" : ", for 1"),
                                     "1:" + text + (has_end ? "" : ", from 0.03, for 1")}) {
      SCOPED_TRACE(fault);
      std::string message;
      EXPECT_EQ(replay_with_faults({fault}, message), 0) << message;
    }
  }
}

TEST(FirstContact, SlowLineIsAnnouncedWithWhatItMeans) {
  const TempFolder folder;
  CliCase c;
  EXPECT_EQ(c.run({"replay", "bow", "--on", "stand", "--clock", "virtual", "--no-report", "--json",
                   "--out", folder.file("out"), "--latency", "16"}),
            0);
  EXPECT_NE(c.err.find("the line is slow"), std::string::npos) << c.err;
  EXPECT_NE(c.err.find("14.3 Hz"), std::string::npos) << c.err;
}

TEST(FirstContact, FaultOptionsOfTheBoardCommandAreChecked) {
  CliCase c;
  EXPECT_EQ(c.run({"board", "--seconds", "0", "--fault", "2:mute"}), 2);
  EXPECT_NE(c.err.find("--fault 2:mute: expected 0 or 1"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"board", "--seconds", "0", "--fault", "1:shout"}), 2);
  EXPECT_NE(c.err.find("shout"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"board", "--seconds", "0", "--fault", "1:late 0.01"}), 0) << c.err;
}

}  // namespace
}  // namespace kagami::tools
