#include "runtime/cycle/command_gap.hpp"

#include <gtest/gtest.h>

#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// One board; the cycle publishes a new target with every tick.
struct Bench {
  /// Returns how many events came with this tick.
  int tick(std::int64_t at_ms) {
    CycleOutput out;
    std::uint64_t lost = 0;
    EventList events(out, 0, lost);
    ++targets.sequence;
    gap.step(targets, sample, 1, at_ms * kMs, events);
    if (out.num_events > 0) last = out.events[0];
    return out.num_events;
  }
  void acknowledge(std::int64_t effective_ms) {
    ++sample.round;
    sample.command[0].sequence = targets.sequence;
    sample.command[0].effective_ns = effective_ms * kMs;
    sample.command[0].complete = true;
  }

  CommandGap gap;
  drivers::ServoTargets targets{.mode = drivers::TargetMode::kPositions};
  drivers::ServoSample sample{};
  Event last;
};

TEST(CommandGap, LastsFromCommandToCommandNotFromSampleToSample) {
  Bench bench;
  bench.tick(0);
  bench.acknowledge(3);
  bench.tick(60);  // the other board took the rest of the round
  bench.acknowledge(63);
  bench.tick(120);
  EXPECT_EQ(bench.gap.longest_ns(), 60 * kMs);
  bench.acknowledge(125);
  EXPECT_EQ(bench.tick(126), 0);
  EXPECT_EQ(bench.gap.longest_ns(), 62 * kMs);
}

TEST(CommandGap, AStallBehindAnAcknowledgementIsTheGapAfterIt) {
  Bench bench;
  bench.tick(0);
  bench.acknowledge(3);
  bench.tick(10);
  EXPECT_EQ(bench.tick(200), 0);  // the line has no sample yet
  bench.acknowledge(13);
  EXPECT_EQ(bench.tick(201), 0);  // until 13 ms it was commanded in time
  ++bench.sample.round;           // a round without an answer
  EXPECT_EQ(bench.tick(202), 1);
  EXPECT_EQ(bench.last.code, EventCode::kCommandGap);
  EXPECT_DOUBLE_EQ(bench.last.value, 0.189);  // s
  bench.acknowledge(203);
  EXPECT_EQ(bench.tick(210), 1);
  EXPECT_EQ(bench.last.code, EventCode::kCommandGapEnded);
  EXPECT_DOUBLE_EQ(bench.last.value, 0.19);  // s
  EXPECT_EQ(bench.gap.longest_ns(), 190 * kMs);
}

TEST(CommandGap, ALongRoundIsNoGapUntilItIsKnownWhomItCommanded) {
  Bench bench;
  bench.tick(0);
  bench.acknowledge(3);
  bench.tick(10);
  EXPECT_EQ(bench.tick(109), 0);
  bench.acknowledge(13);  // early in a round of 110 ms
  EXPECT_EQ(bench.tick(120), 0);
  for (std::int64_t at_ms = 121; at_ms <= 270; ++at_ms) EXPECT_EQ(bench.tick(at_ms), 0);
  EXPECT_EQ(bench.tick(271), 1);  // no round takes so long
  EXPECT_EQ(bench.last.code, EventCode::kCommandGap);
}

TEST(CommandGap, TargetsThatStandNeedNoCommand) {
  Bench bench;
  bench.tick(0);
  bench.acknowledge(3);
  for (std::int64_t at_ms = 10; at_ms < 1000; at_ms += 10) {
    ++bench.sample.round;
    bench.sample.command[0].sequence = bench.targets.sequence + 1;  // the one of this tick
    EXPECT_EQ(bench.tick(at_ms), 0);
  }
  EXPECT_LT(bench.gap.longest_ns(), 20 * kMs);
}

}  // namespace
}  // namespace kagami::runtime
