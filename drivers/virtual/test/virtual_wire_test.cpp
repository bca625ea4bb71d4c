#include "drivers/virtual/wire.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kagami::drivers::virtual_robot {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(Wire, ByteTimeIsTenBitsAt115200) {
  EXPECT_EQ(kByteTime * 115'200, 10 * to_ninths(1'000'000'000));
  EXPECT_EQ(to_ns(kByteTime * 16), 1'388'889);
  EXPECT_EQ(to_ns(kByteTime * 18), 1'562'500);
}

TEST(InputWire, BytesQueueBehindEachOther) {
  InputWire wire;
  wire.push(Bytes{1, 2}, 1000);
  wire.push(Bytes{3}, 2000);  // the first two are still on the wire
  EXPECT_EQ(wire.pop().end, to_ninths(1000) + kByteTime);
  EXPECT_EQ(wire.pop().end, to_ninths(1000) + 2 * kByteTime);
  const WireByte third = wire.pop();
  EXPECT_EQ(third.end, to_ninths(1000) + 3 * kByteTime);
  EXPECT_EQ(third.value, 3);
  wire.push(Bytes{4}, 1'000'000'000);
  EXPECT_EQ(wire.pop().end, to_ninths(1'000'000'000) + kByteTime);
}

TEST(InputWire, RefusesWhatFindsNoRoom) {
  InputWire wire;
  EXPECT_EQ(wire.push(Bytes(5000, 9), 0), InputWire::kCapacity);
  EXPECT_EQ(wire.room(), 0u);
  EXPECT_EQ(wire.push(Bytes{1}, 0), 0u);
  wire.pop();
  EXPECT_EQ(wire.push(Bytes{1, 2}, 0), 1u);
}

TEST(OutputWire, TakesOnlyWhatIsComplete) {
  OutputWire wire;
  EXPECT_EQ(wire.put(Bytes{1, 2, 3}, 0, true), 3 * kByteTime);
  Bytes some(8);
  EXPECT_EQ(wire.take(some, to_ns(kByteTime) - 1), 0u);
  EXPECT_EQ(wire.take(some, to_ns(kByteTime)), 1u);
  EXPECT_EQ(wire.due_ns(2), to_ns(3 * kByteTime));
  EXPECT_EQ(wire.due_ns(3), std::nullopt);
  EXPECT_EQ(wire.take(some, 1'000'000), 2u);
  EXPECT_EQ(some[1], 3);
  EXPECT_EQ(wire.size(), 0u);
}

TEST(OutputWire, BytesSentAtOnceAreAnded) {
  OutputWire wire;
  wire.put(Bytes{0xF0, 0x3C}, 0, true);
  wire.put(Bytes{0xAA, 0xAA, 0x11}, kByteTime / 2, true);
  Bytes some(8);
  // the first of the second answer touches both of the first: it is lost in the earlier one
  EXPECT_EQ(wire.take(some, 10'000'000), 3u);
  EXPECT_EQ(some[0], 0xF0 & 0xAA);
  EXPECT_EQ(some[1], 0x3C & 0xAA);
  EXPECT_EQ(some[2], 0x11);
}

TEST(OutputWire, AnswersKeepTheOrderOfTheirTimes) {
  OutputWire wire;
  wire.put(Bytes{2}, 5 * kByteTime, true);
  wire.put(Bytes{1}, 0, true);
  Bytes some(8);
  EXPECT_EQ(wire.take(some, 10'000'000), 2u);
  EXPECT_EQ(some[0], 1);
}

TEST(OutputWire, HostThatTakesNothingLosesTheNewest) {
  OutputWire wire;
  for (std::size_t k = 0; k < 2 * OutputWire::kCapacity; ++k) {
    wire.put(Bytes{static_cast<std::uint8_t>(k & 0x7F)}, static_cast<Ninths>(k) * kByteTime, true);
  }
  EXPECT_EQ(wire.size(), OutputWire::kCapacity);
  Bytes some(1);
  EXPECT_EQ(wire.take(some, 10'000'000'000), 1u);
  EXPECT_EQ(some[0], 0);
}

}  // namespace
}  // namespace kagami::drivers::virtual_robot
