// Controllers inside the cycle: what they do to the robot and to the twin, that every fault becomes
// a hold with an event, that records with them verify.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"
#include "runtime/cycle/verify.hpp"
#include "runtime/test/support/khr1_joints.hpp"

namespace kagami::runtime {
namespace {

using control::ControlStatus;
using test::ClosedLoop;
using test::controlled_config;
using test::khr1;
using test::kKhr1Joints;
using test::shipped_gains;

/// Derivative on the error, so that a moving reference is no disturbance.
std::string pid(double kp, double limit = 6.16) {
  return R"({"schema": "kagami.gains/1", "name": "t", "note": "", "date": "2026-11-28",
    "controller": "pid", "output": "speed", "all": {"form": "parallel", "kp": )" +
         number_text(kp) + R"(, "ki": 2, "kd": 0, "output_limit": )" + number_text(limit) + "}}";
}

motions::Motion arms_up() {
  return test::make_motion(khr1(), {{1.0, {}, 6},
                                    {1.0, {{"left_shoulder_pitch", -40}, {"left_knee", 20}}, 6},
                                    {1.0, {{"left_shoulder_pitch", -40}, {"left_knee", 20}}, 6}});
}

/// The twin's robot with one servo's horn put on two degrees off.
models::RobotDescription with_trim() {
  models::RobotDescription robot = khr1();
  robot.servos.joints[static_cast<std::size_t>(test::joint_index(robot, "left_knee"))].trim +=
      to_rad(2.0);
  return robot;
}

TEST(CycleControl, PidTakesOutATrimThatTheMotionAloneLeaves) {
  const models::RobotDescription plant = with_trim();
  const auto knee = static_cast<std::size_t>(test::joint_index(khr1(), "left_knee"));
  const auto error_at_end = [&](std::vector<std::string> gains) {
    ClosedLoop loop(plant, khr1(), arms_up(), controlled_config(std::move(gains)));
    EXPECT_TRUE(loop.run_until(Phase::kDone));
    return std::abs(to_deg(loop.robot.q()[knee] - loop.out().q_ref[knee]));
  };
  const double alone = error_at_end({});
  const double with = error_at_end({pid(3.0)});
  EXPECT_GT(alone, 1.2);  // deg; two of trim, less what the load happens to give
  EXPECT_LT(with,
            1.0);  // half a degree of the reading, half a degree of the command; measured 0.71
  EXPECT_LT(with, 0.5 * alone);
}

TEST(CycleControl, TheGravityLeadTakesOutASagThatIsMoreThanTheBoardsRoundAway) {
  models::RobotDescription soft = khr1();
  const auto shoulder = static_cast<std::size_t>(test::joint_index(soft, "left_shoulder_pitch"));
  soft.servos.joints[shoulder].kp = 2.0;  // N m/rad
  const auto forward =
      test::make_motion(soft, {{1.0, {}, 6}, {1.0, {{"left_shoulder_pitch", -80}}, 6}});
  const auto sag_at_end = [&](const std::string& more) {
    std::string gains = pid(0.0);
    gains.replace(gains.find("\"ki\": 2"), 7, "\"ki\": 0" + more);  // the lead alone
    ClosedLoop loop(soft, soft, forward,
                    controlled_config({gains}, 4.0));  // s; such a servo is slow
    EXPECT_TRUE(loop.run_until(Phase::kDone));
    return std::abs(to_deg(loop.robot.q()[shoulder] - loop.out().q_ref[shoulder]));
  };
  EXPECT_GT(sag_at_end(""), 1.2);                                       // deg: the arm's weight
  EXPECT_LT(sag_at_end(R"(, "gravity_feed_forward": 1)"), 0.5 + 0.05);  // whole degrees
}

TEST(CycleControl, TheLoopTwinIsTheRobotWhereTheRobotIsTheTwin) {
  ClosedLoop loop(khr1(), khr1(), arms_up(), controlled_config({pid(3.0)}));
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  double worst = 0.0;
  double moved = 0.0;
  for (const CycleRecord& row : loop.rows()) {
    if (row.out.controller < 0) continue;
    for (std::size_t j = 0; j < kKhr1Joints; ++j) {
      // the shadow gets the robot's commands, the twin those of its own controller
      worst = std::max(worst, std::abs(row.out.q_loop[j] - row.out.q_simulated[j]));
      moved = std::max(moved, std::abs(row.out.control[j]));
    }
  }
  EXPECT_LT(worst, 1e-12);  // rad
  EXPECT_GT(moved, 0.01);   // rad/s
}

TEST(CycleControl, TheTwinAnswersForItselfWhereTheRobotDiffers) {
  const models::RobotDescription plant = with_trim();
  const auto knee = static_cast<std::size_t>(test::joint_index(khr1(), "left_knee"));
  ClosedLoop loop(plant, khr1(), arms_up(), controlled_config({pid(3.0)}));
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  // the shadow shows what the robot was commanded to make up for its trim; the twin needs none of
  // it
  EXPECT_LT(to_deg(loop.out().q_simulated[knee] - loop.out().q_loop[knee]), -1.0);
}

TEST(CycleControl, BeginsWithTheMotionOnceAndWithoutABump) {
  ClosedLoop loop(with_trim(), khr1(), arms_up(), controlled_config({pid(3.0)}));
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  const std::vector<Event> began = loop.events(EventCode::kControlBegan);
  ASSERT_EQ(began.size(), 1u);
  EXPECT_EQ(began[0].value, 0.0);
  for (const CycleRecord& row : loop.rows()) {
    EXPECT_EQ(row.out.controller, row.out.phase == Phase::kPlaying ? 0 : -1);
  }
  loop.run_until(Phase::kDone);
  loop.run(100);
  double step = 0.0;
  for (std::size_t k = 1; k < loop.rows().size(); ++k) {
    for (std::size_t j = 0; j < kKhr1Joints; ++j) {
      if (loop.rows()[k - 1].out.targets.sequence == 0) continue;
      step = std::max(step, std::abs(loop.rows()[k].out.targets.angle[j] -
                                     loop.rows()[k - 1].out.targets.angle[j]));
    }
  }
  EXPECT_LT(step, 3e-3);  // rad in a tick: the motion's own 1.3 rad/s and the law's 0.2 rad/s
  EXPECT_EQ(loop.events(EventCode::kControlBegan).size(), 1u);
}

TEST(CycleControl, ItsLastTargetStandsAfterTheMotionAndAfterAStop) {
  for (const bool stopped : {false, true}) {
    ClosedLoop loop(with_trim(), khr1(), arms_up(), controlled_config({pid(3.0)}));
    ASSERT_TRUE(loop.run_until(Phase::kPlaying));
    loop.run(1500);
    if (stopped) loop.stop = StopLevel::kSlowDown;
    ASSERT_TRUE(loop.run_until(stopped ? Phase::kHeld : Phase::kDone));
    const JointArray<double> target = loop.out().targets.angle;
    loop.run(300);
    EXPECT_EQ(loop.out().targets.angle, target);
    const auto knee = static_cast<std::size_t>(test::joint_index(khr1(), "left_knee"));
    EXPECT_NE(target[knee], loop.rows()[loop.rows().size() - 400].out.q_ref[knee]);
  }
}

/// Rows through CDR and back, into a fresh core.
VerifyResult verify_loop(const ClosedLoop& loop, CycleCore core) {
  std::vector<std::byte> bytes;
  auto at = loop.rows().begin();
  return verify(
      [&](CycleRecord& row) {
        if (at == loop.rows().end()) return false;
        write_cycle_cdr(*at++, 17, bytes);
        int joints = 0;
        return read_cycle_cdr(bytes, row, joints) == CdrStatus::kOk;
      },
      core);
}

TEST(CycleControl, RecordsWithControllersVerifyBitForBit) {
  for (const std::string& gains :
       {shipped_gains("awa_2009.json"), shipped_gains("khr1_hands.json")}) {
    ClosedLoop loop(with_trim(), khr1(), arms_up(), controlled_config({gains}));
    loop.run_until(Phase::kPlaying);
    loop.run(1200);
    EXPECT_EQ(loop.out().controller, 0);
    const VerifyResult same =
        verify_loop(loop, CycleCore(khr1(), arms_up(), controlled_config({gains})));
    EXPECT_TRUE(same.identical) << same.field << " at " << same.tick;
    const VerifyResult other =
        verify_loop(loop, CycleCore(khr1(), arms_up(), controlled_config({pid(4.0)})));
    EXPECT_FALSE(other.identical);
  }
}

TEST(CycleControl, MeasurementsReachTheReferenceModelByTheObserverAlone) {
  const auto left = static_cast<std::size_t>(test::joint_index(khr1(), "left_shoulder_pitch"));
  models::RobotDescription slipped = khr1();
  slipped.servos.joints[left].trim += to_rad(1.0);
  // where the model ends on a robot that obeys and on one whose horn has slipped
  const auto shift = [&](double rate) {
    std::string gains = shipped_gains("khr1_hands.json");
    gains.insert(1, "\"observer_rate\": " + number_text(rate) + ", ");
    double end[2] = {};
    int k = 0;
    const std::array<const models::RobotDescription*, 2> plants{&khr1(), &slipped};
    for (const models::RobotDescription* plant : plants) {
      ClosedLoop loop(*plant, khr1(), arms_up(), controlled_config({gains}));
      EXPECT_TRUE(loop.run_until(Phase::kDone));
      for (const CycleRecord& row : loop.rows()) {
        if (row.out.controller == 0) end[k] = row.out.q_loop[left];
      }
      ++k;
    }
    return to_deg(end[1] - end[0]);
  };
  EXPECT_EQ(shift(0.0), 0.0);
  EXPECT_GT(std::abs(shift(1.0)), 0.1);  // deg of 1; its own spring holds against it
}

/// Says `status` with a finding at joint 5 after 100 updates; before, the motion.
class FindingController final : public control::Controller {
 public:
  FindingController(ControlStatus status, double say) : status_(status), say_(say) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "scripted"; }
  [[nodiscard]] control::ControlDrive drive() const noexcept override {
    return control::ControlDrive::kTarget;
  }
  [[nodiscard]] ControlStatus reset(const control::ControlInput&) noexcept override {
    return ControlStatus::kOk;
  }
  [[nodiscard]] ControlStatus update(const control::ControlInput& in,
                                     control::ControlOutput& out) noexcept override {
    out.q_target = in.q_ref;
    if (++updates_ <= 100) return ControlStatus::kOk;
    out.q_target[5] += say_;
    return status_;
  }
  [[nodiscard]] control::ControlFinding finding() const noexcept override { return {5, 0.25}; }

