// design.md section 3: what each step of a stop sends over the line, in virtual time.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "models/base/angle.hpp"
#include "runtime/app/run.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using test::frames_of;
using test::requests;
using test::rows_of;
using test::shipped_run;
using test::TempDir;

constexpr int kJoints = 17;
constexpr double kStopAt = 1.5;  // s into the motion

struct Stopped {
  RunResult result;
  std::vector<CycleRecord> rows;
  std::vector<test::Frame> frames;
  std::int64_t asked_ns = 0;  ///< tick at which the cycle saw the stop
};

/// walk_forward, stopped at this level 1.5 s into the motion.
Stopped stop_at(StopLevel level, RunMode mode, const std::filesystem::path& out) {
  StopRequest stop;
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.progress = [&](const Progress& p) {
    if (p.motion_time >= kStopAt) stop.raise_to(level);
  };
  RunConfig c = shipped_run("walk_forward", out);
  c.mode = mode;
  Stopped s;
  s.result = run(c, hooks);
  s.rows = rows_of(s.result.record);
  s.frames = frames_of(s.result.record);
  for (const CycleRecord& row : s.rows) {
    if (row.in.stop == StopLevel::kNone) s.asked_ns = row.in.now_ns;
  }
  return s;
}

/// The reference stands still and the boards were last told exactly where it stands.
void expect_holding(const Stopped& s) {
  const CycleRecord& last = s.rows.back();
  EXPECT_EQ(last.out.phase, Phase::kHeld);
  for (std::size_t j = 0; j < kJoints; ++j) {
    EXPECT_EQ(last.out.qd_ref[j], 0.0) << j;
    EXPECT_EQ(last.out.targets.angle[j], last.out.q_ref[j]) << j;
  }
  // both boards acknowledged that very command
  for (const drivers::BoardCommand& c : last.in.sample.command) {
    EXPECT_EQ(c.sequence, last.out.targets.sequence);
    EXPECT_EQ(c.mode, drivers::TargetMode::kPositions);
  }
  EXPECT_TRUE(test::sleep_requests(s.frames).empty());  // no limb drops
  EXPECT_EQ(s.result.end, RunEnd::kInterrupted);
  EXPECT_EQ(last.out.state, SupervisorState::kHold);
  EXPECT_TRUE(s.result.stop_confirmed.value_or(false));
  EXPECT_EQ(s.result.end_text, "stopped; the servos hold, all boards confirmed");
}

TEST(StopLadder, FirstStopSlowsDownAlongThePathWithinHalfASecondAndHolds) {
  for (const RunMode mode : {RunMode::kKeyframe, RunMode::kStream}) {
    const TempDir dir;
    const Stopped s = stop_at(StopLevel::kSlowDown, mode, dir.path());
    expect_holding(s);
    std::int64_t held_ns = 0;
    for (const CycleRecord& row : s.rows) {
      if (row.out.phase != Phase::kHeld) held_ns = row.in.now_ns;
    }
    EXPECT_GT(held_ns, s.asked_ns);
    EXPECT_LE(held_ns - s.asked_ns, 502'000'000);  // 0.5 s and the ticks that see it begin and end
  }
}

TEST(StopLadder, SecondStopHoldsAtOnce) {
  for (const RunMode mode : {RunMode::kKeyframe, RunMode::kStream}) {
    const TempDir dir;
    const Stopped s = stop_at(StopLevel::kHoldNow, mode, dir.path());
    expect_holding(s);
    // the round on its way, and the hold
    std::size_t after = 0;
    for (const test::Frame& f : requests(s.frames, 0xFD)) {
      if (f.at_ns > s.asked_ns + 1'000'000) ++after;
    }
    EXPECT_GE(after, 1u);
    EXPECT_LE(after, 4u);
  }
}

TEST(StopLadder, ThirdStopAsksBothBoardsToSleepAndSaysThatTheyConfirmed) {
  const TempDir dir;
  const Stopped s = stop_at(StopLevel::kRelease, RunMode::kStream, dir.path());
  const std::vector<test::Frame> sleep = test::sleep_requests(s.frames);
  ASSERT_GE(sleep.size(), 2u);
  EXPECT_NE(sleep[0].bytes[1], sleep[1].bytes[1]);  // two boards
  // nothing moves the robot afterwards
  for (const test::Frame& f : requests(s.frames, 0xFD)) EXPECT_LT(f.at_ns, sleep[1].at_ns);
  EXPECT_EQ(s.rows.back().out.phase, Phase::kReleased);
  ASSERT_TRUE(s.result.sleep_confirmed.has_value());
  EXPECT_TRUE(*s.result.sleep_confirmed);
  EXPECT_EQ(s.result.end, RunEnd::kInterrupted);
  EXPECT_NE(s.result.end_text.find("confirmed"), std::string::npos);
}

TEST(StopLadder, LeavesARecordThatIsWholeAndVerifies) {
  const TempDir dir;
  for (const StopLevel level : {StopLevel::kSlowDown, StopLevel::kHoldNow, StopLevel::kRelease}) {
    const Stopped s = stop_at(level, RunMode::kKeyframe, dir.path());
    const McapReader record(s.result.record.string());
    EXPECT_EQ(record.damage().sentence, "");
    EXPECT_TRUE(record.attachment("result.json").has_value());
    EXPECT_TRUE(verify_record(s.result.record).identical);
  }
}

}  // namespace
}  // namespace kagami::runtime
