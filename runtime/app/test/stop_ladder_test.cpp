// What each step of a stop sends over the line (docs/timing.md, "The end"), in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "control/safety/safety_gate.hpp"
#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/run.hpp"
#include "runtime/test/support/khr1_joints.hpp"
#include "runtime/test/support/line_audit.hpp"
#include "runtime/test/support/run_case.hpp"
#include "runtime/threads/end_watch.hpp"

namespace kagami::runtime {
namespace {

using test::frames_of;
using test::kKhr1Joints;
using test::requests;
using test::rows_of;
using test::shipped_run;
using test::TempDir;

constexpr double kStopAt = 1.5;  // s into the motion

struct Stopped {
  RunResult result;
  std::vector<CycleRecord> rows;
  std::vector<test::Frame> frames;
  std::int64_t asked_ns = 0;  ///< tick at which the cycle saw the stop
};

/// A press at a time of the run's clock.
class RaiseAt final : public TimedTask {
 public:
  RaiseAt(StopRequest& stop, StopLevel level) : stop_(stop), level_(level) {}
  std::int64_t run_at(std::int64_t /*at_ns*/) noexcept override {
    stop_.raise_to(level_);
    return -1;
  }

 private:
  StopRequest& stop_;
  StopLevel level_;
};

/// walk_forward, stopped at this level 1.5 s into the motion.
Stopped stop_at(StopLevel level, RunMode mode, const std::filesystem::path& out,
                OnStop on_stop = OnStop::kHold) {
  StopRequest stop;
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.progress = [&](const Progress& p) {
    if (p.motion_time >= kStopAt) stop.raise_to(level);
  };
  RunConfig c = shipped_run("walk_forward", out);
  c.mode = mode;
  c.on_stop = on_stop;
  Stopped s;
  s.result = run(c, hooks);
  s.rows = rows_of(s.result.record);
  s.frames = frames_of(s.result.record);
  for (const CycleRecord& row : s.rows) {
    if (row.in.stop == StopLevel::kNone) s.asked_ns = row.in.now_ns;
  }
  return s;
}

/// The reference is constant and the last command of the boards is exactly this pose.
void expect_holding(const Stopped& s) {
  const CycleRecord& last = s.rows.back();
  EXPECT_EQ(last.out.phase, Phase::kHeld);
  for (std::size_t j = 0; j < kKhr1Joints; ++j) {
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

TEST(StopLadder, ThirdStopCommandsBothBoardsToSleepAndReportsTheirConfirmation) {
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

/// bow with a press of this level in the tick at `at_ns`, in the middle of a move.
test::Findings stop_findings(StopLevel level, OnStop on_stop, std::int64_t at_ns,
                             const std::filesystem::path& out) {
  RunConfig c = shipped_run("bow", out);
  c.mode = RunMode::kStream;
  c.on_stop = on_stop;
  StopRequest stop;
  RaiseAt raise(stop, level);
  SimulatedClock clock;
  clock.add(raise, at_ns);
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.simulated = &clock;
  const RunSetup setup = read_setup(c);
  const test::AuditedRun audited(
      run(c, hooks), setup.robot.wiring,
      control::safety_limits(setup.robot.wiring, setup.robot.servos).rate_max);
  test::Findings findings;
  test::check_stops(audited, {.stopped_at_ns = at_ns}, findings);
  return findings;
}

TEST(StopLadder, AStopIsTheNextFrameInWhateverPartOfARoundItComes) {
  const TempDir dir;
  for (std::int64_t at_ns = 900'000'000; at_ns < 910'000'000; at_ns += 1'000'000) {
    SCOPED_TRACE(at_ns);
    EXPECT_EQ(stop_findings(StopLevel::kHoldNow, OnStop::kHold, at_ns, dir.path()),
              test::Findings{});
    EXPECT_EQ(stop_findings(StopLevel::kSlowDown, OnStop::kRelease, at_ns, dir.path()),
              test::Findings{});
  }
}

TEST(StopLadder, TheRobotSitsDownAfterTheFirstStopAndAllBoardsConfirmThePose) {
  for (const RunMode mode : {RunMode::kKeyframe, RunMode::kStream}) {
    const TempDir dir;
    const Stopped s = stop_at(StopLevel::kSlowDown, mode, dir.path(), OnStop::kSit);
    expect_holding(s);
    EXPECT_EQ(s.rows.back().out.targets.speed, 6);
    const std::vector<std::string> names =
        read_setup(shipped_run("walk_forward", dir.path())).robot.joint_names;
    const auto knee = static_cast<std::size_t>(std::find(names.begin(), names.end(), "left_knee") -
                                               names.begin());
    ASSERT_LT(knee, names.size());
    // the servo of the virtual robot still lags a little, and its gain and backlash are not the
    // model's
    EXPECT_NEAR(s.rows.back().in.sample.angle[knee], to_rad(80.0), to_rad(5.0));
    EXPECT_TRUE(verify_record(s.result.record).identical);
  }
}

/// What a run of this motion with --on-stop sit is refused with.
std::string sit_refusal(const std::string& motion, const std::filesystem::path& robot) {
  RunConfig c = shipped_run(motion, {});
  if (!robot.empty()) c.robot_folder = robot;
  c.on_stop = OnStop::kSit;
  try {
    static_cast<void>(read_setup(c));
  } catch (const ConfigError& e) {
    return e.what();
  }
  return {};
}

TEST(StopLadder, SittingDownIsRefusedWithoutAPoseAndForAMotionThatStartsLying) {
  EXPECT_EQ(sit_refusal("bow", {}), "");
  EXPECT_NE(sit_refusal("getup_back", {}).find("starts lying"), std::string::npos);
  const TempDir dir;
  const std::filesystem::path from = shipped_run("bow", {}).robot_folder;
  std::filesystem::copy(from, dir.path() / "khr1", std::filesystem::copy_options::recursive);
  std::string json = read_text_file(from / "robot.json");
  const std::size_t begin = json.find("\"sit_pose_deg\"");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = json.find('\n', begin);
  const auto write = [&](const std::string& line) {
    std::string text = json;
    std::ofstream(dir.path() / "khr1/robot.json") << text.replace(begin, end - begin, line);
  };
  write("");
  EXPECT_NE(sit_refusal("bow", dir.path() / "khr1").find("sit_pose_deg"), std::string::npos);
  write("\"sit_pose_deg\": {\"left_knee\": 116},");
  EXPECT_NE(sit_refusal("bow", dir.path() / "khr1").find("left_knee"), std::string::npos);
  write("\"sit_pose_deg\": {\"knee\": 16},");
  EXPECT_NE(sit_refusal("bow", dir.path() / "khr1").find("knee"), std::string::npos);
}

/// bow with --on-stop release; a stop is requested at `stop_s` of the run's clock, and board 1 is
/// off from `off_s` on.
Stopped release_without_board_1(double stop_s, double off_s, const std::filesystem::path& out) {
  RunConfig c = shipped_run("bow", out);
  c.mode = RunMode::kStream;
  c.on_stop = OnStop::kRelease;
  c.board_faults = {"1:off, from " + std::to_string(off_s)};
  StopRequest stop;
  RaiseAt raise(stop, StopLevel::kSlowDown);
  SimulatedClock clock;
  clock.add(raise, static_cast<std::int64_t>(stop_s * 1e9));
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.simulated = &clock;
  Stopped s;
  s.result = run(c, hooks);
  s.rows = rows_of(s.result.record);
  s.frames = frames_of(s.result.record);
  return s;
}

/// Board 0 went to sleep, board 1 was queried until the end and is named.
void expect_only_board_0_released(const Stopped& s) {
  const std::vector<test::Frame> sleep = test::sleep_requests(s.frames);
  ASSERT_FALSE(sleep.empty());
  std::array<std::int64_t, 2> first_ns{-1, -1};
  std::array<std::int64_t, 2> last_ns{-1, -1};
  for (const test::Frame& f : sleep) {
    const std::size_t board = f.bytes.at(1);
    if (first_ns.at(board) < 0) first_ns.at(board) = f.at_ns;
    last_ns.at(board) = f.at_ns;
  }
  EXPECT_LT(std::abs(first_ns[0] - first_ns[1]), 100'000'000);  // in one round
  // a board that sleeps is queried for its bits alone, the other one for sleep until the limit
  EXPECT_EQ(last_ns[0], first_ns[0]);
  EXPECT_GT(last_ns[1] - first_ns[1], EndWatch::kReleaseNs - 150'000'000);
  for (const test::Frame& f : requests(s.frames, 0xFD)) EXPECT_LT(f.at_ns, sleep.front().at_ns);
  EXPECT_EQ(s.rows.back().out.phase, Phase::kReleasing);
  EXPECT_FALSE(s.result.sleep_confirmed.value_or(true));
  EXPECT_FALSE(s.result.stop_confirmed.value_or(true));
  EXPECT_EQ(s.result.end, RunEnd::kInterrupted);
  EXPECT_EQ(s.result.end_text, "stopped; release requested and NOT confirmed by board 1");
}

TEST(StopLadder, ABoardThatFallsSilentInAStopKeepsTheOtherFromNoRelease) {
  // silent while it slows down, and so early that it is a fault before its end
  for (const double off_s : {1.7, 1.25}) {
    SCOPED_TRACE(off_s);
    const TempDir dir;
    const Stopped s = release_without_board_1(1.5, off_s, dir.path());
    EXPECT_EQ(s.rows.back().out.state, SupervisorState::kReleased);
    expect_only_board_0_released(s);
  }
}

TEST(StopLadder, AStopAfterTheFaultReleasesTheBoardsThatAnswer) {
  const TempDir dir;
  const Stopped s = release_without_board_1(1.5, 1.0, dir.path());
  bool faulty = false;
  for (const CycleRecord& row : s.rows) {
    faulty |= row.out.state == SupervisorState::kFault && row.in.stop == StopLevel::kNone;
  }
  EXPECT_TRUE(faulty);
  expect_only_board_0_released(s);
}

}  // namespace
}  // namespace kagami::runtime
