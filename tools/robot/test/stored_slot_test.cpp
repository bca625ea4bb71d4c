// The motion that a run writes to the boards' memories: whole or not at all, read back, put back.
#include <gtest/gtest.h>

#include "motions/file/library.hpp"
#include "tools/robot/stored_slot.hpp"
#include "tools/robot/test/board_case.hpp"

namespace kagami::tools {
namespace {

using Order = drivers::rcb1::Command;
using test::BoardCase;
using test::error_of;

constexpr int kSlot = 39;

motions::Motion shipped(const std::string& name) {
  return motions::read_motion(
      std::filesystem::path(KAGAMI_SOURCE_DIR) / "motions/data" / (name + ".json"),
      wiring_of(BoardCase::folder()));
}

StoredSlot slot_for(const std::string& motion, const StoredSlotChoice& choice = {}) {
  return {choice, shipped(motion), wiring_of(BoardCase::folder()), "line"};
}

int writes(const BoardCase& c) {
  return c.port.count(Order::kSetPose) + c.port.count(Order::kSetMotionSize);
}

TEST(StoredSlot, WritesAllPosesToEveryBoardWhileTheSlotIsEmpty) {
  BoardCase c;
  StoredSlot slot = slot_for("side_left");
  slot.store(c.port, c.clock, {});
  EXPECT_EQ(slot.json().dump(), R"({"problem":null,"restored":null,"slot":39,"written":true})");
  EXPECT_NE(slot.text().find("written and read back"), std::string::npos);

  const motions::Motion motion = shipped("side_left");
  const std::vector<StoredMotion> stored = read_stored_motion(c.session, kSlot);
  ASSERT_EQ(stored.size(), 2u);
  for (const JointWiring& joint : wiring_of(BoardCase::folder()).joints) {
    const StoredMotion& board = stored[static_cast<std::size_t>(joint.board())];
    ASSERT_EQ(board.count, motion.poses.size());
    for (std::size_t k = 0; k < motion.poses.size(); ++k) {
      const std::size_t j = static_cast<std::size_t>(
          std::find(motion.joints.begin(), motion.joints.end(), joint.joint) -
          motion.joints.begin());
      const double angle = *motion.poses[k].angle[j] * 180.0 / M_PI;
      EXPECT_EQ(board.poses[k].counts[static_cast<std::size_t>(joint.slot())],
                joint.home_deg + joint.sign * static_cast<int>(std::round(angle)));
      EXPECT_EQ(board.poses[k].speed, *motion.poses[k].speed);
    }
  }
  // on each board: size 0, the poses, then the size
  int size = -1;
  for (const auto& request : c.port.sent) {
    if (request[0] == static_cast<std::uint8_t>(Order::kSetMotionSize)) size = request[3];
    const bool is_pose = request[0] == static_cast<std::uint8_t>(Order::kSetPose);
    EXPECT_TRUE(!is_pose || size == 0);
  }
  EXPECT_EQ(size, static_cast<int>(motion.poses.size()));
}

TEST(StoredSlot, AMotionThatIsThereAlreadyIsNotWrittenAgain) {
  BoardCase c;
  slot_for("side_left").store(c.port, c.clock, {});
  const int before = writes(c);
  StoredSlot again = slot_for("side_left", {.restores = true});
  again.store(c.port, c.clock, {});
  again.restore(c.port, c.clock, true);
  EXPECT_EQ(writes(c), before);
  EXPECT_EQ(again.json().dump(), R"({"problem":null,"restored":null,"slot":39,"written":false})");
}

TEST(StoredSlot, AnotherMotionIsRefusedWithTheFreeNumbersAndKept) {
  BoardCase c;
  slot_for("side_left").store(c.port, c.clock, {});
  const int before = writes(c);
  StoredSlot other = slot_for("side_right");
  const std::string text = error_of([&] { other.store(c.port, c.clock, {}); });
  EXPECT_NE(text.find("motion 39 of the boards is in use (board 0: 22 poses"), std::string::npos)
      << text;
  EXPECT_NE(text.find("free (0..38)"), std::string::npos) << text;
  EXPECT_NE(text.find("--slot-overwrite"), std::string::npos) << text;
  EXPECT_EQ(writes(c), before);

  StoredSlot replaced = slot_for("side_right", {.overwrites = true});
  replaced.store(c.port, c.clock, {});
  EXPECT_GT(writes(c), before);
}

TEST(StoredSlot, ABoardWhoseFortyMotionsAreUsedIsNamedSo) {
  BoardCase c;
  for (int slot = 0; slot < 40; ++slot) {
    for (const std::uint8_t board : {std::uint8_t{0}, std::uint8_t{1}}) {
      std::string problem;
      ASSERT_TRUE(ask_once(c.session,
                           {.command = Order::kSetMotionSize,
                            .board = board,
                            .motion = static_cast<std::uint8_t>(slot),
                            .count = 2},
                           problem));
    }
  }
  StoredSlot slot = slot_for("side_left");
  const std::string text = error_of([&] { slot.store(c.port, c.clock, {}); });
  EXPECT_NE(text.find("all 40"), std::string::npos) << text;
}

TEST(StoredSlot, PutsBackWhatTheBoardsHeld) {
  BoardCase c;
  slot_for("side_left").store(c.port, c.clock, {});
  const std::vector<StoredMotion> before = read_stored_motion(c.session, kSlot);
  StoredSlot slot = slot_for("walk_forward", {.overwrites = true, .restores = true});
  slot.store(c.port, c.clock, {});
  EXPECT_NE(read_stored_motion(c.session, kSlot), before);
  slot.restore(c.port, c.clock, true);
  EXPECT_EQ(read_stored_motion(c.session, kSlot), before);
  EXPECT_EQ(slot.problem(), "");
  EXPECT_EQ(slot.json().dump(), R"({"problem":null,"restored":true,"slot":39,"written":true})");
}

TEST(StoredSlot, AMemoryThatReadsBackDifferentlyLeavesNoMotionByHalf) {
  BoardCase c;
  c.port.alter = [](std::vector<std::uint8_t>& request) {
    const bool is_pose = request[0] == static_cast<std::uint8_t>(Order::kSetPose);
    if (is_pose && request[1] == 1 && request[3] == 4) request[6] ^= 1;  // one channel of one pose
  };
  StoredSlot slot = slot_for("side_left", {.restores = true});
  const std::string text = error_of([&] { slot.store(c.port, c.clock, {}); });
  EXPECT_NE(text.find("board 1, motion 39, pose 4 reads back differently"), std::string::npos)
      << text;
  EXPECT_NE(text.find("its former motion is back"), std::string::npos) << text;
  for (const StoredMotion& board : read_stored_motion(c.session, kSlot)) {
    EXPECT_EQ(board.count, 0);
  }
  StoredSlot kept = slot_for("side_left");
  EXPECT_NE(error_of([&] { kept.store(c.port, c.clock, {}); }).find("do not play motion 39"),
            std::string::npos);
}

TEST(StoredSlot, NothingIsPutBackUnderABoardThatMayStillPlay) {
  BoardCase c;
  StoredSlot slot = slot_for("side_left", {.restores = true});
  slot.store(c.port, c.clock, {});
  const int before = writes(c);
  slot.restore(c.port, c.clock, false);
  EXPECT_EQ(writes(c), before);
  EXPECT_EQ(slot.json().at("restored"), false);
  EXPECT_NE(slot.problem().find("still plays"), std::string::npos) << slot.problem();
}

TEST(StoredSlot, AStopBetweenTwoPosesLeavesTheSlotEmpty) {
  BoardCase c;
  StoredSlot slot = slot_for("side_left");
  slot.store(c.port, c.clock, [&] { return c.port.count(Order::kSetPose) >= 3; });
  EXPECT_EQ(c.port.count(Order::kSetPose), 3);
  EXPECT_EQ(slot.json().at("written"), false);
  EXPECT_NE(slot.text().find("a stop was requested"), std::string::npos);
  for (const StoredMotion& board : read_stored_motion(c.session, kSlot)) {
    EXPECT_EQ(board.count, 0);
  }
  StoredSlot not_begun = slot_for("side_left");
  const int before = static_cast<int>(c.port.sent.size());
  not_begun.store(c.port, c.clock, [] { return true; });
  EXPECT_EQ(static_cast<int>(c.port.sent.size()), before);
}

TEST(StoredSlot, APortThatGoesAwayIsAnErrorAndAFailedRestoreIsKept) {
  BoardCase c;
  StoredSlot slot = slot_for("side_left", {.restores = true});
  slot.store(c.port, c.clock, {});
  c.port.unplug_at = static_cast<int>(c.port.sent.size()) + 3;
  slot.restore(c.port, c.clock, true);
  EXPECT_NE(slot.problem().find("NOT put back"), std::string::npos);
  EXPECT_EQ(slot.json().at("restored"), false);
  EXPECT_EQ(slot.json().at("problem"), slot.problem());
  EXPECT_NE(slot.problem().find("do not play motion 39"), std::string::npos);

  BoardCase other;
  other.port.unplug_at = 60;
  StoredSlot cut = slot_for("side_left");
  const std::string text = error_of([&] { cut.store(other.port, other.clock, {}); });
  EXPECT_NE(text.find("disappeared"), std::string::npos) << text;
  EXPECT_NE(text.find("do not play motion 39"), std::string::npos) << text;
}

}  // namespace
}  // namespace kagami::tools
