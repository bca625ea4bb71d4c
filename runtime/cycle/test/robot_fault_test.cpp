// Robots that do not obey, in virtual time: what is found, how the run ends, and that nothing is
// found where nothing is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/base/time.hpp"
#include "runtime/app/outcome.hpp"
#include "runtime/app/run.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using nlohmann::json;
using test::shipped_run;
using test::TempDir;
using ::testing::HasSubstr;

RunResult run_with(RunConfig config, const std::vector<std::string>& faults) {
  config.board_faults = faults;
  return run(config, {});
}

std::vector<RobotFaultResult> of_kind(const RunResult& result, const std::string& fault) {
  std::vector<RobotFaultResult> found;
  std::copy_if(result.faults.begin(), result.faults.end(), std::back_inserter(found),
               [&](const RobotFaultResult& f) { return f.fault == fault; });
  return found;
}

/// Events of this code in the record, with the row's time in s.
struct TimedEvent {
  double at_s = 0.0;
  Event event;
};
std::vector<TimedEvent> events_of(const RunResult& result, EventCode code) {
  std::vector<TimedEvent> found;
  for (const CycleRecord& row : test::rows_of(result.record)) {
    for (int k = 0; k < row.out.num_events; ++k) {
      const Event& event = row.out.events[static_cast<std::size_t>(k)];
      if (event.code == code) found.push_back({seconds(row.in.now_ns), event});
    }
  }
  return found;
}

std::string summary(const RunResult& result) {
  return result.end_text + " " + robot_faults_json(result.faults).dump();
}

RunConfig walk(const TempDir& dir) {
  return shipped_run("walk_forward", dir.path());
}

constexpr double kFrom = 3.0;  // s, in mid-walk

TEST(RobotFaults, AnObedientRobotCompletesWithoutAny) {
  const TempDir dir;
  const RunResult r = run_with(walk(dir), {});
  EXPECT_EQ(outcome_of(r), Outcome::kCompleted) << summary(r);
  EXPECT_TRUE(r.faults.empty()) << summary(r);
  ASSERT_EQ(r.gate_shortfall_deg.size(), 17u);
  EXPECT_LT(*std::max_element(r.gate_shortfall_deg.begin(), r.gate_shortfall_deg.end()), 1.0);
}

TEST(RobotFaults, FrozenReadingsOfABoardHoldTheRobotWithinASecond) {
  const TempDir dir;
  const RunResult r = run_with(walk(dir), {"1:frozen, from 3"});
  const auto found = of_kind(r, "board_frozen");
  ASSERT_EQ(found.size(), 1u) << summary(r);
  EXPECT_EQ(found[0].board, 1);
  EXPECT_EQ(outcome_of(r), Outcome::kFault) << summary(r);
  EXPECT_EQ(r.end, RunEnd::kSafetyStop);
  EXPECT_NE(r.end_text.find("board 1"), std::string::npos) << r.end_text;
  const auto events = events_of(r, EventCode::kBoardFrozen);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].event.joint, 1);
  EXPECT_LT(events[0].at_s - kFrom, 1.5);
  EXPECT_TRUE(verify_record(r.record).identical);
}

TEST(RobotFaults, FrozenReadingsOfAllBoardsAreReportedForEach) {
  const TempDir dir;
  const RunResult r = run_with(walk(dir), {"*:frozen, from 3"});
  EXPECT_EQ(outcome_of(r), Outcome::kFault) << summary(r);
  EXPECT_FALSE(of_kind(r, "board_frozen").empty()) << summary(r);
}

TEST(RobotFaults, BoardsThatAcknowledgeWhileNothingMovesAreFound) {
  const TempDir dir;
  const RunResult r = run_with(walk(dir), {"*:neverfollow"});
  EXPECT_EQ(outcome_of(r), Outcome::kFault) << summary(r);
  EXPECT_FALSE(r.faults.empty());
}

TEST(RobotFaults, AKneeThatReadsThirtyDegreesOffIsImplausibleAndHolds) {
  const TempDir dir;
  const RunResult r = run_with(walk(dir), {"1:offset 2:30, from 3"});
  const auto found = of_kind(r, "implausible_joint");
  ASSERT_EQ(found.size(), 1u) << summary(r);
  EXPECT_NEAR(found[0].worst_deg, 30.0, 10.0);
  EXPECT_EQ(outcome_of(r), Outcome::kFault) << summary(r);
}

