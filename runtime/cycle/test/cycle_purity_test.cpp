/// Proof that step neither allocates nor locks, reads a clock, or enters the kernel: hooks for what
/// the C library does in user space, a seccomp filter for the rest. Each with a planted violation.
#include <gtest/gtest.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <string>

#include "models/base/text_file.hpp"
#include "models/test/support/no_alloc.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"
#include "runtime/cycle/test/support/no_io.hpp"

namespace kagami::runtime {
namespace {

using motions::PlayMode;
using test::ClosedLoop;
using test::khr1;
using test::small_motion;

struct Counts {
  long allocations = 0;
  long locks = 0;
  long clock_reads = 0;
  long io_calls = 0;
};

/// What `action` did on this thread.
template <class Action>
Counts watch(Action action) {
  const test::NoAlloc no_alloc;
  const test::NoLock no_lock;
  const test::NoClock no_clock;
  const test::NoIo no_io;
  action();
  return {no_alloc.count(), no_lock.count(), no_clock.count(), no_io.count()};
}

motions::Motion motion_for(PlayMode mode) {
  return mode == PlayMode::kStored ? test::stored_motion(khr1()) : small_motion(khr1());
}

CycleConfig config_for(PlayMode mode) {
  CycleConfig config;
  if (mode == PlayMode::kStored) {
    config.stored = motions::StoredProgram(motion_for(mode), khr1().wiring);
  }
  config.play.mode = mode;
  config.play.settle = 0.2;
  config.on_stop = OnStop::kSit;
  config.sit_pose = JointArray<double>{};
  return config;
}

std::string gain_set(const char* file) {
  return read_text_file(std::string(KAGAMI_SOURCE_DIR) + "/control/data/gains/" + file);
}

/// A controller leads the motion, another one takes over, readings stop.
struct ControlRerun {
  ControlRerun() {
    CycleConfig config = config_for(PlayMode::kStream);
    config.control.gains = {gain_set("awa_2009.json"), gain_set("khr1_hands.json")};
    ClosedLoop loop(khr1(), khr1(), small_motion(khr1()), config);
    loop.tuning = {.version = 1, .speed = 1.0, .controller = 1};
    loop.run_until(Phase::kPlaying);
    loop.run(100);
    loop.tuning = {.version = 2, .speed = 1.0, .controller = 0};
    loop.run(500);
    EXPECT_EQ(loop.out().controller, 0);
    turn(loop);
    loop.robot.is_silent = true;
    loop.run(400);
    EXPECT_EQ(loop.out().phase, Phase::kHeld);
    rows = loop.rows();
    core = std::make_unique<CycleCore>(khr1(), small_motion(khr1()), config);
    unit = make_control_unit(khr1(), small_motion(khr1()), config, config.control.gains[0], "unit",
                             control::ControllerFactory());
    unit->place = 0;
  }
  /// Values, pause, step, a hold, play again.
  static void turn(ClosedLoop& loop) {
    Tuning t{.version = 3};
    for (const ControllerDescription& c : loop.core.controllers()) {
      for (const double value : c.values) {
        t.values[static_cast<std::size_t>(t.num_values++)] = 0.9 * value;
      }
    }
    t.paused = true;
    loop.tuning = t;
    EXPECT_EQ(loop.tick().tuning_version, 3u);
    loop.run(250);
    t = {.version = 4};
    t.paused = true;
    t.stepped_ms = 50;
    loop.tuning = t;
    loop.run(200);
    loop.stop = StopLevel::kHoldNow;
    EXPECT_TRUE(loop.run_until(Phase::kHeld, 100));
    loop.stop = StopLevel::kNone;
    t = {.version = 5, .speed = 2.0, .controller = kMotionAlone};
    t.stepped_ms = 50;
    t.plays = 1;
    loop.tuning = t;
    EXPECT_EQ(loop.tick().phase, Phase::kLeadIn);
    EXPECT_TRUE(loop.run_until(Phase::kPlaying));
    t.version = 6;
    t.controller = 0;
    loop.tuning = t;
    loop.run(100);
    loop.stop = StopLevel::kHoldNow;
    EXPECT_TRUE(loop.run_until(Phase::kHeld, 100));
    loop.stop = StopLevel::kNone;
    for (const control::TestKind kind : {control::TestKind::kChirp, control::TestKind::kRelay}) {
      ++t.version;
      ++t.tests;
      t.test = {.kind = kind, .joint = 3, .size = 0.05, .seconds = 0.2};
      loop.tuning = t;
      EXPECT_EQ(loop.tick().test, JointTestStage::kSettling);
      loop.run(1800);
      EXPECT_EQ(loop.out().test, JointTestStage::kNone);
    }
  }
  void run() noexcept {
    for (const CycleRecord& row : rows) {
      if (row.in.tuning_is_new && row.in.tuning.version == 6) core->hand_over(std::move(unit));
      core->step(row.in, out);
      if (std::unique_ptr<ControllerInstance> old = core->take_back()) unit = std::move(old);
    }
  }
  std::vector<CycleRecord> rows;
  std::unique_ptr<CycleCore> core;
  std::unique_ptr<ControllerInstance> unit;
  CycleOutput out;
};

/// Balance on the floor; what the robot reads is a robot's on the stand.
struct BalanceRerun {
  BalanceRerun()
      : robot(models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1",
                                        models::BaseKind::kFloating)) {
    CycleConfig config = config_for(PlayMode::kStream);
    config.floor = models::FloorOptions{};
    config.control.gains = {gain_set("khr1_balance.json")};
    const motions::Motion still = test::make_motion(robot, {{1.0, {}, 6}, {1.0, {}, 6}});
    ClosedLoop loop(khr1(), robot, still, config);
    loop.run_until(Phase::kPlaying);
    loop.run(500);
    EXPECT_EQ(loop.out().controller, 0);
    rows = loop.rows();
    core = std::make_unique<CycleCore>(robot, still, config);
  }
  void run() noexcept {
    for (const CycleRecord& row : rows) core->step(row.in, out);
  }
  models::RobotDescription robot;
  std::vector<CycleRecord> rows;
  std::unique_ptr<CycleCore> core;
  CycleOutput out;
};

template <class Rerun>
class ControlPurity : public testing::Test {};
using ControlReruns = testing::Types<ControlRerun, BalanceRerun>;
TYPED_TEST_SUITE(ControlPurity, ControlReruns);

/// Inputs that lead through every branch: play, clamp, stall, silence, lost port, stop, sleep.
std::vector<CycleInput> eventful_inputs(PlayMode mode) {
  std::vector<CycleInput> inputs;
  const auto collect = [&](void (*disturb)(ClosedLoop&)) {
    ClosedLoop loop(khr1(), motion_for(mode), config_for(mode));
    loop.run_until(Phase::kPlaying);
    loop.run(500);
    disturb(loop);
    for (const CycleRecord& row : loop.rows()) inputs.push_back(row.in);
  };
  collect([](ClosedLoop& loop) { EXPECT_TRUE(loop.run_until(Phase::kDone)); });
  collect([](ClosedLoop& loop) {
    loop.tick(300'000'000);
    loop.robot.is_silent = true;
    loop.run(400);
    loop.robot.is_gone = true;
    loop.run(10);
    loop.robot.is_silent = loop.robot.is_gone = false;
    loop.run(50);
  });
  collect([](ClosedLoop& loop) {
    loop.stop = StopLevel::kSlowDown;
    loop.run(700);
    loop.stop = StopLevel::kHoldNow;
    loop.run(20);
    loop.stop = StopLevel::kRelease;
    loop.run(100);
  });
  return inputs;
}

/// One core per run in `inputs`, built beforehand; ticks start again at 0.
struct Rerun {
  explicit Rerun(PlayMode mode) : inputs(eventful_inputs(mode)) {
    for (const CycleInput& in : inputs) {
      if (in.tick == 0) {
        cores.push_back(std::make_unique<CycleCore>(khr1(), motion_for(mode), config_for(mode)));
      }
    }
  }
  void run() noexcept {
    std::size_t core = 0;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (k > 0 && inputs[k].tick == 0) ++core;
      cores[core]->step(inputs[k], out);
    }
  }
  std::vector<CycleInput> inputs;
  std::vector<std::unique_ptr<CycleCore>> cores;
  CycleOutput out;
};

