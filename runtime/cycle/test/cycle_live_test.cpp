// Changes inside the cycle: sets that are applied whole or not at all, controllers that are
// handed over, the loop twin's own faults.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <thread>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "runtime/cycle/controller_instance.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"
#include "runtime/cycle/verify.hpp"

namespace kagami::runtime {
namespace {

using control::ControlStatus;
using test::ClosedLoop;
using test::khr1;

const std::string kScripted = R"({"schema": "kagami.gains/1", "controller": "scripted"})";

/// Follows the motion; fails from one update to another; its second number may not be above its
/// first.
class FailingController final : public control::Controller {
 public:
  FailingController(int from, int to) : from_(from), to_(to) {
    tunables_ = {{"upper", 0.0, 10.0, "", "", "", 1.0}, {"lower", 0.0, 10.0, "", "", "", 0.5}};
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "scripted"; }
  [[nodiscard]] control::ControlDrive drive() const noexcept override {
    return control::ControlDrive::kTarget;
  }
  [[nodiscard]] ControlStatus reset(const control::ControlInput&) noexcept override {
    return ControlStatus::kOk;
  }
  [[nodiscard]] ControlStatus update(const control::ControlInput& in,
                                     control::ControlOutput& out) noexcept override {
    ++updates_;
    if (updates_ >= from_ && updates_ < to_) return ControlStatus::kLoopOpen;
    out.q_target = in.q_ref;
    return ControlStatus::kOk;
  }
  [[nodiscard]] control::ControlFinding finding() const noexcept override { return {5, 0.25}; }
  [[nodiscard]] std::span<const control::Tunable> tunables() const noexcept override {
    return tunables_;
  }
  [[nodiscard]] double tunable(int index) const noexcept override {
    return index == 0 ? upper_ : lower_;
  }
  [[nodiscard]] bool set_tunable(int index, double value) noexcept override {
    if (index == 0 ? value < lower_ : value > upper_) return false;
    (index == 0 ? upper_ : lower_) = value;
    return true;
  }

 private:
  int from_;
  int to_;
  int updates_ = 0;
  double upper_ = 1.0;
  double lower_ = 0.5;
  std::vector<control::Tunable> tunables_;
};

/// The robot's never fails; the twin's, which is made second, from its 100th to its 200th update.
control::ControllerFactory factory() {
  control::ControllerFactory made;
  auto count = std::make_shared<int>(0);
  made.add("scripted", [count](const ConfigDocument&, const control::ControlPlace&) {
    const bool twin = (*count)++ % 2 == 1;
    return std::make_unique<FailingController>(twin ? 100 : -1, twin ? 200 : -1);
  });
  return made;
}

CycleConfig config() {
  CycleConfig c;
  c.play.mode = motions::PlayMode::kStream;
  c.control.gains = {kScripted};
  c.control.live = true;
  return c;
}

motions::Motion arm_up() {
  return test::make_motion(khr1(), {{1.0, {}, 6}, {1.0, {{"left_shoulder_pitch", -40}}, 6}});
}

Tuning values(std::uint64_t version, double upper, double lower, std::uint32_t layout = 0) {
  Tuning t{.version = version};
  t.layout = layout;
  t.num_values = 2;
  t.values[0] = upper;
  t.values[1] = lower;
  return t;
}

TEST(CycleLive, ASetIsAppliedWholeInAnyOrderOrRefusedWithItsPlaceAndValue) {
  ClosedLoop loop(khr1(), khr1(), arm_up(), config(), factory());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  const auto present = [&] { return loop.core.controllers().front().values; };

  loop.tuning = values(1, 8.0, 6.0);  // the lower one is above the old upper one
  EXPECT_EQ(loop.tick().tuning_version, 1u);
  EXPECT_EQ(loop.out().tuning_tick, loop.rows().back().in.tick);
  EXPECT_EQ(present(), (std::vector<double>{8.0, 6.0}));

  // 2: the controller's own objection, and the first value is not left behind
  loop.tuning = values(2, 7.0, 7.5);
  EXPECT_EQ(loop.tick().tuning_version, 1u);
  EXPECT_EQ(loop.out().tuning_seen, 2u);
  EXPECT_EQ(present(), (std::vector<double>{8.0, 6.0}));
  loop.tuning = values(3, 8.0, 11.0);  // 3: out of range
  loop.tick();
  loop.tuning = values(4, std::nan(""), 1.0);
  loop.tick();
  loop.tuning = values(5, 8.0, 1.0);
  loop.tuning.num_values = 1;  // not all of them
  loop.tick();
  loop.tuning = values(6, 8.0, 1.0, 1);  // made for another list of controllers
  EXPECT_EQ(loop.tick().tuning_seen, 5u);
  EXPECT_EQ(present(), (std::vector<double>{8.0, 6.0}));
  const std::vector<Event> refused = loop.events(EventCode::kTuningRefused);
  ASSERT_EQ(refused.size(), 4u);
  EXPECT_EQ(refused[0].joint, 1);
  EXPECT_EQ(refused[0].value, 7.5);
  EXPECT_EQ(refused[1].value, 11.0);
  EXPECT_EQ(refused[2].joint, 0);
  EXPECT_EQ(refused[3].joint, -1);
  EXPECT_EQ(loop.events(EventCode::kTuningApplied).size(), 1u);
  EXPECT_TRUE(loop.run_until(Phase::kDone));
}

TEST(CycleLive, TheLoopTwinsOwnFaultIsReportedOnceWithItsValueAndTheRobotContinues) {
  ClosedLoop loop(khr1(), khr1(), arm_up(), config(), factory());
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  const std::vector<Event> failed = loop.events(EventCode::kTwinFailed);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].joint, 5);
  EXPECT_EQ(failed[0].value, static_cast<double>(ControlStatus::kLoopOpen));
  ASSERT_EQ(loop.events(EventCode::kTwinBack).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kTwinBack)[0].cycle - failed[0].cycle, 100);
  EXPECT_TRUE(loop.events(EventCode::kHeld).empty());
  EXPECT_EQ(loop.out().control_status, ControlStatus::kOk);
}

