// A test of one joint in the cycle: the reference is the signal, the active controller follows it,
// and a stop, a fault or a limit ends it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "control/safety/safety_gate.hpp"
#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "motions/play/interpolate.hpp"
#include "runtime/cycle/joint_excitation.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"
#include "runtime/cycle/verify.hpp"

namespace kagami::runtime {
namespace {

using control::JointSignal;
using control::TestKind;
using test::ClosedLoop;
using test::khr1;
using Stage = JointTestStage;

enum class Leader { kMotion, kPid };

CycleConfig leader_config(Leader leader) {
  CycleConfig c;
  c.play.mode = motions::PlayMode::kStream;
  c.play.settle = 0.2;
  if (leader == Leader::kPid) {
    c.control.gains = {read_text_file(KAGAMI_SOURCE_DIR "/control/data/gains/khr1_walk.json")};
  }
  return c;
}

motions::Motion motion() {
  return test::make_motion(khr1(),
                           {{1.0, {}, 6}, {0.5, {{"left_knee", 30}, {"left_elbow", -20}}, 6}});
}

JointSignal signal_of(TestKind kind, const std::string& joint, double size_deg, double seconds) {
  JointSignal s;
  s.kind = kind;
  s.joint = test::joint_index(khr1(), joint);
  s.size = to_rad(size_deg);
  s.seconds = seconds;
  return s;
}

void ask(ClosedLoop& loop, const JointSignal& signal) {
  ++loop.tuning.version;
  ++loop.tuning.tests;
  loop.tuning.test = signal;
}

/// Holds after its motion.
struct Held : ClosedLoop {
  explicit Held(Leader leader) : ClosedLoop(khr1(), motion(), leader_config(leader)) {
    EXPECT_TRUE(run_until(Phase::kDone));
    run(50);
  }
};

/// Runs until no test is under way any more, at most so many ticks.
void finish(ClosedLoop& loop, int limit = 20'000) {
  for (int k = 0; k < limit; ++k) {
    if (loop.tick().test == Stage::kNone) return;
  }
  ADD_FAILURE() << "the test did not end by itself";
}

std::vector<CycleOutput> rows_in(const ClosedLoop& loop, Stage stage) {
  std::vector<CycleOutput> found;
  for (const CycleRecord& row : loop.rows()) {
    if (row.out.test == stage) found.push_back(row.out);
  }
  return found;
}

/// Targets never left the soft limits nor outran the servos.
void expect_limits_kept(const ClosedLoop& loop) {
  const control::SafetyLimits limits = control::safety_limits(khr1().wiring, khr1().servos);
  for (std::size_t k = 1; k < loop.rows().size(); ++k) {
    const CycleOutput& out = loop.rows()[k].out;
    const CycleOutput& before = loop.rows()[k - 1].out;
    if (before.targets.sequence == 0) continue;
    for (std::size_t j = 0; j < static_cast<std::size_t>(limits.num_joints); ++j) {
      ASSERT_GE(out.targets.angle[j], limits.angle_min[j]);
      ASSERT_LE(out.targets.angle[j], limits.angle_max[j]);
      ASSERT_LE(std::abs(out.targets.angle[j] - before.targets.angle[j]),
                limits.rate_max[j] * 1e-3 + 1e-12)  // rad; rounding of the difference
          << k;
    }
  }
}

void expect_verified(const ClosedLoop& loop, Leader leader) {
  CycleCore fresh(khr1(), motion(), leader_config(leader));
  std::size_t next = 0;
  const VerifyResult result = verify(
      [&](CycleRecord& row) {
        if (next == loop.rows().size()) return false;
        row = loop.rows()[next++];
        return true;
      },
      fresh);
  EXPECT_TRUE(result.identical) << result.tick << " " << result.field;
}

class Signals : public testing::TestWithParam<std::tuple<Leader, TestKind>> {};
INSTANTIATE_TEST_SUITE_P(Led, Signals,
                         testing::Combine(testing::Values(Leader::kMotion, Leader::kPid),
                                          testing::Values(TestKind::kStep, TestKind::kRamp,
                                                          TestKind::kChirp)));

TEST_P(Signals, TheReferenceIsTheSignalOnThatJointAloneAndReturns) {
  const auto [leader, kind] = GetParam();
  Held loop(leader);
  const JointArray<double> base = loop.out().q_ref;
  const JointArray<double> held = loop.out().targets.angle;
  const JointSignal signal = signal_of(kind, "left_knee", 12.0, 1.5);
  const auto j = static_cast<std::size_t>(signal.joint);
  ask(loop, signal);
  EXPECT_EQ(loop.tick().test, Stage::kSettling);
  EXPECT_EQ(loop.out().state, SupervisorState::kRunning);
  EXPECT_EQ(loop.out().phase, Phase::kTesting);
  finish(loop);

  EXPECT_EQ(rows_in(loop, Stage::kSettling).size(), 1000u);
  const std::vector<CycleOutput> rows = rows_in(loop, Stage::kRunning);
  ASSERT_EQ(rows.size(), 1501u);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double t = static_cast<double>(k) * 1e-3;
    const control::SignalPoint point =
        k == 0 ? control::SignalPoint{} : control::signal_at(signal, t);
    // rad and rad/s; 1500 sums of dt miss t by less than 1e-12 s, the signals are slower than
    // 4 rad/s and 75 rad/s^2, where a ramp turns at once one tick may lie on the other side
    ASSERT_NEAR(rows[k].q_ref[j], base[j] + point.offset, 1e-10) << k;
    JointArray<double> others = rows[k].q_ref;
    others[j] = base[j];
    ASSERT_EQ(others, base);
  }
  if (kind == TestKind::kStep) {
    const std::vector<CycleOutput> back = rows_in(loop, Stage::kReturning);
    for (std::size_t k = 0; k < back.size(); ++k) {
      const double x = static_cast<double>(k + 1) * 1e-3 / JointTest::kReturnTime;
      ASSERT_NEAR(back[k].q_ref[j], base[j] + signal.size * (1.0 - motions::smooth_step(x)), 1e-10);
    }
  }
  EXPECT_EQ(loop.out().q_ref, base);
  EXPECT_EQ(loop.out().phase, Phase::kDone);
  EXPECT_EQ(loop.out().state, SupervisorState::kHold);
  EXPECT_EQ(loop.out().targets.angle, held);
  EXPECT_EQ(rows[700].controller, leader == Leader::kMotion ? -1 : 0);
  if (leader == Leader::kMotion) {
    EXPECT_EQ(rows[700].targets.angle[j], rows[700].q_ref[j]);
  } else if (kind == TestKind::kRamp) {
    // the law hands a rate on and takes what is left out of the readings
    EXPECT_NEAR(rows[700].targets.angle[j] - rows[0].targets.angle[j], signal.size, to_rad(2.0));
  } else if (kind == TestKind::kStep) {
    EXPECT_GT(rows[1500].targets.angle[j], rows[0].targets.angle[j] + to_rad(1.0));
  }
  ASSERT_EQ(loop.events(EventCode::kJointTestBegan).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kJointTestBegan)[0].joint, signal.joint);
  EXPECT_EQ(loop.events(EventCode::kJointTestBegan)[0].value, static_cast<double>(kind));
  ASSERT_EQ(loop.events(EventCode::kJointTestEnded).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kJointTestEnded)[0].value, 1.5);
  expect_limits_kept(loop);
  expect_verified(loop, leader);
}