class Purity : public testing::TestWithParam<PlayMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, Purity,
                         testing::Values(PlayMode::kKeyframe, PlayMode::kStream,
                                         PlayMode::kStored));

TEST_P(Purity, StepNeitherAllocatesNorLocksNorReadsAClockNorDoesIo) {
  Rerun rerun(GetParam());
  const Counts counts = watch([&] { rerun.run(); });
  EXPECT_GT(rerun.inputs.size(), 5000u);
  EXPECT_EQ(counts.allocations, 0);
  EXPECT_EQ(counts.locks, 0);
  EXPECT_EQ(counts.clock_reads, 0);
  EXPECT_EQ(counts.io_calls, 0);
  EXPECT_EQ(rerun.out.phase, Phase::kReleased);
}

TYPED_TEST(ControlPurity, ControllersNeitherAllocateNorLockNorReadAClockNorDoIo) {
  TypeParam rerun;
  const Counts counts = watch([&] { rerun.run(); });
  EXPECT_EQ(counts.allocations, 0);
  EXPECT_EQ(counts.locks, 0);
  EXPECT_EQ(counts.clock_reads, 0);
  EXPECT_EQ(counts.io_calls, 0);
}

/// A step that does what it must not, through the probe: the same path as the real one.
Counts planted(void (*violation)(void*, CyclePart) noexcept) {
  ClosedLoop loop(khr1(), small_motion(khr1()), config_for(PlayMode::kStream));
  loop.run(100);
  CycleCore core(khr1(), small_motion(khr1()), config_for(PlayMode::kStream));
  CycleOutput out;
  return watch([&] {
    for (const CycleRecord& row : loop.rows()) core.step(row.in, out, {violation, nullptr});
  });
}

