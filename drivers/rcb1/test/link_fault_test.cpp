// Everything that can go wrong on the line, on a scripted port in simulated time: each run ends by
// its deadline, each counter moves by exactly its fault, nothing is lost from the books.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "drivers/rcb1/khr1_link.hpp"
#include "drivers/test/support/fake_boards.hpp"
#include "drivers/test/support/manual_clock.hpp"
#include "models/base/test/support/milliseconds.hpp"

namespace kagami::drivers {
namespace {

using rcb1::Command;
using test::FakeBoards;
using test::kMs;
using test::ManualClock;

/// A robot whose line has been healthy for some rounds.
struct Case {
  Case() {
    boards.attach(port);
    boards.board[1].positions.fill(115);
    boards.board[1].positions[6] = 65;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(round(), IoStatus::kOk);
    before = sample.counters;
  }
  IoStatus round(TargetMode mode = TargetMode::kPositions, std::int64_t budget_ns = 100 * kMs) {
    targets.mode = mode;
    ++targets.sequence;
    deadline_ns = clock.now_ns() + budget_ns;
    const IoStatus s = link.exchange(targets, sample, {deadline_ns});
    EXPECT_LE(clock.now_ns(), deadline_ns);
    expect_conservation();
    return s;
  }
  void expect_conservation() const {
    const LineCounters& c = sample.counters;
    EXPECT_EQ(c.sent, c.answered + c.silent + c.short_reply + c.bad_sum + c.bad_reply + c.gone);
    EXPECT_EQ(port.delivered(), c.bytes_in + c.bytes_refused + c.late + c.unexpected_bytes);
  }
  /// Changes the next answer to `command` from board `index`.
  void spoil(Command command, int index, const std::function<void(FakeBoards::Answer&)>& change) {
    boards.distort = [this, command, index, change](FakeBoards::Answer& a) {
      if (spoiled || a.command != command || a.board != index) return;
      spoiled = true;
      change(a);
    };
  }

