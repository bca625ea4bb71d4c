// Requests and answers in bytes that come in any pieces, and what the boards' sample shows of them.
#include "tools/board/line_decoder.hpp"

#include <gtest/gtest.h>

#include <random>

#include "drivers/rcb1/turnaround.hpp"
#include "models/base/angle.hpp"
#include "models/base/idx.hpp"
#include "tools/board/limit_watch.hpp"
#include "tools/board/observed_boards.hpp"
#include "tools/cli/robot_choice.hpp"

namespace kagami::tools {
namespace {

namespace rcb1 = drivers::rcb1;
using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t kMs = 1'000'000;

RobotWiring khr1() {
  return wiring_of(std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1");
}

Bytes request(const rcb1::Request& r) {
  rcb1::Frame frame;
  EXPECT_EQ(rcb1::encode_request(r, frame), drivers::IoStatus::kOk);
  return {frame.view().begin(), frame.view().end()};
}

Bytes answer(rcb1::Command command, const rcb1::Reply& r) {
  rcb1::Frame frame;
  EXPECT_EQ(rcb1::encode_reply(command, r, frame), drivers::IoStatus::kOk);
  return {frame.view().begin(), frame.view().end()};
}

rcb1::Request pose(std::uint8_t board, std::uint8_t count) {
  rcb1::Request r{.command = rcb1::Command::kSetPositions, .board = board, .speed = 3};
  r.counts.fill(count);
  return r;
}

/// A decoder that keeps what it found.
struct Decoded {
  std::vector<LineRequest> requests;
  std::vector<LineAnswer> answers;
  LineDecoder decoder{[this](const LineRequest& r) { requests.push_back(r); },
                      [this](const LineAnswer& a) { answers.push_back(a); }};
};

TEST(LineDecoder, FindsFramesThatComeInAnyPieces) {
  const Bytes sent = request(pose(1, 90));
  const Bytes answered = answer(rcb1::Command::kSetPositions, {.board = 1});
  for (std::size_t piece = 1; piece <= sent.size(); ++piece) {
    Decoded d;
    std::int64_t at_ns = 0;
    for (std::size_t k = 0; k < sent.size(); k += piece) {
      at_ns += kMs;
      d.decoder.host(at_ns, std::span(sent).subspan(k, std::min(piece, sent.size() - k)));
    }
    for (const std::uint8_t byte : answered) d.decoder.boards(at_ns += kMs, {&byte, 1});
    ASSERT_EQ(d.requests.size(), 1u) << piece;
    EXPECT_EQ(d.requests[0].request.counts[5], 90);
    ASSERT_EQ(d.answers.size(), 1u) << piece;
    EXPECT_EQ(d.answers[0].reply.board, 1);
    EXPECT_EQ(d.decoder.counts().noise_bytes, 0u);
  }
}

TEST(LineDecoder, ARequestIsCompleteWhenItsLastByteHasPassedTheWire) {
  Decoded d;
  const Bytes sent = request(pose(0, 90));
  d.decoder.host(5 * kMs, sent);
  ASSERT_EQ(d.requests.size(), 1u);
  EXPECT_EQ(d.requests[0].complete_ns,
            5 * kMs + static_cast<std::int64_t>(sent.size()) * rcb1::kByteTimeNs);
}

TEST(LineDecoder, ALostAnswerLeavesTheLaterOnesWithTheirRequests) {
  Decoded d;
  rcb1::Reply reply{.board = 0};
  reply.counts.fill(77);
  d.decoder.host(0, request(pose(0, 90)));
  d.decoder.boards(3 * kMs, Bytes{0x00});  // and the acknowledgement is lost
  d.decoder.host(60 * kMs, request({.command = rcb1::Command::kGetPositions, .board = 0}));
  d.decoder.boards(64 * kMs, answer(rcb1::Command::kGetPositions, reply));
  d.decoder.host(70 * kMs, request(pose(1, 91)));
  d.decoder.finish();
  ASSERT_EQ(d.answers.size(), 1u);
  EXPECT_EQ(d.answers[0].to.request.command, rcb1::Command::kGetPositions);
  EXPECT_EQ(d.answers[0].reply.counts[0], 77);
  EXPECT_EQ(d.decoder.counts().requests, 3u);
  EXPECT_EQ(d.decoder.counts().unanswered, 2u);
}

TEST(LineDecoder, ABoardThatIsSilentDoesNotHideTheAnswersOfTheOther) {
  using Order = rcb1::Command;
  Decoded d;
  rcb1::Reply reading{.board = 1};
  reading.counts.fill(90);
  for (int k = 0; k < 20; ++k) {
    const std::int64_t at_ns = k * 40 * kMs;
    d.decoder.host(at_ns, request({.command = Order::kGetPositions, .board = 0}));
    d.decoder.host(at_ns + 10 * kMs, request({.command = Order::kGetPositions, .board = 1}));
    d.decoder.boards(at_ns + 14 * kMs, answer(Order::kGetPositions, reading));
    d.decoder.host(at_ns + 20 * kMs, request({.command = Order::kSetSwitches, .board = 1}));
    d.decoder.boards(at_ns + 22 * kMs, answer(Order::kSetSwitches, {.board = 1}));
  }
  d.decoder.finish();
  EXPECT_EQ(d.decoder.counts().answers, 40u);
  EXPECT_EQ(d.decoder.counts().unanswered, 20u);
  EXPECT_EQ(d.decoder.counts().noise_bytes, 0u);
}

TEST(LineDecoder, BytesInFrontOfAnAnswerAreNoise) {
  Decoded d;
  d.decoder.host(0, request(pose(1, 90)));
  Bytes bytes{0x55, 0x55};
  for (const std::uint8_t byte : answer(rcb1::Command::kSetPositions, {.board = 1})) {
    bytes.push_back(byte);
  }
  d.decoder.boards(4 * kMs, bytes);
  EXPECT_EQ(d.answers.size(), 1u);
  EXPECT_EQ(d.decoder.counts().noise_bytes, 2u);
}

TEST(LineDecoder, TakesAnyBytes) {
  std::mt19937 dice(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same bytes each time
  std::uniform_int_distribution<int> byte(0, 255);
  Decoded d;
  std::int64_t at_ns = 0;
  for (int k = 0; k < 20'000; ++k) {
    const auto value = static_cast<std::uint8_t>(byte(dice));
    at_ns += byte(dice) * 100'000LL;
    if (byte(dice) < 160) {
      d.decoder.host(at_ns, {&value, 1});
    } else {
      d.decoder.boards(at_ns, {&value, 1});
    }
    // a good request is found after any noise, when its pause has passed
    if (k % 1000 != 0) continue;
    const std::size_t before = d.requests.size();
    at_ns += 50 * kMs;
    d.decoder.host(at_ns, request(pose(1, 90)));
    ASSERT_EQ(d.requests.size(), before + 1) << k;
    EXPECT_EQ(d.requests.back().request.counts[3], 90);
  }
  d.decoder.finish();
  const LineCounts& counts = d.decoder.counts();
  EXPECT_EQ(counts.requests, counts.answers + counts.unanswered);
}

TEST(ObservedBoards, ACommandCountsWithoutItsAnswer) {
  const RobotWiring wiring = khr1();
  ObservedBoards boards(wiring);
  boards.start({}, 0);
  boards.begin_tick(3);
  boards.take(LineRequest{pose(1, 100), 8 * kMs});
  const drivers::BoardCommand& command = boards.sample().command[1];
  EXPECT_EQ(command.mode, drivers::TargetMode::kPositions);
  EXPECT_EQ(command.speed, 3);
  EXPECT_EQ(command.counts[4], 100);
  EXPECT_EQ(command.effective_ns, 8 * kMs);
  EXPECT_EQ(boards.sample().command[0].sequence, 0u);
}

TEST(ObservedBoards, AReadingWasTakenInTheMiddleOfTheShortestTurnaround) {
  const RobotWiring wiring = khr1();
  ObservedBoards boards(wiring);
  boards.start({}, 0);
  boards.begin_tick(1);
  LineAnswer answer{.to = {{.command = rcb1::Command::kGetPositions, .board = 0}, 10 * kMs},
                    .reply = {},
                    .size = 14,
                    .received_ns = 14 * rcb1::kByteTimeNs + 12 * kMs};
  answer.reply.counts.fill(90);
  boards.take(answer, true);
  ASSERT_TRUE(boards.has_reading());
  EXPECT_EQ(boards.sample().reading[0].sampled_ns, 11 * kMs);
  EXPECT_FALSE(boards.sample().reading[1].is_new);
  boards.begin_tick(2);
  EXPECT_FALSE(boards.has_reading());
}

TEST(LimitWatch, OneSentencePerJointAndSecondWithTheWorstAngle) {
  RobotWiring wiring = khr1();
  wiring.joints[0].soft_max = to_rad(40.0);
  const JointWiring& joint = wiring.joints[0];
  const rcb1::Calibration calibration(wiring);
  LimitWatch watch(wiring);
  const auto command = [&](double beyond_deg, std::int64_t at_ns) {
    rcb1::Request r = pose(static_cast<std::uint8_t>(joint.board()), rcb1::kOutputLow);
    const double angle_deg = to_deg(joint.soft_max) + beyond_deg;
    r.counts[idx(joint.slot())] =
        static_cast<std::uint8_t>(joint.home_deg + joint.sign * std::lround(angle_deg));
    watch.take(joint.board(), r, at_ns);
  };
  command(0.0, 0);
  EXPECT_TRUE(watch.due(5'000 * kMs).empty()) << "the limit itself is no finding";
  command(2.0, 5'000 * kMs);
  command(7.0, 5'300 * kMs);
  command(3.0, 5'600 * kMs);
  EXPECT_TRUE(watch.due(5'900 * kMs).empty());
  const std::vector<std::string> sentences = watch.due(6'100 * kMs);
  ASSERT_EQ(sentences.size(), 1u);
  const std::string worst = std::to_string(std::lround(to_deg(joint.soft_max)) + 7);
  EXPECT_NE(sentences[0].find(joint.joint), std::string::npos) << sentences[0];
  EXPECT_NE(sentences[0].find(worst + " deg"), std::string::npos) << sentences[0];
  EXPECT_TRUE(watch.due(9'000 * kMs).empty());
  ASSERT_EQ(watch.findings().size(), 1u);
  EXPECT_EQ(watch.findings()[0].commands, 3u);
}

}  // namespace
}  // namespace kagami::tools
