// Changes during a run: values, controllers, pause, play again, and that its
// record reproduces all of it bit for bit.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <fstream>
#include <future>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "runtime/app/live_control.hpp"
#include "runtime/app/timeline.hpp"
#include "runtime/test/support/khr1_joints.hpp"
#include "runtime/test/support/live_case.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using test::at;
using test::config_with;
using test::kGains;
using test::kKhr1Joints;
using test::rows_of;
using test::run_with;
using test::TempDir;

std::vector<Event> events_of(const std::vector<CycleRecord>& rows, EventCode code) {
  std::vector<Event> found;
  for (const CycleRecord& row : rows) {
    for (int k = 0; k < row.out.num_events; ++k) {
      const Event& event = row.out.events[static_cast<std::size_t>(k)];
      if (event.code == code) found.push_back(event);
    }
  }
  return found;
}

/// Largest step of a target between two ticks, rad.
double largest_step(const std::vector<CycleRecord>& rows) {
  double largest = 0.0;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    if (rows[k - 1].out.targets.mode != drivers::TargetMode::kPositions) continue;
    for (std::size_t j = 0; j < kKhr1Joints; ++j) {
      largest = std::max(largest,
                         std::abs(rows[k].out.targets.angle[j] - rows[k - 1].out.targets.angle[j]));
    }
  }
  return largest;
}

TEST(LiveControl, ASetOfSeventeenGainsIsAppliedAtOneTickAcknowledgedAndUndone) {
  const TempDir dir;
  StopRequest stop;
  LiveControl live(stop);
  LiveAnswer set;
  LiveAnswer back;
  std::vector<double> before;
  const auto kp_of = [&] {
    std::vector<double> values;
    for (const LiveParameter& p : live.gains().parameters()) values.push_back(p.value);
    return values;
  };
  EXPECT_FALSE(live.is_open());
  EXPECT_FALSE(live.motion().pause().ok());
  const RunResult result = run_with(
      config_with(dir), live, stop,
      {{at(0.2),
        [&](const CycleRecord&) {
          before = kp_of();
          std::vector<control::TunableValue> changes;
          for (const std::string& joint : live.joint_names()) {
            changes.push_back({"pid/" + joint + "/kp", 0.3 + 0.1});
          }
          set = live.gains().propose(changes);
          EXPECT_TRUE(set.ok()) << set.sentence();
          EXPECT_FALSE(live.tickets().acknowledged(set.ticket).has_value());
          EXPECT_TRUE(live.status().dirty);
        }},
       {[&](const CycleRecord&) { return live.tickets().acknowledged(set.ticket).has_value(); },
        [&](const CycleRecord&) {
          EXPECT_EQ(live.gains().applied().why, "propose");
          EXPECT_EQ(live.gains().applied().tick, *live.tickets().acknowledged(set.ticket));
          back = live.gains().undo();
        }},
       {[&](const CycleRecord&) { return live.tickets().acknowledged(back.ticket).has_value(); },
        [&](const CycleRecord&) {
          EXPECT_EQ(kp_of(), before);  // the exact bits
          EXPECT_FALSE(live.status().dirty);
          EXPECT_TRUE(live.status().can_redo);
          EXPECT_TRUE(live.gains().redo().ok());
        }}});
  EXPECT_EQ(result.end, RunEnd::kCompleted);
  EXPECT_FALSE(live.is_open());
  const std::vector<CycleRecord> rows = rows_of(result.record);
  const std::vector<Event> applied = events_of(rows, EventCode::kTuningApplied);
  ASSERT_EQ(applied.size(), 3u);
  EXPECT_EQ(live.tickets().acknowledged(set.ticket), applied[0].cycle);
  EXPECT_EQ(live.tickets().acknowledged(back.ticket), applied[1].cycle);
  int new_sets = 0;
  for (const CycleRecord& row : rows) {
    if (!row.in.tuning_is_new) continue;
    ++new_sets;
    EXPECT_EQ(row.out.tuning_version, row.in.tuning.version);
    EXPECT_EQ(row.out.tuning_tick, row.in.tick);
    for (std::size_t j = 0; j < kKhr1Joints; ++j) {  // all seventeen, at this very tick
      EXPECT_EQ(row.in.tuning.values[4 * j], new_sets == 2 ? 0.2 : 0.3 + 0.1);
    }
  }
  EXPECT_EQ(new_sets, 3);
  EXPECT_TRUE(verify_record(result.record).identical);
}

