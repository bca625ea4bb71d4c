#include "runtime/cycle/cycle_core.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "runtime/cycle/cycle_compare.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"

namespace kagami::runtime {
namespace {

using drivers::TargetMode;
using motions::PlayMode;
using test::ClosedLoop;
using test::FakeRobotOptions;
using test::khr1;
using test::make_motion;
using test::small_motion;

CycleConfig settling_config(PlayMode mode) {
  CycleConfig config;
  config.play.mode = mode;
  config.play.settle = 0.3;
  return config;
}

class CycleCoreModes : public testing::TestWithParam<PlayMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, CycleCoreModes,
                         testing::Values(PlayMode::kKeyframe, PlayMode::kStream),
                         [](const auto& tested) {
                           return tested.param == PlayMode::kKeyframe ? "keyframe" : "stream";
                         });

TEST_P(CycleCoreModes, PlaysAMotionToItsEnd) {
  ClosedLoop loop(khr1(), small_motion(khr1()), settling_config(GetParam()));
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  EXPECT_EQ(loop.events(EventCode::kStarted).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kMotionBegan).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kMotionEnded).size(), 1u);
  EXPECT_EQ(loop.out().events_lost, 0u);
  EXPECT_NEAR(loop.out().progress, 1.0, 1e-9);
  EXPECT_NEAR(loop.out().motion_time, 2.0, 0.1);  // s, four moves of half a second
  // it moved, and ended where the motion ends
  double most = 0.0;
  const auto arm = static_cast<std::size_t>(test::joint_index(khr1(), "left_shoulder_pitch"));
  for (const CycleRecord& row : loop.rows()) {
    if (std::isfinite(row.out.q_simulated[arm])) most = std::min(most, row.out.q_simulated[arm]);
  }
  EXPECT_LT(most, to_rad(-55.0));
  loop.run(1000);  // the filters of the servos settle
  EXPECT_NEAR(loop.out().q_simulated[arm], 0.0, to_rad(1.0));
}

TEST_P(CycleCoreModes, SameInputsGiveTheSameBitsAndTheSameHash) {
  ClosedLoop first(khr1(), small_motion(khr1()), settling_config(GetParam()));
  ClosedLoop second(khr1(), small_motion(khr1()), settling_config(GetParam()));
  for (int k = 0; k < 3000; ++k) {
    first.tick();
    second.tick();
    ASSERT_EQ(first.out().state_hash, second.out().state_hash) << k;
  }
  EXPECT_FALSE(first_difference(first.out(), second.out(), 17));
}

TEST_P(CycleCoreModes, TwoCoresFedTheSameInputsAgreeInEveryBitOfEveryTick) {
  const CycleConfig config = settling_config(GetParam());
  ClosedLoop loop(khr1(), small_motion(khr1()), config);
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  // the second core gets the inputs alone, and overwrites the old outputs
  CycleCore other(khr1(), small_motion(khr1()), config);
  CycleOutput out;
  out.q_ref.fill(99.0);
  for (const CycleRecord& row : loop.rows()) {
    other.step(row.in, out);
    const auto difference = first_difference(row.out, out, kMaxJoints);
    ASSERT_FALSE(difference) << row.in.tick << " " << difference->field;
  }
}

TEST_P(CycleCoreModes, TheFirstCommandIsTheMeasuredPose) {
  FakeRobotOptions options;
  for (std::size_t i = 0; i < 17; ++i) options.start[i] = 0.02 * static_cast<double>(i % 3);
  options.start[static_cast<std::size_t>(test::joint_index(khr1(), "right_shoulder_pitch"))] =
      to_rad(-30.0);
  options.start[static_cast<std::size_t>(test::joint_index(khr1(), "left_shoulder_pitch"))] = 0;
  options.start[static_cast<std::size_t>(test::joint_index(khr1(), "right_shoulder_roll"))] = 0;
  ClosedLoop loop(khr1(), small_motion(khr1()), settling_config(GetParam()), options);
  while (loop.rows().empty() || loop.out().targets.sequence == 0) {
    ASSERT_LT(loop.rows().size(), 100u);
    loop.tick();
  }
  const CycleRecord& row = loop.rows().back();
  EXPECT_EQ(row.out.targets.mode, TargetMode::kPositions);
  EXPECT_EQ(row.out.targets.cycle, row.in.tick);
  for (std::size_t i = 0; i < 17; ++i) {
    EXPECT_EQ(row.out.targets.angle[i], row.in.sample.angle[i]) << khr1().joint_names[i];
    EXPECT_EQ(row.out.q_simulated[i], row.in.sample.angle[i]);
  }
}

