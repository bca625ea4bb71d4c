// What is no request, or a spoiled one: silence, and the boards go on.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "drivers/virtual/test/virtual_host.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

using test::Bytes;
using test::from_hex;
using test::VirtualHost;
using test::with_sum;

TEST(VirtualNoise, RandomBytesNeverStopIt) {
  VirtualHost host;
  std::mt19937 random(7);
  for (int burst = 0; burst < 300; ++burst) {
    Bytes noise(random() % 60 + 1);
    for (auto& byte : noise) {
      byte = static_cast<std::uint8_t>(random());
      // every second byte from where frames begin, so that many do; FF would change the ids
      if (random() % 2 == 0) byte = static_cast<std::uint8_t>(0xE8 + random() % 23);
    }
    host.send(noise);
    host.wait(0.05);
    host.port.drop_input();
    ASSERT_EQ(host.counts(burst % 2).size(), 12u) << burst;
  }
  for (const double angle : host.robot.plant_angles()) EXPECT_TRUE(std::isfinite(angle));
}

TEST(VirtualNoise, MutatedRequestsAreAnsweredOnlyWithAGoodSum) {
  VirtualHost host;
  std::mt19937 random(11);
  const Bytes good = from_hex("FD 00 04 05 00 5A 00 00 5A AF B4 5A 00 00 00 77");
  for (int k = 0; k < 300; ++k) {
    Bytes request = good;
    request[random() % request.size()] ^= static_cast<std::uint8_t>(1u << (random() % 8));
    rcb1::Request decoded;
    const bool is_good = rcb1::decode_request(request, decoded) == IoStatus::kOk;
    const Bytes answer = host.exchange(request, 2, 30'000'000);
    EXPECT_EQ(answer.size(), is_good && decoded.board <= 1 ? 2u : 0u) << k;
    host.wait(0.03);  // over the gap that drops what was begun
  }
}

TEST(VirtualNoise, PositionOf255LeavesItsChannelAloneAndTheBoardAnswers) {
  VirtualHost host;
  host.set(0, std::vector<int>(12, 90));
  host.wait(1.0);
  std::vector<int> counts(12, 255);
  counts[0] = 120;
  EXPECT_EQ(host.set(0, counts), (Bytes{0x00, 0x06}));
  host.wait(1.0);
  const Bytes now = host.counts(0);
  ASSERT_EQ(now.size(), 12u);
  EXPECT_NEAR(now[0], 120, 2);
  EXPECT_NEAR(now[1], 90, 2);
  EXPECT_EQ(host.robot.counters().bad_frames, 0u);
  EXPECT_EQ(host.robot.counters().bytes_ignored, 0u);
}

TEST(VirtualNoise, RequestBehindATruncatedOneIsLostAndItsRepetitionAnswered) {
  VirtualHost host;
  const Bytes request = with_sum({0xFC, 0x00});
  Bytes broken = {0xFD, 0x00, 0x04, 0x5A};  // the rest was lost
  broken.insert(broken.end(), request.begin(), request.end());
  EXPECT_TRUE(host.exchange(broken, 14, 30'000'000).empty());
  EXPECT_EQ(host.exchange(request, 14).size(), 14u);
}

TEST(VirtualNoise, RequestThatEndsABadOneIsAnsweredAtOnce) {
  VirtualHost host;
  // noise that looks like F1 (4 bytes), then a request of 3 bytes: F1 FC 00 7C has a bad sum
  Bytes noisy = with_sum({0xFC, 0x00});
  noisy.insert(noisy.begin(), 0xF1);
  EXPECT_EQ(host.exchange(noisy, 14).size(), 14u);
  EXPECT_EQ(host.robot.counters().bad_frames, 0u);
}

TEST(VirtualNoise, RequestThatBeginsInABadOneIsReceivedToItsEnd) {
  VirtualHost host;
  // noise that looks like FC (3 bytes) takes the first two bytes of F1 00 00
  Bytes noisy = with_sum({0xF1, 0x00, 0x00});
  noisy.insert(noisy.begin(), 0xFC);
  EXPECT_EQ(host.exchange(noisy, 2), (Bytes{0x00, 0x06}));
  EXPECT_EQ(host.robot.counters().bad_frames, 1u);
}

TEST(VirtualNoise, NoRequestIsAnsweredThatWasCompleteBeforeABadOneEnded) {
  VirtualHost host;
  Bytes broken = {0xFD, 0x00, 0x04};  // 16 bytes: four whole requests inside, none at the end
  for (int k = 0; k < 4; ++k) {
    const Bytes request = with_sum({0xF0, 0x00});
    broken.insert(broken.end(), request.begin(), request.end());
  }
  broken.push_back(0x01);
  EXPECT_TRUE(host.exchange(broken, 3, 30'000'000).empty());
  EXPECT_EQ(host.robot.counters().replies, 0u);
}

TEST(VirtualNoise, PauseInsideARequestDropsIt) {
  VirtualHost host;
  const Bytes request = with_sum({0xFC, 0x00});
  host.send(std::span(request).first(2));
  host.wait(0.030);
  EXPECT_EQ(host.exchange({request[2]}, 14, 50'000'000).size(), 0u);
  // a shorter one does not
  host.send(std::span(request).first(2));
  host.wait(0.010);
  EXPECT_EQ(host.exchange({request[2]}, 14).size(), 14u);
}

TEST(VirtualNoise, StaysSilentOnWhatIsNotForIt) {
  VirtualHost host;
  const Bytes wrong[] = {
      from_hex("FC 00 7D"),    // bad sum
      with_sum({0xFC, 0x05}),  // no such board
      with_sum({0xEA, 0x00}),  // unknown commands
      with_sum({0xEB, 0x00}),
      with_sum({0xF6, 0x00, 40}),                                   // motion 40
      from_hex("FD 00 04 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A 5A B5 14"),  // count 181, good sum
      from_hex("00 11 22 33"),                                      // no command at all
      with_sum({0xFC}),                                             // too short
  };
  for (const Bytes& request : wrong) {
    EXPECT_EQ(host.exchange(request, 1, 50'000'000).size(), 0u) << int{request[0]};
    EXPECT_EQ(host.status, IoStatus::kTimedOut);
  }
  EXPECT_EQ(host.counts(0).size(), 12u);
}

}  // namespace
}  // namespace kagami::drivers::virtual_robot
