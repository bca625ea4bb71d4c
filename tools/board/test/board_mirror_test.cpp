// kagami board --mirror between a program and boards; and --record, --on, --start without them.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "models/base/text_file.hpp"
#include "tools/board/test/real_boards.hpp"
#include "tools/board/test/served_board.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;
using test::CliCase;
using test::OtherProgram;
using test::RealBoards;
using test::ServedBoard;
using test::TempFolder;

/// A program that moves arms and head to and fro, and reads.
void wave(const std::string& link, int rounds) {
  OtherProgram program(link);
  for (int k = 0; k < rounds; ++k) {
    ASSERT_TRUE(program.set(0, (k / 40) % 2 == 0 ? 90 : 120));
    ASSERT_TRUE(program.read(0));
    ASSERT_TRUE(program.read(1));
  }
}

double rms_beside(const std::string& plant) {
  const RealBoards real(plant);
  ServedBoard c([](const std::string& link) { wave(link, 160); });
  EXPECT_EQ(c.serve({"--mirror", real.path()}), 0) << c.err;
  EXPECT_EQ(c.json()["line"]["unanswered"], 0) << c.out;
  EXPECT_GT(c.joint("head_yaw")["readings"], 30) << c.out;
  return c.joint("head_yaw")["rms_deg"].get<double>();
}

TEST(BoardMirror, TheGapIsThatBetweenTheModelAndTheBoards) {
  const double same = rms_beside("twin");
  const double other = rms_beside("");
  // readings are whole degrees: 0.29 deg RMS; the plant of the robot's folder has faster servos
  EXPECT_LT(same, 0.5);
  EXPECT_GT(other, 2.0 * same);
}

