// Home, trim, switch bits, IDs and stored motions: nothing happens on a doubtful reading.
#include <gtest/gtest.h>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "tools/robot/board_ids.hpp"
#include "tools/robot/home_store.hpp"
#include "tools/robot/joint_range.hpp"
#include "tools/robot/json_layout.hpp"
#include "tools/robot/stored_motions.hpp"
#include "tools/robot/switches.hpp"
#include "tools/robot/test/board_case.hpp"
#include "tools/robot/trim.hpp"

#include <nlohmann/json.hpp>

namespace kagami::tools {
namespace {

using test::BoardCase;
using test::error_of;

// readings

TEST(PoseReading, AllZeroAnswersAreNeverAPose) {
  BoardCase c({"1:zeros"});
  EXPECT_NE(error_of([&] { read_pose(c.session); })
                .find("board 1: its positions cannot be read: "
                      "all positions read 0"),
            std::string::npos);
}

TEST(PoseReading, AJointOutsideItsRangeIsNamed) {
  BoardCase c({"0:reads 0:200"});
  EXPECT_NE(error_of([&] { read_pose(c.session); }).find("left_shoulder_pitch reads 200"),
            std::string::npos);
}

TEST(PoseReading, TwoReadingsInARowMustAgree) {
  // one falsified reading between good ones never becomes a pose
  BoardCase c({"0:offset 0:30, for 1"});
  const std::vector<BoardPose> pose = read_pose(c.session);
  EXPECT_EQ(pose[0].counts[0], 5);
  std::string problem;
  BoardCase late({"0:offset 0:30, for 1"});
  EXPECT_FALSE(read_board_pose(late.session, 0, {2, 0.05, 2}, problem));
  EXPECT_NE(problem.find("left_shoulder_pitch differ by 30 deg"), std::string::npos) << problem;
}

// questions

TEST(BoardQuestions, ASilentBoardMayNotKnowAQuestionADamagedAnswerIsAFailure) {
  const Request key{.command = rcb1::Command::kGetKey};
  BoardCase silent({"0:mute"});
  EXPECT_FALSE(try_read_agreed(silent.session, 0, key, "board 0: key 0").has_value());
  for (const char* fault : {"0:flip 2:3", "0:drop 1", "0:mute, from 0.001"}) {
    SCOPED_TRACE(fault);
    BoardCase c({fault});
    const std::string error =
        error_of([&] { static_cast<void>(try_read_agreed(c.session, 0, key, "board 0: key 0")); });
    EXPECT_NE(error.find("board 0: key 0 cannot be read"), std::string::npos) << error;
  }
}

// home

TEST(HomeStore, StoresThePoseThatIsHeld) {
  BoardCase c;
  std::vector<ChannelCounts> pose = read_homes(c.session);
  pose[0][2] = 70;  // left_elbow
  const StoredHome home = store_home(c.session, pose);
  EXPECT_EQ(home.stored[0][2], 70);
  EXPECT_EQ(read_homes(c.session)[0][2], 70);
  EXPECT_EQ(home.stored[1][0], pose[1][0]) << "a servo that stops beside its target is corrected";
}

TEST(HomeStore, WakesAFreeRobotToHoldIt) {
  BoardCase c;
  for (const SwitchResult& r : free_all(c.session)) ASSERT_TRUE(r.is_confirmed);
  c.session.wait(3.0);  // the arms come to rest
  const StoredHome home = store_home(c.session, std::nullopt);
  EXPECT_EQ(read_switches(c.session), (std::vector<std::uint8_t>{0, 0}));
  EXPECT_EQ(largest_difference(c.session, home.held, home.stored).degrees, 0);
}

TEST(HomeStore, NothingIsStoredWhenAJointDoesNotGetThere) {
  BoardCase c({"0:stuck 2"});
  std::vector<ChannelCounts> pose = read_homes(c.session);
  pose[0][2] = 60;
  const std::string error = error_of([&] { store_home(c.session, pose); });
  EXPECT_NE(error.find("left_elbow reads"), std::string::npos) << error;
  EXPECT_NE(error.find("no home was stored"), std::string::npos) << error;
  EXPECT_EQ(c.port.count(rcb1::Command::kStoreHome), 0);
}

TEST(HomeStore, NothingIsStoredOnAnAllZeroOrMissingReading) {
  for (const char* fault : {"1:zeros", "1:ackonly, from 0.2", "1:frozen"}) {
    SCOPED_TRACE(fault);
    BoardCase c({fault});
    std::vector<ChannelCounts> pose(2);
    pose[0] = {5, 0, 90, 225, 225, 90, 175, 180, 90, 225, 225, 225};
    pose[1] = {88, 115, 100, 90, 92, 225, 92, 65, 80, 90, 88, 225};
    EXPECT_NE(error_of([&] { store_home(c.session, pose); }), "");
    EXPECT_EQ(c.port.count(rcb1::Command::kStoreHome), 0);
  }
}

TEST(HomeStore, ABoardThatDoesNotStoreIsNamedWithTheOther) {
  BoardCase c;
  c.port.alter = [](std::vector<std::uint8_t>& bytes) {
    if (bytes[0] == 0xFB && bytes[1] == 1) bytes[1] = 9;  // never arrives at board 1
  };
  std::vector<ChannelCounts> pose = read_homes(c.session);
  pose[1][2] = 100;
  const std::string error = error_of([&] { store_home(c.session, pose); });
  EXPECT_NE(error.find("board 0 has the new home, board 1 was not confirmed"), std::string::npos)
      << error;
}

TEST(HomeStore, NoBoardMovesBeforeAllAreAwake) {
  BoardCase c;
  for (const SwitchResult& r : free_all(c.session)) ASSERT_TRUE(r.is_confirmed);
  c.session.wait(3.0);
  c.port.sent.clear();
  static_cast<void>(store_home(c.session, std::nullopt));
  std::string order;  // of waking and moving
  for (const auto& request : c.port.sent) {
    if (request[0] == 0xF1 || request[0] == 0xFD) order += request[0] == 0xF1 ? 'w' : 'm';
  }
  EXPECT_EQ(order.substr(0, 3), "wwm") << order;
  EXPECT_EQ(order.find_last_of('w'), 1u) << order;
}

TEST(HomeStore, AStopLeavesAllHomesAsTheyWereOrStoresAll) {
  int interrupted = 0;
  for (int stop_at = 0;; ++stop_at) {
    SCOPED_TRACE(stop_at);
    BoardCase c;
    std::vector<ChannelCounts> pose = read_homes(c.session);
    pose[0][2] = 70;
    int asked = 0;
    const HomeRules rules{.stop_requested = [&] { return asked++ == stop_at; }};
    const std::string error = error_of([&] { store_home(c.session, pose, rules); });
    EXPECT_EQ(c.port.count(rcb1::Command::kStoreHome), error.empty() ? 2 : 0);
    if (error.empty()) break;
    ++interrupted;
    EXPECT_NE(error.find("interrupted; no home was stored"), std::string::npos) << error;
    EXPECT_EQ(c.port.count(rcb1::Command::kSetPositions) == 0, stop_at == 0);
  }
  EXPECT_GE(interrupted, 2);  // before a move, and before the homes are stored
}

TEST(HomeStore, APortThatDisappearsIsNotABoardThatFails) {
  BoardCase c;
  c.port.alter = [&](std::vector<std::uint8_t>& bytes) {
    if (bytes[0] == 0xFB && bytes[1] == 1) c.memory_port.unplug();
  };
  try {
    store_home(c.session, std::nullopt);
    FAIL() << "stored";
  } catch (const PortError& error) {
    EXPECT_NE(std::string(error.what()).find("board 0 has the new home, board 1 was not confirmed"),
              std::string::npos)
        << error.what();
  }
}

// trim

TEST(Trim, IsWrittenOnAllBoardsOrOnNone) {
  BoardCase c;
  const BoardTrims before = read_trims(c.session);
  BoardTrims after = before;
  after[0][2] = 3;
  after[1][2] = -3;
  write_trims(c.session, before, after);
  EXPECT_EQ(read_trims(c.session), after);

  BoardTrims third = after;
  third[0][2] = 5;
  third[1][2] = 5;
  c.port.alter = [](std::vector<std::uint8_t>& bytes) {
    if (bytes[0] == 0xE9 && bytes[1] == 1) bytes[1] = 9;
  };
  const std::string error = error_of([&] { write_trims(c.session, after, third); });
  EXPECT_NE(error.find("board 0: has its earlier trim again"), std::string::npos) << error;
  EXPECT_EQ(read_trims(c.session), after);
}

TEST(JointRange, ATrimCostsTravelAtOneEnd) {
  JointWiring joint;
  joint.home_deg = 115;
  joint.sign = -1;
  EXPECT_EQ(range_with_trim(joint, 0).lost_deg, 0);
  const JointRange range = range_with_trim(joint, -3);  // counts 3..180
  EXPECT_EQ(range.lowest_count, 3);
  EXPECT_EQ(range.highest_deg, 112);
  EXPECT_EQ(range.lowest_deg, -65);
  EXPECT_EQ(range.lost_deg, 3);
  EXPECT_EQ(loss_text(joint, -3), "3 deg at the upper end");
  EXPECT_EQ(loss_text(joint, 4), "4 deg at the lower end");
  joint.home_deg = 0;
  joint.sign = 1;
  EXPECT_EQ(loss_text(joint, -2), "2 deg at the lower end, 0 deg cannot be reached");
}

// switch bits

TEST(Switches, ASleepBitThatIsIgnoredIsNotConfirmed) {
  BoardCase c({"1:nosleep"});
  const std::vector<SwitchResult> results = free_all(c.session);
  EXPECT_TRUE(results[0].is_confirmed);
  EXPECT_FALSE(results[1].is_confirmed);
  EXPECT_EQ(results[1].problem, "it reports none");
}

TEST(Switches, EveryBoardIsFreedWhateverTheFirstAnswers) {
  BoardCase c({"0:mute"});
  const std::vector<SwitchResult> results = free_all(c.session);
  EXPECT_FALSE(results[0].is_confirmed);
  EXPECT_EQ(results[0].problem, "no answer");
  EXPECT_TRUE(results[1].is_confirmed);
}

TEST(Switches, HaveNames) {
  for (const char* text : {"none", "sleep", "motion", "sleep, motion"}) {
    EXPECT_EQ(switches_text(parse_switches(text)), text);
  }
  EXPECT_NE(error_of([] { parse_switches("4"); }), "");
}

// IDs

TEST(BoardIds, TwoBoardsAreFoundAndRefused) {
  BoardCase c;
  const BoardsOnLine line = find_boards(c.session);
  EXPECT_EQ(line.ids, (std::set<int>{0, 1}));
  EXPECT_NE(set_id_problem(line).find("2 boards answer (ID 0, 1)"), std::string::npos);
}

TEST(BoardIds, TheOnlyBoardGetsANewId) {
  BoardCase c({"0:off"});
  const BoardsOnLine line = find_boards(c.session);
  EXPECT_EQ(set_id_problem(line), "");
  set_board_id(c.session, 1, 7);
  EXPECT_EQ(find_boards(c.session).ids, (std::set<int>{7}));
}

TEST(BoardIds, TwoBoardsWithOneIdAreNotTakenForOne) {
  BoardCase c({"1:id 0"});  // its answers carry the other's ID; it listens to 1
  EXPECT_NE(set_id_problem(find_boards(c.session)), "");
  BoardCase none({"*:off"});
  EXPECT_EQ(set_id_problem(find_boards(none.session)), "no board answers");
}

TEST(BoardIds, ABoardThatDoesNotAnswerToItsIdIsRefused) {
  BoardCase c({"1:off"});
  c.port.alter = [](std::vector<std::uint8_t>& bytes) {
    if (bytes[0] == 0xF0) bytes[1] = 9;  // never arrives
  };
  const BoardsOnLine line = find_boards(c.session);
  EXPECT_TRUE(line.ids.empty());
  EXPECT_EQ(set_id_problem(line),
            "a board with ID 0 answers the question to all boards, but not a question to its ID");
}

TEST(BoardIds, TwoBoardsThatTookOneIdAreNotTakenForOne) {
  BoardCase c;
  set_board_id(c.session, 0, 3);  // both received it: the mistake of an unguarded program
  const std::string problem = set_id_problem(find_boards(c.session));
  EXPECT_NE(problem.find("two boards with the same ID"), std::string::npos) << problem;
}

// stored motions

void store_motion(BoardCase& c, int board, std::uint8_t count, std::uint8_t speed) {
  for (std::uint8_t k = 0; k < count; ++k) {
    Request request{.command = rcb1::Command::kSetPose, .speed = speed, .motion = 3, .pose = k};
    request.counts = board == 0 ? ChannelCounts{5, 0, 80, 225, 225, 90, 175, 180, 90, 225, 225, 225}
                                : ChannelCounts{88, 115, 110, 90, 92, 225, 92, 65, 65, 90, 88, 225};
    Reply expected;
    expected.speed = speed;
    expected.counts = request.counts;
    write_verified(c.session, board, request,
                   {.command = rcb1::Command::kGetPose, .motion = 3, .pose = k}, expected, "pose");
  }
  Reply expected;
  expected.count = count;
  write_verified(c.session, board,
                 {.command = rcb1::Command::kSetMotionSize, .motion = 3, .count = count},
                 {.command = rcb1::Command::kGetMotionSize, .motion = 3}, expected, "size");
}

TEST(StoredMotions, EmptyAndOutOfStepMotionsAreRecognised) {
  BoardCase c;
  EXPECT_EQ(motion_problem(c.session, read_stored_motion(c.session, 3)), "is empty");
  store_motion(c, 0, 2, 4);
  EXPECT_EQ(motion_problem(c.session, read_stored_motion(c.session, 3)),
            "is out of step: board 0 has 2 poses, board 1 has 0 poses");
  store_motion(c, 1, 2, 5);
  EXPECT_EQ(motion_problem(c.session, read_stored_motion(c.session, 3)),
            "is out of step: pose 0 has speed 4 on board 0, 5 on board 1");
  store_motion(c, 1, 2, 4);
  EXPECT_EQ(motion_problem(c.session, read_stored_motion(c.session, 3)), "");
}

TEST(StoredMotions, StartIsSentOnceToEachBoardAndNotAfterASilentOne) {
  BoardCase c({"0:mute"});
  const std::string error =
      error_of([&] { start_on_all(c.session, {.command = rcb1::Command::kPlayMotion}); });
  EXPECT_NE(error.find("board 0 did not acknowledge the start"), std::string::npos) << error;
  EXPECT_NE(error.find("board 1 was not started"), std::string::npos) << error;
  EXPECT_EQ(c.port.count(rcb1::Command::kPlayMotion), 1);
}

TEST(JsonLayout, KeepsWhatFitsInALine) {
  const auto value = nlohmann::ordered_json::parse(
      R"({"name":"a","list":[1,2,3],"rows":[{"x":1.5,"y":null}],"empty":[]})");
  EXPECT_EQ(json_lines(value),
            "{\n  \"name\": \"a\",\n  \"list\": [1, 2, 3],\n  \"rows\": [{\"x\": 1.5, \"y\": "
            "null}],\n  \"empty\": []\n}\n");
  EXPECT_EQ(nlohmann::ordered_json::parse(json_lines(value)), value);
}

}  // namespace
}  // namespace kagami::tools