  ManualClock clock{1000 * kMs};
  ScriptedPort port{clock};
  FakeBoards boards;
  Khr1Link link{port, clock, test::small_wiring()};
  ServoTargets targets{};
  ServoSample sample{};
  LineCounters before{};
  std::int64_t deadline_ns = 0;
  bool spoiled = false;
};

/// What a round with both commands and both readings moves when one thing goes wrong.
struct Expected {
  IoStatus status = IoStatus::kOk;
  std::uint64_t sent = 4;
  std::uint64_t answered = 4;
  std::uint64_t silent = 0;
  std::uint64_t short_reply = 0;
  std::uint64_t bad_sum = 0;
  std::uint64_t bad_reply = 0;
  std::uint64_t late = 0;
  std::uint64_t unexpected = 0;
  std::uint64_t refused_bytes = 0;
  std::uint64_t retried = 0;
};

void expect_moved(const Case& c, const Expected& e) {
  const LineCounters& now = c.sample.counters;
  EXPECT_EQ(now.sent - c.before.sent, e.sent);
  EXPECT_EQ(now.answered - c.before.answered, e.answered);
  EXPECT_EQ(now.silent - c.before.silent, e.silent);
  EXPECT_EQ(now.short_reply - c.before.short_reply, e.short_reply);
  EXPECT_EQ(now.bad_sum - c.before.bad_sum, e.bad_sum);
  EXPECT_EQ(now.bad_reply - c.before.bad_reply, e.bad_reply);
  EXPECT_EQ(now.late - c.before.late, e.late);
  EXPECT_EQ(now.unexpected_bytes - c.before.unexpected_bytes, e.unexpected);
  EXPECT_EQ(now.bytes_refused - c.before.bytes_refused, e.refused_bytes);
  EXPECT_EQ(now.retried - c.before.retried, e.retried);
  EXPECT_EQ(now.refused, 0u);
  EXPECT_EQ(now.gone, 0u);
}

/// One round with a spoiled reading of board 0; the reading of board 1 must be untouched.
void check_reading(std::function<void(FakeBoards::Answer&)> change, const Expected& expected) {
  Case c;
  c.spoil(Command::kGetPositions, 0, std::move(change));
  EXPECT_EQ(c.round(), expected.status);
  expect_moved(c, expected);
  EXPECT_EQ(c.sample.reading[0].is_new, expected.status == IoStatus::kOk);
  EXPECT_TRUE(c.sample.reading[1].is_new);
  EXPECT_EQ(c.round(), IoStatus::kOk);
}

TEST(LineFault, AnswerThatThisComputerReadsLateKeepsNoCommandBack) {
  for (const std::int64_t stall_ms : {35, 75, 100, 130}) {
    SCOPED_TRACE(stall_ms);
    Case c;
    c.boards.distort = [&](FakeBoards::Answer& a) {
      if (c.spoiled || a.board != 1) return;
      c.spoiled = true;
      c.clock.advance(stall_ms * kMs);  // the answer is there, and read so much later
    };
    static_cast<void>(c.link.exchange(c.targets, c.sample, {c.clock.now_ns() + 120 * kMs}));
    for (int i = 0; i < 20; ++i) {
      ++c.targets.sequence;
      static_cast<void>(c.link.exchange(c.targets, c.sample, {c.clock.now_ns() + 120 * kMs}));
      for (int b = 0; b < 2; ++b) {
        EXPECT_EQ(c.sample.command[static_cast<std::size_t>(b)].sequence, c.targets.sequence) << i;
      }
    }
    EXPECT_TRUE(c.spoiled);
    EXPECT_LT(c.link.board(1).acknowledge_turnaround().max_ns(), 30 * kMs);
    EXPECT_LT(c.link.board(1).reading_turnaround().max_ns(), 30 * kMs);
  }
}

TEST(LineFault, BoardThatAlwaysTakesItsThirtyMillisecondsStillGetsEveryCommand) {
  Case c;
  c.boards.distort = [](FakeBoards::Answer& a) { a.delay_ns = 29 * kMs; };
  for (int i = 0; i < 50; ++i) {
    ++c.targets.sequence;
    static_cast<void>(c.link.exchange(c.targets, c.sample, {c.clock.now_ns() + 120 * kMs}));
    if (i < 30) continue;  // learning
    for (int b = 0; b < 2; ++b) {
      EXPECT_EQ(c.sample.command[static_cast<std::size_t>(b)].sequence, c.targets.sequence) << i;
    }
  }
}

TEST(LineFault, ARoundTooShortForTheReadingsStillCommandsBothBoards) {
  Case c;
  std::int64_t delay_ns = kMs;
  c.boards.distort = [&](FakeBoards::Answer& a) {
    if (a.command == Command::kGetPositions) a.delay_ns = delay_ns;
  };
  for (; delay_ns < 25 * kMs; delay_ns += kMs) {  // readings get slower and slower
    static_cast<void>(c.link.exchange(c.targets, c.sample, {c.clock.now_ns() + 120 * kMs}));
  }
  ASSERT_GT(c.link.board(1).reading_turnaround().max_ns(), 20 * kMs);
  ++c.targets.sequence;
  static_cast<void>(c.link.exchange(c.targets, c.sample, {c.clock.now_ns() + 20 * kMs}));
  for (const BoardCommand& command : c.sample.command) {
    EXPECT_EQ(command.sequence, c.targets.sequence);
  }
}

TEST(LineFault, SilenceIsCountedOnce) {
  check_reading([](auto& a) { a.bytes.clear(); },
                {.status = IoStatus::kTimedOut, .answered = 3, .silent = 1});
}

TEST(LineFault, ByteLostInAReplyIsAShortReply) {
  check_reading(
      [](auto& a) { a.bytes.erase(a.bytes.begin() + 5); },
      {.status = IoStatus::kTimedOut, .answered = 3, .short_reply = 1, .refused_bytes = 13});
}

TEST(LineFault, ReadingInTheOtherBoardsNameIsABadReply) {
  check_reading(
      [](auto& a) {
        a.bytes[0] = 1;
        a.bytes.back() = rcb1::check_sum({a.bytes.data(), 13});
      },
      {.status = IoStatus::kBadReply, .answered = 3, .bad_reply = 1, .refused_bytes = 14});
}

TEST(LineFault, FlippedBitIsABadSum) {
  check_reading([](auto& a) { a.bytes[4] ^= 0x10; },
                {.status = IoStatus::kBadSum, .answered = 3, .bad_sum = 1, .refused_bytes = 14});
}

TEST(LineFault, FlippedBitSevenPassesTheSumButNotTheRange) {
  check_reading(
      [](auto& a) { a.bytes[1] ^= 0x80; },  // 90 becomes 218
      {.status = IoStatus::kBadReply, .answered = 3, .bad_reply = 1, .refused_bytes = 14});
}

TEST(LineFault, NoiseBeforeTheFrameIsABadReplyAndAnUnexpectedByte) {
  check_reading([](auto& a) { a.bytes.insert(a.bytes.begin(), 0x55); },
                {.status = IoStatus::kBadSum,
                 .answered = 3,
                 .bad_sum = 1,
                 .unexpected = 1,
                 .refused_bytes = 14});
}

TEST(LineFault, NoiseBehindTheFrameIsDrainedBeforeTheNextCommand) {
  Case c;
  c.spoil(Command::kSetPositions, 0, [](auto& a) { a.bytes.push_back(0x55); });
  c.targets.read_positions = false;
  // the byte arrives while the host is busy with something else
  rcb1::EffectTime effect;
  ChannelCounts counts;
  counts.fill(90);
  const Deadline deadline{c.clock.now_ns() + 100 * kMs};
  ASSERT_EQ(c.link.board(0).set_positions(0, counts, deadline, effect), IoStatus::kOk);
  c.clock.advance(kMs);
  EXPECT_EQ(c.round(), IoStatus::kOk);
  expect_moved(c, {.sent = 3, .answered = 3, .unexpected = 1});
}

TEST(LineFault, AllZeroReadingIsABadReply) {
  check_reading(
      [](auto& a) { a.bytes.assign(14, 0); },
      {.status = IoStatus::kBadReply, .answered = 3, .bad_reply = 1, .refused_bytes = 14});
}

TEST(LineFault, LateAnswerIsCountedLateAndDoesNotAnswerTheOtherBoard) {
  check_reading([](auto& a) { a.delay_ns = 8 * kMs; },  // allowed: 1 ms learned + 5 ms
                {.status = IoStatus::kTimedOut, .answered = 3, .silent = 1, .late = 14});
}

TEST(LineFault, LateAnswerAfterALongPauseIsDrained) {
  Case c;
  c.targets.read_positions = true;
  c.spoil(Command::kGetPositions, 1, [](auto& a) { a.delay_ns = 40 * kMs; });
  EXPECT_EQ(c.round(), IoStatus::kTimedOut);
  c.clock.advance(100 * kMs);
  EXPECT_EQ(c.round(), IoStatus::kOk);
  expect_moved(c, {.sent = 8, .answered = 7, .silent = 1, .late = 14});
}

TEST(LineFault, RefusedCommandIsRepeatedOnce) {
  Case c;
  c.spoil(Command::kSetPositions, 1, [](auto& a) { a.bytes[1] = 0x15; });
  EXPECT_EQ(c.round(), IoStatus::kOk);
  expect_moved(c, {.sent = 5, .bad_reply = 1, .refused_bytes = 2, .retried = 1});
}

TEST(LineFault, AcknowledgementOfTheOtherBoardIsRefused) {
  Case c;
  c.spoil(Command::kSetPositions, 0, [](auto& a) { a.bytes[0] = 1; });
  EXPECT_EQ(c.round(), IoStatus::kOk);
  expect_moved(c, {.sent = 5, .bad_reply = 1, .refused_bytes = 2, .retried = 1});
}

TEST(LineFault, EchoOfACommandIsABadReplyAndItsRestIsUnexpected) {
  Case c;
  c.spoil(Command::kSetPositions, 0, [&c](auto& a) {
    a.bytes.insert(a.bytes.begin(), c.port.written().back().begin(), c.port.written().back().end());
  });
  EXPECT_EQ(c.round(), IoStatus::kOk);
  expect_moved(c, {.sent = 5, .bad_reply = 1, .unexpected = 16, .refused_bytes = 2, .retried = 1});
}

TEST(LineFault, LostPortIsGoneAtOnceAndForEver) {
  Case c;
  c.port.unplug();
  const std::int64_t start = c.clock.now_ns();
  EXPECT_EQ(c.round(), IoStatus::kGone);
  EXPECT_EQ(c.clock.now_ns(), start);
  EXPECT_TRUE(c.sample.port_gone);
  EXPECT_EQ(c.sample.counters.gone, 1u);
  const int operations = c.port.operations();
  EXPECT_EQ(c.round(), IoStatus::kGone);
  EXPECT_EQ(c.port.operations(), operations);
  EXPECT_EQ(c.sample.counters.gone, 1u);
}

TEST(LineFault, EachOperationMayFailAndTheRunEndsByItsDeadline) {
  for (const IoStatus failure : {IoStatus::kTimedOut, IoStatus::kGone}) {
    for (const TargetMode mode : {TargetMode::kPositions, TargetMode::kSleep, TargetMode::kPlay}) {
      int n = 0;
      for (bool reached = true; reached;) {
        ++n;
        SCOPED_TRACE(n);
        ASSERT_LT(n, 60);
        Case c;
        c.port.fail_operation(n, failure);
        const int operations = c.port.operations();
        const IoStatus s = c.round(mode, 40 * kMs);
        reached = c.port.operations() - operations >= n;
        if (!reached) {
          EXPECT_EQ(s, IoStatus::kOk);
        } else if (failure == IoStatus::kGone) {
          EXPECT_EQ(s, IoStatus::kGone);
        } else {
          // healthy again: everything still pending is sent, except a start that must not be
          // repeated
          const std::uint32_t pending = c.targets.sequence;
          for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(c.link.exchange(c.targets, c.sample, {c.clock.now_ns() + 100 * kMs}),
                      IoStatus::kOk);
          }
          if (mode != TargetMode::kPlay) {
            EXPECT_EQ(c.sample.command[0].sequence, pending);
            EXPECT_EQ(c.sample.command[1].sequence, pending);
          }
          c.expect_conservation();
        }
      }
      EXPECT_GT(n, 12);  // drain, write and read of four exchanges
    }
  }
}

TEST(LineFault, EveryShortBudgetIsKept) {
  for (std::int64_t budget_us = 0; budget_us < 20'000; budget_us += 250) {
    SCOPED_TRACE(budget_us);
    Case c;
    c.boards.board[0].off = budget_us % 500 == 0;
    static_cast<void>(c.round(TargetMode::kPositions, budget_us * 1000));
    static_cast<void>(c.round(TargetMode::kSleep, budget_us * 1000));
  }
}

TEST(LineFault, RandomDamageNeverUnbalancesTheBooks) {
  Case c;
  std::mt19937 random(11);
  c.boards.distort = [&random](FakeBoards::Answer& a) {
    const auto any = [&] { return static_cast<std::uint8_t>(random()); };
    switch (random() % 16) {
      case 0:
        a.bytes.clear();
        break;
      case 1:
        a.bytes.resize(random() % a.bytes.size());
        break;
      case 2:
        a.bytes[random() % a.bytes.size()] = any();
        break;
      case 3:
        a.bytes.insert(a.bytes.begin(), any());
        break;
      case 4:
        a.bytes.insert(a.bytes.end(), {any(), any(), any()});
        break;
      case 5:
        a.delay_ns = static_cast<std::int64_t>(random() % 60) * kMs;
        break;
      case 6:
        a.bytes[0] ^= 1;
        break;
      default:
        break;
    }
  };
  int good = 0;
  for (int i = 0; i < 20'000; ++i) {
    c.targets.read_positions = random() % 4 != 0;
    const auto mode = random() % 50 == 0 ? TargetMode::kSleep : TargetMode::kPositions;
    good += c.round(mode, static_cast<std::int64_t>(random() % 100) * kMs) == IoStatus::kOk;
    for (std::size_t b = 0; b < 2; ++b) {
      for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
        if (c.link.calibration().joint_at(static_cast<int>(b), slot) < 0) continue;
        EXPECT_LE(c.sample.reading[b].counts[static_cast<std::size_t>(slot)], rcb1::kMaxCount);
      }
    }
    if (::testing::Test::HasFailure()) FAIL() << "round " << i;
  }
  EXPECT_GT(good, 1000);
}

}  // namespace
}  // namespace kagami::drivers