TEST(PurityHooks, CatchAPlantedViolationOfEachKind) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizers replace the same functions";
  EXPECT_GT(planted([](void*, CyclePart) noexcept {
              std::string longer_than_a_short_string(100, 'x');
              asm volatile("" : : "r"(longer_than_a_short_string.data()) : "memory");
            }).allocations,
            0);
  EXPECT_GT(planted([](void*, CyclePart) noexcept {
              static std::mutex mutex;
              const std::lock_guard lock(mutex);
            }).locks,
            0);
  EXPECT_GT(planted([](void*, CyclePart) noexcept {
              const auto now = std::chrono::steady_clock::now();
              asm volatile("" : : "r"(&now) : "memory");
            }).clock_reads,
            0);
  EXPECT_GT(
      planted([](void*, CyclePart) noexcept { (void)!::write(STDERR_FILENO, "", 0); }).io_calls, 0);
}

/// From now on every system call but the end of the process is a SIGSYS.
void forbid_system_calls() noexcept {
  static std::array<sock_filter, 6> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  static sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  constexpr int kNoFilter = 99;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(kNoFilter);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) ::_exit(kNoFilter);
}

/// Runs `action` in a child under the filter; the child's wait status.
template <class Action>
int status_under_filter(Action action) {
  const pid_t child = ::fork();
  if (child == 0) {
    forbid_system_calls();
    action();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST_P(Purity, StepMakesNoSystemCall) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizers make system calls of their own";
  Rerun rerun(GetParam());
  const int status = status_under_filter([&] { rerun.run(); });
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TYPED_TEST(ControlPurity, ControllersMakeNoSystemCall) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizers make system calls of their own";
  TypeParam rerun;
  const int status = status_under_filter([&] { rerun.run(); });
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

/// The shadow model on the floor: it stands, bends its knees, goes limp and falls; or lies from the
/// start.
struct FloorRerun {
  FloorRerun(models::MethodName method, const BasePose& start) {
    const models::RobotDescription robot = models::read_robot_folder(
        KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFloating);
    ClosedLoop loop(khr1(), small_motion(khr1()), config_for(PlayMode::kStream));
    loop.run_until(Phase::kPlaying);
    loop.run(500);
    loop.stop = StopLevel::kRelease;
    loop.run(2000);
    rows = loop.rows();
    CycleConfig config = config_for(PlayMode::kStream);
    config.floor = models::FloorOptions{};
    config.floor->settings.method = method;
    config.start = start;
    core = std::make_unique<CycleCore>(robot, small_motion(robot), config);
  }
  void run() noexcept {
    for (const CycleRecord& row : rows) core->step(row.in, out);
  }
  std::vector<CycleRecord> rows;
  std::unique_ptr<CycleCore> core;
  CycleOutput out;
};

class FloorPurity : public testing::TestWithParam<models::MethodName> {};
INSTANTIATE_TEST_SUITE_P(Methods, FloorPurity,
                         testing::Values(models::MethodName::kRelaxed,
                                         models::MethodName::kMultipoint,
                                         models::MethodName::kVolumetric),
                         [](const auto& p) { return std::string(models::name(p.param)); });

const BasePose kUpright;
const BasePose kFaceDown{.turn = {std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0}};

TEST_P(FloorPurity, FallingAndLyingNeitherAllocateNorLockNorReadAClockNorDoIo) {
  for (const BasePose& start : {kUpright, kFaceDown}) {
    FloorRerun rerun(GetParam(), start);
    const Counts counts = watch([&] { rerun.run(); });
    EXPECT_EQ(counts.allocations, 0);
    EXPECT_EQ(counts.locks, 0);
    EXPECT_EQ(counts.clock_reads, 0);
    EXPECT_EQ(counts.io_calls, 0);
    EXPECT_TRUE(rerun.out.fell);
  }
}

TEST_P(FloorPurity, FallingMakesNoSystemCall) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizers make system calls of their own";
  FloorRerun rerun(GetParam(), kUpright);
  const int status = status_under_filter([&] { rerun.run(); });
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(PurityFilter, CatchesAPlantedSystemCall) {
  if (!test::hooks_are_active()) GTEST_SKIP() << "the sanitizers make system calls of their own";
  const int status = status_under_filter([] { (void)::syscall(SYS_getpid); });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSYS);
}

}  // namespace
}  // namespace kagami::runtime
