// First contact, on a scripted port in simulated time: every fault by name.
#include "drivers/rcb1/probe.hpp"

#include <gtest/gtest.h>

#include "drivers/test/support/probe_case.hpp"

namespace kagami::drivers {
namespace {

using rcb1::Command;
using test::contains;
using test::FakeBoards;
using test::kMs;
using Probe = test::ProbeCase;

TEST_F(Probe, HealthyBoardsAreReportedAndWoken) {
  boards_.board[1].bits = rcb1::kSwitchMotion;
  boards_.distort = [](FakeBoards::Answer& a) {
    a.delay_ns = a.command == Command::kGetPositions ? 20 * kMs : 2 * kMs;
  };
  const std::int64_t start = clock_.now_ns();
  const ProbeReport report = probe(link_, "ttyTEST");
  ASSERT_EQ(report.warnings.size(), 1u);  // a reading of 20 ms makes rounds of 50 ms
  EXPECT_TRUE(contains(report.warnings[0], "the line is slow")) << report.warnings[0];
  ASSERT_EQ(report.boards.size(), 2u);
  EXPECT_EQ(report.boards[1].switches, rcb1::kSwitchMotion);
  EXPECT_EQ(report.boards[0].acknowledge_ns, 2 * kMs);
  EXPECT_EQ(report.boards[0].reading_ns, 20 * kMs);
  EXPECT_EQ(report.boards[0].positions[0], 90);
  EXPECT_EQ(boards_.board[0].bits, 0);
  EXPECT_EQ(boards_.board[1].bits, rcb1::kSwitchMotion);  // boards may play with it alone
  EXPECT_LT(clock_.now_ns() - start, 600 * kMs);
}

TEST_F(Probe, WithoutWakeItChangesNothing) {
  boards_.board[0].bits = rcb1::kSwitchSleep;
  const ProbeReport report = probe(link_, "ttyTEST", {.wake = false});
  EXPECT_EQ(boards_.board[0].bits, rcb1::kSwitchSleep);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0], "board 0: its servos were asleep");
}

TEST_F(Probe, OtherHomeAndTrimAreWarningsByJoint) {
  boards_.board[1].home[2] = 113;  // left_knee, channel 15
  boards_.board[0].trim_deg[5] = -3;
  const ProbeReport report = probe(link_, "ttyTEST");
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_EQ(report.warnings[0],
            "head (channel 6): the board's trim is -3 deg, robot.json states 0 deg");
  EXPECT_EQ(report.warnings[1],
            "left_knee (channel 15): the board's home is 113 deg, robot.json states 115 deg");
}

// answers 90 and 200 ms late: slow boards, or a computer too busy to serve its own
TEST_F(Probe, BoardsThatThisProcessServesMayBeLate) {
  int answers = 0;
  boards_.distort = [&](FakeBoards::Answer& a) {
    a.delay_ns = ++answers % 2 == 0 ? 90 * kMs : 200 * kMs;
  };
  EXPECT_TRUE(contains(error(), "ttyTEST: ")) << error();
  Khr1Link own{port_, clock_, test::small_wiring(), {.patience_ns = 250 * kMs}};
  EXPECT_EQ(error_of(own), "fine");
  boards_.board[1].off = true;
  EXPECT_TRUE(contains(error_of(own), "board 1"));
}

TEST_F(Probe, SilenceOfBothNamesTheCommonCauses) {
  boards_.board[0].off = boards_.board[1].off = true;
  const std::string e = error();
  EXPECT_TRUE(contains(e, "ttyTEST: no board answers")) << e;
  EXPECT_TRUE(contains(e, "DTR")) << e;
}

TEST_F(Probe, MissingBoardIsNamed) {
  boards_.board[1].off = true;
  boards_.distort = [](FakeBoards::Answer& a) {
    if (a.command == Command::kGetId) a.bytes.clear();
  };
  const std::string e = error();
  EXPECT_TRUE(contains(e, "board 1 does not answer, the other one does")) << e;
  EXPECT_TRUE(contains(e, "30 ms")) << e;
}

TEST_F(Probe, BoardWithAnotherIdIsFound) {
  boards_.board[0].off = true;
  boards_.board[1].id = 7;
  const std::string e = error();
  EXPECT_TRUE(contains(e, "no board answers; a board reports the id 7")) << e;
}

TEST_F(Probe, TwoBoardsWithOneIdAreRefused) {
  boards_.board[1].id = 0;
  const std::string e = error();
  EXPECT_TRUE(contains(e, "two boards answer as 0")) << e;
}

TEST_F(Probe, AnswerInAnotherBoardsNameIsRefused) {
  boards_.distort = [](FakeBoards::Answer& a) {
    if (a.board != 1) return;
    a.bytes = {0x04, 0x00, 0x04};
  };
  const std::string e = error();
  EXPECT_TRUE(contains(e, "board 1: board 4 answered 5 of 5")) << e;
}

