// Backup and restore over the line: what is certain, what a failure leaves behind.
#include <gtest/gtest.h>

#include <fstream>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "tools/robot/backup_file.hpp"
#include "tools/robot/restore.hpp"
#include "tools/robot/stored_motions.hpp"
#include "tools/robot/switches.hpp"
#include "tools/robot/test/board_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::BoardCase;
using test::error_of;

/// Boards that hold `motions` motions of three poses, a scenario, a key and trims.
MemoryImage some_memory(int motions) {
  MemoryImage image;
  image.boards.resize(2);
  for (int b = 0; b < 2; ++b) {
    auto& memory = image.boards[idx(b)].memory;
    memory.id = static_cast<std::uint8_t>(b);
    image.boards[idx(b)].keys_answered = kReadableKeys;
    for (int m = 0; m < motions; ++m) {
      memory.motions[idx(m)].count = 3;
      for (int k = 0; k < 3; ++k) {
        auto& pose = memory.motions[idx(m)].poses[idx(k)];
        pose.speed = static_cast<std::uint8_t>(k + 1);
        pose.counts.fill(static_cast<std::uint8_t>(40 + 10 * b + m + k));
      }
    }
    memory.scenarios[1] = {2, {3, 0}};
    memory.keys[7] = {1, 2, 3};
    memory.trim_deg[2] = 4;
  }
  return image;
}

MemoryImage read(BoardCase& c) {
  return read_memory_image(c.session, {});
}

/// Writes `image` into the boards of `c`; the plan's remaining differences are none.
RestoreResult write(BoardCase& c, const MemoryImage& image) {
  return run_restore(c.session, plan_restore(c.session, read(c), image), {});
}

TEST(BoardMemory, ARestoredMemoryReadsBackAsItWas) {
  BoardCase c;
  const RestoreResult result = write(c, some_memory(2));
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.written,
            (std::vector<std::string>{"motion 0", "motion 1", "scenario 1", "keys", "trim"}));
  EXPECT_EQ(memory_differences(c.session, read(c), some_memory(2), false),
            std::vector<std::string>{});
}

TEST(BoardMemory, OnlyWhatDiffersIsWritten) {
  BoardCase c;
  static_cast<void>(write(c, some_memory(2)));
  MemoryImage changed = some_memory(2);
  changed.boards[1].memory.motions[1].poses[2].counts[0] = 99;
  const int poses = c.port.count(rcb1::Command::kSetPose);
  const RestoreResult result = write(c, changed);
  EXPECT_EQ(result.written, std::vector<std::string>{"motion 1"});
  EXPECT_EQ(c.port.count(rcb1::Command::kSetPose), poses + 1);
  EXPECT_EQ(read(c).boards[1].memory.motions[1].poses[2].counts[0], 99);
}

TEST(BoardMemory, FortyStoredMotionsAreReplacedAndEmptied) {
  BoardCase c;
  EXPECT_EQ(write(c, some_memory(40)).failure, "");
  EXPECT_EQ(in_use(read(c).boards[0].memory.motions), 40);
  EXPECT_EQ(write(c, some_memory(3)).failure, "");
  const MemoryImage after = read(c);
  EXPECT_EQ(in_use(after.boards[0].memory.motions), 3);
  EXPECT_EQ(in_use(after.boards[1].memory.motions), 3);
}

TEST(BoardMemory, AFileHoldsExactlyWhatWasRead) {
  BoardCase c;
  static_cast<void>(write(c, some_memory(5)));
  MemoryImage image = read(c);
  image.boards[0].memory.home[3] = 225;  // a board may hold this where it has no servo
  const test::TempFolder folder;
  std::ofstream(folder.file("b.json")) << backup_text({"2026-11-30T00:00:00Z", "khr1", image});
  const Backup read_again = read_backup(folder.file("b.json"), c.session.wiring());
  for (std::size_t b = 0; b < 2; ++b) {
    EXPECT_EQ(read_again.image.boards[b].memory, image.boards[b].memory);
    EXPECT_EQ(read_again.image.boards[b].switches, image.boards[b].switches);
    EXPECT_EQ(read_again.image.boards[b].keys_answered, kReadableKeys);
  }
  EXPECT_EQ(read_again.robot, "khr1");
}

