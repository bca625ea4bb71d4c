#include "drivers/virtual/virtual_robot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "drivers/virtual/test/virtual_host.hpp"
#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/hash.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

using test::Bytes;
using test::from_hex;
using test::VirtualHost;
using test::with_sum;

const std::vector<int> kMiddle(12, 90);

// the frames of drivers/test/support/worked_frames.hpp; where an answer depends on what was sent
// before, the rows are in that order
TEST(VirtualRobot, AnswersTheWorkedFramesOfTheCommandReference) {
  struct Row {
    const char* sent;
    const char* answer;
  };
  const Row rows[] = {
      {"FA 01 7B", "01 58 73 73 5A 5C 00 5C 41 41 5A 58 00 05"},
      {"FD 00 04 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A 39", "00 06"},
      {"FD 00 04 05 00 5A 00 00 5A AF B4 5A 00 00 00 77", "00 06"},
      {"FD 01 04 58 73 73 5A 5C 00 5C 41 41 5A 58 00 06", "01 06"},
      {"FD 00 04 09 0B 5A E1 E1 5A AF A9 5A E1 E1 E1 60", "00 06"},
      {"FB 00 7B", "00 06"},
      {"F9 01 03 00 02 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A 37", "01 06"},
      {"F7 01 03 1D 18", "01 06"},
      {"F6 01 03 7A", "01 1D 1E"},
      {"F1 00 01 72", "00 06"},
      {"F0 00 70", "00 01 01"},
      {"EF 00 03 72", "00 06"},
      {"EF 01 03 73", "01 06"},
      {"EE 00 02 70", "00 06"},
      {"E9 00 14 14 14 14 14 14 14 14 14 14 14 14 59", "00 06"},
      {"E8 00 68", "00 14 14 14 14 14 14 14 14 14 14 14 14 70"},
      {"FF 5A 02 5B", "02 06"},
  };
  VirtualHost host;
  for (const Row& row : rows) {
    const Bytes answer = from_hex(row.answer);
    EXPECT_EQ(host.exchange(from_hex(row.sent), answer.size()), answer) << row.sent;
  }
}

