#include "runtime/channels/latest_value.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "runtime/channels/thread_channels.hpp"

namespace kagami::runtime {
namespace {

/// A value that shows tearing: every element is the same number.
struct Wide {
  std::array<std::uint64_t, 512> element{};
};

Wide wide(std::uint64_t number) {
  Wide value;
  value.element.fill(number);
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
    for (const std::uint64_t element : value.element) torn += element != value.element[0];
    backwards += value.element[0] <= last;
    last = value.element[0];
  }
  enough = true;
  writer.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(backwards, 0);
  if (latest.fetch(value)) last = value.element[0];
  EXPECT_EQ(last, published);
}

TEST(ThreadChannels, KeepsItsQueuesBelowSixteenMebibytes) {
  EXPECT_LT(sizeof(ThreadChannels), std::size_t{16} << 20);
}

CycleRecord row_of(std::int64_t tick, bool tuned) {
  CycleRecord row;
  row.in.tick = tick;
  row.in.tuning_is_new = tuned;
  row.in.tuning.num_values = kMaxTunables;
  row.in.tuning.values.fill(static_cast<double>(tick));
  row.in.handover_id = static_cast<std::int32_t>(tick) + 7;  // behind the values
  row.out.steps = static_cast<std::uint64_t>(tick) + 9;
  return row;
}

TEST(RecordQueue, GivesRowsInOrderWithTheValuesTheyCameWith) {
  const auto queue = std::make_unique<RecordQueue<8, 4>>();
  for (std::int64_t k = 1; k <= 6; ++k) ASSERT_TRUE(queue->push(row_of(k, k % 2 == 0)));
  CycleRecord row;
  for (std::int64_t k = 1; k <= 6; ++k) {
    ASSERT_TRUE(queue->pop(row));
    EXPECT_EQ(row.in.tick, k);
    EXPECT_EQ(row.in.handover_id, static_cast<std::int32_t>(k) + 7);
    EXPECT_EQ(row.out.steps, static_cast<std::uint64_t>(k) + 9);
    // 2, 4, 6 came with values; between them the last ones stay
    for (const double v : row.in.tuning.values) ASSERT_EQ(v, static_cast<double>(k - k % 2));
  }
  EXPECT_FALSE(queue->pop(row));
}

TEST(RecordQueue, KeepsNoValuesOfARowForWhichThereIsNoRoom) {
  const auto queue = std::make_unique<RecordQueue<2, 4>>();
  ASSERT_TRUE(queue->push(row_of(1, true)));
  ASSERT_TRUE(queue->push(row_of(2, true)));
  EXPECT_FALSE(queue->push(row_of(3, true)));
  CycleRecord row;
  ASSERT_TRUE(queue->pop(row));
  ASSERT_TRUE(queue->push(row_of(4, true)));
  for (const std::int64_t tick : {2, 4}) {
    ASSERT_TRUE(queue->pop(row));
    EXPECT_EQ(row.in.tick, tick);
    EXPECT_EQ(row.in.tuning.values[0], static_cast<double>(tick));
  }
}

TEST(RecordQueue, KeepsNothingOfARowWithoutRoomForItsValues) {
  const auto queue = std::make_unique<RecordQueue<4, 2>>();
  ASSERT_TRUE(queue->push(row_of(1, true)));
  ASSERT_TRUE(queue->push(row_of(2, true)));
  EXPECT_FALSE(queue->push(row_of(3, true)));  // no room for its values
  ASSERT_TRUE(queue->push(row_of(4, false)));
  ASSERT_TRUE(queue->push(row_of(5, false)));
  CycleRecord row;
  ASSERT_TRUE(queue->pop(row));
  ASSERT_TRUE(queue->push(row_of(6, true)));
  for (const std::int64_t tick : {2, 4, 5, 6}) {
    ASSERT_TRUE(queue->pop(row));
    EXPECT_EQ(row.in.tick, tick);
    if (!row.in.tuning_is_new) continue;
    EXPECT_EQ(row.in.tuning.values[0], static_cast<double>(tick));
  }
  EXPECT_FALSE(queue->pop(row));
}

}  // namespace
}  // namespace kagami::runtime