TEST(BoardMemory, AMemoryThatReadsBackDifferentlyIsNamed) {
  BoardCase c;
  // the second pose of motion 1 of board 1 arrives with another value on channel 5
  c.port.alter = [](std::vector<std::uint8_t>& bytes) {
    if (bytes[0] == 0xF9 && bytes[1] == 1 && bytes[2] == 1 && bytes[3] == 1) bytes[9] = 7;
  };
  const RestoreResult result = write(c, some_memory(3));
  EXPECT_NE(result.failure.find("board 1, motion 1, pose 1"), std::string::npos) << result.failure;
  EXPECT_NE(result.failure.find("channel 5: 7, expected 52"), std::string::npos) << result.failure;
  EXPECT_EQ(result.written, std::vector<std::string>{"motion 0"});
  ASSERT_TRUE(result.cut_off.has_value());
  EXPECT_NE(result.cut_off->find("motion 1"), std::string::npos) << *result.cut_off;
  EXPECT_EQ(result.untouched, (std::vector<std::string>{"motion 2", "scenario 1", "keys", "trim"}));
  // half a motion never plays
  c.port.alter = nullptr;
  for (int b = 0; b < 2; ++b) EXPECT_EQ(read_motion_of(c.session, b, 1).count, 0);
}

TEST(BoardMemory, AStopFinishesTheItemAndNamesTheRest) {
  BoardCase c;
  const RestorePlan plan = plan_restore(c.session, read(c), some_memory(3));
  int asked = 0;
  const RestoreResult result = run_restore(c.session, plan, {}, [&] { return ++asked > 2; });
  EXPECT_TRUE(result.is_interrupted);
  EXPECT_EQ(result.written, (std::vector<std::string>{"motion 0", "motion 1"}));
  EXPECT_FALSE(result.cut_off.has_value());
  EXPECT_EQ(result.untouched, (std::vector<std::string>{"motion 2", "scenario 1", "keys", "trim"}));
  EXPECT_EQ(in_use(read(c).boards[1].memory.motions), 2);
}

// at whatever request the cable comes off, the report is true
TEST(BoardMemory, ACutCableIsReportedItemByItem) {
  BoardCase whole;
  static_cast<void>(write(whole, some_memory(2)));
  const int requests = static_cast<int>(whole.port.sent.size());
  int cut_off = 0;
  BoardCase reading;
  static_cast<void>(read(reading));
  const int first = static_cast<int>(reading.port.sent.size());
  ASSERT_LT(first, requests);
  for (int at = first; at < requests; at += 7) {
    SCOPED_TRACE(at);
    const test::TempFolder folder;
    std::optional<BoardCase> c(std::in_place, std::vector<std::string>{},
                               BoardCase::config(folder.file("memory.json")));
    const RestorePlan plan = plan_restore(c->session, read(*c), some_memory(2));
    c->port.unplug_at = at;
    const RestoreResult result = run_restore(c->session, plan, {});
    ASSERT_TRUE(result.port_is_gone);
    ASSERT_TRUE(result.cut_off.has_value());
    EXPECT_EQ(result.written.size() + 1 + result.untouched.size(), plan.items.size());
    cut_off += result.written.empty() ? 0 : 1;
    c.reset();  // its memory goes to the file

    BoardCase after({}, BoardCase::config(folder.file("memory.json")));
    const MemoryImage image = read(after);
    for (int b = 0; b < 2; ++b) {
      for (std::size_t k = 0; k < 2; ++k) {
        const auto& found = image.boards[idx(b)].memory.motions[k];
        const auto& wanted = plan.wanted.boards[idx(b)].memory.motions[k];
        const bool is_written = result.written.size() > k;
        EXPECT_TRUE(found == wanted || (!is_written && found.count == 0)) << "motion " << k;
      }
      const bool has_trim = image.boards[idx(b)].memory.trim_deg[2] == 4;
      if (result.untouched.size() == 5 - result.written.size() - 1 && result.written.size() < 4) {
        EXPECT_FALSE(has_trim);
      }
    }
  }
  EXPECT_GT(cut_off, 5);
}