TEST(CycleCore, WaitsAndSendsNothingBeforeBothBoardsWereRead) {
  ClosedLoop loop(khr1(), small_motion(khr1()), settling_config(PlayMode::kStream));
  loop.spoil = [](CycleInput& in) { in.sample.reading[1].sampled_ns = -1; };
  loop.run(100);
  EXPECT_EQ(loop.out().phase, Phase::kWaiting);
  EXPECT_EQ(loop.out().targets.mode, TargetMode::kNone);
  EXPECT_EQ(loop.out().targets.sequence, 0u);
  EXPECT_TRUE(loop.out().targets.read_positions);
  EXPECT_TRUE(std::isnan(loop.out().q_ref[0]));
  EXPECT_TRUE(std::isnan(loop.out().q_simulated[16]));
  EXPECT_TRUE(std::isnan(loop.out().residual[0]));
  EXPECT_EQ(loop.out().residual[17], 0.0);
  EXPECT_EQ(loop.core.total_duration(), 0.0);
  loop.spoil = nullptr;
  EXPECT_TRUE(loop.run_until(Phase::kLeadIn, 20));
  EXPECT_GT(loop.core.total_duration(), 2.0);
}

TEST(CycleCore, KeyframeModeSendsOneCommandPerPose) {
  ClosedLoop loop(khr1(), small_motion(khr1()), settling_config(PlayMode::kKeyframe));
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  // the present pose, the first pose, the four others
  EXPECT_EQ(loop.out().targets.sequence, 6u);
  EXPECT_EQ(loop.robot.commands_received, 12u);  // by two boards
  std::uint32_t sequence = 0;
  JointArray<double> angle{};
  for (const CycleRecord& row : loop.rows()) {
    const drivers::ServoTargets& targets = row.out.targets;
    if (targets.sequence == sequence) {
      EXPECT_EQ(targets.angle, angle) << "a held target changed";
    } else {
      EXPECT_EQ(targets.sequence, sequence + 1);
      EXPECT_EQ(targets.cycle, row.in.tick);
    }
    sequence = targets.sequence;
    angle = targets.angle;
  }
}

TEST(CycleCore, StreamModeNumbersEachChangeAndHeldTargetsKeepTheirNumber) {
  ClosedLoop loop(khr1(), small_motion(khr1()), settling_config(PlayMode::kStream));
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  std::uint32_t changes = 0;
  for (std::size_t k = 1; k < loop.rows().size(); ++k) {
    const drivers::ServoTargets& before = loop.rows()[k - 1].out.targets;
    const drivers::ServoTargets& now = loop.rows()[k].out.targets;
    const bool changed = before.angle != now.angle;
    const bool first = before.sequence == 0 && now.mode == TargetMode::kPositions;
    ASSERT_EQ(now.sequence != before.sequence, changed || first) << k;
    changes += changed ? 1 : 0;
  }
  EXPECT_GT(changes, 1500u);
  const std::uint32_t last = loop.out().targets.sequence;
  loop.run(200);
  EXPECT_EQ(loop.out().targets.sequence, last);
}