TEST(BoardMirror, EveryByteGoesOnAndEveryAnswerComesBack) {
  const RealBoards real;
  std::uint64_t sent = 0;
  ServedBoard c([&](const std::string& link) {
    OtherProgram program(link);
    for (int count = 80; count < 100; ++count) {
      ASSERT_TRUE(program.ask({.command = drivers::rcb1::Command::kGetTrim, .board = 1}));
      ASSERT_TRUE(program.set(0, static_cast<std::uint8_t>(count)));
      sent += 2;
    }
    // bad bytes too: what they mean is the boards' business
    const std::vector<std::uint8_t> noise{0x11, 0xFD, 0x01, 0x02, 0x22};
    ASSERT_EQ(program.port().write(noise, {program.now_ns() + 1'000'000'000}),
              drivers::IoStatus::kOk);
    ASSERT_TRUE(program.ask({.command = drivers::rcb1::Command::kGetTrim, .board = 0}) ||
                program.ask({.command = drivers::rcb1::Command::kGetTrim, .board = 0}));
  });
  ASSERT_EQ(c.serve({"--mirror", real.path()}), 0) << c.err;
  const json line = c.json()["line"];
  EXPECT_GE(line["answers"], sent + 1);
  // the mirror itself reads each board once before the program comes
  EXPECT_GE(real.counters().requests, sent + 3);
}

TEST(BoardMirror, FramesMayComeInPieces) {
  const RealBoards real;
  ServedBoard c([](const std::string& link) {
    OtherProgram program(link);
    for (const std::uint8_t byte : std::array<std::uint8_t, 3>{0xF0, 0x01, 0x71}) {
      ASSERT_EQ(program.port().write({&byte, 1}, {program.now_ns() + 1'000'000'000}),
                drivers::IoStatus::kOk);
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    std::array<std::uint8_t, 3> answer{};
    std::size_t received = 0;
    EXPECT_EQ(program.port().read(answer, received, {program.now_ns() + 1'000'000'000}),
              drivers::IoStatus::kOk);
    EXPECT_EQ(answer, (std::array<std::uint8_t, 3>{0x01, 0x00, 0x01}));
  });
  ASSERT_EQ(c.serve({"--mirror", real.path()}), 0) << c.err;
  EXPECT_EQ(c.json()["line"]["requests"], 1);
  EXPECT_EQ(c.json()["line"]["answers"], 1);
}

TEST(BoardMirror, LostAnswersAreCountedAndTheRestIsCompared) {
  const RealBoards real("", "0:mute, from 0.6, until 1.2");  // counted from the first byte
  int lost = 0;
  ServedBoard c([&](const std::string& link) {
    OtherProgram program(link);
    for (int k = 0; k < 4000 && (lost < 3 || k < 100); ++k) {
      if (!program.set(0, 95, 0.04)) ++lost;
      ASSERT_TRUE(program.read(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(900));
    ASSERT_TRUE(program.read(0));
  });
  ASSERT_EQ(c.serve({"--mirror", real.path()}), 0) << c.err;
  ASSERT_GE(lost, 3);
  // an answer that came after the program's patience is one all the same
  EXPECT_GE(c.json()["line"]["unanswered"], 3) << c.out;
  EXPECT_LE(c.json()["line"]["unanswered"], lost) << c.out;
  EXPECT_GT(c.joint("left_knee")["readings"], 50) << "the other board answered all the time";
  EXPECT_LT(c.joint("head_yaw")["rms_deg"], 1.5) << "the model follows what was not acknowledged";
}

TEST(BoardMirror, APortThatVanishesEndsItWithAMessage) {
  auto real = std::make_unique<RealBoards>();
  const std::string path = real->path();
  ServedBoard c([&](const std::string&) { real.reset(); });
  c.ends_itself = false;
  EXPECT_EQ(c.serve({"--mirror", path, "--seconds", "1e8"}), 4) << c.err;
  EXPECT_NE(c.err.find(path + ": hung up"), std::string::npos) << c.err;
  EXPECT_EQ(c.json()["port_gone"], true);
}

/// The shipped robot with a head that may turn 20 degrees.
void write_narrow_robot(const std::filesystem::path& folder) {
  std::filesystem::copy(test::khr1_folder(), folder, std::filesystem::copy_options::recursive);
  json robot = json::parse(read_text_file(folder / "robot.json"));
  robot["joints"][0]["soft_limits_deg"] = {-20, 20};
  std::ofstream(folder / "robot.json") << robot.dump();
}

TEST(BoardMirror, ReportsWhatPassesSoftLimitsAndSendsItAllTheSame) {
  const RealBoards real;
  ServedBoard c([](const std::string& link) {
    OtherProgram program(link);
    for (int k = 0; k < 5; ++k) ASSERT_TRUE(program.set(0, 115));
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    ASSERT_TRUE(program.read(0));
    EXPECT_NEAR(program.reply.counts[5], 115, 2);  // the servo's own error; the limit is 110
  });
  write_narrow_robot(c.folder.path() / "narrow");
  const std::string model = (c.folder.path() / "narrow").string();
  ASSERT_EQ(c.serve({"--mirror", real.path(), "--model", model}), 0) << c.err;
  const json limits = c.json()["limits"];
  ASSERT_EQ(limits.size(), 1u);
  EXPECT_EQ(limits[0]["joint"], "head_yaw");
  EXPECT_EQ(limits[0]["commands"], 5);
  EXPECT_EQ(limits[0]["worst_deg"], -25.0);
  EXPECT_NE(c.err.find("beyond the soft limit"), std::string::npos) << c.err;
}

TEST(BoardMirror, OptionsOfTheVirtualRobotAndMissingPortsAreErrors) {
  CliCase c;
  EXPECT_EQ(c.run({"board", "--mirror", "/dev/null/none", "--plant", "twin"}), 2);
  EXPECT_NE(c.err.find("--plant"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"board", "--mirror", "/dev/nowhere"}), 3);
  EXPECT_NE(c.err.find("/dev/nowhere"), std::string::npos) << c.err;
}

TEST(BoardMirror, BoardsWithoutAnAnswerAreReported) {
  const RealBoards real("", "*:mute");
  ServedBoard c([](const std::string&) {});
  ASSERT_EQ(c.serve({"--mirror", real.path()}), 0) << c.err;
  EXPECT_NE(c.err.find("did not answer"), std::string::npos) << c.err;
}

TEST(BoardRecord, IsReadByOtherCommandsAndHoldsWhatTheRobotDid) {
  ServedBoard c([](const std::string& link) { wave(link, 160); });
  const std::string record = c.folder.file("wave.mcap");
  ASSERT_EQ(c.serve({"--record", record, "--plant", "twin"}), 0) << c.err;
  EXPECT_EQ(c.json()["record"], record);
  EXPECT_EQ(c.json()["record_complete"], true);
  CliCase compare;
  ASSERT_EQ(compare.run({"compare", record, "--json"}), 0) << compare.err;
  const json joint = compare.json()["joints"][0];
  EXPECT_EQ(joint["name"], "head_yaw");
  EXPECT_LT(joint["rms_deg"], 0.5);
  CliCase info;
  ASSERT_EQ(info.run({"log", "info", record, "--check"}), 0) << info.err << info.out;
  // another one does not replace it silently
  ServedBoard again([](const std::string& link) { wave(link, 1); });
  EXPECT_NE(again.serve({"--record", record}), 0);
  EXPECT_NE(again.err.find(record), std::string::npos) << again.err;
  EXPECT_EQ(again.serve({"--record", record, "--force"}), 0) << again.err;
}

TEST(BoardRecord, WithoutAByteNoneIsWritten) {
  ServedBoard c([](const std::string&) {});
  ASSERT_EQ(c.serve({"--record", c.folder.file("none.mcap")}), 0) << c.err;
  EXPECT_EQ(c.json()["record"], nullptr);
  EXPECT_FALSE(std::filesystem::exists(c.folder.file("none.mcap")));
}

TEST(BoardStart, TheRobotIsWhereItWasPutAtTheEnd) {
  CliCase standing;
  ASSERT_EQ(standing.run({"board", "--on", "floor", "--seconds", "0", "--json"}), 0);
  EXPECT_EQ(standing.json()["robot"]["fell"], false) << standing.out;
  CliCase lying;
  ASSERT_EQ(
      lying.run({"board", "--on", "floor", "--start", "lying_back", "--seconds", "0", "--json"}),
      0);
  EXPECT_EQ(lying.json()["robot"]["fell"], true) << lying.out;
  CliCase text;
  ASSERT_EQ(text.run({"board", "--on", "floor", "--seconds", "0"}), 0);
  EXPECT_NE(text.err.find("standing"), std::string::npos) << text.err;
}

TEST(BoardStart, TheFirstPoseOfAMotionIsWhatABoardReads) {
  drivers::rcb1::Reply reply;
  ServedBoard c([&](const std::string& link) {
    OtherProgram program(link);
    ASSERT_TRUE(program.read(0));
    reply = program.reply;
  });
  ASSERT_EQ(c.serve({"--on", "floor", "--start", "getup_front"}), 0) << c.err;
  ServedBoard home([&](const std::string& link) {
    OtherProgram program(link);
    ASSERT_TRUE(program.read(0));
    EXPECT_NE(program.reply.counts, reply.counts);
  });
  ASSERT_EQ(home.serve({}), 0) << home.err;
}

TEST(BoardStart, ALyingRobotNeedsTheFloor) {
  CliCase c;
  EXPECT_EQ(c.run({"board", "--start", "lying_front", "--seconds", "0"}), 2);
  EXPECT_NE(c.err.find("--on floor"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"board", "--start", "no_such_motion", "--seconds", "0"}), 2);
  EXPECT_EQ(c.run({"board", "--friction", "0.4", "--seconds", "0"}), 2);
  EXPECT_NE(c.err.find("--on floor"), std::string::npos) << c.err;
}

}  // namespace
}  // namespace kagami::tools