TEST(BoardMemory, ValuesThatMustNotReachAServoAreRefusedBeforeAnythingIsWritten) {
  BoardCase c;
  MemoryImage image = some_memory(2);
  image.boards[0].memory.motions[1].poses[0].counts[0] = 200;  // left_shoulder_pitch
  const MemoryImage present = read(c);
  const std::string error = error_of([&] { plan_restore(c.session, present, image); });
  EXPECT_NE(error.find("motion 1, pose 0, channel 1 (left_shoulder_pitch) is 200"),
            std::string::npos)
      << error;
  EXPECT_EQ(c.port.count(rcb1::Command::kSetPose), 0);
}

TEST(BoardMemory, AnUnusedChannelOf255IsWrittenAs225WithAWord) {
  BoardCase c;
  MemoryImage image = some_memory(1);
  image.boards[0].memory.motions[0].poses[0].counts[3] = 255;  // no servo there
  const RestorePlan plan = plan_restore(c.session, read(c), image);
  ASSERT_EQ(plan.notes.size(), 1u);
  EXPECT_NE(plan.notes[0].find("channel 4: 255 is written as 225"), std::string::npos);
  EXPECT_EQ(run_restore(c.session, plan, {}).failure, "");
  EXPECT_EQ(read_motion_of(c.session, 0, 0).poses[0].counts[3], 225);
}

// a board may hold values that Kagami does not send
TEST(BoardMemory, AMotionThatTheBoardsHoldIsNotLookedAt) {
  BoardCase c;
  MemoryImage image = some_memory(2);
  auto& motion = image.boards[0].memory.motions[0];
  motion.poses[0].counts[3] = 255;
  motion.poses[1].counts[0] = 200;  // a joint
  MemoryImage file = image;
  file.boards[0].memory.motions[0].poses[9].counts[0] = 200;  // does not play
  file.boards[1].memory.motions[1].poses[0].speed = 7;
  const RestorePlan plan = plan_restore(c.session, image, file);
  ASSERT_EQ(plan.items.size(), 1u);
  EXPECT_EQ(plan.items[0].name, "motion 1");
  EXPECT_TRUE(plan.notes.empty());
}

/// `c` asleep, and a backup of it with the sleep bit and another home.
MemoryImage other_home_asleep(BoardCase& c) {
  for (const SwitchResult& r : free_all(c.session)) EXPECT_TRUE(r.is_confirmed);
  MemoryImage image = read(c);
  image.boards[0].memory.home[2] = 75;
  return image;
}

TEST(BoardMemory, TheSwitchBitsAreThoseOfTheFileAfterItsHomeIsStored) {
  BoardCase c;
  const MemoryImage image = other_home_asleep(c);
  EXPECT_TRUE(plan_restore(c.session, read(c), image).items.empty());
  const RestoreResult result =
      run_restore(c.session, plan_restore(c.session, read(c), image, true), {});
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.written, (std::vector<std::string>{"home", "switch bits"}));
  const MemoryImage after = read(c);
  EXPECT_EQ(after.boards[0].memory.home[2], 75);
  for (const BoardImage& board : after.boards) EXPECT_EQ(board.switches, rcb1::kSwitchSleep);
}

TEST(BoardMemory, AStopBeforeTheHomeIsStoredLeavesIt) {
  int interrupted = 0;
  for (int stop_at = 0;; ++stop_at) {
    SCOPED_TRACE(stop_at);
    BoardCase c;
    MemoryImage image = read(c);
    image.boards[0].memory.home[2] = 75;
    int asked = 0;
    const RestoreResult result =
        run_restore(c.session, plan_restore(c.session, read(c), image, true), {},
                    [&] { return asked++ == stop_at; });
    EXPECT_EQ(c.port.count(rcb1::Command::kStoreHome), result.is_interrupted ? 0 : 2);
    if (!result.is_interrupted) break;
    ++interrupted;
    EXPECT_EQ(result.untouched, std::vector<std::string>{"home"});
    EXPECT_FALSE(result.cut_off.has_value());
  }
  EXPECT_GE(interrupted, 3);  // before the item, before a move, before it is stored
}

