// Loops on twin and virtual robot against each other, joint tests, side runs with their guard,
// autotune.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/test/support/expect_refused.hpp"
#include "models/test/support/no_alloc.hpp"
#include "runtime/test/support/run_case.hpp"
#include "tools/test/tune/tune_case.hpp"
#include "tools/tune/autotune.hpp"
#include "tools/tune/band_watch.hpp"
#include "tools/tune/joint_test.hpp"
#include "tools/tune/perturbed.hpp"
#include "tools/tune/side_run.hpp"

namespace kagami::tools {
namespace {

using test::expect_refused;
using test::gains_text;
using test::khr1_on_stand;
using test::plant_servos;
using test::robot_loop;
using test::shipped_motion;
using test::twin_loop;

JointSignal step_of(const std::string& joint, double size_deg, double seconds = 2.0) {
  JointSignal signal;
  signal.joint = joint_index(khr1_on_stand(), joint);
  signal.size = to_rad(size_deg);
  signal.seconds = seconds;
  return signal;
}

TEST(LineTiming, IsThatOfTheBoardsInARun) {
  const LineTiming line = line_timing(2);
  // 70 bytes of 86.8 us and four waits of 1 ms: 99.24 rounds per second, as runs report
  EXPECT_NEAR(1e9 / static_cast<double>(line.round_ns), 99.24, 0.01);
  EXPECT_LT(line.command_ns[0], line.command_ns[1]);
  EXPECT_LT(line.command_ns[1], line.sampled_ns[0]);
  EXPECT_LT(line.sampled_ns[1], line.round_ns);
}

TEST(JointTest, OfAServoThatIsALagHasTheLagsFigures) {
  ServoSet servos = khr1_on_stand().servos;
  const auto knee = static_cast<std::size_t>(joint_index(khr1_on_stand(), "left_knee"));
  servos.joints[knee].delay = 0.0;
  servos.joints[knee].filter_1 = 0.3;
  servos.joints[knee].filter_2 = 0.0;
  servos.joints[knee].kp = 100.0;
  TwinLoop twin = twin_loop(servos);
  const JointTestResult r =
      test_joint(khr1_on_stand(), twin, nullptr, {}, step_of("left_knee", 20.0, 4.0));
  ASSERT_TRUE(r.metrics.step.has_value());
  // the board's ramp (10 ms from reading to reading, 56 ms for the step) is short beside the lag
  EXPECT_NEAR(r.metrics.step->rise.value_or(-1.0), 0.3 * std::log(9.0), 0.015);  // s
  EXPECT_LT(r.metrics.step->overshoot, 0.1);                                     // %
  EXPECT_NEAR(r.metrics.steady_error, 0.0, to_rad(0.2));
  EXPECT_NEAR(r.measured.step->rise.value_or(-1.0), 0.3 * std::log(9.0), 0.08);  // whole degrees
  EXPECT_GT(r.readings.time.size(), 390u);
  EXPECT_EQ(r.status, control::ControlStatus::kOk);
}

TEST(JointTest, AgreesBetweenTheTwinAndTheVirtualRobotWithTheTwinsServos) {
  const auto controller = make_loop_controller(khr1_on_stand(), gains_text("awa_2009"));
  TwinLoop twin = twin_loop(khr1_on_stand().servos);
  RobotLoop robot = robot_loop(khr1_on_stand().servos);
  for (const TestKind kind : {TestKind::kStep, TestKind::kRamp, TestKind::kChirp}) {
    SCOPED_TRACE(name_of(kind));
    JointSignal signal = step_of("right_hip_pitch", -12.0, 1.5);
    signal.kind = kind;
    const JointTestResult a = test_joint(khr1_on_stand(), twin, controller.get(), {}, signal);
    const JointTestResult b = test_joint(khr1_on_stand(), robot, controller.get(), {}, signal);
    ASSERT_EQ(a.response.angle.size(), b.response.angle.size());
    double squares = 0.0;
    for (std::size_t i = 0; i < a.response.angle.size(); ++i) {
      squares += std::pow(a.response.angle[i] - b.response.angle[i], 2);
      ASSERT_EQ(a.response.reference[i], b.response.reference[i]);
    }
    // rounds do not begin at the same ticks, which turns whole degrees a little earlier or later
    EXPECT_LT(to_deg(std::sqrt(squares / static_cast<double>(a.response.angle.size()))), 0.6);
    EXPECT_NEAR(a.metrics.rms, b.metrics.rms, 0.05 * b.metrics.rms);
  }
}

TEST(JointTest, IsTheSameEveryTimeAndRefusesWhatCannotBe) {
  const auto controller = make_loop_controller(khr1_on_stand(), gains_text("awa_2009"));
  TwinLoop twin = twin_loop(khr1_on_stand().servos);
  const JointSignal signal = step_of("left_elbow", -10.0, 1.0);
  const JointTestResult a = test_joint(khr1_on_stand(), twin, controller.get(), {}, signal);
  const JointTestResult b = test_joint(khr1_on_stand(), twin, controller.get(), {}, signal);
  EXPECT_EQ(a.response.angle, b.response.angle);
  EXPECT_EQ(a.target, b.target);
  const auto run = [&](JointSignal s) { (void)test_joint(khr1_on_stand(), twin, nullptr, {}, s); };
  expect_refused([&] { run(step_of("left_elbow", 0.0)); }, "size");
  expect_refused([&] { run(step_of("left_elbow", 5.0, 0.1)); }, "length");
  expect_refused([&] { (void)step_of("left_kne", 5.0); }, "has head_yaw left_shoulder_pitch");
  expect_refused([] { (void)control::test_kind("jump"); }, "expected step, ramp, relay or chirp");
  expect_refused([] { (void)make_loop_controller(khr1_on_stand(), gains_text("khr1_hands")); },
                 "expected one that answers by targets");
}

TEST(GainChange, IsReadAppliedAndWrittenBack) {
  EXPECT_EQ(gain_change_of("pid/left_knee/kp=4.2").name, "left_knee/kp");
  EXPECT_EQ(gain_change_of("left_knee/kp=4.2").value, 4.2);
  for (const char* bad : {"left_knee/kp", "=3", "left_knee/kp=", "left_knee/kp=x", "a/kp=nan"}) {
    expect_refused([&] { (void)gain_change_of(bad); }, "expected JOINT/GAIN=NUMBER");
  }
  const auto controller = make_loop_controller(khr1_on_stand(), gains_text("awa_2009"));
  const std::vector<GainChange> changes{{"all/kp", 3.0}, {"left_knee/kp", 4.2}};
  apply_gains(*controller, changes);
  EXPECT_EQ(gains_of(*controller, "left_knee")[0].value, 4.2);
  EXPECT_EQ(gains_of(*controller, "right_knee")[0].value, 3.0);
  const std::vector<GainChange> half{{"left_knee/kp", 9.0}, {"left_knee/kd", 50.0}};
  expect_refused([&] { apply_gains(*controller, half); }, "left_knee/kd: 50 is outside [0, 0.99]");
  EXPECT_EQ(gains_of(*controller, "left_knee")[0].value, 4.2);  // nothing was changed
  expect_refused(
      [&] {
        apply_gains(*controller, std::vector<GainChange>{{"left_kne/kp", 1.0}});
      },
      "no gain 'left_kne/kp'");
  // gains that bound each other: in any order, all or none
  const std::string filtered =
      gain_set_text(gains_text("awa_2009"),
                    std::vector<GainChange>{{"left_knee/kp", 5.0},
                                            {"left_knee/ki", 0.0},
                                            {"left_knee/kd", 2.0},
                                            {"left_knee/filter_time", 0.02}},
                    "filtered", "");
  const auto other = make_loop_controller(khr1_on_stand(), filtered);
  apply_gains(*other,
              std::vector<GainChange>{{"left_knee/filter_time", 0.0}, {"left_knee/kd", 0.5}});
  EXPECT_EQ(gains_of(*other, "left_knee")[2].value, 0.5);
  const std::vector<GainChange> apart{{"left_knee/kp", 7.0}, {"left_knee/kd", 2.0}};
  expect_refused([&] { apply_gains(*other, apart); }, "left_knee/kd: 2 does not go with");
  EXPECT_EQ(gains_of(*other, "left_knee")[0].value, 5.0);
  const std::string text =
      gain_set_text(gains_text("awa_2009"), gains_of(*controller, "left_knee"), "mine", "a note");
  const auto again = make_loop_controller(khr1_on_stand(), text);
  EXPECT_EQ(gains_of(*again, "left_knee")[0].value, 4.2);
  EXPECT_EQ(gains_of(*again, "left_knee")[1].value, 10.0);
  EXPECT_EQ(gains_of(*again, "right_knee")[0].value, 5.0);
  expect_refused([&] { (void)gain_set_text(gains_text("khr1_hands"), {}, "", ""); }, "of 'pid'");
}

TEST(Perturbed, ServosStayInTheirRangesAndAreTheSameForASeed) {
  const ServoSet centre = khr1_on_stand().servos;
  const ServoRanges ranges;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ServoSet set = draw_servos(centre, seed);
    for (std::size_t j = 0; j < set.joints.size(); ++j) {
      const ServoParameters& s = set.joints[j];
      EXPECT_GE(s.filter_1, ranges.filter.min);
      EXPECT_LE(s.filter_2, ranges.filter.max);
      EXPECT_LE(std::abs(s.trim - centre.joints[j].trim), to_rad(ranges.trim_deg));
      EXPECT_TRUE(s.dead_band == 0.0 || s.backlash == 0.0);
    }
    EXPECT_EQ(draw_servos(centre, seed).joints[3].kp, set.joints[3].kp);
  }
  EXPECT_NE(draw_servos(centre, 1).joints[3].kp, draw_servos(centre, 2).joints[3].kp);
  EXPECT_EQ(perturbed_twins(centre, 3, 5)[2].joints[0].kde, draw_servos(centre, 6).joints[0].kde);
  expect_refused([&] { (void)perturbed_twins(centre, 0, 1); }, "at least 1");
}

/// The walk on a plant; at `motion_time` the changes are made and readings go to the watch.
std::optional<BandExit> promote(const ServoSet& plant, const PresentState& now,
                                const std::vector<GainChange>& changes, BandWatch& watch) {
  const models::RobotDescription& robot = khr1_on_stand();
  const auto controller = make_loop_controller(robot, now.gains);
  motions::PlayOptions options;
  options.mode = now.mode;
  motions::Player player(*now.motion, robot.wiring, options);
  player.start({});
  RobotLoop loop = robot_loop(plant);
  LoopCore core(robot, controller.get());
  std::int64_t promoted = -1;
  std::int64_t tick_now = 0;
  std::array<std::int64_t, kMaxBoards> last{};
  std::optional<BandExit> exit;
  const LoopReference reference = [&](std::int64_t tick, motions::PlayCommand& command) {
    player.step(kLoopPeriod, command);
    tick_now = tick;
    if (promoted >= 0 || command.motion_time < now.motion_time) return;
    promoted = tick;
    apply_gains(*controller, changes);
  };
  const auto ticks = static_cast<std::int64_t>(1000.0 * (now.motion_time + 4.0));
  loop.run(core, {}, ticks, reference, [&](const LoopRow& row) {
    if (promoted < 0) return;
    const std::int64_t begin_ns = row.now_ns - (row.tick - promoted) * kLoopPeriodNs;
    for (std::size_t j = 0; j < robot.joint_names.size(); ++j) {
      const auto board = static_cast<std::size_t>(robot.wiring.joints[j].board());
      if (row.seen.sampled_ns[board] == last[board]) continue;
      const double t = static_cast<double>(row.seen.sampled_ns[board] - begin_ns) * 1e-9;
      const auto left = watch.see(static_cast<int>(j), t, row.seen.angle[j]);
      if (left && !exit) exit = left;
    }
    last = row.seen.sampled_ns;
  });
  EXPECT_GE(promoted, 0);
  return exit;
}

PresentState in_the_walk() {
  PresentState now;
  now.motion = shipped_motion("walk_forward");
  now.motion_time = 1.5;
  now.gains = gains_text("awa_2009");
  return now;
}
const std::vector<GainChange> kBetter{
    {"all/kp", 4.8}, {"all/ki", 0.0}, {"all/kd", 0.9}, {"all/lead_time", 0.18}};

TEST(SideRun, PredictsABandThatTheRobotKeepsAndASickOneLeaves) {
  const PresentState now = in_the_walk();
  const SideRun run = run_aside(khr1_on_stand(), now, kBetter);
  EXPECT_TRUE(run.ok) << run.why;
  ASSERT_EQ(run.t.size(), 201u);
  EXPECT_NEAR(run.t.back(), 2.0, 1e-9);
  for (const PredictedBand& band : run.joints) {
    for (std::size_t i = 0; i < run.t.size(); ++i) {
      ASSERT_LE(band.low[i], band.mean[i] + 1e-12);
      ASSERT_LE(band.mean[i], band.high[i] + 1e-12);
    }
  }
  const auto knee = static_cast<std::size_t>(joint_index(khr1_on_stand(), "left_knee"));
  EXPECT_LT(run.rms_after[knee], 0.9 * run.rms_before[knee]);

  BandWatch well(run);
  const auto stays = promote(plant_servos(), now, kBetter, well);
  EXPECT_FALSE(stays.has_value()) << stays->joint << " at " << stays->time << " s: " << stays->angle
                                  << " in " << stays->low << ".." << stays->high;
  EXPECT_TRUE(well.is_over(2.01));
  // a servo whose gear slips: it gives a fifth of its torque and lags by half a second
  ServoSet sick = plant_servos();
  sick.joints[knee].filter_1 = 0.5;
  sick.joints[knee].stall_torque *= 0.2;
  BandWatch ill(run);
  const auto left = promote(sick, now, kBetter, ill);
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(left->joint, static_cast<int>(knee));
  EXPECT_TRUE(left->angle < left->low || left->angle > left->high);
}

TEST(SideRun, SaysWhichJointWouldFollowWorseAndIsTheSameEveryTime) {
  PresentState now = in_the_walk();
  SideRunSettings settings;
  settings.twins = 2;
  settings.seconds = 1.0;
  const std::vector<GainChange> worse{{"left_knee/kp", 40.0}};
  now.turned = kBetter;
  const SideRun a = run_aside(khr1_on_stand(), now, worse, settings);
  EXPECT_FALSE(a.ok);
  EXPECT_NE(a.why.find("left_knee"), std::string::npos) << a.why;
  const SideRun b = run_aside(khr1_on_stand(), now, worse, settings);
  EXPECT_EQ(a.joints[9].mean, b.joints[9].mean);
  EXPECT_EQ(a.rms_after, b.rms_after);
  const nlohmann::json j = side_run_json(a, khr1_on_stand().joint_names);
  EXPECT_EQ(j.at("predicted").at("left_knee").at("low").size(), a.t.size());
}

TEST(SideRun, OfARobotThatHoldsItsPoseStaysThere) {
  PresentState now;
  now.gains = gains_text("awa_2009");
  now.turned = kBetter;
  now.pose[9] = to_rad(20.0);
  SideRunSettings settings;
  settings.seconds = 0.5;
  const SideRun run = run_aside(khr1_on_stand(), now, {}, settings);
  EXPECT_TRUE(run.ok) << run.why;
  EXPECT_NEAR(run.joints[9].mean.back(), to_rad(20.0), to_rad(1.0));
  EXPECT_NEAR(run.joints[10].mean.back(), 0.0, to_rad(1.0));
}

TEST(SideRun, RefusesWhatCannotBeTried) {
  const PresentState now = in_the_walk();
  const auto run = [&](const std::vector<GainChange>& changes, double seconds, int twins) {
    SideRunSettings s;
    s.seconds = seconds;
    s.twins = twins;
    (void)run_aside(khr1_on_stand(), now, changes, s);
  };
  expect_refused([&] { run({{"left_knee/kp", -1.0}}, 1.0, 1); }, "outside [0, 1000]");
  expect_refused([&] { run({{"left_knee/kq", 1.0}}, 1.0, 1); }, "no gain");
  expect_refused([&] { run({}, 99.0, 1); }, "seconds");
  expect_refused([&] { run({}, 1.0, 0); }, "twins");
}

TEST(BandWatch, AllowsADegreeAndTheDelayAndCountsReadingsInARow) {
  SideRun run;
  run.joints.resize(1);
  for (int i = 0; i <= 100; ++i) {
    run.t.push_back(0.01 * i);
    const double mean = i < 50 ? 0.0 : 0.5;  // a step at 0.5 s
    run.joints[0].low.push_back(mean - 0.01);
    run.joints[0].mean.push_back(mean);
    run.joints[0].high.push_back(mean + 0.01);
  }
  BandAllowance allowance;
  allowance.readings = 3;
  BandWatch watch(run, allowance);
  const test::NoAlloc guard;
  EXPECT_FALSE(watch.see(0, 0.1, 0.044));  // within the allowance of 0.0349
  for (int k = 0; k < 5; ++k) EXPECT_FALSE(watch.see(0, 0.475, 0.5));  // 25 ms early
  for (int k = 0; k < 5; ++k) EXPECT_FALSE(watch.see(0, 0.525, 0.0));  // 25 ms late
  EXPECT_FALSE(watch.see(0, 0.2, 0.2));
  EXPECT_FALSE(watch.see(0, 0.2, 0.2));
  EXPECT_FALSE(watch.see(0, 0.2, 0.0));  // back inside: counted anew
  EXPECT_FALSE(watch.see(0, 0.6, 0.0));
  EXPECT_FALSE(watch.see(0, 0.6, std::nan("")));
  const auto left = watch.see(0, 0.6, 0.0);
  EXPECT_EQ(guard.count(), 0);
  ASSERT_TRUE(left.has_value());
  EXPECT_NEAR(left->low, 0.49 - allowance.angle, 1e-12);
  EXPECT_FALSE(watch.see(0, 0.6, 0.0));  // said once
  EXPECT_FALSE(BandWatch(run).see(3, 0.5, 9.0));
  EXPECT_FALSE(BandWatch(run, {0.0, 0.0, 1}).see(0, 1.5, 9.0));  // over
  EXPECT_TRUE(BandWatch(run, {0.0, 0.0, 1}).see(0, 0.3, 0.011).has_value());
  expect_refused([] { BandWatch{SideRun{}}; }, "nothing was predicted");
  expect_refused([&] { BandWatch(run, {-1.0, 0.0, 1}); }, "allowance");
}

AutotuneSettings quick(AutotuneMethod method) {
  AutotuneSettings s;
  s.method = method;
  s.joint = joint_index(khr1_on_stand(), "left_knee");
  s.twins = 2;
  s.evaluations = 24;
  return s;
}

TEST(Autotune, FindsBetterGainsThanTheThesissByBothMethods) {
  for (const AutotuneMethod method : {AutotuneMethod::kRelay, AutotuneMethod::kOptimise}) {
    const AutotuneResult r =
        autotune(khr1_on_stand(), gains_text("awa_2009"), {}, {}, quick(method));
    EXPECT_LT(r.cost_after, 0.5 * r.cost_before) << r.why;
    ASSERT_GE(r.before.size(), 4u);
    EXPECT_EQ(r.before[3].name, "left_knee/lead_time");
    EXPECT_EQ(r.before[0].value, 5.0);
    EXPECT_NE(r.after[3].value, 0.0);
    ASSERT_EQ(r.after_tests.size(), 1u);
    EXPECT_LT(r.after_tests[0].metrics.step->overshoot, r.before_tests[0].metrics.step->overshoot);
    EXPECT_LE(r.evaluations, 24);
    EXPECT_EQ(autotune_json(r).at("after").at("gains").at("left_knee/kp"), r.after[0].value);
  }
}

TEST(Autotune, GivesTheOldGainsBackWhenAborted) {
  std::atomic<bool> abort{false};
  AutotuneHooks hooks;
  int told = 0;
  hooks.abort = &abort;
  hooks.progress = [&](double share) {
    EXPECT_GE(share, 0.0);
    EXPECT_LE(share, 1.0);
    if (++told == 3) abort = true;
  };
  const std::vector<GainChange> turned{{"left_knee/kp", 4.0}};
  const AutotuneResult r = autotune(khr1_on_stand(), gains_text("awa_2009"), turned, {},
                                    quick(AutotuneMethod::kOptimise), hooks);
  EXPECT_TRUE(r.aborted);
  EXPECT_EQ(r.evaluations, 3);
  EXPECT_EQ(r.after[0].value, 4.0);
  for (std::size_t i = 0; i < r.before.size(); ++i) EXPECT_EQ(r.after[i].value, r.before[i].value);
}

TEST(Autotune, RefusesWhatCannotBe) {
  const auto run = [](const AutotuneSettings& s, const std::string& gains) {
    (void)autotune(khr1_on_stand(), gains_text(gains), {}, {}, s);
  };
  AutotuneSettings s = quick(AutotuneMethod::kRelay);
  s.joint = 17;
  expect_refused([&] { run(s, "awa_2009"); }, "joint 17 of 17");
  s.joint = -1;
  expect_refused([&] { run(s, "awa_2009"); }, "a relay drives one joint");
  s.evaluations = 1;
  expect_refused([&] { run(s, "awa_2009"); }, "evaluations 1");
  expect_refused([] { (void)autotune_method("magic"); }, "expected relay or optimise");
}

}  // namespace
}  // namespace kagami::tools