TEST(CycleCore, ReadsPositionsInEachNthRoundOrOnlyBeforeTheStart) {
  const auto rounds_read = [](int read_every) {
    CycleConfig config = settling_config(PlayMode::kStream);
    config.read_every = read_every;
    ClosedLoop loop(khr1(), small_motion(khr1()), config);
    loop.run(1000);
    EXPECT_TRUE(loop.events(EventCode::kSampleStale).empty());
    int renewed = 0;
    for (const CycleRecord& row : loop.rows()) renewed += row.out.residual_is_new[0] ? 1 : 0;
    return renewed;
  };
  const int all = rounds_read(1);
  EXPECT_NEAR(all, 165, 2);  // rounds of 6 ms in one second
  EXPECT_NEAR(rounds_read(4), 0.25 * all, 2);
  EXPECT_EQ(rounds_read(0), 0);
}

TEST(CycleCore, ASpeedChangeTakesEffectOnceAndNonsenseIsIgnored) {
  const auto ticks_to_end = [](double speed) {
    ClosedLoop loop(khr1(), small_motion(khr1()), settling_config(PlayMode::kStream));
    static double factor;
    factor = speed;
    loop.spoil = [](CycleInput& in) {
      in.tuning_is_new = in.tick == 20;
      in.tuning = {1, factor};
    };
    EXPECT_TRUE(loop.run_until(Phase::kDone));
    return static_cast<int>(loop.rows().size());
  };
  const int plain = ticks_to_end(1.0);
  EXPECT_NEAR(ticks_to_end(2.0), plain - 1000, 30);  // 2 s of motion in 1 s
  EXPECT_NEAR(ticks_to_end(0.5), plain + 2000, 60);
  EXPECT_EQ(ticks_to_end(std::nan("")), plain);
}

TEST(CycleCore, TheProbeGetsEachPartOnceInOrderAndChangesNothing) {
  ClosedLoop loop(khr1(), small_motion(khr1()), settling_config(PlayMode::kStream));
  loop.run(300);
  CycleCore probed(khr1(), small_motion(khr1()), settling_config(PlayMode::kStream));
  std::vector<CyclePart> parts;
  parts.reserve(static_cast<std::size_t>(kNumCycleParts));
  const CycleProbe probe{[](void* self, CyclePart part) noexcept {
                           static_cast<std::vector<CyclePart>*>(self)->push_back(part);
                         },
                         &parts};
  CycleOutput out;
  for (const CycleRecord& row : loop.rows()) {
    parts.clear();
    probed.step(row.in, out, probe);
    ASSERT_EQ(out.state_hash, row.out.state_hash);
    ASSERT_EQ(parts.size(), static_cast<std::size_t>(kNumCycleParts));
    for (int k = 0; k < kNumCycleParts; ++k) {
      ASSERT_EQ(static_cast<int>(parts[static_cast<std::size_t>(k)]), k);
    }
  }
}

TEST(CycleCore, RefusesAConfigurationOutOfRange) {
  const auto refused = [](auto change) {
    CycleConfig config = settling_config(PlayMode::kStream);
    change(config);
    EXPECT_THROW(CycleCore(khr1(), small_motion(khr1()), config), ConfigError);
  };
  refused([](CycleConfig& c) { c.period_ns = 0; });
  refused([](CycleConfig& c) { c.read_every = -1; });
  refused([](CycleConfig& c) { c.stale_ns = 0; });
  refused([](CycleConfig& c) { c.round_limit_ns = -1; });
  refused([](CycleConfig& c) { c.dt_max_ns = c.period_ns - 1; });
  refused([](CycleConfig& c) { c.stall_ns = c.period_ns; });
  refused([](CycleConfig& c) { c.substeps_max = 1; });
  refused([](CycleConfig& c) { c.sit_speed_code = 8; });
  refused([](CycleConfig& c) { c.slow_down_time = 0.0; });
  refused([](CycleConfig& c) { c.jump_max = -1.0; });
  refused([](CycleConfig& c) { c.rate_max = JointArray<double>{}; });
  refused([](CycleConfig& c) {
    c.sit_pose = JointArray<double>{};
    (*c.sit_pose)[2] = 10.0;
  });
  motions::Motion unbound = small_motion(khr1());
  unbound.joints.pop_back();
  EXPECT_THROW(CycleCore(khr1(), unbound, settling_config(PlayMode::kStream)), ConfigError);
}

}  // namespace
}  // namespace kagami::runtime