/// Throws the reference model's fifth joint out of its bounds; its torques have no limit of their
/// own, the servos' stall torque is large.
class Thrower final : public control::Controller {
 public:
  explicit Thrower(const models::Model& model) : model_(model) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "thrower"; }
  [[nodiscard]] control::ControlDrive drive() const noexcept override {
    return control::ControlDrive::kTorque;
  }
  [[nodiscard]] const models::Model* reference_model() const noexcept override { return &model_; }
  [[nodiscard]] bool place(const JointArray<double>& q, JointVector& at) noexcept override {
    at.resize(model_.num_q());
    for (Eigen::Index j = 0; j < at.size(); ++j) at[j] = q[static_cast<std::size_t>(j)];
    return true;
  }
  [[nodiscard]] ControlStatus reset(const control::ControlInput&) noexcept override {
    return ControlStatus::kOk;
  }
  [[nodiscard]] ControlStatus update(const control::ControlInput&,
                                     control::ControlOutput& out) noexcept override {
    out.tau = JointVector::Zero(model_.num_v());
    out.tau[4] = 1e9;
    return ControlStatus::kOk;
  }

 private:
  models::Model model_;
};

TEST(CycleLive, AReferenceModelOutOfItsBoundsHoldsAndNamesTheJointAndItsSpeed) {
  models::RobotDescription robot = khr1();
  robot.servos.joints[4].stall_torque = 1e5;  // N m
  control::ControllerFactory makers;
  makers.add("thrower", [](const ConfigDocument&, const control::ControlPlace& place) {
    return std::make_unique<Thrower>(*place.model);
  });
  CycleConfig c = config();
  c.control.gains = {R"({"schema": "kagami.gains/1", "controller": "thrower"})"};
  ClosedLoop loop(khr1(), robot, arm_up(), c, makers);
  ASSERT_TRUE(loop.run_until(Phase::kHeld));
  const std::vector<Event> found = loop.events(EventCode::kReferenceBounds);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GE(found[0].joint, 0);
  EXPECT_GT(std::abs(found[0].value), 100.0);  // rad/s
  EXPECT_EQ(loop.out().state, SupervisorState::kFault);
  EXPECT_TRUE(loop.events(EventCode::kReferenceLost).empty());

  // and a fault never plays again
  loop.tuning.version = 1;
  loop.tuning.plays = 1;
  loop.tick();
  EXPECT_EQ(loop.events(EventCode::kPlayRefused).size(), 1u);
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
}

