#include "runtime/border/latest_value.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <thread>

#include "runtime/border/border.hpp"

namespace kagami::runtime {
namespace {

/// A value that shows tearing: every word is the same number.
struct Wide {
  std::array<std::uint64_t, 64> word{};
};

Wide wide(std::uint64_t number) {
  Wide value;
  value.word.fill(number);
  return value;
}

TEST(LatestValue, StartsEmptyAndLeavesTheReadersValueAlone) {
  LatestValue<int> latest;
  int value = 7;
  EXPECT_FALSE(latest.fetch(value));
  EXPECT_EQ(value, 7);
}

TEST(LatestValue, GivesEachValueOnceAndTheNewestOnly) {
  LatestValue<int> latest;
  latest.publish(1);
  latest.publish(2);
  latest.publish(3);
  int value = 0;
  EXPECT_TRUE(latest.fetch(value));
  EXPECT_EQ(value, 3);
  EXPECT_FALSE(latest.fetch(value));
  latest.publish(4);
  EXPECT_TRUE(latest.fetch(value));
  EXPECT_EQ(value, 4);
}

TEST(LatestValue, NeverTearsNeverGoesBackAndDeliversTheLastAcrossThreads) {
  constexpr std::uint64_t kCount = 200'000;
  LatestValue<Wide> latest;
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= kCount; ++i) latest.publish(wide(i));
  });
  Wide value;
  std::uint64_t last = 0;
  while (last < kCount) {
    if (!latest.fetch(value)) {
      std::this_thread::yield();
      continue;
    }
    for (const std::uint64_t word : value.word) ASSERT_EQ(word, value.word[0]);
    ASSERT_GT(value.word[0], last);
    last = value.word[0];
  }
  writer.join();
  EXPECT_FALSE(latest.fetch(value));
}

TEST(Border, KeepsItsQueuesBelowSixteenMebibytes) {
  EXPECT_LT(sizeof(Border), std::size_t{16} << 20);
}

}  // namespace
}  // namespace kagami::runtime
