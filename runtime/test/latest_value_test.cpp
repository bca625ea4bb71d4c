#include "runtime/border/latest_value.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include "runtime/border/border.hpp"

namespace kagami::runtime {
namespace {

/// A value that shows tearing: every word is the same number.
struct Wide {
  std::array<std::uint64_t, 512> word{};
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
  constexpr int kFetches = 20'000;
  LatestValue<Wide> latest;
  std::atomic<bool> enough{false};
  std::uint64_t published = 0;
  std::thread writer([&] {
    while (!enough.load(std::memory_order_relaxed)) latest.publish(wide(++published));
  });
  Wide value;
  std::uint64_t last = 0;
  int torn = 0;
  int backwards = 0;
  for (int fetched = 0; fetched < kFetches;) {
    if (!latest.fetch(value)) {
      std::this_thread::yield();
      continue;
    }
    ++fetched;
    for (const std::uint64_t word : value.word) torn += word != value.word[0];
    backwards += value.word[0] <= last;
    last = value.word[0];
  }
  enough = true;
  writer.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(backwards, 0);
  if (latest.fetch(value)) last = value.word[0];
  EXPECT_EQ(last, published);
}

// a run may keep 64 MiB resident; rows carry all values that can be turned, so 4 s of them take 28
TEST(Border, KeepsItsQueuesBelowHalfOfWhatARunMayKeep) {
  EXPECT_LT(sizeof(Border), std::size_t{32} << 20);
}

}  // namespace
}  // namespace kagami::runtime
