// --mode stored: the boards play from their memories, the run starts and stops them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "runtime/cycle/stop_confirmation.hpp"
#include "runtime/test/support/run_case.hpp"
#include "runtime/test/support/stored_run.hpp"

namespace kagami::runtime {
namespace {

using drivers::TargetMode;
using test::frames_of;
using test::rows_of;
using test::shipped_run;
using test::TempDir;

struct Stored {
  RunResult result;
  std::vector<CycleRecord> rows;
  std::vector<test::Frame> frames;
};

RunConfig stored_run(const std::filesystem::path& out, const std::string& motion = "walk_forward") {
  RunConfig config = shipped_run(motion, out);
  config.mode = RunMode::kStored;
  return config;
}

Stored play(const RunConfig& config, RunHooks hooks = {}) {
  hooks.store_motion = test::storing(config);
  Stored s;
  s.result = run(config, hooks);
  s.rows = rows_of(s.result.record);
  s.frames = frames_of(s.result.record);
  return s;
}

Stored stop_at(StopLevel level, const std::filesystem::path& out) {
  StopRequest stop;
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.progress = [&](const Progress& p) {
    if (p.motion_time >= 1.5) stop.raise_to(level);
  };
  return play(stored_run(out), hooks);
}

bool has_event(const Stored& s, EventCode code) {
  return std::any_of(s.rows.begin(), s.rows.end(), [&](const CycleRecord& row) {
    return std::any_of(row.out.events.begin(), row.out.events.begin() + row.out.num_events,
                       [&](const Event& e) { return e.code == code; });
  });
}

TEST(StoredMode, EachBoardIsStartedOnceAndTheRunFollowsIt) {
  const TempDir dir;
  RunConfig config = stored_run(dir.path());
  config.plant = "twin";
  const Stored s = play(config);
  EXPECT_EQ(outcome_of(s.result), Outcome::kCompleted);
  EXPECT_EQ(requests(s.frames, 0xEF).size(), 2u);
  EXPECT_EQ(requests(s.frames, 0xFD).size(), 4u);  // the lead-in: stay, then the first pose
  EXPECT_EQ(s.rows.back().out.targets.mode, TargetMode::kPlay);
  EXPECT_EQ(s.rows.back().out.targets.motion, 39);
  // twin and robot have the same servos: only the resolution of the readings is between them
  EXPECT_LT(s.result.running_rms_deg.value_or(9.0), 0.35);
  EXPECT_TRUE(verify_record(s.result.record).identical);
}

TEST(StoredMode, TheReferenceIsWhereTheBoardsAre) {
  const TempDir dir;
  const Stored s = play(stored_run(dir.path()));
  const motions::StoredProgram program = read_setup(stored_run(dir.path())).cycle.stored;
  const CycleRecord& last = s.rows.back();
  for (std::size_t j = 0; j < 17; ++j) {
    EXPECT_NEAR(last.out.q_ref[j], program.poses(0).back().angle[j], 1e-9) << j;
  }
  EXPECT_EQ(last.out.phase, Phase::kDone);
  const auto begin = std::find_if(s.rows.begin(), s.rows.end(), [](const CycleRecord& row) {
    return row.out.phase == Phase::kPlaying;
  });
  const auto end = std::find_if(begin, s.rows.end(), [](const CycleRecord& row) {
    return row.out.phase == Phase::kSettling;
  });
  ASSERT_NE(end, s.rows.end());
  EXPECT_NEAR(1e-9 * static_cast<double>(end->in.now_ns - begin->in.now_ns), program.duration(),
              0.002);
}

TEST(StoredMode, AFirstAndASecondStopEndTheMotionInAConfirmedHold) {
  const TempDir dir;
  for (const StopLevel level : {StopLevel::kSlowDown, StopLevel::kHoldNow}) {
    const Stored s = stop_at(level, dir.path());
    EXPECT_EQ(s.result.end_text, "stopped; the servos hold, all boards confirmed");
    EXPECT_EQ(s.rows.back().out.phase, Phase::kHeld);
    EXPECT_EQ(s.rows.back().out.targets.mode, TargetMode::kPositions);
    EXPECT_TRUE(has_event(s, EventCode::kStopConfirmed));
    EXPECT_TRUE(test::sleep_requests(s.frames).empty());
    EXPECT_TRUE(verify_record(s.result.record).identical);
    const auto& measured = s.rows.back().in.sample.angle;
    for (std::size_t j = 0; j < 17; ++j) {
      EXPECT_NEAR(measured[j], s.rows.back().out.targets.angle[j], to_rad(10.0)) << j;
    }
  }
}

TEST(StoredMode, AThirdStopSetsTheSleepBit) {
  const TempDir dir;
  const Stored s = stop_at(StopLevel::kRelease, dir.path());
  EXPECT_EQ(s.rows.back().out.phase, Phase::kReleased);
  EXPECT_TRUE(s.result.sleep_confirmed.value_or(false));
}

// the board acts on the start and does not answer: the other is not started, both are held
TEST(StoredMode, ABoardThatDoesNotAcknowledgeTheStartIsHeldWithTheOther) {
  const TempDir dir;
  const Stored good = play(stored_run(dir.path()));
  const auto begin = std::find_if(good.rows.begin(), good.rows.end(), [](const CycleRecord& row) {
    return row.out.targets.mode == TargetMode::kPlay;
  });
  ASSERT_NE(begin, good.rows.end());
  for (const int board : {0, 1}) {
    SCOPED_TRACE(board);
    RunConfig config = stored_run(dir.path());
    const double at = 1e-9 * static_cast<double>(begin->in.now_ns);
    config.board_faults = {std::to_string(board) + ":mute, from " + std::to_string(at - 0.012) +
                           ", until " + std::to_string(at + 0.04)};
    const Stored s = play(config);
    EXPECT_TRUE(has_event(s, EventCode::kStoredStartFailed));
    EXPECT_EQ(requests(s.frames, 0xEF).size(), board == 0 ? 1u : 2u);
    EXPECT_EQ(outcome_of(s.result), Outcome::kFault);
    EXPECT_EQ(s.result.end_text,
              "board " + std::to_string(board) +
                  " did not acknowledge the start of the stored motion; the last "
                  "command holds");
    EXPECT_EQ(s.rows.back().out.targets.mode, TargetMode::kPositions);
    EXPECT_TRUE(s.result.stop_confirmed.value_or(false));
  }
}

std::string refusal(const RunConfig& config) {
  RunHooks hooks;
  hooks.store_motion = test::storing(config);
  try {
    static_cast<void>(run(config, hooks));
  } catch (const ConfigError& e) {
    return e.what();
  }
  return {};
}

TEST(StoredMode, WhatABoardCannotPlayIsRefusedBeforeAnythingMoves) {
  const TempDir dir;
  const auto expect_refused = [&](const RunConfig& config, const std::string& word) {
    const std::string text = refusal(config);
    EXPECT_NE(text.find("--mode stored"), std::string::npos) << text;
    EXPECT_NE(text.find(word), std::string::npos) << text;
    EXPECT_FALSE(std::filesystem::exists(record_file(config)));
  };
  RunConfig config = stored_run(dir.path());
  config.speed = 0.5;
  expect_refused(config, "--speed");
  config = stored_run(dir.path());
  config.loop = true;
  expect_refused(config, "--loop");
  config = stored_run(dir.path());
  config.timeline = {{1.0, "pause"}};
  expect_refused(config, "requests during the run");
  expect_refused(stored_run(dir.path(), "identify"), "144 poses");
  expect_refused(stored_run(dir.path(), "bow"), "no waits");
  config = stored_run(dir.path());
  EXPECT_THROW(static_cast<void>(run(config, {})), ConfigError);  // nothing writes the memory
}

TEST(StoredMode, AHoldIsConfirmedByReadingsThatAreNewAndNear) {
  drivers::ServoTargets targets;
  targets.mode = TargetMode::kPositions;
  targets.angle[1] = 0.5;
  drivers::ServoSample sample;
  for (int b = 0; b < 2; ++b) {
    sample.command[static_cast<std::size_t>(b)].effective_ns = 1'000'000'000;
    sample.reading[static_cast<std::size_t>(b)].sampled_ns = 1'200'000'000;
  }
  sample.angle[1] = 0.5 + to_rad(9.0);
  EXPECT_TRUE(readings_confirm(targets, sample, 2, 3));
  sample.angle[1] = 0.5 + to_rad(11.0);
  EXPECT_FALSE(readings_confirm(targets, sample, 2, 3));
  EXPECT_TRUE(readings_confirm(targets, sample, 2, 1));  // of another robot's joints
  targets.mode = TargetMode::kSleep;
  EXPECT_TRUE(readings_confirm(targets, sample, 2, 3));
  targets.mode = TargetMode::kPositions;
  sample.angle[1] = 0.5;
  sample.reading[1].sampled_ns = 1'199'999'999;
  EXPECT_FALSE(readings_confirm(targets, sample, 2, 3));
  sample.reading[1].sampled_ns = 1'300'000'000;
  sample.angle[2] = std::nan("");
  EXPECT_FALSE(readings_confirm(targets, sample, 2, 3));
}

}  // namespace
}  // namespace kagami::runtime