TEST(RobotFaults, AJammedJointIsNamed) {
  const TempDir dir;
  const RunResult r = run_with(shipped_run("wave", dir.path()), {"0:stuck 5"});
  EXPECT_FALSE(of_kind(r, "does_not_follow").empty()) << summary(r);
  EXPECT_NE(outcome_of(r), Outcome::kCompleted) << summary(r);
}

TEST(RobotFaults, ALimpKneeThatSwingsIsFoundThoughItsReadingMoves) {
  const TempDir dir;
  const RunResult r = run_with(walk(dir), {"1:limp 2"});
  const auto found = of_kind(r, "does_not_follow");
  ASSERT_EQ(found.size(), 1u) << summary(r);
  EXPECT_EQ(found[0].joint, "left_knee");
  EXPECT_EQ(outcome_of(r), Outcome::kCompletedWithFaults) << summary(r);
}

TEST(RobotFaults, ABoardThatRestartedInMidMotionHolds) {
  const TempDir dir;
  RunConfig config = walk(dir);
  config.on = Scene::kFloor;
  const RunResult r = run_with(config, {"1:reset, from 3, until 3.2"});
  const auto found = of_kind(r, "board_restarted");
  ASSERT_EQ(found.size(), 1u) << summary(r);
  EXPECT_EQ(found[0].board, 1);
  EXPECT_EQ(outcome_of(r), Outcome::kFault) << summary(r);
}

TEST(RobotFaults, AShortSilenceAloneIsNoRestart) {
  const TempDir dir;
  const RunResult r = run_with(walk(dir), {"1:off, from 3, until 3.25"});
  EXPECT_TRUE(of_kind(r, "board_restarted").empty()) << summary(r);
}

TEST(RobotFaults, AFallOfTheRobotAloneCounts) {
  const TempDir dir;
  RunConfig config = shipped_run("wave", dir.path());
  config.on = Scene::kFloor;
  const RunResult r = run_with(config, {"1:limp, from 3"});
  EXPECT_EQ(r.fell_shadow, false);
  EXPECT_EQ(of_kind(r, "robot_fell").size(), 1u) << summary(r);
  EXPECT_EQ(outcome_of(r), Outcome::kCompletedWithFaults) << summary(r);
}

TEST(RobotFaults, WeakKneesThatMakeTheRobotFallAreNamed) {
  const TempDir dir;
  RunConfig config = walk(dir);
  config.on = Scene::kFloor;
  config.plant = dir.path() / "weak.json";
  json servos = json::parse(std::ifstream(config.robot_folder / "plant.json"));
  for (const char* knee : {"left_knee", "right_knee"}) servos["joints"][knee]["stall_torque"] = 0.1;
  std::ofstream(config.plant) << servos.dump();
  const RunResult r = run_with(config, {});
  EXPECT_NE(outcome_of(r), Outcome::kCompleted) << summary(r);
  EXPECT_EQ(of_kind(r, "robot_fell").size(), 1u) << summary(r);
  const auto behind = of_kind(r, "does_not_follow");
  ASSERT_GE(behind.size(), 1u) << summary(r);
  for (const RobotFaultResult& fault : behind) EXPECT_THAT(fault.joint, HasSubstr("knee"));
}

// boards that queue poses are late: a constant difference in a steady move is no offset
TEST(RobotFaults, LateBoardsAreNoImplausibleJoint) {
  const TempDir dir;
  RunConfig config = shipped_run("front_laydown", dir.path());
  config.on = Scene::kFloor;
  config.board = "burst";
  const RunResult r = run_with(config, {});
  EXPECT_EQ(outcome_of(r), Outcome::kCompleted) << summary(r);
}

TEST(RobotFaults, EachEpisodeHasAStartAndAnEndWithItsLength) {
  const TempDir dir;
  RunConfig config = walk(dir);
  config.on = Scene::kFloor;
  // one channel, not long enough to hold
  const RunResult r = run_with(config, {"1:stuck 2, from 3, until 4"});
  const auto starts = events_of(r, EventCode::kDoesNotFollow);
  const auto ends = events_of(r, EventCode::kFollowsAgain);
  ASSERT_GE(starts.size(), 1u) << summary(r);
  ASSERT_EQ(ends.size(), starts.size()) << summary(r);
  EXPECT_NEAR(ends[0].event.value, ends[0].at_s - starts[0].at_s, 1e-9);
  EXPECT_EQ(outcome_of(r), Outcome::kCompletedWithFaults) << summary(r);
}

}  // namespace
}  // namespace kagami::runtime
