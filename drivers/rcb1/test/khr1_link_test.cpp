// Rounds over two boards in simulated time: order, stamps, sequences, stops, partial samples.
#include "drivers/rcb1/khr1_link.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>

#include "drivers/test/support/fake_boards.hpp"
#include "drivers/test/support/manual_clock.hpp"
#include "models/base/angle.hpp"
#include "models/base/test/support/milliseconds.hpp"

namespace kagami::drivers {
namespace {

using rcb1::Command;
using rcb1::kByteTimeNs;
using test::FakeBoards;
using test::kMs;
using test::ManualClock;
using test::small_wiring;

class Link : public ::testing::Test {
 protected:
  Link() {
    boards_.attach(port_);
    boards_.board[1].positions.fill(
        115);  // every joint at angle zero: no jump at the first command
    boards_.board[1].positions[6] = 65;
  }

  IoStatus round(std::int64_t budget_ns = 100 * kMs) {
    return link_.exchange(targets_, sample_, {clock_.now_ns() + budget_ns});
  }
  void command(TargetMode mode) {
    targets_.mode = mode;
    ++targets_.sequence;
  }
  /// First bytes of the frames written from number `from` on.
  [[nodiscard]] std::vector<int> commands(std::size_t from = 0) const {
    std::vector<int> first;
    for (std::size_t i = from; i < port_.written().size(); ++i) {
      first.push_back(port_.written()[i][0] * 0x100 + port_.written()[i][1]);
    }
    return first;
  }