TEST(LiveControl, RefusesWhatIsUnknownOutOfRangeOrNotFiniteAndStatesWhatItExpects) {
  const TempDir dir;
  StopRequest stop;
  LiveControl live(stop);
  const auto refusal = [&](const std::string& name, double value) {
    const control::TunableValue changes[] = {{"pid/left_knee/ki", 0.5}, {name, value}};
    const LiveAnswer answer = live.gains().propose(changes);
    EXPECT_FALSE(answer.ok());
    return answer.sentence();
  };
  const RunResult result = run_with(
      config_with(dir), live, stop,
      {{at(0.1), [&](const CycleRecord&) {
          EXPECT_EQ(refusal("pid/left_knee/kp", 2000.0),
                    "pid/left_knee/kp: 2000 is refused, expected 0..1000 1/s");
          EXPECT_NE(refusal("pid/left_knee/kp", std::nan("")).find("a finite number"),
                    std::string::npos);
          EXPECT_NE(refusal("pid/third_knee/kp", 1.0).find("the name of a parameter"),
                    std::string::npos);
          EXPECT_EQ(refusal("motion/speed", 3.0), "motion/speed: 3 is refused, expected 0.1..2");
          EXPECT_FALSE(live.status().dirty);           // nothing partly requested
          EXPECT_FALSE(live.motion().step(100).ok());  // not paused
          EXPECT_FALSE(live.motion().play().ok());     // it plays
          EXPECT_FALSE(live.controllers().choose("lqr").ok());
          EXPECT_FALSE(live.gains().undo().ok());
          EXPECT_THROW((void)live.controllers().add("{}"), ConfigError);
        }}});
  EXPECT_TRUE(events_of(rows_of(result.record), EventCode::kTuningApplied).empty());
}

TEST(LiveControl, SetsDifferAreSelectedAndSavedAsAGainFileWithTheSameBits) {
  const TempDir dir;
  StopRequest stop;
  LiveControl live(stop);
  const auto file = dir.path() / "turned.json";
  const auto round = config_with(dir);
  const RunResult result = run_with(
      round, live, stop,
      {{at(0.1), [&](const CycleRecord&) {
          const control::TunableValue changes[] = {{"pid/left_knee/kp", 1.0 / 3.0},
                                                   {"pid/left_knee/lead_time", 0.05},
                                                   {"pid_2/head_yaw/kp", 4.5}};
          ASSERT_TRUE(live.gains().propose(changes).ok());
          live.gains().store(GainSet::kB);
          EXPECT_EQ(live.status().set, GainSet::kB);
          const std::vector<LiveDifference> differences = live.gains().difference();
          ASSERT_EQ(differences.size(), 3u);
          EXPECT_EQ(differences[0].name, "pid/left_knee/kp");
          EXPECT_EQ(differences[0].a, 0.2);
          EXPECT_EQ(differences[0].b, 1.0 / 3.0);
          live.gains().save(file, "by a test", "pid", "2026-11-28");
          EXPECT_TRUE(live.status().dirty);  // pid_2 is not saved
          ASSERT_TRUE(live.gains().select(GainSet::kA).ok());
          EXPECT_EQ(live.status().set, GainSet::kA);
          EXPECT_THROW(live.gains().save(dir.path() / "no" / "folder.json", ""), RecordError);
          EXPECT_THROW(live.gains().save(file, "", "lqr"), ConfigError);
        }}});
  EXPECT_EQ(result.end, RunEnd::kCompleted);
  const nlohmann::json saved = nlohmann::json::parse(read_text_file(file));
  EXPECT_EQ(saved.at("joints").size(), 1u);
  EXPECT_EQ(saved.at("joints").at("left_knee").at("kp").get<double>(), 1.0 / 3.0);
  EXPECT_EQ(saved.at("note"), "by a test");
  EXPECT_EQ(saved.at("date"), "2026-11-28");

  RunConfig again = config_with(dir);
  again.gains_file = file;  // and it can be read
  EXPECT_EQ(run(again, {}).end, RunEnd::kCompleted);
}

