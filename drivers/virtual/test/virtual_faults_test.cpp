#include "drivers/virtual/faults.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <utility>

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

TEST(Faults, InvalidFaultsAreRefused) {
  const char* bad[] = {
      "",         "mutee",    "drop",        "drop 18",       "drop -1",         "drop x",
      "flip 1",   "flip 1:8", "id 32",       "ack 256",       "extra 17",        "late -1",
      "late nan", "for -1",   "mute, zeros", "mute,late 1",   "drop 2,flip 2:0", "mute 1",
      "zeros,",   "stuck",    "stuck 12",    "offset 2",      "offset 2:181",    "reads 2:256",
      "limp x",   "from -1",  "until 0",     "from 3,until 3"};
  for (const char* text : bad) EXPECT_THROW(parse_faults(text), ConfigError) << text;
}

TEST(Faults, UnknownBoardIsRefused) {
  VirtualHost host;
  EXPECT_THROW(host.robot.inject(2, {}), ConfigError);
  EXPECT_THROW(host.robot.inject(-1, {}), ConfigError);
}

// channels of board 0 that have a servo
constexpr std::array<std::size_t, 6> kFitted = {0, 1, 2, 5, 6, 7};

void expect_near(const Bytes& counts, int degrees, const char* what) {
  ASSERT_EQ(counts.size(), 12u) << what;
  for (const std::size_t slot : kFitted) EXPECT_NEAR(counts[slot], degrees, 2) << what << slot;
}

/// Its arms at 90 degrees, then `faults` on board 0.
VirtualHost faulty(const char* faults) {
  VirtualHost host;
  host.set(0, std::vector<int>(12, 90));
  host.wait(1.0);
  host.robot.inject(0, parse_faults(faults));
  return host;
}

TEST(Faults, NeverFollowAcknowledgesWhileNothingMoves) {
  VirtualHost host = faulty("neverfollow");
  EXPECT_EQ(host.set(0, std::vector<int>(12, 120)).size(), 2u);
  host.wait(1.0);
  expect_near(host.counts(0), 90, "channel ");
  host.robot.inject(0, {});  // and the commanded pose is where the board's ramp is
  host.wait(1.0);
  expect_near(host.counts(0), 120, "channel ");
}

TEST(Faults, FrozenReadingsRepeatWhileTheServosMove) {
  for (const auto& [faults, moved] : {std::pair{"frozen", 90}, std::pair{"frozen 1", 120}}) {
    VirtualHost host = faulty(faults);
    static_cast<void>(host.counts(0));
    host.set(0, std::vector<int>(12, 120));
    host.wait(1.0);
    const Bytes counts = host.counts(0);
    EXPECT_NEAR(counts[0], moved, 2) << faults;
    EXPECT_NEAR(counts[1], 90, 2) << faults;
    host.robot.inject(0, {});
    expect_near(host.counts(0), 120, faults);
  }
}

TEST(Faults, OffsetAndFixedReadingsAreThoseOfTheirChannelAlone) {
  VirtualHost host = faulty("offset 2:30, reads 5:255, offset 6:-100");
  const Bytes counts = host.counts(0);
  EXPECT_NEAR(counts[2], 120, 2);
  EXPECT_EQ(counts[5], 255);
  EXPECT_EQ(counts[6], 0);  // a board has no negative count
  EXPECT_NEAR(counts[0], 90, 2);
}

TEST(Faults, StuckServoStaysAndTheOthersMove) {
  VirtualHost host = faulty("stuck 1");
  host.set(0, std::vector<int>(12, 120));
  host.wait(1.0);
  const Bytes counts = host.counts(0);
  EXPECT_NEAR(counts[0], 120, 2);
  EXPECT_NEAR(counts[1], 90, 2);
}

TEST(Faults, LimpArmSinks) {
  VirtualHost host = faulty("limp");  // both arms straight out to the sides
  host.wait(2.0);
  const Bytes counts = host.counts(0);
  EXPECT_GT(std::abs(counts[1] - 90), 30);
  VirtualHost one = faulty("limp 1");
  one.wait(2.0);
  EXPECT_GT(std::abs(one.counts(0)[1] - 90), 30);
  EXPECT_NEAR(one.counts(0)[7], 90, 2);
}

