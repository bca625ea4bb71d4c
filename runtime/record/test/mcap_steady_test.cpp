// In steady state a message costs no allocation: the writer thread must not be slowed by the heap.
#include <gtest/gtest.h>

#include "models/test/support/no_alloc.hpp"
#include "runtime/record/mcap_writer.hpp"
#include "runtime/record/test/support/record_samples.hpp"
#include "runtime/record/viewer_json.hpp"

namespace kagami::runtime {
namespace {

TEST(McapSteady, AMessageAllocatesNothingOnceTheBuffersHaveGrown) {
  const test::TempFile file("steady.mcap");
  McapWriter writer(file.path());
  const ChannelId cycle = writer.add_channel("/cycle", 0, "cdr");
  const ChannelId line = writer.add_channel("/line", 0, "");
  const std::vector<std::byte> row(2600);
  std::uint64_t now = 0;
  const auto run = [&](int messages) {
    const test::NoAlloc guard;
    for (int i = 0; i < messages; ++i, now += 1'000'000) {
      writer.write(cycle, now, now, row);
      writer.write(line, now, now, std::span(row).first(20));
    }
    return guard.count();
  };
  run(1000);
  const std::uint64_t chunks = writer.counters().chunks;
  // the index of chunks grows by doubling: a second of record needs at most one step
  EXPECT_LE(run(1000), 2);  // take, give back
  EXPECT_EQ(writer.counters().chunks, chunks + 20);
  EXPECT_EQ(run(40), 0);
}

TEST(McapSteady, ViewerTextsAllocateNothingOnceTheBufferHasGrown) {
  const std::vector<std::string> names(17, "left_hip_pitch");
  const std::vector<double> values(17, 0.12345678901234567);
  ViewerJson viewer;
  const JointStatesView view{1, names, values, values, values, values};
  viewer.joint_states(view);
  const test::NoAlloc guard;
  for (int i = 0; i < 100; ++i) viewer.joint_states(view);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace
}  // namespace kagami::runtime
