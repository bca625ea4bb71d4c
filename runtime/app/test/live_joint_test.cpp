// A test of one joint requested from a run: refused in a sentence, or begun, recorded and
// re-executed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "runtime/app/live_control.hpp"
#include "runtime/app/timeline.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using control::JointSignal;
using control::TestKind;
using test::rows_of;
using test::TempDir;

RunConfig joint_config(const TempDir& dir) {
  RunConfig c = test::shipped_run("bow", dir.path());
  c.on = Scene::kStand;
  c.mode = RunMode::kStream;
  c.report = false;
  c.gains_file = KAGAMI_SOURCE_DIR "/control/data/gains/khr1_walk.json";
  return c;
}

JointSignal step_of(int joint, double size_deg) {
  JointSignal s;
  s.joint = joint;
  s.size = to_rad(size_deg);
  s.seconds = 0.4;
  return s;
}

std::string refusal(LiveControl& live, const JointSignal& signal) {
  return live.excitation().begin(signal).sentence();
}

TEST(LiveJointTest, IsBegunFromAHoldReportsEveryRowAndIsVerifiedBitForBit) {
  const TempDir dir;
  StopRequest stop;
  LiveControl live(stop);
  LiveAnswer first;
  LiveAnswer second;
  int stage = 0;
  int test_rows = 0;
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.live = &live;
  hooks.test = [&](const CycleRecord& row) {
    EXPECT_NE(row.out.test, JointTestStage::kNone);
    ++test_rows;
    if (row.out.test != JointTestStage::kRunning) return;
    EXPECT_TRUE(live.status().testing);
    EXPECT_NE(refusal(live, step_of(3, 5.0)).find("under way"), std::string::npos);
  };
  hooks.row = [&](const CycleRecord& row) {
    if (stage == 0 && row.out.state == SupervisorState::kRunning) {
      EXPECT_NE(refusal(live, step_of(3, 5.0)).find("not one that is 'running'"),
                std::string::npos);
      ++stage;
    } else if (stage == 1 && row.out.phase == Phase::kDone) {
      EXPECT_NE(refusal(live, step_of(17, 5.0)).find("joint 17: refused, expected 0..16"),
                std::string::npos);
      EXPECT_NE(refusal(live, step_of(3, 0.0)).find("size (rad) is 0: refused"), std::string::npos);
      EXPECT_NE(refusal(live, step_of(3, 91.0)).find("a signal that stays in"), std::string::npos)
          << refusal(live, step_of(3, 91.0));
      EXPECT_FALSE(live.status().testing);
      first = live.excitation().begin(step_of(3, 5.0));
      EXPECT_TRUE(first.ok()) << first.sentence();
      EXPECT_TRUE(live.status().testing);
      ++stage;
    } else if (stage == 2 && row.out.test == JointTestStage::kNone &&
               live.tickets().acknowledged(first.ticket)) {
      live.stop(StopLevel::kHoldNow);
      ++stage;
    } else if (stage == 3 && row.in.stop == StopLevel::kHoldNow) {
      second = live.excitation().begin(step_of(3, -5.0));  // explicitly requested: the stop is over
      EXPECT_TRUE(second.ok()) << second.sentence();
      EXPECT_EQ(stop.level(), StopLevel::kNone);
      ++stage;
    } else if (stage == 4 && row.out.test == JointTestStage::kRunning) {
      live.finish();
      ++stage;
    }
  };
  const RunResult result = run(joint_config(dir), hooks);
  EXPECT_EQ(stage, 5);
  EXPECT_TRUE(live.tickets().acknowledged(second.ticket).has_value());
  EXPECT_NE(refusal(live, step_of(3, 5.0)).find("a run in progress"), std::string::npos);
  // settling and return have 1000 and 500 ticks, the signal its 400 and the first
  EXPECT_EQ(test_rows, 2 * (1000 + 401 + 500));
  const VerifyResult verified = verify_record(result.record);
  EXPECT_TRUE(verified.identical) << verified.field << " " << verified.note;
}

TEST(LiveControl, ReportsWhyItStoppedWhenAPlayWorksAndRunsBackwards) {
  const TempDir dir;
  StopRequest stop;
  LiveControl live(stop);
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.live = &live;
  EXPECT_FALSE(live.motion().set_reverse(true).ok());
  int stage = 0;
  double turned_at = 0.0;
  hooks.row = [&](const CycleRecord& row) {
    const CycleOutput& out = row.out;
    if (stage == 0 && out.state == SupervisorState::kHoming) {
      EXPECT_NE(live.motion().play().sentence().find("moves to the first pose"), std::string::npos);
      ++stage;
    } else if (stage == 1 && out.motion_time > 0.6) {
      EXPECT_NE(live.motion().play_again().sentence().find("at the motion's end or after a stop"),
                std::string::npos);
      EXPECT_TRUE(live.motion().set_reverse(true).ok());
      turned_at = out.motion_time;
      ++stage;
    } else if (stage == 2 && out.reverse && out.motion_time < turned_at - 0.2) {
      EXPECT_TRUE(live.status().reverse);
      EXPECT_EQ(live.status().reason, "");
      live.stop(StopLevel::kHoldNow);
      ++stage;
    } else if (stage == 3 && out.state == SupervisorState::kHold) {
      EXPECT_NE(live.status().reason.find("Stop: holding"), std::string::npos);
      EXPECT_TRUE(live.motion().play_again().ok());
      ++stage;
    } else if (stage == 4 && out.state == SupervisorState::kRunning) {
      EXPECT_EQ(live.status().reason, "");
      EXPECT_FALSE(live.status().reverse);  // a play goes forwards
      live.finish();
      ++stage;
    }
  };
  const RunResult result = run(joint_config(dir), hooks);
  EXPECT_EQ(stage, 5);
  EXPECT_TRUE(verify_record(result.record).identical);
}

TEST(Timeline, TestsAJointAndTurnsTheMotionRound) {
  const TempDir dir;
  RunConfig config = joint_config(dir);
  config.timeline = {timed_command("0.6:reverse"), timed_command("1.3:forwards"),
                     timed_command("12:test=ramp:left_knee:6:0.4")};
  std::vector<std::string> messages;
  RunHooks hooks;
  hooks.log = [&](std::string_view text) { messages.emplace_back(text); };
  const RunResult result = run(config, hooks);
  const auto count = [&](std::string_view expected) {
    return std::count_if(messages.begin(), messages.end(), [&](const std::string& text) {
      return text.find(expected) != std::string::npos;
    });
  };
  EXPECT_EQ(count("runs backwards"), 1);
  EXPECT_EQ(count("runs forwards again"), 1);
  EXPECT_EQ(count("left_knee: a test begins (ramp)"), 1);
  EXPECT_EQ(count("left_knee: the test has ended"), 1);
  EXPECT_TRUE(result.refused.empty());
  EXPECT_TRUE(verify_record(result.record).identical);
}

TEST(Timeline, AJointThatIsUnknownIsRefusedBeforeTheStart) {
  const TempDir dir;
  RunConfig config = joint_config(dir);
  config.timeline = {timed_command("14.5:test=step:nose:6:1")};
  try {
    run(config, {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("joint 'nose' is unknown"), std::string::npos);
  }
}

}  // namespace
}  // namespace kagami::runtime
