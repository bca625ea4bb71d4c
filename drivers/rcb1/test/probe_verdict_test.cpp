// Each verdict of the probe: what it requires, its message, and the single glitch that must not
// give it.
#include "drivers/rcb1/probe_verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "drivers/test/support/probe_case.hpp"

namespace kagami::drivers {
namespace {

using rcb1::Command;
using test::contains;
using test::FakeBoards;
using test::kMs;

using Change = std::function<void(FakeBoards::Answer&)>;

class Verdict : public test::ProbeCase {
 protected:
  /// The probe's error where `change` hits every answer of board 0 to `command`.
  std::string error_when_always(const Change& change, Command command = Command::kGetSwitches) {
    boards_.distort = [change, command](FakeBoards::Answer& a) {
      if (a.command == command && a.board == 0) change(a);
    };
    return error();
  }
  /// Expects the probe to succeed when `change` hits one answer alone, whichever that is.
  void expect_fine_when_once(const Change& change) {
    for (int hit = 0; hit < 50; ++hit) {
      SCOPED_TRACE(hit);
      int n = 0;
      boards_.distort = [&n, hit, &change](FakeBoards::Answer& a) {
        if (n++ == hit) change(a);
      };
      ScriptedPort port(clock_);
      boards_.attach(port);
      Khr1Link link(port, clock_, test::small_wiring());
      try {
        EXPECT_FALSE(probe(link, "ttyTEST").interrupted);
      } catch (const LinkError& e) {
        ADD_FAILURE() << e.what();
      }
    }
  }
};

void repeat_answer(FakeBoards::Answer& a) {
  const FakeBoards::Bytes once = a.bytes;
  a.bytes.insert(a.bytes.end(), once.begin(), once.end());
}

TEST_F(Verdict, LateAnswerIsNoSecondBoard) {
  for (const int late_ms : {34, 40, 75, 130}) {
    SCOPED_TRACE(late_ms);
    expect_fine_when_once([late_ms](FakeBoards::Answer& a) { a.delay_ns = late_ms * kMs; });
  }
}

TEST_F(Verdict, LateAnswersAreMeasuredInTheWarning) {
  int n = 0;
  boards_.distort = [&n](FakeBoards::Answer& a) {
    if (a.command == Command::kGetSwitches && a.board == 0 && n++ < 2) a.delay_ns = 34 * kMs;
  };
  const ProbeReport report = probe(link_, "ttyTEST");
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0],
            "board 0: 2 of 5 answers were late: 34.0 ms after the request, the board's limit is "
            "30 ms");
}

TEST_F(Verdict, SlowBoardIsMeasured) {
  const std::string e =
      error_when_always([n = 0](FakeBoards::Answer& a) mutable { a.delay_ns = (35 + n++) * kMs; });
  EXPECT_TRUE(contains(e, "board 0 answers too late: 35.0 to 39.0 ms after the request in 5 of 5"))
      << e;
}

TEST_F(Verdict, SecondBoardWithTheSameIdTakesRepeatedAnswers) {
  const std::string e = error_when_always(&repeat_answer);
  EXPECT_TRUE(contains(e, "two boards answer as 0 (5 of 5 questions were answered twice)")) << e;
  expect_fine_when_once(&repeat_answer);
}

TEST_F(Verdict, EchoTakesRepeatedAnswers) {
  expect_fine_when_once([](FakeBoards::Answer& a) {
    if (a.command == Command::kGetSwitches) {
      a.bytes = {0xF0, static_cast<std::uint8_t>(a.board), 0x70};
    }
  });
}

TEST_F(Verdict, ConstantExtraByteIsNamed) {
  const auto one = [](FakeBoards::Answer& a) { a.bytes.insert(a.bytes.begin(), 0x55); };
  const std::string e = error_when_always(one);
  EXPECT_TRUE(contains(e, "board 0: 5 of 5 answers begin with 1 foreign byte (55,")) << e;
  const std::string four =
      error_when_always([](FakeBoards::Answer& a) { a.bytes.insert(a.bytes.begin(), 4, 0x0A); });
  EXPECT_TRUE(contains(four, "begin with 4 foreign bytes (0A,")) << four;
  expect_fine_when_once(one);
}

TEST_F(Verdict, SwappedIdsAreOneVerdict) {
  const auto swap = [](FakeBoards::Answer& a) {
    a.bytes[0] ^= 1;
    if (a.command != Command::kSetSwitches) a.bytes.back() ^= 1;
  };
  boards_.distort = swap;
  const std::string e = error();
  EXPECT_TRUE(contains(e, "ids are swapped: board 1 answered 5 of 5 questions to board 0")) << e;
  expect_fine_when_once(swap);
}

