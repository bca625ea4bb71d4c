// When the boards begin their poses, and when the twin has them begin: every pose of a motion that
// is sent pose by pose, or played from the boards' memories. The virtual boards are the truth.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "drivers/virtual/in_memory_port.hpp"
#include "runtime/app/live_run.hpp"
#include "runtime/test/support/run_case.hpp"
#include "runtime/test/support/stored_run.hpp"

namespace kagami::runtime {
namespace {

using drivers::BoardCommand;
using test::shipped_run;
using test::TempDir;

constexpr std::int64_t kServoFrameNs = 16'000'000;
constexpr int kBoards = 2;
using Starts = std::vector<std::int64_t>;

/// One run: what the boards did and what the twin was driven by.
struct Timing {
  std::array<Starts, kBoards> board;
  std::array<Starts, kBoards> twin;
  std::array<std::int64_t, kBoards> played_ns{};  ///< acknowledged start of the stored motion
};

/// The poses of the boards: positions as they are acknowledged; of a stored motion all at once.
void note_command(const RunSetup& setup, int b, const BoardCommand& command, Timing& timing) {
  const auto i = static_cast<std::size_t>(b);
  if (command.mode == drivers::TargetMode::kPositions) {
    timing.twin[i].push_back(command.effective_ns);
    return;
  }
  timing.played_ns[i] = command.effective_ns;
  for (const auto& pose : setup.cycle.stored.poses(b)) {
    timing.twin[i].push_back(command.effective_ns + pose.start_ns);
  }
}

/// Looks at the boards every millisecond: they go on while the host waits for an answer.
class BoardLook final : public TimedTask {
 public:
  BoardLook(drivers::virtual_robot::VirtualRobot& robot, Timing& timing)
      : robot_(robot), timing_(timing) {}
  std::int64_t run_at(std::int64_t now_ns) noexcept override {
    robot_.advance_to(now_ns);
    for (int b = 0; b < kBoards; ++b) {
      const auto i = static_cast<std::size_t>(b);
      const auto begun = robot_.begun_pose(b);
      EXPECT_LE(begun.number - seen_[i], 1u) << "a pose went by unseen";
      if (begun.number != seen_[i]) timing_.board[i].push_back(begun.at_ns);
      seen_[i] = begun.number;
    }
    return now_ns + 1'000'000;
  }

 private:
  drivers::virtual_robot::VirtualRobot& robot_;
  Timing& timing_;
  std::array<std::uint64_t, kBoards> seen_{};
};

Timing time_run(RunMode mode, const std::string& motion, const std::string& boards) {
  const TempDir dir;
  RunConfig config = shipped_run(motion, dir.path());
  config.mode = mode;
  config.board = boards;
  const RunSetup setup = read_setup(config);
  RunPlace place{.realtime_why = "virtual time"};
  SimulatedClock clock;
  drivers::virtual_robot::VirtualRobot robot = make_virtual_robot(setup, place);
  drivers::virtual_robot::InMemoryPort port(robot, clock);
  RunHooks hooks;
  hooks.store_motion = test::storing(config);
  const auto live = std::make_unique<LiveRun>(setup, place, port, clock, hooks);
  LiveRun& run = *live;
  meet_boards(run, "the virtual robot", hooks);
  if (mode == RunMode::kStored) hooks.store_motion(run.port, clock);
  const std::int64_t start_ns = (clock.now_ns() / 1'000'000 + 1) * 1'000'000;
  run.runner.start_at(start_ns);
  clock.add(run.runner, start_ns);

  Timing timing;
  BoardLook look(robot, timing);
  clock.add(look, start_ns);
  std::array<std::uint32_t, kBoards> sequence{};
  while (!run.state.cycle_is_done.load()) {
    run.serial.round();
    run.recorder.drain();
    for (int b = 0; b < kBoards; ++b) {
      const auto i = static_cast<std::size_t>(b);
      const BoardCommand& command = run.serial.sample().command[i];
      if (command.sequence != sequence[i]) note_command(setup, b, command, timing);
      sequence[i] = command.sequence;
    }
  }
  static_cast<void>(finish(run, setup, place, &robot));
  return timing;
}

/// ns, the largest difference between a pose's start on its board and in the twin.
std::int64_t worst_difference(const Timing& timing) {
  std::int64_t worst = 0;
  for (std::size_t b = 0; b < kBoards; ++b) {
    EXPECT_EQ(timing.board[b].size(), timing.twin[b].size());
    const std::size_t count = std::min(timing.board[b].size(), timing.twin[b].size());
    EXPECT_GT(count, 5u);
    for (std::size_t k = 0; k < count; ++k) {
      worst = std::max(worst, std::abs(timing.board[b][k] - timing.twin[b][k]));
    }
  }
  return worst;
}

TEST(BoardTiming, TheTwinBeginsEachPoseOfAKeyframeReplayWithinAServoFrameOfItsBoard) {
  for (const char* boards : {"fast", "slow"}) {
    for (const char* motion : {"walk_forward", "side_left", "getup_front"}) {
      SCOPED_TRACE(std::string(boards) + " " + motion);
      const std::int64_t worst = worst_difference(time_run(RunMode::kKeyframe, motion, boards));
      EXPECT_LE(worst, kServoFrameNs);
      RecordProperty(std::string(boards) + "_" + motion + "_us", static_cast<int>(worst / 1000));
    }
  }
}

TEST(BoardTiming, TheTwinBeginsEachStoredPoseWithinAServoFrameOfItsBoard) {
  for (const char* boards : {"fast", "slow"}) {
    for (const char* motion : {"walk_forward", "side_left", "getup_front"}) {
      SCOPED_TRACE(std::string(boards) + " " + motion);
      EXPECT_LE(worst_difference(time_run(RunMode::kStored, motion, boards)), kServoFrameNs);
    }
  }
}

TEST(BoardTiming, BothBoardsStartAStoredMotionWithinTwoFramesAndTheTwinKnowsTheSkew) {
  for (const char* boards : {"fast", "slow"}) {
    SCOPED_TRACE(boards);
    const Timing timing = time_run(RunMode::kStored, "walk_forward", boards);
    // the poses of the lead-in come first
    const std::size_t lead_in = 2;
    const std::int64_t skew = timing.board[1][lead_in] - timing.board[0][lead_in];
    const std::int64_t predicted = timing.played_ns[1] - timing.played_ns[0];
    // a frame: request, latency, acknowledgement
    const double latency = drivers::virtual_robot::board_preset(boards).acknowledge_latency;
    const auto frame_ns = drivers::rcb1::Rcb1::wire_ns(drivers::rcb1::Command::kPlayMotion) +
                          static_cast<std::int64_t>(latency * 1e9);
    EXPECT_GT(skew, 0);
    EXPECT_LE(skew, 2 * frame_ns);
    EXPECT_LE(std::abs(predicted - skew), 1'000'000);
    RecordProperty(std::string(boards) + "_skew_us", static_cast<int>(skew / 1000));
    RecordProperty(std::string(boards) + "_predicted_us", static_cast<int>(predicted / 1000));
  }
}

}  // namespace
}  // namespace kagami::runtime