TEST(CycleLive, ALoopTwinOutOfItsBoundsRestartsAndReportsIt) {
  models::RobotDescription robot = khr1();
  for (ServoParameters& servo : robot.servos.joints) {
    servo.kp = -1e3;  // absurd: pushes away from the target, with a motor without limit
    servo.stall_torque = 1e3;
    servo.free_speed = 1e6;
  }
  CycleConfig c = config();
  c.rate_max = JointArray<double>{};
  c.rate_max->fill(6.16);
  ClosedLoop loop(khr1(), robot, arm_up(), c, factory());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(1500);
  const std::vector<Event> found = loop.events(EventCode::kTwinReset);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(std::abs(found[0].value) < 100.0);  // rad/s
  EXPECT_TRUE(loop.events(EventCode::kHeld).empty());
}

TEST(CycleLive, AControllerHandedOverIsTakenAtItsTickAndTheOldOneComesBack) {
  const control::ControllerFactory makers = factory();
  ClosedLoop loop(khr1(), khr1(), arm_up(), config(), makers);
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(300);
  std::unique_ptr<ControllerInstance> unit =
      make_control_unit(khr1(), arm_up(), config(), kScripted, "new", makers);
  unit->place = 0;
  loop.core.hand_over(std::move(unit));
  const JointArray<double> before = loop.out().targets.angle;
  EXPECT_EQ(loop.tick().tuning_layout, 1u);
  EXPECT_EQ(loop.out().controller, 0);
  EXPECT_NE(loop.core.take_back(), nullptr);
  EXPECT_EQ(loop.core.take_back(), nullptr);
  for (std::size_t j = 0; j < 17; ++j) {
    EXPECT_NEAR(loop.out().targets.angle[j], before[j], 2e-3);  // rad, the motion's own step
  }
  unit = make_control_unit(khr1(), arm_up(), config(), kScripted, "far", makers);
  unit->place = 5;  // there is no fourth one before it
  loop.core.hand_over(std::move(unit));
  EXPECT_EQ(loop.tick().tuning_layout, 1u);
  EXPECT_EQ(loop.events(EventCode::kSwitchRefused).size(), 1u);
  EXPECT_NE(loop.core.take_back(), nullptr);  // itself
  EXPECT_TRUE(loop.run_until(Phase::kDone));
}

TEST(CycleLive, TheMotionAloneFadesInFromTheTargetsOfTheController) {
  ClosedLoop loop(khr1(), khr1(), arm_up(), [] {
    CycleConfig c = config();
    c.control.gains = {read_text_file(KAGAMI_SOURCE_DIR "/control/data/gains/awa_2009.json")};
    return c;
  }());
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(500);
  const JointArray<double> before = loop.out().targets.angle;
  double apart = 0.0;
  for (std::size_t j = 0; j < 17; ++j)
    apart = std::max(apart, std::abs(before[j] - loop.out().q_ref[j]));
  EXPECT_GT(apart, 0.01);  // rad; the law's target differs from the motion's
  loop.tuning = {.version = 1, .speed = 1.0, .controller = kMotionAlone};
  EXPECT_EQ(loop.tick().controller, -1);
  for (std::size_t j = 0; j < 17; ++j) EXPECT_NEAR(loop.out().targets.angle[j], before[j], 2e-3);
  loop.run(500);  // 0.5 s
  for (std::size_t j = 0; j < 17; ++j) {
    EXPECT_NEAR(loop.out().targets.angle[j], loop.out().q_ref[j], 1e-12);
  }
  EXPECT_EQ(loop.events(EventCode::kMotionAlone).size(), 1u);
}