  ManualClock clock_{1000 * kMs};
  ScriptedPort port_{clock_};
  FakeBoards boards_;
  Khr1Link link_{port_, clock_, small_wiring()};
  ServoTargets targets_{};
  ServoSample sample_{};
};

TEST_F(Link, RoundSetsBothBoardsThenReadsBothInFixedOrder) {
  command(TargetMode::kPositions);
  ASSERT_EQ(round(), IoStatus::kOk);
  EXPECT_EQ(commands(), (std::vector<int>{0xFD00, 0xFD01, 0xFC00, 0xFC01}));
  EXPECT_EQ(sample_.round, 1u);
  EXPECT_EQ(sample_.counters.sent, 4u);
  EXPECT_EQ(sample_.counters.answered, 4u);
  EXPECT_EQ(sample_.counters.bytes_out, 16u + 16u + 3u + 3u);
  EXPECT_EQ(sample_.counters.bytes_in, 2u + 2u + 14u + 14u);
}

TEST_F(Link, RoundTakesTheBytesAndTheBoardsAndNothingElse) {
  command(TargetMode::kPositions);
  const std::int64_t start = clock_.now_ns();
  ASSERT_EQ(round(), IoStatus::kOk);
  const std::int64_t wire = (2 * (16 + 2) + 2 * (3 + 14)) * kByteTimeNs;
  EXPECT_EQ(clock_.now_ns() - start, wire + 4 * kMs);  // 1 ms turnaround each
}

TEST_F(Link, StampsFollowTheirFormulas) {
  command(TargetMode::kPositions);
  const std::int64_t start = clock_.now_ns();
  ASSERT_EQ(round(), IoStatus::kOk);
  // t_e = t_w0 + n_out T + w_min/2, with w = 1 ms exactly
  EXPECT_EQ(sample_.command[0].effective_ns, start + 16 * kByteTimeNs + kMs / 2);
  const std::int64_t set = 18 * kByteTimeNs + kMs;
  EXPECT_EQ(sample_.command[1].effective_ns, start + set + 16 * kByteTimeNs + kMs / 2);
  // t_s = t_q - table_age + w_min/2, sigma = (w - w_min) + w_min/2
  const BoardReading& reading = sample_.reading[0];
  EXPECT_EQ(reading.written_ns, start + 2 * set);
  EXPECT_EQ(reading.received_ns, start + 2 * set + 17 * kByteTimeNs + kMs);
  EXPECT_EQ(reading.sampled_ns, start + 2 * set + 3 * kByteTimeNs + kMs / 2);
  EXPECT_EQ(reading.uncertainty_ns, kMs / 2);

  boards_.distort = [](FakeBoards::Answer& a) { a.delay_ns = 3 * kMs; };
  const std::int64_t second = clock_.now_ns();
  ASSERT_EQ(round(), IoStatus::kOk);
  EXPECT_EQ(sample_.reading[0].sampled_ns, second + 3 * kByteTimeNs + kMs / 2);
  EXPECT_EQ(sample_.reading[0].uncertainty_ns, 2 * kMs + kMs / 2);
}

TEST_F(Link, TableAgeAndAdapterShiftTheStamps) {
  Khr1Link link(port_, clock_, small_wiring(), {.table_age_ns = 8 * kMs, .adapter_ns = kMs / 4});
  const std::int64_t start = clock_.now_ns();
  ASSERT_EQ(link.exchange(targets_, sample_, {start + 100 * kMs}), IoStatus::kOk);
  // w = 0.75 ms
  EXPECT_EQ(sample_.reading[0].sampled_ns, start + 3 * kByteTimeNs - 8 * kMs + 3 * kMs / 8);
}

TEST_F(Link, AnglesAreUnknownBeforeTheFirstReadingAndTrueAfterIt) {
  boards_.board[0].off = true;
  boards_.board[1].positions.fill(90);
  EXPECT_EQ(round(), IoStatus::kTimedOut);
  EXPECT_TRUE(std::isnan(sample_.angle[0]));                     // left_arm, board 0
  EXPECT_NEAR(sample_.angle[3], to_rad(90.0 - 115.0), 1e-15);    // rad, rounding of one product
  EXPECT_NEAR(sample_.angle[4], to_rad(-(90.0 - 65.0)), 1e-15);  // right_hip, sign -1
  EXPECT_FALSE(sample_.reading[0].is_new);
  EXPECT_LT(sample_.reading[0].sampled_ns, 0);
  EXPECT_TRUE(sample_.reading[1].is_new);
}

TEST_F(Link, FailedReadingKeepsItsLastValueAndItsAge) {
  ASSERT_EQ(round(), IoStatus::kOk);
  const ServoSample before = sample_;
  boards_.board[1].off = true;
  boards_.board[0].positions.fill(91);
  EXPECT_EQ(round(), IoStatus::kTimedOut);
  EXPECT_FALSE(sample_.reading[1].is_new);
  EXPECT_EQ(sample_.reading[1].sampled_ns, before.reading[1].sampled_ns);
  EXPECT_EQ(sample_.angle[3], before.angle[3]);
  EXPECT_TRUE(sample_.reading[0].is_new);
  EXPECT_NEAR(sample_.angle[0], to_rad(1.0), 1e-15);
}

TEST_F(Link, CommandIsSentOncePerSequence) {
  command(TargetMode::kPositions);
  ASSERT_EQ(round(), IoStatus::kOk);
  ASSERT_EQ(round(), IoStatus::kOk);
  EXPECT_EQ(boards_.requests(Command::kSetPositions), 2);
  command(TargetMode::kPositions);
  ASSERT_EQ(round(), IoStatus::kOk);
  EXPECT_EQ(boards_.requests(Command::kSetPositions), 4);
}

TEST_F(Link, CommandIsRepeatedUntilItsBoardAcknowledgedIt) {
  command(TargetMode::kPositions);
  targets_.cycle = 77;
  boards_.board[1].off = true;
  EXPECT_EQ(round(), IoStatus::kTimedOut);
  EXPECT_EQ(sample_.command[0].sequence, 1u);
  EXPECT_EQ(sample_.command[1].sequence, 0u);  // only what was acknowledged
  boards_.board[1].off = false;
  std::size_t seen = port_.written().size();
  while (round() != IoStatus::kOk) seen = port_.written().size();
  EXPECT_EQ(commands(seen), (std::vector<int>{0xFD01, 0xFC00, 0xFC01}));
  EXPECT_EQ(sample_.command[1].sequence, 1u);
  EXPECT_EQ(sample_.command[1].cycle, 77);
  EXPECT_EQ(sample_.command[1].counts[0], 115);
  EXPECT_EQ(sample_.command[1].counts[1], rcb1::kOutputLow);
}

TEST_F(Link, LostAcknowledgementIsRepeatedInsideTheRound) {
  ASSERT_EQ(round(), IoStatus::kOk);
  int lost = 0;
  boards_.distort = [&](FakeBoards::Answer& a) {
    if (a.command == Command::kSetPositions && lost++ == 0) a.bytes.clear();
  };
  command(TargetMode::kPositions);
  EXPECT_EQ(round(), IoStatus::kOk);
  EXPECT_EQ(sample_.counters.retried, 1u);
  EXPECT_EQ(sample_.counters.silent, 1u);
}

TEST_F(Link, PoseThatOneBoardMustNotGetIsSentToNone) {
  command(TargetMode::kPositions);
  targets_.angle[3] = to_rad(66.0);  // left_hip: 115 + 66 = 181, on board 1
  EXPECT_EQ(round(), IoStatus::kRefused);
  EXPECT_EQ(boards_.requests(Command::kSetPositions), 0);
  EXPECT_EQ(boards_.requests(Command::kGetPositions), 2);  // readings go on
  EXPECT_EQ(link_.last_refusal().joint, 3);
  EXPECT_EQ(link_.last_refusal().board, 1);
  EXPECT_EQ(sample_.counters.refused, 1u);
}

TEST_F(Link, OneSilentBoardCostsTheOtherNoSlot) {
  for (int i = 0; i < 20; ++i) ASSERT_EQ(round(), IoStatus::kOk);
  boards_.board[0].off = true;
  const std::int64_t start = clock_.now_ns();
  constexpr int kRounds = 200;
  for (int i = 0; i < kRounds; ++i) {
    command(TargetMode::kPositions);
    EXPECT_EQ(round(), IoStatus::kTimedOut);
    EXPECT_TRUE(sample_.reading[1].is_new) << i;
    EXPECT_EQ(sample_.command[1].sequence, targets_.sequence) << i;
  }
  // set and read of one board take 5.04 ms, a vain try at most 30 ms in every fourth round
  EXPECT_LT(clock_.now_ns() - start, kRounds * (51 * kMs / 10 + 30 * kMs / 4) + 100 * kMs);
  boards_.board[0].off = false;
  int rounds = 0;
  while (round() != IoStatus::kOk) ASSERT_LT(++rounds, 6);
  EXPECT_TRUE(sample_.reading[0].is_new);
}

TEST_F(Link, SilentBoardLeavesTheOtherItsTimeInATightRound) {
  boards_.board[0].off = true;  // nothing learned yet: it may keep us waiting for 30 ms
  command(TargetMode::kPositions);
  EXPECT_EQ(round(12 * kMs), IoStatus::kTimedOut);
  EXPECT_EQ(sample_.command[1].sequence, 1u);
  EXPECT_TRUE(sample_.reading[1].is_new);
}

TEST_F(Link, SilentBoardComesBackWithReadingsAlone) {
  boards_.board[0].off = true;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(round(), IoStatus::kTimedOut);
  boards_.board[0].off = false;
  int rounds = 0;
  while (round() != IoStatus::kOk) ASSERT_LT(++rounds, 6);
}

TEST_F(Link, SleepGoesToBothBoardsAndIsConfirmedByTheirBits) {
  command(TargetMode::kSleep);
  boards_.board[1].off = true;
  EXPECT_EQ(round(), IoStatus::kTimedOut);
  EXPECT_FALSE(sample_.sleep_confirmed);
  EXPECT_EQ(boards_.board[0].bits, rcb1::kSwitchSleep);
  boards_.board[1].off = false;
  EXPECT_EQ(round(), IoStatus::kOk);
  EXPECT_TRUE(sample_.sleep_confirmed);
  EXPECT_EQ(boards_.board[1].bits, rcb1::kSwitchSleep);
  EXPECT_EQ(sample_.command[1].mode, TargetMode::kSleep);
}

TEST_F(Link, BoardThatWakesUpIsSentToSleepAgain) {
  command(TargetMode::kSleep);
  ASSERT_EQ(round(), IoStatus::kOk);
  ASSERT_TRUE(sample_.sleep_confirmed);
  boards_.board[1].bits = 0;  // it restarted
  EXPECT_EQ(round(), IoStatus::kBadReply);
  EXPECT_FALSE(sample_.sleep_confirmed);
  EXPECT_EQ(round(), IoStatus::kOk);
  EXPECT_TRUE(sample_.sleep_confirmed);
  EXPECT_EQ(boards_.board[1].bits, rcb1::kSwitchSleep);
}

TEST_F(Link, SleepIsNotConfirmedByABoardThatFellSilentSince) {
  command(TargetMode::kSleep);
  ASSERT_EQ(round(), IoStatus::kOk);
  boards_.board[0].off = true;
  for (int i = 0; i < 4; ++i) static_cast<void>(round());
  EXPECT_FALSE(sample_.sleep_confirmed);
  EXPECT_FALSE(sample_.command[0].complete);
  EXPECT_GE(sample_.reading[0].failed, 1);
  EXPECT_EQ(sample_.reading[1].failed, 0);
}

TEST_F(Link, StopThatWaitsCutsTheRoundShortAndIsTheNextFrame) {
  std::atomic<bool> stop_waits = false;
  link_.watch(&stop_waits);
  for (const bool is_lost : {false, true}) {  // a command without an answer is not repeated then
    const std::size_t before = port_.written().size();
    command(TargetMode::kPositions);
    boards_.distort = [&](FakeBoards::Answer& a) {  // while board 0 answers
      stop_waits = true;
      if (is_lost) a.bytes.clear();
    };
    static_cast<void>(round());
    EXPECT_EQ(commands(before), (std::vector<int>{0xFD00}));
    boards_.distort = {};
    stop_waits = false;
    command(TargetMode::kSleep);
    ASSERT_EQ(round(), IoStatus::kOk);
    EXPECT_EQ(commands(before + 1)[0], 0xF100);
  }
  link_.watch(nullptr);
}

TEST_F(Link, StreamedTargetFarAwayIsApproachedFrameByFrameAndThenDone) {
  JointArray<double> rate{};
  rate.fill(to_rad(300.0));  // deg/s: 6 deg in the 20 ms of a servo pulse, and 1 for rounding
  link_.limit_rate(rate);
  targets_.streamed = true;
  command(TargetMode::kPositions);
  ASSERT_EQ(round(), IoStatus::kOk);
  const ChannelCounts before = sample_.command[1].counts;
  clock_.advance(130 * kMs);  // a stall; meanwhile the target moved on by 40 deg
  targets_.angle.fill(to_rad(40.0));
  command(TargetMode::kPositions);
  int frames = 0;
  ChannelCounts last = before;
  do {
    ASSERT_EQ(round(), IoStatus::kOk);
    ++frames;
    for (std::size_t i = 0; i < last.size(); ++i) {
      EXPECT_LE(std::abs(sample_.command[1].counts[i] - last[i]), 7) << frames;
    }
    last = sample_.command[1].counts;
  } while (!sample_.command[1].complete && frames < 100);
  EXPECT_GE(frames, 6);
  EXPECT_LT(frames, 100);
  const std::size_t sent = port_.written().size();
  ASSERT_EQ(round(), IoStatus::kOk);
  EXPECT_EQ(port_.written().size(), sent + 2);  // the readings alone: the target was reached
}

TEST_F(Link, SleepIsNotConfirmedByTheAcknowledgementOfAnOlderCommand) {
  // the boards acknowledge but do not take the bit: as a late acknowledgement would look
  boards_.distort = [&](FakeBoards::Answer&) { boards_.board[0].bits = 0; };
  command(TargetMode::kSleep);
  EXPECT_EQ(round(), IoStatus::kBadReply);
  EXPECT_FALSE(sample_.sleep_confirmed);
}

TEST_F(Link, SleepIsTriedInEveryRoundAlsoOnASilentBoard) {
  boards_.board[0].off = true;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(round(), IoStatus::kTimedOut);
  command(TargetMode::kSleep);
  for (int i = 0; i < 4; ++i) {
    const std::size_t seen = port_.written().size();
    EXPECT_EQ(round(), IoStatus::kTimedOut);
    EXPECT_EQ(commands(seen)[0], 0xF100);
  }
}

TEST_F(Link, StoredMotionIsStartedOnceOnBothBoards) {
  command(TargetMode::kPlay);
  targets_.motion = 3;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(round(), IoStatus::kOk);
  EXPECT_EQ(boards_.board[0].played, (std::vector<std::uint8_t>{3}));
  EXPECT_EQ(boards_.board[1].played, (std::vector<std::uint8_t>{3}));
}

TEST_F(Link, StoredMotionIsNotStartedBehindABoardThatDidNotAnswer) {
  boards_.distort = [](FakeBoards::Answer& a) {
    if (a.command == Command::kPlayMotion) a.bytes.clear();
  };
  command(TargetMode::kPlay);
  EXPECT_EQ(round(), IoStatus::kTimedOut);
  ASSERT_EQ(round(), IoStatus::kOk);
  EXPECT_EQ(boards_.board[0].played.size(), 1u);
  EXPECT_TRUE(boards_.board[1].played.empty());
  EXPECT_EQ(sample_.command[0].sequence, 0u);
}

TEST_F(Link, RoundWithoutReadingSendsPositionsOnly) {
  command(TargetMode::kPositions);
  targets_.read_positions = false;
  ASSERT_EQ(round(), IoStatus::kOk);
  EXPECT_EQ(commands(), (std::vector<int>{0xFD00, 0xFD01}));
}

TEST_F(Link, RoundWithoutTimeSendsNothing) {
  command(TargetMode::kPositions);
  EXPECT_EQ(round(0), IoStatus::kTimedOut);
  EXPECT_TRUE(port_.written().empty());
}

TEST_F(Link, OneBoardAloneMakesARobotToo) {
  RobotWiring wiring = small_wiring();
  wiring.boards.resize(1);
  wiring.joints.resize(3);
  Khr1Link link(port_, clock_, wiring);
  command(TargetMode::kPositions);
  ASSERT_EQ(link.exchange(targets_, sample_, {clock_.now_ns() + 100 * kMs}), IoStatus::kOk);
  EXPECT_EQ(commands(), (std::vector<int>{0xFD00, 0xFC00}));
}

TEST_F(Link, FreeCodeGoesOnlyToABoardThatSupportsIt) {
  ChannelCounts counts;
  counts.fill(90);
  counts[2] = rcb1::kFree;
  rcb1::EffectTime effect;
  const Deadline deadline{clock_.now_ns() + 100 * kMs};
  EXPECT_EQ(link_.board(0).set_positions(4, counts, deadline, effect), IoStatus::kRefused);
  rcb1::Rcb1 red(link_.line(), {.id = 0, .knows_free = true}, {});
  EXPECT_EQ(red.set_positions(4, counts, deadline, effect), IoStatus::kOk);
  counts[2] = rcb1::kOutputHigh;
  EXPECT_EQ(red.set_positions(4, counts, deadline, effect), IoStatus::kRefused);
}

}  // namespace
}  // namespace kagami::drivers
