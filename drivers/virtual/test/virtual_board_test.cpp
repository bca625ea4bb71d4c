#include "drivers/virtual/rcb1_board.hpp"
#include "drivers/virtual/test/virtual_host.hpp"

#include <gtest/gtest.h>

namespace kagami::drivers::virtual_robot {
namespace {

using rcb1::Command;
using rcb1::Reply;
using rcb1::Request;
using test::khr1_speeds;

constexpr std::int64_t kMs = 1'000'000;

BoardMemory middle_memory() {
  BoardMemory memory;
  memory.id = 1;
  memory.home.fill(90);
  return memory;
}

Rcb1Board board_with(const BoardBehaviour& behaviour, bool knows_free = false) {
  return {middle_memory(), khr1_speeds(), behaviour, knows_free};
}

ServoPositions at_rest(double degrees) {
  ServoPositions servos;
  servos.now.fill(degrees);
  servos.reading.fill(degrees);
  servos.fitted.set();
  return servos;
}

Request pose_request(int first, int speed) {
  Request request;
  request.command = Command::kSetPositions;
  request.speed = static_cast<std::uint8_t>(speed);
  request.counts.fill(90);
  request.counts[0] = static_cast<std::uint8_t>(first);
  return request;
}

Request switches(int bits) {
  Request request;
  request.command = Command::kSetSwitches;
  request.bits = static_cast<std::uint8_t>(bits);
  return request;
}

Request play_motion(int motion) {
  Request request;
  request.command = Command::kPlayMotion;
  request.motion = static_cast<std::uint8_t>(motion);
  return request;
}

void store_pose(Rcb1Board& board, int motion, int pose, int first, int speed) {
  Request request = pose_request(first, speed);
  request.command = Command::kSetPose;
  request.motion = static_cast<std::uint8_t>(motion);
  request.pose = static_cast<std::uint8_t>(pose);
  board.execute(request, 0, at_rest(90));
  request.command = Command::kSetMotionSize;
  request.count = static_cast<std::uint8_t>(pose + 1);
  board.execute(request, 0, at_rest(90));
}

// 90 -> 120 at code 3 (102 ms), -> 100 at code 6 (172 ms)
Rcb1Board board_with_motion() {
  Rcb1Board board = board_with({});
  store_pose(board, 3, 0, 120, 3);
  store_pose(board, 3, 1, 100, 6);
  return board;
}

TEST(Rcb1Board, StoredMotionTakesTheTimesOfTheSpeedTable) {
  Rcb1Board board = board_with_motion();
  board.execute(play_motion(3), 10 * kMs, at_rest(90));
  const auto pulse = [&board](std::int64_t ms) {
    board.advance(ms * kMs);
    return board.pulse_deg(0, ms * kMs);
  };
  EXPECT_NEAR(pulse(10 + 51), 105.0, 1e-9);
  EXPECT_NEAR(pulse(10 + 102), 120.0, 1e-9);
  EXPECT_NEAR(pulse(10 + 102 + 86), 110.0, 1e-9);
  EXPECT_TRUE(board.is_playing());
  EXPECT_NEAR(pulse(10 + 102 + 172), 100.0, 1e-9);
  EXPECT_FALSE(board.is_playing());
  EXPECT_NEAR(pulse(5000), 100.0, 1e-9);
}

TEST(Rcb1Board, LateAdvanceStartsPosesWhenTheyWereDue) {
  Rcb1Board board = board_with_motion();
  board.execute(play_motion(3), 0, at_rest(90));
  board.advance(150 * kMs);  // the second pose began at 102 ms
  EXPECT_NEAR(board.pulse_deg(0, 150 * kMs), 120.0 - 20.0 * 48.0 / 172.0, 1e-9);
}

TEST(Rcb1Board, ScenarioPlaysItsMotionsInOrder) {
  Rcb1Board board = board_with_motion();
  store_pose(board, 5, 0, 60, 0);
  Request entry;
  entry.scenario = 2;
  for (const int motion : {5, 7, 3}) {  // 7 is empty
    entry.command = Command::kSetScenarioEntry;
    entry.motion = static_cast<std::uint8_t>(motion);
    board.execute(entry, 0, at_rest(90));
    ++entry.index;
    entry.command = Command::kSetScenarioSize;
    entry.count = entry.index;
    board.execute(entry, 0, at_rest(90));
  }
  Request play;
  play.command = Command::kPlayScenario;
  play.scenario = 2;
  board.execute(play, 0, at_rest(90));
  board.advance(84 * kMs);  // 30 deg at code 0
  EXPECT_NEAR(board.pulse_deg(0, 84 * kMs), 60.0, 1e-9);
  board.advance((84 + 204) * kMs);  // 60 deg at code 3
  EXPECT_NEAR(board.pulse_deg(0, (84 + 204) * kMs), 120.0, 1e-9);
  board.advance(5000 * kMs);
  EXPECT_NEAR(board.pulse_deg(0, 5000 * kMs), 100.0, 1e-9);
  EXPECT_FALSE(board.is_playing());
}

TEST(Rcb1Board, EmptyMotionAndScenarioMoveNothing) {
  Rcb1Board board = board_with({});
  EXPECT_EQ(board.execute(play_motion(9), 0, at_rest(90)).board, 1);
  EXPECT_FALSE(board.is_playing());
  Request play;
  play.command = Command::kPlayScenario;
  board.execute(play, 0, at_rest(90));
  EXPECT_FALSE(board.is_playing());
  EXPECT_EQ(board.pulse_deg(0, 1000 * kMs), 90.0);
}

TEST(Rcb1Board, PositionCommandEndsAStoredMotion) {
  Rcb1Board board = board_with_motion();
  board.execute(play_motion(3), 0, at_rest(90));
  board.execute(pose_request(90, 3), 51 * kMs, at_rest(105));
  board.advance(5000 * kMs);
  EXPECT_EQ(board.pulse_deg(0, 5000 * kMs), 90.0);
}

TEST(Rcb1Board, StreamedPoseReplacesTheRunningOne) {
  Rcb1Board board = board_with({});
  board.execute(pose_request(120, 3), 0, at_rest(90));
  board.execute(pose_request(90, 3), 51 * kMs, at_rest(90));
  // 15 deg back at code 3: 51 ms
  EXPECT_NEAR(board.pulse_deg(0, 102 * kMs), 90.0, 1e-9);
}

TEST(Rcb1Board, BufferingBoardPlaysStreamedPosesOneAfterTheOther) {
  Rcb1Board board = board_with(board_preset("burst"));
  for (int k = 0; k < 7; ++k) {  // one runs, four wait, two are lost
    board.execute(pose_request(100 + 10 * k, 3), k * kMs, at_rest(90));
  }
  board.advance(34 * kMs);
  EXPECT_NEAR(board.pulse_deg(0, 34 * kMs), 100.0, 1e-9);
  board.advance(68 * kMs);
  EXPECT_NEAR(board.pulse_deg(0, 68 * kMs), 110.0, 1e-9);
  board.advance(5000 * kMs);
  EXPECT_NEAR(board.pulse_deg(0, 5000 * kMs), 140.0, 1e-9);
}

TEST(Rcb1Board, SleepTakesTheDriveAndEndsWhatWasPlaying) {
  Rcb1Board board = board_with_motion();
  board.execute(play_motion(3), 0, at_rest(90));
  board.execute(switches(1), 10 * kMs, at_rest(93));
  EXPECT_FALSE(board.drives(0));
  EXPECT_FALSE(board.is_playing());
  board.execute(play_motion(3), 20 * kMs, at_rest(93));
  board.execute(pose_request(120, 0), 30 * kMs, at_rest(93));
  EXPECT_FALSE(board.drives(0));
  board.execute(switches(0), 40 * kMs, at_rest(60));
  EXPECT_FALSE(board.drives(0));  // free until the next position command
  // which starts where the servo hangs: 60 deg away at code 0
  board.execute(pose_request(120, 0), 50 * kMs, at_rest(60));
  EXPECT_TRUE(board.drives(0));
  EXPECT_NEAR(board.pulse_deg(0, (50 + 84) * kMs), 90.0, 1e-9);
}

TEST(Rcb1Board, SwitchBitsAreReadBackAndStartAtZero) {
  Rcb1Board board = board_with({});
  Request get;
  get.command = Command::kGetSwitches;
  EXPECT_EQ(board.execute(get, 0, at_rest(90)).bits, 0);
  board.execute(switches(3), 0, at_rest(90));
  EXPECT_EQ(board.execute(get, 0, at_rest(90)).bits, 3);
  EXPECT_FALSE(board.take_changed());  // not part of the memory
}

TEST(Rcb1Board, MotionBitGatesPlayingOnlyWhereConfigured) {
  BoardBehaviour gated;
  gated.motion_bit_gates = true;
  Rcb1Board board = board_with(gated);
  store_pose(board, 0, 0, 120, 0);
  board.execute(play_motion(0), 0, at_rest(90));
  EXPECT_FALSE(board.is_playing());
  EXPECT_EQ(board.pulse_deg(0, 1000 * kMs), 90.0);
  board.execute(switches(2), 0, at_rest(90));
  board.execute(play_motion(0), 0, at_rest(90));
  EXPECT_EQ(board.pulse_deg(0, 1000 * kMs), 120.0);
}

TEST(Rcb1Board, FreeCodeFreesOneServoWhereKnown) {
  Request request = pose_request(221, 0);
  Rcb1Board red = board_with({}, true);
  red.execute(request, 0, at_rest(90));
  EXPECT_FALSE(red.drives(0));
  EXPECT_TRUE(red.drives(1));
  Rcb1Board blue = board_with({}, false);
  blue.execute(request, 0, at_rest(90));
  EXPECT_TRUE(blue.drives(0));
  EXPECT_EQ(blue.pulse_deg(0, 1000 * kMs), 90.0);
}

TEST(Rcb1Board, OutputCodesLeaveTheServoAlone) {
  Rcb1Board board = board_with({});
  board.execute(pose_request(120, 3), 0, at_rest(90));
  for (const int code : {222, 223, 224, 225, 226}) {
    board.execute(pose_request(code, 0), 10 * kMs, at_rest(90));
  }
  EXPECT_NEAR(board.pulse_deg(0, 51 * kMs), 105.0, 1e-9);
  EXPECT_NEAR(board.pulse_deg(0, 102 * kMs), 120.0, 1e-9);
}

TEST(Rcb1Board, TrimMovesThePulseButNotTheCounts) {
  Rcb1Board board = board_with({});
  Request trim;
  trim.command = Command::kSetTrim;
  trim.trim_deg[0] = -7;
  board.execute(trim, 0, at_rest(90));
  EXPECT_TRUE(board.take_changed());
  EXPECT_EQ(board.pulse_deg(0, 0), 83.0);
  EXPECT_EQ(board.pulse_deg(1, 0), 90.0);
  Request read;
  read.command = Command::kGetPositions;
  const Reply reply = board.execute(read, 0, at_rest(83));
  EXPECT_EQ(reply.counts[0], 90);
  EXPECT_EQ(reply.counts[1], 83);
}

TEST(Rcb1Board, ReadingRoundsToWholeDegreesAndStaysInRange) {
  Rcb1Board board = board_with({});
  Request read;
  read.command = Command::kGetPositions;
  ServoPositions servos = at_rest(90);
  servos.reading = {89.51, 90.49, 0.2, -4.0, 180.4, 190.0, 45.5, 0, 0, 0, 0, 0};
  servos.fitted[11] = false;
  servos.reading[11] = 90.0;
  const Reply reply = board.execute(read, 0, servos);
  const ChannelCounts expected = {90, 90, 0, 0, 180, 180, 46, 0, 0, 0, 0, 0};
  EXPECT_EQ(reply.counts, expected);
}

TEST(Rcb1Board, StoreHomeKeepsThePresentPosition) {
  Rcb1Board board = board_with({});
  Request store;
  store.command = Command::kStoreHome;
  board.execute(store, 0, at_rest(77.4));
  EXPECT_TRUE(board.take_changed());
  EXPECT_FALSE(board.take_changed());
  store.command = Command::kGetHome;
  EXPECT_EQ(board.execute(store, 0, at_rest(20)).counts[4], 77);
}

TEST(Rcb1Board, FreeAtPowerOnUntilTheFirstPose) {
  BoardBehaviour behaviour;
  behaviour.power_on = PowerOn::kFree;
  Rcb1Board board = board_with(behaviour);
  EXPECT_FALSE(board.drives(0));
  board.execute(pose_request(120, 0), 0, at_rest(64));
  EXPECT_TRUE(board.drives(0));
  EXPECT_EQ(board.pulse_deg(0, 0), 64.0);
}

}  // namespace
}  // namespace kagami::drivers::virtual_robot