TEST(LiveControl, ControllersAreExchangedUnderMotionWithoutAJumpAndVerify) {
  const TempDir plain_dir;
  const double alone = largest_step(rows_of(run(config_with(plain_dir), {}).record));
  const TempDir dir;
  const std::string added = kGains + "khr1_walk.json";
  const RunResult result = run(config_with(dir, {{0.9, "controller=pid_2"},
                                                 {1.4, "controller="},
                                                 {2.0, "controller=pid"},
                                                 {2.3, "pid/left_knee/kp=0.5"},
                                                 {2.5, "add=" + added + "@pid"},
                                                 {2.8, "add=" + added},
                                                 {3.0, "controller=pid_3"}}),
                               {});
  EXPECT_EQ(result.end, RunEnd::kCompleted) << result.end_text;
  const std::vector<CycleRecord> rows = rows_of(result.record);
  EXPECT_EQ(events_of(rows, EventCode::kMotionAlone).size(), 1u);
  EXPECT_EQ(events_of(rows, EventCode::kControlTaken).size(), 2u);
  EXPECT_EQ(events_of(rows, EventCode::kControlBegan).size(), 4u);
  EXPECT_EQ(rows.back().out.tuning_layout, 2u);
  EXPECT_TRUE(events_of(rows, EventCode::kSwitchRefused).empty());
  // rad: no larger than the motion's own steps, but for what a stronger law adds in a tick
  EXPECT_LT(largest_step(rows), alone + 0.002);
  const VerifyResult verified = verify_record(result.record);
  EXPECT_TRUE(verified.identical) << verified.field << " " << verified.note;
}

TEST(LiveControl, PausesStepsAndPlaysAgainFromAHoldAndTheRecordVerifies) {
  const TempDir dir;
  RunConfig config = config_with(dir, {{0.8, "speed=0.5"},
                                       {1.2, "pause"},
                                       {1.6, "step=100"},
                                       {2.2, "play"},
                                       {2.6, "speed=2"},
                                       {3.0, "stop=slow"},
                                       {4.5, "pid/left_knee/kp=0.4,pid/left_knee/ki=0.1"},
                                       {4.6, "play=nod"}});
  config.more_motions = {std::filesystem::path(KAGAMI_SOURCE_DIR) / "motions/data/bow.json"};
  config.timeline.back().request = "play_again";
  const RunResult result = run(config, {});
  EXPECT_EQ(result.end, RunEnd::kCompleted) << result.end_text;
  const std::vector<CycleRecord> rows = rows_of(result.record);
  ASSERT_EQ(events_of(rows, EventCode::kPlayedAgain).size(), 1u);
  EXPECT_EQ(events_of(rows, EventCode::kPaused).size(), 1u);
  EXPECT_EQ(events_of(rows, EventCode::kResumed).size(), 1u);
  EXPECT_EQ(events_of(rows, EventCode::kHeld).size(), 1u);
  EXPECT_EQ(events_of(rows, EventCode::kMotionBegan).size(), 2u);
  // the first command of the homing is the one that was held
  const std::int64_t again = events_of(rows, EventCode::kPlayedAgain)[0].cycle;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    if (rows[k].in.tick != again) continue;
    EXPECT_EQ(rows[k].out.state, SupervisorState::kHoming);
    EXPECT_EQ(rows[k].out.targets.angle, rows[k - 1].out.targets.angle);
  }
  EXPECT_LT(largest_step(rows), to_rad(0.5));
  const VerifyResult verified = verify_record(result.record);
  EXPECT_TRUE(verified.identical) << verified.field << " " << verified.note;
}

TEST(LiveControl, AStopWinsOverAPlayAndAReleaseIsForGood) {
  const TempDir dir;
  StopRequest stop;
  LiveControl live(stop);
  const RunResult result =
      run_with(config_with(dir), live, stop,
               {{at(0.3), [&](const CycleRecord&) { live.stop(StopLevel::kHoldNow); }},
                {[](const CycleRecord& row) { return row.out.state == SupervisorState::kHold; },
                 [&](const CycleRecord&) {
                   const std::uint32_t seen = stop.seen();
                   live.stop(StopLevel::kSlowDown);  // another press, no higher level
                   EXPECT_FALSE(stop.rearm(seen));
                   EXPECT_EQ(stop.level(), StopLevel::kHoldNow);
                   EXPECT_TRUE(live.motion().play_again().ok());
                   EXPECT_EQ(stop.level(), StopLevel::kNone);
                   live.stop(StopLevel::kSlowDown);  // before the cycle has seen the play
                 }},
                {[](const CycleRecord& row) { return row.in.tuning.plays == 1; },
                 [&](const CycleRecord& row) {
                   EXPECT_EQ(row.out.phase, Phase::kHeld);
                   EXPECT_TRUE(live.motion().play_again().ok());
                 }},
                {[](const CycleRecord& row) { return row.out.state == SupervisorState::kRunning; },
                 [&](const CycleRecord&) { live.stop(StopLevel::kRelease); }},
                {[](const CycleRecord& row) { return row.out.state == SupervisorState::kReleased; },
                 [&](const CycleRecord&) { EXPECT_FALSE(live.motion().play_again().ok()); }}});
  EXPECT_EQ(result.end, RunEnd::kInterrupted);
  EXPECT_EQ(result.sleep_confirmed, true);
  const std::vector<CycleRecord> rows = rows_of(result.record);
  EXPECT_EQ(events_of(rows, EventCode::kPlayRefused).size(), 1u);
  EXPECT_EQ(events_of(rows, EventCode::kPlayedAgain).size(), 1u);
  EXPECT_TRUE(verify_record(result.record).identical);
}

