// Loops on twin and virtual robot against each other, joint tests, gains by name, autotune.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/test/support/expect_refused.hpp"
#include "runtime/test/support/run_case.hpp"
#include "tools/tune/autotune.hpp"
#include "tools/tune/joint_test.hpp"
#include "tools/tune/perturbed.hpp"
#include "tools/tune/test/tune_case.hpp"

namespace kagami::tools {
namespace {

using test::expect_refused;
using test::gains_text;
using test::khr1_on_stand;
using test::robot_loop;
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

TEST(JointTest, OfAServoThatIsALagHasTheLagsMetrics) {
  ServoSet servos = khr1_on_stand().servos;
  const auto knee = static_cast<std::size_t>(joint_index(khr1_on_stand(), "left_knee"));
  servos.joints[knee].delay = 0.0;
  servos.joints[knee].filter_1 = 0.3;
  servos.joints[knee].filter_2 = 0.0;
  servos.joints[knee].kp = 100.0;
  ServoModelLoop twin = twin_loop(servos);
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
  ServoModelLoop twin = twin_loop(khr1_on_stand().servos);
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
  ServoModelLoop twin = twin_loop(khr1_on_stand().servos);
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
                 "expected one that sets targets");
}

TEST(GainChange, IsReadAppliedAndWrittenBack) {
  EXPECT_EQ(gain_change_of("pid/left_knee/kp=4.2").name, "left_knee/kp");
  EXPECT_EQ(gain_change_of("left_knee/kp=4.2").value, 4.2);
  for (const char* bad : {"left_knee/kp", "=3", "left_knee/kp=", "left_knee/kp=x", "a/kp=nan"}) {
    expect_refused([&] { (void)gain_change_of(bad); }, "expected JOINT/GAIN=NUMBER");
  }
  const auto controller = make_loop_controller(khr1_on_stand(), gains_text("awa_2009"));
  const std::vector<control::TunableValue> changes{{"all/kp", 3.0}, {"left_knee/kp", 4.2}};
  apply_gains(*controller, changes);
  EXPECT_EQ(gains_of(*controller, "left_knee")[0].value, 4.2);
  EXPECT_EQ(gains_of(*controller, "right_knee")[0].value, 3.0);
  const std::vector<control::TunableValue> half{{"left_knee/kp", 9.0}, {"left_knee/kd", 50.0}};
  expect_refused([&] { apply_gains(*controller, half); },
                 "left_knee/kd: 50 is refused, expected 0..0.99");
  EXPECT_EQ(gains_of(*controller, "left_knee")[0].value, 4.2);  // nothing was changed
  expect_refused(
      [&] {
        apply_gains(*controller, std::vector<control::TunableValue>{{"left_kne/kp", 1.0}});
      },
      "no gain 'left_kne/kp'");
  // gains that bound each other: in any order, all or none
  const std::string filtered =
      gain_set_text(gains_text("awa_2009"),
                    std::vector<control::TunableValue>{{"left_knee/kp", 5.0},
                                                       {"left_knee/ki", 0.0},
                                                       {"left_knee/kd", 2.0},
                                                       {"left_knee/filter_time", 0.02}},
                    "filtered", "");
  const auto other = make_loop_controller(khr1_on_stand(), filtered);
  apply_gains(*other, std::vector<control::TunableValue>{{"left_knee/filter_time", 0.0},
                                                         {"left_knee/kd", 0.5}});
  EXPECT_EQ(gains_of(*other, "left_knee")[2].value, 0.5);
  const std::vector<control::TunableValue> apart{{"left_knee/kp", 7.0}, {"left_knee/kd", 2.0}};
  expect_refused([&] { apply_gains(*other, apart); }, "left_knee/kd: 2 is not compatible with");
  EXPECT_EQ(gains_of(*other, "left_knee")[0].value, 5.0);
  const std::string text =
      gain_set_text(gains_text("awa_2009"), gains_of(*controller, "left_knee"), "mine", "a note");
  const auto again = make_loop_controller(khr1_on_stand(), text);
  EXPECT_EQ(gains_of(*again, "left_knee")[0].value, 4.2);
  EXPECT_EQ(gains_of(*again, "left_knee")[1].value, 10.0);
  EXPECT_EQ(gains_of(*again, "right_knee")[0].value, 5.0);
  expect_refused([&] { (void)gain_set_text(gains_text("khr1_hands"), {}, "", ""); },
                 "one for 'pid'");
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
  // the corners lie around every drawn one
  const std::vector<ServoSet> twins = enclosing_twins(centre, 4, 5);
  ASSERT_EQ(twins.size(), 4u);
  EXPECT_EQ(twins[3].joints[0].kp, draw_servos(centre, 7).joints[0].kp);
  for (std::size_t j = 0; j < centre.joints.size(); ++j) {
    const ServoParameters& slow = twins[1].joints[j];
    const ServoParameters& fast = twins[2].joints[j];
    const ServoParameters& s = twins[3].joints[j];
    EXPECT_LT(fast.delay + fast.filter_1 + fast.filter_2, s.delay + s.filter_1 + s.filter_2);
    EXPECT_GT(slow.delay + slow.filter_1 + slow.filter_2, s.delay + s.filter_1 + s.filter_2);
    EXPECT_TRUE(slow.kp < s.kp && s.kp < fast.kp);
    EXPECT_TRUE(slow.kde > s.kde && s.kde > fast.kde);
    EXPECT_NEAR(slow.trim - fast.trim, to_rad(2.0), 1e-12);
  }
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
  int reports = 0;
  hooks.abort = &abort;
  hooks.progress = [&](double share) {
    EXPECT_GE(share, 0.0);
    EXPECT_LE(share, 1.0);
    if (++reports == 3) abort = true;
  };
  const std::vector<control::TunableValue> changed_gains{{"left_knee/kp", 4.0}};
  const AutotuneResult r = autotune(khr1_on_stand(), gains_text("awa_2009"), changed_gains, {},
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