 private:
  ControlStatus status_;
  double say_;
  int updates_ = 0;
};

ClosedLoop scripted_loop(ControlStatus status, double say = 0.0,
                         const motions::Motion& motion = arms_up()) {
  control::ControllerFactory factory;
  factory.add("scripted", [=](const ConfigDocument&, const control::ControlPlace&) {
    return std::make_unique<FindingController>(status, say);
  });
  return {khr1(), khr1(), motion,
          controlled_config({R"({"schema": "kagami.gains/1", "controller": "scripted"})"}),
          factory};
}

/// One event of this code, no other of a controller, and the robot rests at its last target.
void expect_held(ClosedLoop& loop, EventCode code, int joint, double value) {
  const std::vector<Event> found = loop.events(code);
  ASSERT_EQ(found.size(), 1u) << event_name(code);
  EXPECT_EQ(found[0].joint, joint);
  if (std::isnan(value)) {
    EXPECT_TRUE(std::isnan(found[0].value));
  } else {
    EXPECT_DOUBLE_EQ(found[0].value, value);
  }
  EXPECT_EQ(loop.out().phase, Phase::kHeld);
  EXPECT_EQ(loop.out().controller, -1);
  EXPECT_NE(loop.out().control_status, ControlStatus::kOk);
  const JointArray<double> target = loop.out().targets.angle;
  loop.run(200);
  EXPECT_EQ(loop.out().targets.angle, target);
}

TEST(CycleControl, EveryStatusOfAControllerIsAnEventAndAHold) {
  struct Case {
    ControlStatus status;
    EventCode code;
    double value;
  };
  for (const Case& c : {Case{ControlStatus::kLoopOpen, EventCode::kControlLoopOpen, 0.25},
                        Case{ControlStatus::kFootInAir, EventCode::kControlFootInAir, 0.25},
                        Case{ControlStatus::kNotFinite, EventCode::kControlNotFinite, 0.25},
                        Case{ControlStatus::kBadStep, EventCode::kControlFailed, 1.0},
                        Case{ControlStatus::kNotPossible, EventCode::kControlFailed, 8.0}}) {
    ClosedLoop loop = scripted_loop(c.status);
    loop.run_until(Phase::kHeld);
    expect_held(loop, c.code, 5, c.value);
  }
}

TEST(CycleControl, AnAnswerThatIsNotFiniteNeverReachesTheServos) {
  ClosedLoop loop = scripted_loop(ControlStatus::kOk, std::numeric_limits<double>::quiet_NaN());
  loop.run_until(Phase::kHeld);
  expect_held(loop, EventCode::kControlBadOutput, 5, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(loop.events(EventCode::kTargetRefused).empty());
}

// the motion's own target lies 0.02 rad beside the controller's: the robot must not go there
TEST(CycleControl, ReadingsThatCannotBeTrustedHoldTheLastCommandInTheTickThatFindsThem) {
  const motions::Motion motion = test::make_motion(
      khr1(),
      {{1.0, {}, 6}, {3.0, {{"left_shoulder_pitch", -60}, {"right_shoulder_pitch", -60}}, 6}});
  ClosedLoop loop = scripted_loop(ControlStatus::kOk, 0.02, motion);
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(400);
  static JointArray<double> frozen;
  frozen = loop.rows().back().in.sample.angle;
  loop.spoil = [](CycleInput& in) { in.sample.angle = frozen; };
  for (int k = 0; k < 10'000 && loop.out().state != SupervisorState::kFault; ++k) loop.tick();
  ASSERT_EQ(loop.out().state, SupervisorState::kFault);
  const CycleOutput& before = loop.rows()[loop.rows().size() - 2].out;
  ASSERT_EQ(before.controller, 0);
  EXPECT_EQ(loop.out().targets.angle, before.targets.angle);
  EXPECT_EQ(loop.out().controller, -1);
  loop.run(100);
  EXPECT_EQ(loop.out().targets.angle, before.targets.angle);
}

TEST(CycleControl, LimitsPerJointStandBehindEveryController) {
  ClosedLoop loop = scripted_loop(ControlStatus::kOk, 10.0);  // rad
  ASSERT_TRUE(loop.run_until(Phase::kDone));
  const JointWiring& wiring = khr1().wiring.joints[5];
  double most = -10.0;
  for (const CycleRecord& row : loop.rows()) most = std::max(most, row.out.targets.angle[5]);
  EXPECT_LE(most, wiring.soft_max);
  EXPECT_EQ(loop.events(EventCode::kLimitClamped).size(), 1u);
}

TEST(CycleControl, AMeasurementThatIsNotFiniteHolds) {
  ClosedLoop loop(khr1(), khr1(), arms_up(), controlled_config({pid(3.0)}));
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(200);
  loop.spoil = [](CycleInput& in) {
    in.sample.angle[4] = std::numeric_limits<double>::quiet_NaN();
  };
  loop.run(10);
  expect_held(loop, EventCode::kControlNotFinite, 4, std::numeric_limits<double>::quiet_NaN());
}

TEST(CycleControl, AReadingOlderThanAControllerMayUseHoldsBeforeTheLineIsGivenUp) {
  ClosedLoop loop(khr1(), khr1(), arms_up(), controlled_config({pid(3.0)}));
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(200);
  loop.robot.is_silent = true;
  ASSERT_TRUE(loop.run_until(Phase::kHeld, 400));
  const std::vector<Event> found = loop.events(EventCode::kControlOld);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GE(found[0].joint, 0);
  EXPECT_GT(found[0].value, 0.150);  // s
  EXPECT_LT(found[0].value, 0.152);
  EXPECT_TRUE(loop.events(EventCode::kSampleStale).empty());
  expect_held(loop, EventCode::kControlOld, found[0].joint, found[0].value);
}

TEST(CycleControl, AJointAtItsLimitForASecondHolds) {
  // the horn slips by two degrees, and the law may make up 0.005 rad/s
  ClosedLoop loop(with_trim(), khr1(), arms_up(), controlled_config({pid(3.0, 0.005)}));
  ASSERT_TRUE(loop.run_until(Phase::kHeld));
  const std::vector<Event> found = loop.events(EventCode::kControlSaturated);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].value, 1.0, 1.1e-3);  // s
  expect_held(loop, EventCode::kControlSaturated, found[0].joint, found[0].value);
}

TEST(CycleControl, AnotherControllerTakesOverAtATickWithoutABump) {
  ClosedLoop loop(with_trim(), khr1(), arms_up(),
                  controlled_config({pid(3.0), pid(8.0), shipped_gains("khr1_hands.json")}));
  ASSERT_TRUE(loop.run_until(Phase::kPlaying));
  loop.run(1000);
  const JointArray<double> before = loop.out().targets.angle;
  loop.tuning = {.version = 1, .speed = 1.0, .controller = 1};
  EXPECT_EQ(loop.tick().controller, 1);
  for (std::size_t j = 0; j < kKhr1Joints; ++j) {
    EXPECT_NEAR(loop.out().targets.angle[j], before[j], 3e-3);  // rad, as without
  }
  ASSERT_EQ(loop.events(EventCode::kControlBegan).size(), 2u);
  EXPECT_EQ(loop.events(EventCode::kControlBegan)[1].value, 1.0);

  // one arm is up: no rod fits between the hands any more, and the one before stays
  loop.run(800);
  loop.tuning = {.version = 2, .speed = 1.0, .controller = 2};
  EXPECT_EQ(loop.tick().controller, 1);
  ASSERT_EQ(loop.events(EventCode::kSwitchRefused).size(), 1u);
  EXPECT_EQ(loop.events(EventCode::kSwitchRefused)[0].value, 2.0);
  loop.tuning = {.version = 3, .speed = 1.0, .controller = 7};  // not there
  EXPECT_EQ(loop.tick().controller, 1);
  EXPECT_TRUE(loop.run_until(Phase::kDone));
}

TEST(CycleControl, RefusesARunThatNoControllerCanLead) {
  CycleConfig config = controlled_config({pid(3.0)});
  config.play.mode = motions::PlayMode::kKeyframe;
  EXPECT_THROW(CycleCore(khr1(), arms_up(), config), ConfigError);
  config = controlled_config({pid(3.0)});
  config.read_every = 0;
  EXPECT_THROW(CycleCore(khr1(), arms_up(), config), ConfigError);
  EXPECT_THROW(
      CycleCore(khr1(), arms_up(), controlled_config({shipped_gains("khr1_balance.json")})),
      ConfigError);  // on the stand
  EXPECT_THROW(CycleCore(khr1(), arms_up(), controlled_config({pid(-1.0)})), ConfigError);
}

}  // namespace
}  // namespace kagami::runtime