/// Waits for the row, or the run's end, that completes the ticket.
TicketEnd end_of(LiveControl& live, const LiveAnswer& answer) {
  const auto end = std::make_shared<std::promise<TicketEnd>>();
  live.tickets().when_done(answer.ticket,
                           [end](const TicketResult& result) { end->set_value(result.end); });
  return end->get_future().get();
}

TEST(LiveControl, ManyThreadsAskAtOnceOfARunInRealTime) {
  const TempDir dir;
  StopRequest stop;
  LiveControl live(stop);
  RunConfig config = config_with(dir);
  config.clock = ClockKind::kReal;
  config.realtime = RealtimeRequest::kOff;
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.live = &live;
  std::atomic<bool> asking{true};
  std::atomic<int> accepted{0};
  std::vector<std::thread> askers;
  for (int k = 0; k < 3; ++k) {
    askers.emplace_back([&, k] {
      const std::string joint = k == 0 ? "left_knee" : k == 1 ? "right_knee" : "head_yaw";
      for (int n = 0; asking; ++n) {
        const control::TunableValue change{"pid/" + joint + "/kp", 0.1 + 0.01 * (n % 10)};
        const LiveAnswer answer = live.gains().propose({&change, 1});
        if (answer.ok() && end_of(live, answer) == TicketEnd::kApplied) ++accepted;
        if (n % 5 == 4) (void)live.controllers().choose(n % 2 == 0 ? "pid_2" : "pid");
        (void)live.status();
        std::this_thread::yield();
      }
    });
  }
  std::string text = read_text_file(kGains + "khr1_walk.json");
  std::thread builder([&] {
    for (int n = 0; n < 5; ++n) {
      while (asking && !live.is_open()) std::this_thread::yield();
      try {
        const LiveAnswer answer = live.controllers().add(text, "pid_2");
        if (answer.ok()) (void)end_of(live, answer);
      } catch (const ConfigError&) {
        return;  // the run has ended
      }
    }
    live.stop(StopLevel::kSlowDown);
    live.finish();
  });
  const RunResult result = run(config, hooks);
  asking = false;
  builder.join();
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(result.end, RunEnd::kInterrupted) << result.end_text;
  EXPECT_GT(accepted, 3);
  const VerifyResult verified = verify_record(result.record);
  EXPECT_TRUE(verified.identical) << verified.field << " " << verified.note;
}

TEST(LiveControl, ReportsRowsAtMostAHundredTimesASecondAndTheStatisticsOfLoopAndLine) {
  const TempDir dir;
  RunHooks hooks;
  int rows = 0;
  Progress last;
  hooks.row = [&](const CycleRecord& row) { rows += row.out.num_events == 0 ? 1 : 0; };
  hooks.progress = [&](const Progress& progress) { last = progress; };
  const RunResult result = run(config_with(dir), hooks);
  EXPECT_LE(rows, static_cast<int>(result.duration_s * 100.0) + 1);
  EXPECT_GE(rows, static_cast<int>(result.duration_s * 90.0));
  EXPECT_NEAR(last.rate_hz, 1000.0, 1.0);
  EXPECT_NEAR(last.line.cycle_hz, result.line.cycle_hz, 0.1 * result.line.cycle_hz);
  EXPECT_GT(last.line.utilisation, 0.1);
  EXPECT_LT(last.line.age_ms, 30.0);
  EXPECT_GT(last.recording.bytes, 1000u);
  EXPECT_EQ(last.loop.lost_records, 0u);
}

TEST(Timeline, RefusesInvalidTimesAndRequests) {
  EXPECT_EQ(timed_command("2.5:pid/left_knee/kp=4.2").at_s, 2.5);
  for (const char* text : {"pause", "x:pause", "-1:pause", "1:jump", "1:kp=fast", "1:stop=soon",
                           "1:store=C", "1e9:pause", "1:test=step:knee:5", "1:test=jump:knee:5:1",
                           "1:test=step:knee:5:1:2", "1:test=step:knee:0:1"}) {
    EXPECT_THROW((void)timed_command(text), ConfigError) << text;
  }
}

}  // namespace
}  // namespace kagami::runtime
