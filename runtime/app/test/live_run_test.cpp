// The parts of a run put together by hand, so that boards, port and writer can fail.
#include "runtime/app/live_run.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/virtual/in_memory_port.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

namespace vr = drivers::virtual_robot;
using test::shipped_run;
using test::TempDir;

RunHooks hooks_with(const StopRequest* stop) {
  RunHooks hooks;
  hooks.stop = stop;
  return hooks;
}

/// A run in virtual time whose every round is followed by `after_round`.
class Bench {
 public:
  Bench(const RunConfig& config, const StopRequest* stop)
      : setup_(read_setup(config)),
        robot(make_virtual_robot(setup_, place_)),
        port(robot, clock),
        live(std::make_unique<LiveRun>(setup_, place_, port, clock, hooks_with(stop))) {
    clock.add(live->runner, 0);
  }
  RunResult run(const std::function<void()>& after_round, bool drain = true) {
    while (!live->state.cycle_is_done && clock.now_ns() < kLimitNs) {
      live->serial.round();
      if (drain) live->recorder.drain();
      after_round();
    }
    EXPECT_LT(clock.now_ns(), kLimitNs) << "the run did not end by itself";
    return finish(*live, setup_, place_, &robot);
  }

 private:
  static constexpr std::int64_t kLimitNs = 60'000'000'000;
  RunPlace place_;
  RunSetup setup_;

 public:
  SimulatedClock clock;
  vr::VirtualRobot robot;
  vr::InMemoryPort port;
  std::unique_ptr<LiveRun> live;
};

vr::BoardFaults mute() {
  vr::BoardFaults faults;
  faults.mute = true;
  return faults;
}

/// Requests a stop at a time of the simulated clock.
class StopAt final : public TimedTask {
 public:
  explicit StopAt(StopRequest& stop) : stop_(stop) {}
  std::int64_t run_at(std::int64_t /*at_ns*/) noexcept override {
    stop_.raise();
    return -1;
  }

 private:
  StopRequest& stop_;
};

bool is_playing(const Bench& bench) {
  return bench.live->runner.last_output().motion_time > 1.0;
}

TEST(LiveRun, EndsWhenTheBoardsNeverAnswer) {
  const TempDir dir;
  Bench bench(shipped_run("walk_forward", dir.path()), nullptr);
  bench.robot.inject(0, mute());
  bench.robot.inject(1, mute());
  const RunResult r = bench.run([] {});
  EXPECT_EQ(r.end, RunEnd::kLinkLost);
  EXPECT_NE(r.end_text.find("never answered"), std::string::npos) << r.end_text;
  EXPECT_TRUE(test::requests(test::frames_of(r.record), 0xFD).empty());
  EXPECT_NEAR(r.duration_s, 2.0, 0.5);
}

TEST(LiveRun, AStartThatDoesNotComeNamesWhatCameInstead) {
  const auto late = [] {
    vr::BoardFaults faults;
    faults.late = 0.035;
    return faults;
  };
  const auto damaged = [] {
    vr::BoardFaults faults;
    faults.flip_byte = 2;
    return faults;
  };
  const TempDir dir;
  const auto end_text = [&](const vr::BoardFaults& faults) {
    Bench bench(shipped_run("walk_forward", dir.path()), nullptr);
    bench.robot.inject(1, faults);
    const RunResult r = bench.run([] {});
    EXPECT_EQ(r.end, RunEnd::kLinkLost);
    return r.end_text;
  };
  EXPECT_EQ(end_text(late()),
            "no usable reading came from board 1: answers came after the limit "
            "of 30 ms. Is an adapter or a network slow?");
  const std::string text = end_text(damaged());
  EXPECT_EQ(text.find("no usable reading came from board 1: "), 0u) << text;
  EXPECT_NE(text.find(" answers were damaged or incomplete. Check the cable"), std::string::npos);
}