TEST(ControllerHandover, UnitsGoOverAndComeBackBetweenTwoThreads) {
  ControllerHandover exchange;
  constexpr int kUnits = 2000;
  std::thread cycle([&] {
    for (int taken = 0; taken < kUnits;) {
      std::unique_ptr<ControllerInstance> unit = exchange.take();
      if (!unit) {
        std::this_thread::yield();
        continue;
      }
      EXPECT_EQ(unit->number, ++taken);
      exchange.give_back(std::move(unit));
    }
  });
  for (int number = 1; number <= kUnits; ++number) {
    auto unit = std::make_unique<ControllerInstance>();
    unit->number = number;
    while (!exchange.offer(unit)) {
      exchange.collect();
      std::this_thread::yield();
    }
    exchange.collect();
  }
  // the cycle takes nothing while the last one was not collected
  while (true) {
    exchange.collect();
    auto probe = std::make_unique<ControllerInstance>();
    if (exchange.offer(probe)) break;
    std::this_thread::yield();
  }
  cycle.join();
}

TEST(CycleLive, AReversedMotionRetracesItsCurveAndStandsAtItsBeginning) {
  for (const motions::PlayMode mode : {motions::PlayMode::kStream, motions::PlayMode::kRamp}) {
    CycleConfig c;
    c.play.mode = mode;
    c.play.settle = 0.1;
    const motions::Motion motion = test::small_motion(khr1());
    ClosedLoop loop(khr1(), khr1(), motion, c);
    ASSERT_TRUE(loop.run_until(Phase::kPlaying));
    while (loop.out().motion_time < 1.6) loop.tick();
    const std::size_t begin = loop.rows().size();
    loop.tuning = {.version = 1};
    loop.tuning.reverse = true;
    EXPECT_TRUE(loop.tick().reverse);
    loop.run(2200);
    EXPECT_EQ(loop.out().motion_time, 0.0);
    EXPECT_EQ(loop.out().phase, Phase::kPlaying);

    // the way forwards, straight between its ticks: 1e-6 s^2 / 8 times at most 40 rad/s^2
    std::vector<CycleOutput> there;
    for (std::size_t k = 0; k < begin; ++k) {
      if (loop.rows()[k].out.phase == Phase::kPlaying) there.push_back(loop.rows()[k].out);
    }
    int back = 0;
    for (std::size_t k = begin + 450; k < loop.rows().size(); ++k) {
      const CycleOutput& out = loop.rows()[k].out;
      std::size_t at = 0;
      while (at + 2 < there.size() && there[at + 1].motion_time < out.motion_time) ++at;
      const double share = (out.motion_time - there[at].motion_time) /
                           (there[at + 1].motion_time - there[at].motion_time);
      for (std::size_t j = 0; j < 17; ++j) {
        const double want =
            there[at].q_ref[j] + share * (there[at + 1].q_ref[j] - there[at].q_ref[j]);
        ASSERT_NEAR(out.q_ref[j], want, 1e-5) << out.motion_time;
        ASSERT_EQ(out.motion_time == 0.0 && out.qd_ref[j] != 0.0, false);
      }
      if (out.motion_time > 0.0 && k + 1 < loop.rows().size()) {
        ++back;
        ASSERT_LT(loop.rows()[k + 1].out.motion_time, out.motion_time);
      }
    }
    EXPECT_GT(back, 1000);
    EXPECT_EQ(loop.events(EventCode::kReversed).size(), 1u);
    EXPECT_TRUE(loop.events(EventCode::kRateClamped).empty());

    loop.tuning.version = 2;
    loop.tuning.reverse = false;
    EXPECT_TRUE(loop.run_until(Phase::kDone));
    EXPECT_EQ(loop.events(EventCode::kForwards).size(), 1u);
    CycleCore fresh(khr1(), motion, c);
    std::size_t next = 0;
    const VerifyResult verified = verify(
        [&](CycleRecord& row) {
          if (next == loop.rows().size()) return false;
          row = loop.rows()[next++];
          return true;
        },
        fresh);
    EXPECT_TRUE(verified.identical) << verified.field;
  }
}

}  // namespace
}  // namespace kagami::runtime