TEST(VirtualRobot, AnswersTheRestOfTheCommands) {
  VirtualHost host;
  // F8 reads back what F9 wrote, special codes included
  const Bytes pose = {0xF9, 0x00, 39, 99, 7, 0, 180, 90, 0xE1, 0xE2, 0xDD, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(host.exchange(with_sum(pose), 2), (Bytes{0x00, 0x06}));
  const Bytes stored = {0x00, 7, 0, 180, 90, 0xE1, 0xE2, 0xDD, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(host.exchange(with_sum({0xF8, 0x00, 39, 99}), 15), with_sum(stored));
  // scenario
  EXPECT_EQ(host.exchange(with_sum({0xF5, 0x01, 3, 199, 39}), 2), (Bytes{0x01, 0x06}));
  EXPECT_EQ(host.exchange(with_sum({0xF4, 0x01, 3, 199}), 3), with_sum({0x01, 39}));
  EXPECT_EQ(host.exchange(with_sum({0xF3, 0x01, 3, 200}), 2), (Bytes{0x01, 0x06}));
  EXPECT_EQ(host.exchange(with_sum({0xF2, 0x01, 3}), 3), with_sum({0x01, 200}));
  // keys
  EXPECT_EQ(host.exchange(with_sum({0xED, 0x01, 9, 1, 2, 3}), 2), (Bytes{0x01, 0x06}));
  EXPECT_EQ(host.exchange(with_sum({0xEC, 0x01, 9}), 5), with_sum({0x01, 1, 2, 3}));
  // trim of one board is not the other's
  Bytes trim = {0xE9, 0x01};
  trim.insert(trim.end(), 12, 25);
  EXPECT_EQ(host.exchange(with_sum(trim), 2), (Bytes{0x01, 0x06}));
  EXPECT_EQ(host.exchange(with_sum({0xE8, 0x01}), 14)[5], 25);
  EXPECT_EQ(host.exchange(with_sum({0xE8, 0x00}), 14)[5], 20);
}

TEST(VirtualRobot, AnswersArriveAtTheExactTimeOfTheirLastByte) {
  VirtualHost host;
  // 16 + 2 bytes of 10 bits at 115200, and 1 ms between: 1562500 ns exactly
  host.set(0, kMiddle);
  EXPECT_EQ(host.elapsed_ns(), 1'562'500 + 1'000'000);
  // 3 + 14 bytes: 1475694.4 ns, there at the next whole one
  host.counts(0);
  EXPECT_EQ(host.elapsed_ns(), 1'475'695 + 1'000'000);
}

TEST(VirtualRobot, ThousandRoundsDoNotDriftByAByte) {
  VirtualHost host;
  for (int k = 0; k < 1000; ++k) {
    host.set(0, kMiddle);
    host.set(1, kMiddle);
  }
  EXPECT_EQ(host.clock.now_ns(), 2000 * 2'562'500LL);
}

TEST(VirtualRobot, BytesOfAnAnswerLeaveOneByteTimeApart) {
  VirtualHost host;
  const Bytes request = with_sum({0xFC, 0x00});
  host.robot.receive(request, 0);
  // the request ends at 3 bytes = 260416.7 ns; half of the millisecond later it is dealt with
  EXPECT_EQ(host.robot.next_output_ns(), 260'417);
  host.robot.advance_to(260'417);
  EXPECT_EQ(host.robot.next_output_ns(), 760'417);
  host.robot.advance_to(760'417);
  for (int k = 1; k <= 14; ++k) {
    const std::int64_t exact = (781'250LL * (3 + k) + 9'000'000 + 8) / 9;
    EXPECT_EQ(host.robot.next_output_ns(static_cast<std::size_t>(k)), exact);
  }
  EXPECT_EQ(host.robot.next_output_ns(15), std::nullopt);
  Bytes some(20);
  host.robot.advance_to((781'250LL * 6 + 9'000'000) / 9);
  EXPECT_EQ(host.robot.take_output(some), 2u);  // the third is complete a fraction later
  host.robot.advance_to((781'250LL * 6 + 9'000'000) / 9 + 1);
  EXPECT_EQ(host.robot.take_output(some), 1u);
}

TEST(VirtualRobot, FramePacingDeliversTheWholeAnswerAtItsEnd) {
  auto config = test::quick_config();
  config.behaviour.pace_bytes = false;
  VirtualHost host(config);
  EXPECT_EQ(host.exchange(with_sum({0xFC, 0x00}), 1).size(), 1u);
  EXPECT_EQ(host.elapsed_ns(), 1'475'695 + 1'000'000);
}

TEST(VirtualRobot, LatenciesFollowThePreset) {
  auto config = test::quick_config();
  config.behaviour = board_preset("slow");
  VirtualHost host(config);
  host.set(0, kMiddle);
  EXPECT_EQ(host.elapsed_ns(), 1'562'500 + 2'000'000);
  host.counts(0);
  EXPECT_EQ(host.elapsed_ns(), 1'475'695 + 20'000'000);
  host.exchange(with_sum({0xFB, 0x00}), 2);
  EXPECT_EQ(host.elapsed_ns(), (781'250 * 5 + 8) / 9 + 10'000'000);
}

TEST(VirtualRobot, GetIdIsAnsweredByOneBoardAtRandomAndRepeatably) {
  const auto draws = [](std::uint64_t seed) {
    auto config = test::quick_config();
    config.seed = seed;
    VirtualHost host(config);
    std::string ids;
    for (int k = 0; k < 64; ++k) {
      const Bytes answer = host.exchange(with_sum({0xFE}), 2);
      EXPECT_EQ(answer, with_sum({answer[0]}));
      ids += static_cast<char>('0' + answer[0]);
    }
    EXPECT_EQ(host.robot.counters().replies, 64u);  // one board each, not both in unison
    return ids;
  };
  const std::string ids = draws(1);
  // 64 fair draws: fewer than 16 of one kind have a chance of 1 in 30000
  EXPECT_GE(std::count(ids.begin(), ids.end(), '0'), 16);
  EXPECT_GE(std::count(ids.begin(), ids.end(), '1'), 16);
  EXPECT_EQ(ids, draws(1));
  EXPECT_NE(ids, draws(2));
}

TEST(VirtualRobot, SetIdWithBothBoardsConnectedSetsBoth) {
  VirtualHost host;
  EXPECT_EQ(host.exchange(with_sum({0xFF, 0x5A, 7}), 2), (Bytes{7, 0x06}));
  EXPECT_EQ(host.exchange(with_sum({0xFC, 0x00}), 1, 50'000'000).size(), 0u);
  // both answer at once: where their bytes differ the host receives the AND, and the sum fails
  const Bytes answer = host.exchange(with_sum({0xFA, 7}), 14);
  EXPECT_EQ(answer[1], 0x05 & 0x58);
  EXPECT_NE(answer.back(), rcb1::check_sum(Bytes(answer.begin(), answer.end() - 1)));
}

TEST(VirtualRobot, BusyBoardIsDeafAndTheOtherIsNot) {
  VirtualHost host;
  // read 0, read 0 again before its answer, then read 1: all in one burst
  Bytes burst = with_sum({0xFC, 0x00});
  const Bytes again = with_sum({0xF0, 0x00});
  const Bytes other = with_sum({0xF0, 0x01});
  burst.insert(burst.end(), again.begin(), again.end());
  burst.insert(burst.end(), other.begin(), other.end());
  host.send(burst);
  const Bytes answer = host.read(64);
  // board 1 sends during board 0's answer: 14 bytes, not 14 + 3 + 3
  EXPECT_EQ(answer.size(), 14u);
  EXPECT_NE(answer.back(), rcb1::check_sum(Bytes(answer.begin(), answer.end() - 1)));
}

TEST(VirtualRobot, HighDtrSilencesAnswersButNotActions) {
  VirtualHost host;
  host.port.set_dtr(true);
  EXPECT_EQ(host.set(0, kMiddle).size(), 0u);
  host.wait(1.0);
  host.port.set_dtr(false);
  EXPECT_NEAR(host.counts(0)[0], 90, 1);
}

TEST(VirtualRobot, UnpluggedPortIsGoneForGood) {
  VirtualHost host;
  host.port.unplug();
  std::size_t received = 0;
  Bytes some(2);
  EXPECT_EQ(host.port.write(some, {1}), IoStatus::kGone);
  EXPECT_EQ(host.port.read(some, received, {1}), IoStatus::kGone);
  EXPECT_EQ(host.port.drop_input(), 0u);
}

TEST(VirtualRobot, LongWriteWaitsForRoomOnTheWire) {
  VirtualHost host;
  const Bytes noise(10'000, 0x11);
  EXPECT_EQ(host.port.write(noise, {100'000'000}), IoStatus::kTimedOut);
  EXPECT_EQ(host.port.write(noise, {10'000'000'000}), IoStatus::kOk);
  host.wait(2.0);
  EXPECT_EQ(host.counts(1).size(), 12u);
}

TEST(VirtualRobot, DropInputThrowsArrivedBytesAway) {
  VirtualHost host;
  host.send(with_sum({0xF0, 0x00}));
  host.wait(0.1);
  EXPECT_EQ(host.port.drop_input(), 3u);
  EXPECT_EQ(host.exchange(with_sum({0xF0, 0x01}), 3), with_sum({0x01, 0x00}));
}

TEST(VirtualRobot, StandsAtHomeOrHangsFreeAtPowerOn) {
  auto config = test::quick_config();
  VirtualHost held(config);
  config.behaviour.power_on = PowerOn::kFree;
  VirtualHost free(config);
  held.wait(2.0);
  free.wait(2.0);
  const Bytes home = held.exchange(with_sum({0xFA, 0x01}), 14);
  const Bytes counts = held.counts(1);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(counts[k], home[k + 1], 1) << k;
  // links whose mass centre is not below their joint swing as soon as nothing holds them
  double moved = 0.0;
  for (int j = 0; j < free.robot.joint_count(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    moved = std::max(moved, std::abs(free.robot.plant_angles()[at]));
    EXPECT_NEAR(held.robot.plant_angles()[at], 0.0, to_rad(0.1)) << j;
  }
  EXPECT_GT(moved, to_rad(1.0));
}

TEST(VirtualRobot, SleepMakesTheServosLimp) {
  VirtualHost host;
  const std::vector<int> pose = {90, 0, 90, 225, 225, 90, 175, 180, 90, 225, 225, 225};
  host.set(0, pose);
  host.wait(1.5);
  EXPECT_NEAR(host.counts(0)[0], 90, 1);  // left arm held forward, level
  EXPECT_EQ(host.exchange(with_sum({0xF1, 0x00, 0x01}), 2), (Bytes{0x00, 0x06}));
  host.wait(0.15);
  const int fallen = host.counts(0)[0];
  EXPECT_GT(std::abs(fallen - 90), 10);
  // acknowledged, without effect while asleep
  EXPECT_EQ(host.set(0, pose), (Bytes{0x00, 0x06}));
  host.wait(0.001);
  EXPECT_EQ(host.exchange(with_sum({0xF1, 0x00, 0x00}), 2), (Bytes{0x00, 0x06}));
  host.set(0, pose);
  host.wait(1.5);
  EXPECT_NEAR(host.counts(0)[0], 90, 1);
}

TEST(VirtualRobot, ReadingIsTheRoundedAngleInCounts) {
  VirtualHost host;
  host.set(1, {80, 100, 120, 100, 95, 225, 100, 50, 60, 80, 85, 225});
  host.wait(0.123);
  const Bytes counts = host.counts(1);
  const auto angles = host.robot.plant_angles();
  // left_knee: count = 115 - angle (home and sign of robot.json); joint 9 in its order
  const double exact = 115.0 - to_deg(angles[9]);
  // sampled in the middle of the millisecond before the answer, which has passed since
  EXPECT_NEAR(counts[2], exact, 0.5 + 0.5);
  EXPECT_EQ(counts[5], 0);  // nothing is plugged in
}

TEST(VirtualRobot, AgedReadingsAreThoseOfTheLastServoFrame) {
  auto config = test::quick_config();
  config.behaviour.servo_frame = 0.2;
  VirtualHost host(config);
  host.wait(0.201);
  host.set(0, {90, 0, 90, 225, 225, 90, 175, 180, 90, 225, 225, 225});
  host.wait(0.1);
  EXPECT_EQ(host.counts(0)[0], 5);  // the frame at 0.2 s: not moved yet
  host.wait(0.1);
  EXPECT_GT(host.counts(0)[0], 20);  // the frame at 0.4 s
}

TEST(VirtualRobot, SameBytesGiveTheSameBits) {
  const auto run = [] {
    auto config = test::quick_config();
    config.servos = read_plant_servos(config.robot, test::khr1_folder(), "");
    VirtualHost host(config);
    StateHash hash;
    for (int k = 0; k < 40; ++k) {
      std::vector<int> pose(12, 80 + k % 20);
      host.set(0, pose, 5);
      host.set(1, pose, 5);
      for (const auto count : host.counts(0)) hash.add(static_cast<std::int64_t>(count));
      host.wait(0.05);
      for (const double angle : host.robot.plant_angles()) hash.add(angle);
    }
    hash.add(host.clock.now_ns());
    return hash.value();
  };
  EXPECT_EQ(run(), run());
}

TEST(VirtualRobot, CoarseAndFineAdvancesGiveTheSameBits) {
  const auto run = [](std::int64_t stride_ns) {
    VirtualRobot robot(test::quick_config());
    robot.receive(from_hex("FD 01 04 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A 3A"), 300'000);
    for (std::int64_t t = 0; t <= 1'000'000'000; t += stride_ns) robot.advance_to(t);
    StateHash hash;
    for (const double angle : robot.plant_angles()) hash.add(angle);
    return hash.value();
  };
  EXPECT_EQ(run(1'000'000'000), run(100'000));
}

TEST(VirtualRobot, SwitchedOnLateItStartsItsTimeThere) {
  VirtualRobot robot(test::quick_config());
  constexpr std::int64_t kLate = 86'400'000'000'000;  // a day
  robot.begin_at(kLate);
  robot.receive(with_sum({0xF0, 0x00}), kLate);
  robot.advance_to(kLate + 10'000'000);
  Bytes answer(8);
  EXPECT_EQ(robot.take_output(answer), 3u);
}

TEST(VirtualRobot, CountsWhatPassesTheLine) {
  VirtualHost host;
  host.counts(0);
  host.exchange(from_hex("FC 00 7D"), 1, 50'000'000);
  host.exchange({0x11}, 1, 50'000'000);
  const RobotCounters& counters = host.robot.counters();
  EXPECT_EQ(counters.bytes_received, 7u);
  EXPECT_EQ(counters.requests, 1u);
  EXPECT_EQ(counters.bad_frames, 1u);
  EXPECT_EQ(counters.bytes_ignored, 1u);
  EXPECT_EQ(counters.replies, 1u);
  EXPECT_EQ(counters.bytes_sent, 14u);
}

TEST(VirtualRobot, OnTheStandItsBaseNeverMoves) {
  VirtualHost host;
  EXPECT_TRUE(host.robot.plant_base().on_stand);
  EXPECT_FALSE(host.robot.plant_base().fell);
}

TEST(VirtualRobot, BadBehaviourAndServosAreRefused) {
  auto config = test::quick_config();
  config.behaviour.read_latency = -1.0;
  EXPECT_THROW(VirtualRobot{config}, ConfigError);
  config = test::quick_config();
  config.servos.joints.pop_back();
  EXPECT_THROW(VirtualRobot{config}, ConfigError);
}

}  // namespace
}  // namespace kagami::drivers::virtual_robot