TEST(JointTest, ARelayMovesTheTargetAtItsSpeedAndTurnsBeyondTheHysteresis) {
  for (const Leader leader : {Leader::kMotion, Leader::kPid}) {
    Held loop(leader);
    const JointSignal signal = signal_of(TestKind::kRelay, "left_elbow", 0.0, 4.0);
    const auto j = static_cast<std::size_t>(signal.joint);
    const double base = loop.out().q_ref[j];
    const JointArray<double> held = loop.out().targets.angle;
    ask(loop, signal);
    finish(loop);
    double sign = 1.0;
    int turns = 0;
    double before = std::nan("");
    for (const CycleRecord& row : loop.rows()) {
      if (row.out.test != Stage::kRunning) continue;
      const double error = base - row.in.sample.angle[j];
      if (sign * error < -signal.relay_hysteresis) sign = -sign, ++turns;
      const double now = row.out.targets.angle[j];
      if (!std::isnan(before)) {
        ASSERT_NEAR(now - before, sign * 1e-3, 1e-12);
      }
      before = now;
    }
    EXPECT_GE(turns, 4);
    EXPECT_TRUE(loop.events(EventCode::kJointTestBroken).empty());
    EXPECT_EQ(loop.out().targets.angle, held);
    expect_limits_kept(loop);
    expect_verified(loop, leader);
  }
}