TEST(Faults, NoSleepAcknowledgesTheBitAndKeepsTheServosDriven) {
  VirtualHost host = faulty("nosleep");
  EXPECT_EQ(host.exchange(with_sum({0xF1, 0x00, 0x01}), 2), (Bytes{0x00, 0x06}));
  EXPECT_EQ(host.exchange(kGetSwitches, 3), with_sum({0x00, 0x00}));
  host.wait(2.0);
  expect_near(host.counts(0), 90, "channel ");
}

TEST(Faults, ResetIsDeafAndLosesBitsAndPose) {
  VirtualHost host;
  host.set(0, std::vector<int>(12, 90));
  host.exchange(with_sum({0xF1, 0x00, 0x02}), 2);
  host.wait(1.0);
  host.robot.inject(0, parse_faults("reset, until 2"));
  EXPECT_EQ(host.exchange(kGetSwitches, 3).size(), 0u);
  host.wait(1.0);
  EXPECT_EQ(host.exchange(kGetSwitches, 3), with_sum({0x00, 0x00}));
  host.wait(1.0);
  EXPECT_NEAR(host.counts(0)[0], 5, 2);  // home, as at power-on
}

TEST(Faults, RestartedBoardThatIsFreeAtPowerOnStaysFree) {
  auto config = test::quick_config();
  config.behaviour.power_on = PowerOn::kFree;
  VirtualHost host(config);
  host.set(0, std::vector<int>(12, 90));
  host.wait(1.0);
  host.robot.inject(0, parse_faults("reset, until 1.2"));
  host.wait(2.0);
  EXPECT_GT(std::abs(host.counts(0)[1] - 90), 30);  // the arm hangs
}

TEST(Faults, OffBoardDoesNothingAndItsServosKeepTheirPulse) {
  VirtualHost host = faulty("off");
  EXPECT_EQ(host.set(0, std::vector<int>(12, 120)).size(), 0u);
  host.wait(1.0);
  host.robot.inject(0, {});
  expect_near(host.counts(0), 90, "channel ");
}

TEST(Faults, AcknowledgementsAloneLeaveQuestionsUnanswered) {
  VirtualHost host = faulty("ackonly");
  EXPECT_EQ(host.set(0, std::vector<int>(12, 90)).size(), 2u);
  EXPECT_TRUE(host.counts(0).empty());
}

TEST(Faults, EchoedBytesComeBeforeTheAnswer) {
  VirtualHost host;
  host.robot.inject(0, parse_faults("echo"));
  Bytes expected = kGetSwitches;
  const Bytes answer = with_sum({0x00, 0x00});
  expected.insert(expected.end(), answer.begin(), answer.end());
  EXPECT_EQ(host.exchange(kGetSwitches, 6), expected);
}

TEST(Faults, WindowsCountFromTheFirstByteOfTheHost) {
  VirtualHost host;
  host.wait(5.0);
  host.robot.add_faults(0, parse_faults("mute, from 1, until 2"));
  host.robot.add_faults(0, parse_faults("ack 21, from 3"));
  EXPECT_EQ(host.exchange(kSetSwitches, 2), (Bytes{0x00, 0x06}));
  host.wait(1.0);
  EXPECT_TRUE(host.exchange(kSetSwitches, 2).empty());
  host.wait(1.0);
  EXPECT_EQ(host.exchange(kSetSwitches, 2), (Bytes{0x00, 0x06}));
  host.wait(1.0);
  EXPECT_EQ(host.exchange(kSetSwitches, 2), (Bytes{0x00, 21}));
}

TEST(Faults, PlacedFaultsNameTheirBoard) {
  EXPECT_EQ(parse_placed_faults("1:mute").front().board, 1);
  EXPECT_EQ(parse_placed_faults("*:frozen, from 2").size(), 2u);
  EXPECT_TRUE(parse_placed_faults("*:frozen").back().faults.frozen.all());
  EXPECT_THROW(parse_placed_faults("mute"), ConfigError);
  EXPECT_THROW(parse_placed_faults("2:mute"), ConfigError);
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