TEST_F(Probe, EchoIsRefused) {
  port_.respond([](ScriptedPort& p, std::span<const std::uint8_t> request, std::int64_t at_ns) {
    p.send(request, at_ns);
  });
  const std::string e = error();
  EXPECT_TRUE(contains(e, "echoes")) << e;
}

TEST_F(Probe, EchoInFrontOfTheAnswersIsRefused) {
  boards_.distort = [](FakeBoards::Answer& a) {
    if (a.command == Command::kGetSwitches) {
      const auto id = static_cast<std::uint8_t>(a.board);
      a.bytes.insert(a.bytes.begin(), {0xF0, id, static_cast<std::uint8_t>((0xF0 + id) & 0x7F)});
    }
  };
  const std::string e = error();
  EXPECT_TRUE(contains(e, "echoes")) << e;
}

TEST_F(Probe, BadSumsShortAnswersAndNoiseEachHaveTheirMessage) {
  const auto with = [this](const std::function<void(FakeBoards::Bytes&)>& change) {
    boards_.distort = [change](FakeBoards::Answer& a) {
      if (a.command == Command::kGetSwitches && a.board == 0) change(a.bytes);
    };
    return error();
  };
  EXPECT_TRUE(contains(with([](auto& b) { b.back() ^= 1; }), "board 0: 5 of 5 answers had a bad"));
  EXPECT_TRUE(contains(with([](auto& b) { b.pop_back(); }), "board 0: 5 of 5 answers were too"));
  EXPECT_TRUE(contains(with([k = 0](FakeBoards::Bytes& b) mutable {
                         b.insert(b.begin(), static_cast<std::uint8_t>(0x40 + k++));
                       }),
                       "foreign bytes around them"));
  int n = 0;
  EXPECT_TRUE(contains(with([&n](auto& b) {
                         if (n++ % 5 != 0) b.clear();
                       }),
                       "4 of 5 questions stayed without an answer"));
}

TEST_F(Probe, FewBadAnswersAreAWarning) {
  int n = 0;
  boards_.distort = [&](FakeBoards::Answer& a) {
    if (a.command == Command::kGetSwitches && a.board == 1 && n++ < 2) a.bytes.back() ^= 1;
  };
  const ProbeReport report = probe(link_, "ttyTEST");
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0], "board 1: 2 of 5 answers were lost or damaged");
}

TEST_F(Probe, BoardWithoutReadingHomeOrTrimIsAWarningWhereNothingIsWoken) {
  boards_.distort = [](FakeBoards::Answer& a) {
    if (a.board != 0) return;
    if (a.command == Command::kGetPositions) a.bytes.assign(14, 0);
    if (a.command == Command::kGetTrim) a.bytes.clear();
  };
  const ProbeReport report = probe(link_, "ttyTEST", {.wake = false});
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_TRUE(contains(report.warnings[0], "board 0: every position reads 0 in 5 of 5"));
  EXPECT_TRUE(contains(report.warnings[1], "board 0: does not report its home or trim"));
  EXPECT_FALSE(report.boards[0].has_positions);
}

TEST_F(Probe, BoardWhoseReadingsBecomeTooLateIsNotWoken) {
  for (const bool wake : {true, false}) {
    int n = 0;
    boards_.distort = [&](FakeBoards::Answer& a) {
      if (a.board == 1 && a.command == Command::kGetPositions && ++n > 5) a.delay_ns = 31 * kMs;
    };
    const std::string fault = "board 1: its position readings take about 30 ms";
    if (wake) {
      EXPECT_TRUE(contains(error(), fault)) << error();
      EXPECT_EQ(boards_.requests(Command::kSetSwitches), 0);
      continue;
    }
    const ProbeReport report = probe(link_, "ttyTEST", {.wake = false});
    ASSERT_FALSE(report.warnings.empty());
    EXPECT_TRUE(contains(report.warnings.back(), fault)) << report.warnings.back();
    EXPECT_FALSE(report.boards[1].has_positions);
    EXPECT_TRUE(report.boards[0].has_positions);
  }
}

TEST_F(Probe, BoardThatDoesNotWakeIsRefused) {
  boards_.distort = [](FakeBoards::Answer& a) {
    if (a.command == Command::kSetSwitches) a.bytes[1] = 0x15;
  };
  EXPECT_TRUE(contains(error(), "board 0 rejects its switch bits"));
}

TEST_F(Probe, PortThatGoesAwayIsAPortErrorAtEveryOperation) {
  for (int n = 1; n < 200; ++n) {
    ScriptedPort port(clock_);
    boards_.attach(port);
    Khr1Link fresh(port, clock_, test::small_wiring());
    port.fail_operation(n, IoStatus::kGone);
    try {
      probe(fresh, "ttyTEST");
      EXPECT_GT(n, 50);  // the probe has more operations than that
      return;
    } catch (const PortError&) {
    }
  }
  FAIL() << "the probe never succeeded";
}

}  // namespace
}  // namespace kagami::drivers
