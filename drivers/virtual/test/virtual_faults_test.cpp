#include "drivers/virtual/faults.hpp"

#include <gtest/gtest.h>

#include "drivers/virtual/board_behaviour.hpp"
#include "drivers/virtual/test/virtual_host.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

using test::Bytes;
using test::VirtualHost;
using test::with_sum;

const Bytes kGetSwitches = with_sum({0xF0, 0x00});
const Bytes kSetSwitches = with_sum({0xF1, 0x00, 0x00});

TEST(Faults, MuteBoardActsButNeverAnswers) {
  VirtualHost host;
  host.robot.inject(0, parse_faults("mute"));
  EXPECT_EQ(host.set(0, std::vector<int>(12, 90)).size(), 0u);
  host.wait(1.0);
  EXPECT_EQ(host.exchange(with_sum({0xF0, 0x01}), 3).size(), 3u);  // the other board is well
  host.robot.inject(0, {});
  EXPECT_NEAR(host.counts(0)[0], 90, 1);
}

TEST(Faults, DroppedByteLeavesTheRest) {
  VirtualHost host;
  host.robot.inject(0, parse_faults("drop 1"));
  const Bytes whole = with_sum({0x00, 0x00});
  EXPECT_EQ(host.exchange(kGetSwitches, 3), (Bytes{whole[0], whole[2]}));
}

TEST(Faults, FlippedBitReachesTheHost) {
  VirtualHost host;
  host.robot.inject(0, parse_faults("flip 1:7"));
  EXPECT_EQ(host.exchange(kGetSwitches, 3), (Bytes{0x00, 0x80, 0x00}));
}

TEST(Faults, WrongIdCarriesAGoodSum) {
  VirtualHost host;
  host.robot.inject(0, parse_faults("id 9"));
  EXPECT_EQ(host.exchange(kGetSwitches, 3), with_sum({9, 0x00}));
  EXPECT_EQ(host.exchange(kSetSwitches, 2), (Bytes{9, 0x06}));
}

TEST(Faults, AcknowledgementHasTheGivenValueAndReadingsAreWhole) {
  VirtualHost host;
  host.robot.inject(0, parse_faults("ack 21"));
  EXPECT_EQ(host.exchange(kSetSwitches, 2), (Bytes{0x00, 21}));
  EXPECT_EQ(host.exchange(kGetSwitches, 3), with_sum({0x00, 0x00}));
}

TEST(Faults, ExtraBytesStandInFront) {
  VirtualHost host;
  host.robot.inject(0, parse_faults("extra 2"));
  EXPECT_EQ(host.exchange(kSetSwitches, 4), (Bytes{0x55, 0x55, 0x00, 0x06}));
  // and the board is busy until they are out: 4 bytes and 1 ms after 4 bytes
  EXPECT_EQ(host.elapsed_ns(), (781'250 * 8 + 8) / 9 + 1'000'000);
}

TEST(Faults, ZerosReadNothingButZeros) {
  VirtualHost host;
  host.robot.inject(1, parse_faults("zeros"));
  EXPECT_EQ(host.counts(1), Bytes(12, 0));
  EXPECT_EQ(host.exchange(with_sum({0xFA, 0x01}), 14)[1], 0x58);  // home is no reading
}

TEST(Faults, LateAnswerComesLaterByThat) {
  VirtualHost host;
  host.robot.inject(0, parse_faults("late 0.005"));
  host.set(0, std::vector<int>(12, 90));
  EXPECT_EQ(host.elapsed_ns(), 2'562'500 + 5'000'000);
}

TEST(Faults, EndAfterTheGivenNumberOfAnswers) {
  VirtualHost host;
  host.robot.inject(0, parse_faults("mute, for 2"));
  EXPECT_EQ(host.exchange(kGetSwitches, 3).size(), 0u);
  EXPECT_EQ(host.exchange(kGetSwitches, 3).size(), 0u);
  EXPECT_EQ(host.exchange(kGetSwitches, 3).size(), 3u);
}

TEST(Faults, WordsThatMakeNoSenseAreRefused) {
  const char* bad[] = {
      "",         "mutee",    "drop",        "drop 18",     "drop -1",         "drop x",
      "flip 1",   "flip 1:8", "id 32",       "ack 256",     "extra 17",        "late -1",
      "late nan", "for -1",   "mute, zeros", "mute,late 1", "drop 2,flip 2:0", "mute 1",
      "zeros,"};
  for (const char* text : bad) EXPECT_THROW(parse_faults(text), ConfigError) << text;
}

TEST(Faults, UnknownBoardIsRefused) {
  VirtualHost host;
  EXPECT_THROW(host.robot.inject(2, {}), ConfigError);
  EXPECT_THROW(host.robot.inject(-1, {}), ConfigError);
}

TEST(BoardBehaviour, PresetsAreThoseOfTheDesign) {
  EXPECT_EQ(board_preset("fast").acknowledge_latency, 0.001);
  EXPECT_EQ(board_preset("fast").power_on, PowerOn::kHome);
  EXPECT_EQ(board_preset("slow").read_latency, 0.020);
  EXPECT_EQ(board_preset("slow").acknowledge_latency, 0.002);
  EXPECT_EQ(board_preset("slow").servo_frame, 0.016);
  EXPECT_TRUE(board_preset("burst").buffers_poses);
  EXPECT_THROW(board_preset("quick"), ConfigError);
}

TEST(BoardBehaviour, TimesOutOfRangeAreRefusedByName) {
  BoardBehaviour behaviour;
  behaviour.servo_frame = 0.3;
  try {
    check(behaviour);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "board: servo_frame: 0.3 is outside [0, 0.2] s");
  }
}

}  // namespace
}  // namespace kagami::drivers::virtual_robot
