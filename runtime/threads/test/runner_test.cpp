#include "runtime/threads/runner.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "drivers/test/support/manual_clock.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

constexpr std::int64_t kPeriodNs = 1'000'000;

/// A runner on a clock moved by hand; nothing is on the line.
struct Bench {
  explicit Bench(LatePolicy policy)
      : core(make_core(read_setup(test::shipped_run("home", "")))),
        runner(std::make_unique<Runner>(core, *channels, clock, &stop, state, kPeriodNs, policy)) {}

  /// The next tick, `late_ns` after its time; returns its row.
  CycleRecord tick(std::int64_t late_ns = 0) {
    clock.sleep_until(runner->ticker().due_ns() + late_ns);
    static_cast<void>(runner->run_at(clock.now_ns()));
    CycleRecord row;
    EXPECT_TRUE(channels->records.pop(row));
    return row;
  }

  std::unique_ptr<ThreadChannels> channels = std::make_unique<ThreadChannels>();
  test::ManualClock clock;
  StopRequest stop;
  RunState state;
  CycleCore core;
  std::unique_ptr<Runner> runner;
};

TEST(Runner, GivesTheCycleTheTimeOfItsWakeUpAndCountsTicksWithoutGaps) {
  Bench bench(LatePolicy::kSkip);
  EXPECT_EQ(bench.tick().in.now_ns, 0);
  EXPECT_EQ(bench.tick(200'000).in.now_ns, kPeriodNs + 200'000);
  const CycleRecord late = bench.tick(3'300'000);
  EXPECT_EQ(late.in.tick, 2);
  EXPECT_EQ(late.in.now_ns, 2 * kPeriodNs + 3'300'000);
  EXPECT_EQ(bench.tick().in.now_ns, 6 * kPeriodNs);
  EXPECT_EQ(bench.runner->ticker().late(), 1);
  EXPECT_EQ(bench.runner->ticker().skipped(), 3);
  EXPECT_EQ(bench.runner->wake_time().max_ns(), 3'300'000);
  EXPECT_EQ(bench.runner->step_time().count(), 4u);
}

TEST(Runner, StartsAtTheGivenTime) {
  Bench bench(LatePolicy::kSkip);
  bench.runner->start_at(7 * kPeriodNs);
  EXPECT_EQ(bench.tick().in.now_ns, 7 * kPeriodNs);
  EXPECT_EQ(bench.runner->first_tick_ns(), 7 * kPeriodNs);
}

TEST(Runner, HandsOverSampleAndTuningOnceEach) {
  Bench bench(LatePolicy::kSkip);
  drivers::ServoSample sample{};
  sample.round = 9;
  bench.channels->sample.publish(sample);
  bench.channels->tuning.publish({.version = 3, .speed = 0.5});
  CycleRecord row = bench.tick();
  EXPECT_TRUE(row.in.sample_is_new);
  EXPECT_TRUE(row.in.tuning_is_new);
  EXPECT_EQ(row.in.tuning.version, 3u);
  row = bench.tick();
  EXPECT_FALSE(row.in.sample_is_new);
  EXPECT_FALSE(row.in.tuning_is_new);
  EXPECT_EQ(row.in.sample.round, 9u);  // the newest stays visible
}

TEST(Runner, PassesTheStopOnAndRequestsAHoldItselfUnderThatPolicy) {
  Bench bench(LatePolicy::kStop);
  EXPECT_EQ(bench.tick().in.stop, StopLevel::kNone);
  EXPECT_EQ(bench.tick(kPeriodNs + 1).in.stop, StopLevel::kHoldNow);
  EXPECT_EQ(bench.tick().in.stop, StopLevel::kHoldNow);
  EXPECT_TRUE(bench.runner->stopped_itself());
  bench.stop.raise_to(StopLevel::kSlowDown);
  EXPECT_EQ(bench.tick().in.stop, StopLevel::kHoldNow);  // levels only rise
  bench.stop.raise_to(StopLevel::kRelease);
  EXPECT_EQ(bench.tick().in.stop, StopLevel::kRelease);
  EXPECT_FALSE(bench.runner->stopped_itself());
}

TEST(Runner, AStopAtRestKeepsTheLineGoingAndOneAfterItsEndIsNotTaken) {
  for (const bool line_has_ended : {false, true}) {
    Bench bench(LatePolicy::kSkip);
    bench.stop.raise_to(StopLevel::kSlowDown);
    bench.tick();
    const std::uint32_t rest = bench.state.present_rest();
    ASSERT_NE(rest, 0u);
    if (line_has_ended) bench.state.end_line(rest);
    bench.stop.raise_to(StopLevel::kRelease);
    const CycleRecord row = bench.tick();
    EXPECT_EQ(row.in.stop, line_has_ended ? StopLevel::kSlowDown : StopLevel::kRelease);
    EXPECT_EQ(row.out.targets.mode == drivers::TargetMode::kSleep, !line_has_ended);
    if (!line_has_ended) bench.state.rest();
    bench.state.end_line(rest);  // the round that was under way has no sleep frame
    EXPECT_EQ(bench.state.line_is_done(), line_has_ended);
    EXPECT_EQ(bench.state.cycle_is_done, line_has_ended);
  }
}

TEST(Runner, EndsAfterTwoSecondsWithoutAReadingAndEndsWithTheLinesLastRound) {
  Bench bench(LatePolicy::kSkip);
  for (int i = 0; i < 2000; ++i) bench.tick();
  EXPECT_EQ(bench.state.present_rest(), 0u);
  bench.tick();
  EXPECT_NE(bench.state.present_rest(), 0u);
  EXPECT_TRUE(bench.runner->end().gave_up());
  bench.tick();
  EXPECT_FALSE(bench.state.cycle_is_done);
  bench.state.end_line(bench.state.present_rest());
  bench.clock.sleep_until(bench.runner->ticker().due_ns());
  EXPECT_LT(bench.runner->run_at(bench.clock.now_ns()), 0);
  EXPECT_TRUE(bench.state.cycle_is_done);
}

}  // namespace
}  // namespace kagami::runtime