TEST(LiveRun, HoldsAndEndsWhenTheBoardsFallSilent) {
  const TempDir dir;
  Bench bench(shipped_run("walk_forward", dir.path()), nullptr);
  bool injected = false;
  std::int64_t silent_ns = 0;
  const RunResult r = bench.run([&] {
    if (injected || !is_playing(bench)) return;
    injected = true;
    silent_ns = bench.clock.now_ns();
    bench.robot.inject(0, mute());
    bench.robot.inject(1, mute());
  });
  EXPECT_EQ(r.end, RunEnd::kLinkLost) << r.end_text;
  EXPECT_TRUE(test::sleep_requests(test::frames_of(r.record)).empty());
  EXPECT_LT(bench.clock.now_ns() - silent_ns, 1'000'000'000);
  EXPECT_FALSE(r.stop_confirmed.value_or(true));
  EXPECT_TRUE(verify_record(r.record).identical);
}

TEST(LiveRun, EndsWhenThePortIsUnplugged) {
  const TempDir dir;
  Bench bench(shipped_run("walk_forward", dir.path()), nullptr);
  const RunResult r = bench.run([&] {
    if (is_playing(bench)) bench.port.unplug();
  });
  EXPECT_EQ(r.end, RunEnd::kLinkLost);
  EXPECT_NE(r.end_text.find("port"), std::string::npos) << r.end_text;
  EXPECT_TRUE(verify_record(r.record).identical);
}

TEST(LiveRun, StopDuringTheProbeWakesAndMovesNothing) {
  int interrupted = 0;
  for (std::int64_t at_ms = 0; at_ms < 200; at_ms += 8) {
    SCOPED_TRACE(at_ms);
    const TempDir dir;
    StopRequest stop;
    StopAt stopping(stop);
    Bench bench(shipped_run("bow", dir.path()), &stop);
    bench.clock.add(stopping, at_ms * 1'000'000);
    std::string messages;
    RunHooks hooks = hooks_with(&stop);
    hooks.log = [&messages](std::string_view sentence) { messages += sentence; };
    meet_boards(*bench.live, "the virtual robot", hooks);
    if (stop.level() == StopLevel::kNone) break;  // the probe was over before
    if (messages.find("were not woken") != std::string::npos) ++interrupted;

    const RunResult r = bench.run([] {});
    EXPECT_EQ(r.end, RunEnd::kInterrupted);
    EXPECT_EQ(r.end_text, "stopped before anything was sent");
    const std::vector<test::Frame> frames = test::frames_of(r.record);
    EXPECT_TRUE(test::requests(frames, 0xFD).empty());
    for (const test::Frame& frame : test::requests(frames, 0xF1)) {
      EXPECT_LE(frame.at_ns, at_ms * 1'000'000);
    }
  }
  EXPECT_GT(interrupted, 5);
}

TEST(LiveRun, ReportsThatAReleaseWasNotConfirmed) {
  const TempDir dir;
  StopRequest stop;
  Bench bench(shipped_run("walk_forward", dir.path()), &stop);
  const RunResult r = bench.run([&] {
    if (!is_playing(bench)) return;
    bench.robot.inject(1, mute());
    stop.raise_to(StopLevel::kRelease);
  });
  EXPECT_EQ(r.end, RunEnd::kInterrupted);
  ASSERT_TRUE(r.sleep_confirmed.has_value());
  EXPECT_FALSE(*r.sleep_confirmed);
  EXPECT_NE(r.end_text.find("NOT confirmed"), std::string::npos) << r.end_text;
}

TEST(LiveRun, CountsTheRecordsThatFoundTheQueueFull) {
  const TempDir dir;
  Bench bench(shipped_run("walk_forward", dir.path()), nullptr);
  const RunResult r = bench.run([] {}, /*drain=*/false);
  EXPECT_EQ(r.end, RunEnd::kCompleted);
  EXPECT_EQ(r.lost_records, static_cast<std::uint64_t>(r.ticks) - kRecordCapacity);
  EXPECT_EQ(test::rows_of(r.record).size(), kRecordCapacity);
}

TEST(LiveRun, CountsTheEventsThatFoundTheQueueFull) {
  const TempDir dir;
  Bench bench(shipped_run("walk_forward", dir.path()), nullptr);
  while (bench.live->channels.events.push(Event{})) {
  }
  const RunResult r = bench.run([] {}, /*drain=*/false);
  EXPECT_GT(r.lost_events, 0u);
  EXPECT_FALSE(r.record_complete);
  EXPECT_NE(r.record_cause.find("events are missing"), std::string::npos) << r.record_cause;
}

TEST(LiveRun, SurvivesLossesOnTheLineAndCountsThem) {
  const TempDir dir;
  Bench bench(shipped_run("bow", dir.path()), nullptr);
  vr::BoardFaults faults;
  faults.drop_byte = 1;
  faults.answers = 1;
  std::int64_t next_ns = 1'000'000'000;
  int injected = 0;
  const RunResult r = bench.run([&] {
    if (bench.clock.now_ns() < next_ns) return;
    next_ns += 500'000'000;
    bench.robot.inject(injected++ % 2, faults);
  });
  EXPECT_EQ(r.end, RunEnd::kCompleted) << r.end_text;
  EXPECT_GT(injected, 3);
  const drivers::LineCounters& c = r.line.counters;
  EXPECT_EQ(c.sent, c.answered + c.silent + c.bad_sum + c.bad_reply + c.short_reply + c.late);
  EXPECT_LT(c.answered, c.sent);
  EXPECT_TRUE(verify_record(r.record).identical);
}

}  // namespace
}  // namespace kagami::runtime