TEST(JointTest, ARelayThatRunsAwayIsAbortedAndReturns) {
  Held loop(Leader::kMotion);
  JointSignal signal = signal_of(TestKind::kRelay, "left_elbow", 0.0, 10.0);
  signal.relay_hysteresis = 0.5;  // more than it may go
  const auto j = static_cast<std::size_t>(signal.joint);
  const double held = loop.out().targets.angle[j];
  ask(loop, signal);
  finish(loop);
  const std::vector<Event> broken = loop.events(EventCode::kJointTestBroken);
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].value, static_cast<double>(JointTestReason::kRelayAway));
  EXPECT_TRUE(loop.events(EventCode::kJointTestEnded).empty());
  for (const CycleRecord& row : loop.rows()) {
    EXPECT_LE(std::abs(row.out.targets.angle[j] -
                       (row.out.test == Stage::kNone ? row.out.targets.angle[j] : held)),
              JointTest::kRelayReach + 1e-12);
  }
  EXPECT_EQ(loop.out().targets.angle[j], held);
  EXPECT_EQ(loop.out().state, SupervisorState::kHold);
  expect_limits_kept(loop);
}

TEST(JointTest, EveryStopAndAFaultBreakItOff) {
  struct Case {
    StopLevel stop;
    Phase phase;
    JointTestReason reason;
  };
  for (const Case& c : {Case{StopLevel::kSlowDown, Phase::kHeld, JointTestReason::kStopped},
                        Case{StopLevel::kHoldNow, Phase::kHeld, JointTestReason::kStopped},
                        Case{StopLevel::kRelease, Phase::kReleased, JointTestReason::kStopped},
                        Case{StopLevel::kNone, Phase::kHeld, JointTestReason::kFault}}) {
    SCOPED_TRACE(static_cast<int>(c.stop));
    Held loop(Leader::kPid);
    const JointSignal signal = signal_of(TestKind::kChirp, "left_knee", 10.0, 5.0);
    const auto j = static_cast<std::size_t>(signal.joint);
    ask(loop, signal);
    loop.run(2500);
    ASSERT_EQ(loop.out().test, Stage::kRunning);
    const JointArray<double> before = loop.out().targets.angle;
    loop.stop = c.stop;
    loop.robot.is_silent = c.stop == StopLevel::kNone;
    loop.run(c.stop == StopLevel::kHoldNow ? 1 : 600);
    EXPECT_EQ(loop.out().phase, c.phase);
    EXPECT_EQ(loop.out().test, Stage::kNone);
    if (c.stop == StopLevel::kHoldNow) {
      EXPECT_EQ(loop.out().targets.angle, before);
    }
    EXPECT_EQ(loop.out().qd_ref[j], 0.0);
    const JointArray<double> held = loop.out().targets.angle;
    loop.run(300);
    EXPECT_EQ(loop.out().targets.angle, held);
    const std::vector<Event> broken = loop.events(EventCode::kJointTestBroken);
    ASSERT_EQ(broken.size(), 1u);
    EXPECT_EQ(broken[0].value, static_cast<double>(c.reason));
    EXPECT_TRUE(loop.events(EventCode::kJointTestEnded).empty());
    expect_limits_kept(loop);
    expect_verified(loop, Leader::kPid);
  }
}

TEST(JointTest, ASlowStopIsASmoothOneAndTheNextTestBeginsWhereItStands) {
  Held loop(Leader::kMotion);
  const JointSignal signal = signal_of(TestKind::kRamp, "left_knee", 20.0, 4.0);
  const auto j = static_cast<std::size_t>(signal.joint);
  ask(loop, signal);
  loop.run(1500);
  loop.stop = StopLevel::kSlowDown;
  double speed = signal.size;  // rad/s, of the ramp's first quarter
  for (int k = 0; k < 500; ++k) {
    const double before = loop.out().q_ref[j];
    const double now = (loop.tick().q_ref[j] - before) / 1e-3;
    EXPECT_LE(now, speed + 1e-9);
    EXPECT_GE(now, -1e-9);
    speed = now;
  }
  EXPECT_LT(speed, 0.01);  // rad/s
  loop.run(20);
  ASSERT_EQ(loop.out().phase, Phase::kHeld);
  loop.stop = StopLevel::kNone;
  loop.run(2);
  const double held = loop.out().targets.angle[j];
  ask(loop, signal_of(TestKind::kStep, "left_knee", -5.0, 0.5));
  finish(loop);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
  EXPECT_EQ(loop.out().targets.angle[j], held);
  EXPECT_NEAR(rows_in(loop, Stage::kRunning).back().q_ref[j], held - to_rad(5.0), 1e-12);
  // a stop in the hold after it is one at once
  loop.stop = StopLevel::kSlowDown;
  loop.run(2);
  EXPECT_EQ(loop.out().state, SupervisorState::kHold);
  EXPECT_EQ(loop.out().targets.angle[j], held);
}