TEST_F(Verdict, ZerosFromTheStartAreNamedAndNothingIsWoken) {
  const auto zeros = [](FakeBoards::Answer& a) {
    if (a.command == Command::kGetPositions) a.bytes.assign(14, 0);
  };
  const std::string e = error_when_always(zeros, Command::kGetPositions);
  EXPECT_TRUE(contains(e, "board 0: every position reads 0 in 5 of 5 readings")) << e;
  EXPECT_TRUE(contains(e, "were not woken")) << e;
  EXPECT_EQ(boards_.requests(Command::kSetSwitches), 0);
  expect_fine_when_once(zeros);
}

TEST_F(Verdict, PositionsThatNeverComeAreNotTheBoardsSilence) {
  const std::string e =
      error_when_always([](FakeBoards::Answer& a) { a.bytes.clear(); }, Command::kGetPositions);
  EXPECT_TRUE(contains(e, "board 0: it answers other questions, but 5 of 5 position readings"))
      << e;
  expect_fine_when_once([](FakeBoards::Answer& a) { a.bytes.clear(); });
}

TEST_F(Verdict, SlowReadingsAreMeasured) {
  const std::string e = error_when_always([](FakeBoards::Answer& a) { a.delay_ns = 45 * kMs; },
                                          Command::kGetPositions);
  EXPECT_TRUE(contains(e, "board 0: position readings come too late: 45.0 ms")) << e;
}

TEST_F(Verdict, SilentBoardIsNotFoundByTheIdOfTheOther) {
  boards_.board[1].off = true;
  const std::string e = error();
  EXPECT_TRUE(contains(e,
                       "board 1 does not answer, the other one does: 5 of 5 questions brought no "
                       "byte within 100.0 ms"))
      << e;
}

TEST_F(Verdict, SlowLineIsAnnouncedWithWhatItMeans) {
  boards_.distort = [](FakeBoards::Answer& a) { a.delay_ns = 16 * kMs; };
  const ProbeReport report = probe(link_, "ttyTEST");
  ASSERT_EQ(report.warnings.size(), 1u);
  const std::string& w = report.warnings[0];
  EXPECT_TRUE(contains(w, "acknowledgements take 16.0 ms and position readings 16.0 ms")) << w;
  EXPECT_TRUE(contains(w, "70.1 ms (14.3 Hz)")) << w;
  EXPECT_TRUE(contains(w, "100 deg/s is streamed in steps of 7.0 deg")) << w;
  EXPECT_TRUE(contains(w, "latency timer")) << w;
}

TEST_F(Verdict, SlowBoardsAreNoLatencyTimerAndOneSlowAnswerIsNoSlowLine) {
  boards_.distort = [](FakeBoards::Answer& a) { a.delay_ns = 10 * kMs; };
  const ProbeReport slow = probe(link_, "ttyTEST");
  ASSERT_EQ(slow.warnings.size(), 1u);
  EXPECT_FALSE(contains(slow.warnings[0], "latency timer")) << slow.warnings[0];
  for (int hit = 0; hit < 40; ++hit) {
    int n = 0;
    boards_.distort = [&n, hit](FakeBoards::Answer& a) {
      if (n++ == hit) a.delay_ns = 25 * kMs;
    };
    EXPECT_TRUE(probe(link_, "ttyTEST").warnings.empty()) << hit;
  }
}

// What moves or powers a servo.
bool acts_on_servos(const std::vector<std::uint8_t>& request) {
  const auto command = static_cast<Command>(request[0]);
  return command == Command::kSetSwitches || command == Command::kSetPositions ||
         command == Command::kPlayMotion || command == Command::kPlayScenario;
}

TEST_F(Verdict, AfterAStopNothingIsSentAtAll) {
  int checks = 0;
  static_cast<void>(probe(link_, "ttyTEST", {.stop_requested = [&checks] {
                            ++checks;
                            return false;
                          }}));
  ASSERT_GT(checks, 30);
  ASSERT_TRUE(std::any_of(port_.written().begin(), port_.written().end(), &acts_on_servos));
  for (int stop_at = 0; stop_at < checks; ++stop_at) {
    SCOPED_TRACE(stop_at);
    ScriptedPort port(clock_);
    boards_.attach(port);
    Khr1Link link(port, clock_, test::small_wiring());
    int polls = 0;
    std::size_t written = 0;
    const ProbeReport report = probe(link, "ttyTEST", {.stop_requested = [&] {
                                       if (polls++ < stop_at) written = port.written().size();
                                       return polls > stop_at;
                                     }});
    EXPECT_TRUE(report.interrupted);
    // at most the request that the last check before the stop had let through
    EXPECT_LE(port.written().size(), written + 1);
  }
}

TEST_F(Verdict, StopBeforeTheFirstBoardIsWokenWakesNone) {
  const ProbeReport report =
      probe(link_, "ttyTEST",
            {.stop_requested = [this] { return boards_.requests(Command::kGetTrim) > 1; }});
  EXPECT_TRUE(report.interrupted);
  EXPECT_TRUE(std::none_of(port_.written().begin(), port_.written().end(), &acts_on_servos));
}

}  // namespace
}  // namespace kagami::drivers
