// Frames of the RCB-1: the worked frames of the reference, round trips, refusals, random bytes.
#include "drivers/rcb1/protocol.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "drivers/test/support/worked_frames.hpp"
#include "models/base/test/support/long_run.hpp"

namespace kagami::drivers::rcb1 {
namespace {

using test::Bytes;
constexpr std::array kAllCommands = {Command::kGetTrim,
                                     Command::kSetTrim,
                                     Command::kGetKey,
                                     Command::kSetKey,
                                     Command::kPlayScenario,
                                     Command::kPlayMotion,
                                     Command::kGetSwitches,
                                     Command::kSetSwitches,
                                     Command::kGetScenarioSize,
                                     Command::kSetScenarioSize,
                                     Command::kGetScenarioEntry,
                                     Command::kSetScenarioEntry,
                                     Command::kGetMotionSize,
                                     Command::kSetMotionSize,
                                     Command::kGetPose,
                                     Command::kSetPose,
                                     Command::kGetHome,
                                     Command::kStoreHome,
                                     Command::kGetPositions,
                                     Command::kSetPositions,
                                     Command::kGetId,
                                     Command::kSetId};

using test::all;
using test::to_bytes;
using test::Worked;
using test::worked_frames;

TEST(Protocol, EncodesEveryWorkedFrameOfBothSides) {
  for (const Worked& w : worked_frames()) {
    SCOPED_TRACE(w.name);
    Frame frame;
    ASSERT_EQ(encode_request(w.request, frame), IoStatus::kOk);
    EXPECT_EQ(to_bytes(frame), w.tx);
    EXPECT_EQ(frame.size, request_size(w.tx[0]));
    ASSERT_EQ(encode_reply(w.request.command, w.reply, frame), IoStatus::kOk);
    EXPECT_EQ(to_bytes(frame), w.rx);
    EXPECT_EQ(frame.size, reply_size(w.request.command));
  }
}

TEST(Protocol, DecodesEveryWorkedFrameOfBothSides) {
  for (const Worked& w : worked_frames()) {
    SCOPED_TRACE(w.name);
    Request request;
    ASSERT_EQ(decode_request(w.tx, request), IoStatus::kOk);
    EXPECT_EQ(request.command, w.request.command);
    EXPECT_EQ(request.board, w.request.board);
    EXPECT_EQ(request.speed, w.request.speed);
    EXPECT_EQ(request.motion, w.request.motion);
    EXPECT_EQ(request.count, w.request.count);
    EXPECT_EQ(request.bits, w.request.bits);
    EXPECT_EQ(request.scenario, w.request.scenario);
    EXPECT_EQ(request.counts, w.request.counts);
    EXPECT_EQ(request.trim_deg, w.request.trim_deg);

    Reply reply;
    ASSERT_EQ(decode_reply(w.request.command, w.reply.board, w.rx, reply), IoStatus::kOk);
    EXPECT_EQ(reply.board, w.reply.board);
    EXPECT_EQ(reply.count, w.reply.count);
    EXPECT_EQ(reply.bits, w.reply.bits);
    EXPECT_EQ(reply.counts, w.reply.counts);
    EXPECT_EQ(reply.trim_deg, w.reply.trim_deg);
  }
}

TEST(Protocol, FrameLengthsAreThoseOfTheCommandTable) {
  struct Row {
    int command;
    std::size_t tx, rx;
  };
  // bytes of request and answer, counted from the table in docs/rcb1.md, "Frames"
  constexpr std::array<Row, 22> rows = {
      {{0xFF, 4, 2},  {0xFE, 2, 2},  {0xFD, 16, 2}, {0xFC, 3, 14}, {0xFB, 3, 2}, {0xFA, 3, 14},
       {0xF9, 18, 2}, {0xF8, 5, 15}, {0xF7, 5, 2},  {0xF6, 4, 3},  {0xF5, 6, 2}, {0xF4, 5, 3},
       {0xF3, 5, 2},  {0xF2, 4, 3},  {0xF1, 4, 2},  {0xF0, 3, 3},  {0xEF, 4, 2}, {0xEE, 4, 2},
       {0xED, 7, 2},  {0xEC, 4, 5},  {0xE9, 15, 2}, {0xE8, 3, 14}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.command);
    const auto command = static_cast<std::uint8_t>(row.command);
    EXPECT_EQ(request_size(command), row.tx);
    EXPECT_EQ(reply_size(static_cast<Command>(command)), row.rx);
  }
  for (int command = 0; command < 256; ++command) {
    const bool known = std::any_of(rows.begin(), rows.end(),
                                   [&](const Row& row) { return row.command == command; });
    if (!known) {
      EXPECT_EQ(request_size(static_cast<std::uint8_t>(command)), 0u) << command;
    }
  }
}

Request random_request(Command command, std::mt19937& random) {
  const auto upto = [&](unsigned max) { return static_cast<std::uint8_t>(random() % (max + 1)); };
  Request r;
  r.command = command;
  r.board = command == Command::kGetId ? std::uint8_t{0} : upto(31);
  r.speed = upto(7);
  r.motion = upto(39);
  r.pose = upto(99);
  r.scenario = upto(3);
  r.index = upto(199);
  r.count = upto(command == Command::kSetScenarioSize ? 200 : 100);
  r.bits = upto(3);
  r.key = upto(0xE7);
  for (std::uint8_t& b : r.key_bytes) b = upto(0xE7);
  for (std::uint8_t& c : r.counts) {
    c = random() % 4 == 0 ? static_cast<std::uint8_t>(221 + random() % 6) : upto(180);
  }
  for (std::int8_t& t : r.trim_deg) t = static_cast<std::int8_t>(static_cast<int>(upto(39)) - 20);
  return r;
}

TEST(Protocol, RequestsSurviveEncodingAndDecoding) {
  std::mt19937 random(1);
  for (const Command command : kAllCommands) {
    for (int i = 0; i < 500; ++i) {
      const Request sent = random_request(command, random);
      Frame frame;
      ASSERT_EQ(encode_request(sent, frame), IoStatus::kOk);
      ASSERT_EQ(frame.size, request_size(static_cast<std::uint8_t>(command)));
      EXPECT_LE(frame.bytes[frame.size - 1], 0x7F);
      for (std::size_t k = 1; k < frame.size; ++k) EXPECT_LT(frame.bytes[k], 0xE8);
      Request got;
      ASSERT_EQ(decode_request(frame.view(), got), IoStatus::kOk);
      Frame again;
      ASSERT_EQ(encode_request(got, again), IoStatus::kOk);
      EXPECT_EQ(to_bytes(again), to_bytes(frame));
      EXPECT_EQ(got.command, sent.command);
      EXPECT_EQ(got.board, sent.board);
    }
  }
}

TEST(Protocol, RepliesSurviveEncodingAndDecoding) {
  std::mt19937 random(2);
  for (const Command command : kAllCommands) {
    for (int i = 0; i < 500; ++i) {
      const auto upto = [&](unsigned max) {
        return static_cast<std::uint8_t>(random() % (max + 1));
      };
      Reply sent;
      sent.board = upto(31);
      sent.speed = upto(7);
      sent.motion = upto(39);
      sent.count = upto(100);
      sent.bits = upto(255);
      for (std::uint8_t& b : sent.key_bytes) b = upto(255);
      for (std::uint8_t& c : sent.counts) c = upto(255);
      for (std::int8_t& t : sent.trim_deg) {
        t = static_cast<std::int8_t>(static_cast<int>(upto(39)) - 20);
      }
      Frame frame;
      ASSERT_EQ(encode_reply(command, sent, frame), IoStatus::kOk);
      ASSERT_EQ(frame.size, reply_size(command));
      Reply got;
      ASSERT_EQ(decode_reply(command, sent.board, frame.view(), got), IoStatus::kOk);
      EXPECT_EQ(got.board, sent.board);
      Frame again;
      ASSERT_EQ(encode_reply(command, got, again), IoStatus::kOk);
      EXPECT_EQ(to_bytes(again), to_bytes(frame));
    }
  }
}

TEST(Protocol, RefusesEachFieldOutsideItsRange) {
  Request good = {.command = Command::kSetPose, .counts = all(90)};
  const auto refuses = [](const Request& request) {
    Frame frame;
    frame.size = 7;
    const bool refused = encode_request(request, frame) == IoStatus::kRefused;
    return refused && frame.size == 7;  // output untouched
  };
  EXPECT_FALSE(refuses(good));
  const auto with = [&](Command command, auto change) {
    Request r = good;
    r.command = command;
    change(r);
    return r;
  };
  EXPECT_TRUE(refuses(with(Command::kSetId, [](Request& r) { r.board = 32; })));
  EXPECT_TRUE(refuses(with(Command::kSetPositions, [](Request& r) { r.board = 32; })));
  EXPECT_TRUE(refuses(with(Command::kSetPositions, [](Request& r) { r.speed = 8; })));
  EXPECT_TRUE(refuses(with(Command::kSetPose, [](Request& r) { r.speed = 8; })));
  EXPECT_TRUE(refuses(with(Command::kPlayMotion, [](Request& r) { r.motion = 40; })));
  EXPECT_TRUE(refuses(with(Command::kGetPose, [](Request& r) { r.pose = 100; })));
  EXPECT_TRUE(refuses(with(Command::kSetMotionSize, [](Request& r) { r.count = 101; })));
  EXPECT_TRUE(refuses(with(Command::kSetScenarioSize, [](Request& r) { r.count = 201; })));
  EXPECT_FALSE(refuses(with(Command::kSetScenarioSize, [](Request& r) { r.count = 200; })));
  EXPECT_TRUE(refuses(with(Command::kPlayScenario, [](Request& r) { r.scenario = 4; })));
  EXPECT_TRUE(refuses(with(Command::kSetScenarioEntry, [](Request& r) { r.index = 200; })));
  EXPECT_TRUE(refuses(with(Command::kSetSwitches, [](Request& r) { r.bits = 4; })));
  EXPECT_TRUE(refuses(with(Command::kGetKey, [](Request& r) { r.key = 0xE8; })));
  EXPECT_TRUE(refuses(with(Command::kSetKey, [](Request& r) { r.key_bytes[2] = 0xFF; })));
  EXPECT_TRUE(refuses(with(Command::kSetTrim, [](Request& r) { r.trim_deg[3] = 20; })));
  EXPECT_TRUE(refuses(with(Command::kSetTrim, [](Request& r) { r.trim_deg[3] = -21; })));
  EXPECT_TRUE(refuses(with(static_cast<Command>(0xEB), [](Request&) {})));
  EXPECT_TRUE(refuses(with(static_cast<Command>(0xEA), [](Request&) {})));
  for (int count = 0; count < 256; ++count) {
    Request r = with(Command::kSetPositions,
                     [&](Request& x) { x.counts[11] = static_cast<std::uint8_t>(count); });
    const bool legal = count <= 180 || (count >= 221 && count <= 226);
    EXPECT_EQ(refuses(r), !legal) << count;
  }
  Frame frame;
  EXPECT_EQ(encode_reply(Command::kGetHome, {.board = 32}, frame), IoStatus::kRefused);
  EXPECT_EQ(encode_reply(Command::kGetPose, {.speed = 8}, frame), IoStatus::kRefused);
  EXPECT_EQ(encode_reply(static_cast<Command>(0xEB), {}, frame), IoStatus::kRefused);
}

TEST(Protocol, BoardSideDistinguishesBadSumFromBadFrame) {
  Request request = {.speed = 5};
  EXPECT_EQ(decode_request(Bytes{}, request), IoStatus::kBadReply);
  EXPECT_EQ(decode_request(Bytes{0xEB, 0x6B}, request), IoStatus::kBadReply);  // unknown
  EXPECT_EQ(decode_request(Bytes{0xFC, 0x00}, request), IoStatus::kBadReply);  // short
  EXPECT_EQ(decode_request(Bytes{0xFC, 0x00, 0x7C, 0x00}, request), IoStatus::kBadReply);
  EXPECT_EQ(decode_request(Bytes{0xFC, 0x00, 0x7D}, request), IoStatus::kBadSum);
  Bytes unused(16, 90);  // FD to board 0 at speed 4, the last channel left alone
  unused[0] = 0xFD;
  unused[1] = 0x00;
  unused[2] = 0x04;
  unused[14] = kLeaveAlone;
  unused[15] = check_sum({unused.data(), 15});
  Request decoded;
  EXPECT_EQ(decode_request(unused, decoded), IoStatus::kOk);
  EXPECT_EQ(decoded.counts[11], kLeaveAlone);
  EXPECT_EQ(decode_request(Bytes{0xFC, 0x20, 0x1C}, request), IoStatus::kBadReply);        // id 32
  EXPECT_EQ(decode_request(Bytes{0xFF, 0x5B, 0x02, 0x5C}, request), IoStatus::kBadReply);  // magic
  EXPECT_EQ(request.speed, 5);
  EXPECT_EQ(request.command, Command::kGetId);
}

TEST(Protocol, HostSideDistinguishesBadSumFromWrongBoardAndLength) {
  Reply reply = {.board = 9};
  EXPECT_EQ(decode_reply(Command::kSetPositions, 0, Bytes{0x00, 0x06}, reply), IoStatus::kOk);
  EXPECT_EQ(reply.board, 0);
  EXPECT_EQ(decode_reply(Command::kSetPositions, 0, Bytes{0x01, 0x06}, reply), IoStatus::kBadReply);
  EXPECT_EQ(decode_reply(Command::kSetPositions, 0, Bytes{0x00, 0x15}, reply), IoStatus::kBadReply);
  EXPECT_EQ(decode_reply(Command::kSetPositions, 0, Bytes{0x00}, reply), IoStatus::kBadReply);
  EXPECT_EQ(decode_reply(Command::kGetSwitches, 0, Bytes{0x00, 0x01, 0x02}, reply),
            IoStatus::kBadSum);
  EXPECT_EQ(decode_reply(Command::kGetSwitches, 0, Bytes{0x01, 0x01, 0x02}, reply),
            IoStatus::kBadReply);
  EXPECT_EQ(decode_reply(Command::kGetTrim, 0,
                         Bytes{0, 40, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
                               static_cast<std::uint8_t>((40 + 11 * 20) & 0x7F)},
                         reply),
            IoStatus::kBadReply);
  EXPECT_EQ(decode_reply(Command::kGetId, 0, Bytes{0x05, 0x05}, reply), IoStatus::kOk);
  EXPECT_EQ(reply.board, 5);
  EXPECT_EQ(decode_reply(static_cast<Command>(0xEA), 0, Bytes{0, 6}, reply), IoStatus::kBadReply);
}

TEST(Protocol, RandomAndMutatedBytesNeverCrashAndNeverYieldIllegalFields) {
  std::mt19937 random(3);
  int accepted = 0;
  for (unsigned i = 0; i < test::rounds(200'000); ++i) {
    Bytes bytes;
    if (i % 2 == 0) {
      bytes.resize(random() % 24);
      for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
      if (!bytes.empty() && random() % 2 == 0) bytes[0] |= 0xE0;
    } else {
      Frame frame;
      ASSERT_EQ(encode_request(random_request(kAllCommands[random() % kAllCommands.size()], random),
                               frame),
                IoStatus::kOk);
      bytes = to_bytes(frame);
      bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
      if (random() % 2 == 0) bytes.back() = check_sum({bytes.data(), bytes.size() - 1});
    }
    Request request;
    if (decode_request(bytes, request) == IoStatus::kOk) {
      ++accepted;
      // whatever is decoded is legal, but for channels that other programs leave alone
      const bool has_counts =
          request.command == Command::kSetPositions || request.command == Command::kSetPose;
      const bool leaves_alone =
          has_counts && std::count(request.counts.begin(), request.counts.end(), kLeaveAlone) > 0;
      Frame frame;
      EXPECT_EQ(encode_request(request, frame), leaves_alone ? IoStatus::kRefused : IoStatus::kOk);
      if (!leaves_alone) {
        EXPECT_EQ(to_bytes(frame), bytes);
      }
    }
    Reply reply;
    const Command command = kAllCommands[random() % kAllCommands.size()];
    if (decode_reply(command, static_cast<std::uint8_t>(random() % 2), bytes, reply) ==
        IoStatus::kOk) {
      EXPECT_LE(reply.board, 31);
      EXPECT_EQ(bytes.size(), reply_size(command));
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace kagami::drivers::rcb1