TEST(BoardMemory, KeysThatWereWrittenOnOneBoardAreToldFromThoseOfTheNext) {
  BoardCase c;
  MemoryImage image = some_memory(0);
  for (auto& board : image.boards) board.memory.keys[8] = {1, 2, 3};
  const RestorePlan plan = plan_restore(c.session, read(c), image);
  c.port.alter = [&](std::vector<std::uint8_t>& bytes) {
    if (bytes[0] == 0xED && bytes[1] == 1 && bytes[2] == 8) c.memory_port.unplug();
  };
  const RestoreResult result = run_restore(c.session, plan, {});
  ASSERT_TRUE(result.cut_off.has_value());
  EXPECT_EQ(*result.cut_off, "keys: written on board 0, unchanged or written in part on board 1");
}

TEST(BoardMemory, HostileFilesAreRefusedWithTheirPlace) {
  const BoardCase c;
  const test::TempFolder folder;
  const std::string file = folder.file("b.json");
  const std::string good = backup_text({"2026-11-30T00:00:00Z", "khr1", some_memory(1)});
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::string& place) {
    std::string text = good;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(file) << text.replace(at, from.size(), to);
    const std::string error = error_of([&] { read_backup(file, c.session.wiring()); });
    EXPECT_NE(error.find("b.json"), std::string::npos) << error;
    EXPECT_NE(error.find(place), std::string::npos) << error;
  };
  refused("kagami.board_backup/1", "kagami.board_memory/1", "schema");
  refused("\"speed\": 1", "\"speed\": 8", "speed");
  refused("\"count\": 3", "\"count\": 101", "count");
  refused("\"keys_answered\": 232", "\"keys_answered\": 400", "keys_answered");
  refused("\"switches\": 0", "\"switches\": 0.5", "switches");
  refused("\"id\": 1", "\"id\": 9", "memory/id");
  refused("\"scenarios\"", "\"scenarioz\"", "scenario");
  for (std::size_t size = 0; size < good.size(); size += 97) {
    std::ofstream(file) << good.substr(0, size);
    EXPECT_NE(error_of([&] { read_backup(file, c.session.wiring()); }), "") << size;
  }
}

// F2 and EC are known from one source only
TEST(BoardMemory, ABoardThatDoesNotKnowAQuestionIsSavedWithoutIt) {
  BoardCase c;
  static_cast<void>(write(c, some_memory(1)));
  c.port.alter = [](std::vector<std::uint8_t>& bytes) {
    if (bytes[1] == 0 && (bytes[0] == 0xF2 || bytes[0] == 0xEC)) bytes[1] = 9;
  };
  const MemoryImage image = read(c);
  EXPECT_FALSE(image.boards[0].has_scenarios);
  EXPECT_EQ(image.boards[0].keys_answered, 0);
  EXPECT_TRUE(image.boards[1].has_scenarios);
  EXPECT_EQ(image.boards[1].memory.scenarios[1].count, 2);
  // and what the file lacks is left alone
  c.port.alter = nullptr;
  const RestorePlan plan = plan_restore(c.session, read(c), image);
  EXPECT_EQ(plan.items.size(), 0u);
  EXPECT_EQ(plan.notes.size(), 2u);
}

TEST(BoardMemory, ABoardThatFallsSilentAtItsKeysIsNotSavedWithFewer) {
  BoardCase c;
  bool is_silent = false;
  c.port.alter = [&](std::vector<std::uint8_t>& bytes) {
    is_silent = bytes[0] == 0xEC ? bytes[2] > 50 : is_silent;
    if (is_silent) bytes[1] = 9;
  };
  EXPECT_NE(error_of([&] { read(c); }).find("board 0: switch bits cannot be read"),
            std::string::npos);
}

TEST(BoardMemory, ABoardThatFallsSilentEndsTheReadingWithItsName) {
  BoardCase c({"1:off, from 0.6"});
  EXPECT_NE(error_of([&] { read(c); }).find("board 1"), std::string::npos);
}

TEST(BoardMemory, DamagedAnswersAreAskedForAgain) {
  BoardCase c({"0:flip 2:3, from 0.05, for 2", "1:drop 1, from 0.7, for 2"});
  const MemoryImage image = read(c);
  EXPECT_EQ(image.boards[0].memory.home[0], 5);
  EXPECT_EQ(image.boards[1].memory.home[1], 115);
}

}  // namespace
}  // namespace kagami::tools