// the test ends before its time scale has come to rest
TEST(JointTest, AStopAtTheVeryEndOfATestIsAHoldToo) {
  Held loop(Leader::kMotion);
  ask(loop, signal_of(TestKind::kStep, "left_knee", 5.0, 0.5));
  for (int k = 0; k < 5000 && loop.tick().test != Stage::kReturning; ++k) {
  }
  ASSERT_EQ(loop.out().test, Stage::kReturning);
  loop.run(static_cast<int>(JointTest::kReturnTime * 1e3) - 20);
  ASSERT_EQ(loop.out().test, Stage::kReturning);
  loop.stop = StopLevel::kSlowDown;
  loop.run(600);
  EXPECT_EQ(loop.out().state, SupervisorState::kHold);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
  loop.stop = StopLevel::kNone;
  loop.run(2);
  ask(loop, signal_of(TestKind::kStep, "left_knee", -5.0, 0.5));
  loop.run(1100);
  EXPECT_EQ(loop.out().test, Stage::kRunning);
}

TEST(JointTest, IsRefusedWithItsReasonAndNothingMoves) {
  const JointSignal good = signal_of(TestKind::kStep, "left_knee", 5.0, 0.5);
  const auto last = [](const ClosedLoop& loop) {
    const std::vector<Event> all = loop.events(EventCode::kJointTestRefused);
    return all.empty() ? JointTestReason::kTargetRefused
                       : static_cast<JointTestReason>(all.back().value);
  };
  {
    ClosedLoop loop(khr1(), motion(), leader_config(Leader::kMotion));
    loop.stop = StopLevel::kHoldNow;  // before the first reading
    loop.run(5);
    loop.stop = StopLevel::kNone;
    ask(loop, good);
    loop.tick();
    EXPECT_EQ(last(loop), JointTestReason::kNothingSent);
  }
  ClosedLoop loop(khr1(), motion(), leader_config(Leader::kMotion));
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  ask(loop, good);
  loop.tick();
  EXPECT_EQ(last(loop), JointTestReason::kNotHolding);
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  const JointArray<double> held = loop.out().targets.angle;
  const auto refused = [&](const JointSignal& signal) {
    ask(loop, signal);
    EXPECT_EQ(loop.tick().test, Stage::kNone);
    EXPECT_EQ(loop.out().targets.angle, held);
    return last(loop);
  };
  JointSignal s = good;
  s.joint = 17;
  EXPECT_EQ(refused(s), JointTestReason::kNoJoint);
  s.joint = -1;
  EXPECT_EQ(refused(s), JointTestReason::kNoJoint);
  s = good;
  s.size = std::nan("");
  EXPECT_EQ(refused(s), JointTestReason::kSignal);
  s = good;
  s.seconds = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refused(s), JointTestReason::kSignal);
  // to one degree beyond what may be used, and to one before it
  const JointWiring& knee = khr1().wiring.joints[static_cast<std::size_t>(good.joint)];
  const double base = loop.out().q_ref[static_cast<std::size_t>(good.joint)];
  for (const TestKind kind : {TestKind::kStep, TestKind::kRamp, TestKind::kChirp}) {
    s = good;
    s.kind = kind;
    s.size = knee.soft_max - base - JointTest::kMargin + to_rad(1.0);
    EXPECT_EQ(refused(s), JointTestReason::kRange);
  }
  JointWiring tight = knee;
  tight.soft_max = base + JointTest::kMargin - 1e-6;
  s.kind = TestKind::kRelay;
  EXPECT_EQ(why_not(s, &tight, base), JointTestReason::kRange);
  EXPECT_EQ(why_not(good, &knee, std::nan("")), JointTestReason::kRange);
  EXPECT_EQ(why_not(good, &knee, base), std::nullopt);

  ask(loop, good);
  EXPECT_EQ(loop.tick().test, Stage::kSettling);
  ask(loop, good);
  loop.tick();
  EXPECT_EQ(last(loop), JointTestReason::kUnderWay);
  loop.tuning.plays = 1;  // nor can a motion be played meanwhile
  ++loop.tuning.version;
  EXPECT_EQ(loop.tick().phase, Phase::kTesting);
  EXPECT_EQ(loop.events(EventCode::kPlayRefused).size(), 1u);
  finish(loop);

  loop.stop = StopLevel::kHoldNow;
  ask(loop, good);
  loop.tick();
  EXPECT_EQ(last(loop), JointTestReason::kStopAsked);
  loop.stop = StopLevel::kNone;
  loop.robot.is_gone = true;
  loop.run(20);
  EXPECT_EQ(loop.out().state, SupervisorState::kFault);
  ask(loop, good);
  loop.tick();
  EXPECT_EQ(last(loop), JointTestReason::kNotHolding);
}

}  // namespace
}  // namespace kagami::runtime
