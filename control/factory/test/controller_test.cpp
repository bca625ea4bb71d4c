// The controllers behind their one interface: by name from gain sets, against the oracles of the
// laws inside them, and what each answers to what it cannot do.
#include "control/core/controller.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "control/balance/balance_controller.hpp"
#include "control/balance/balance_gains.hpp"
#include "control/core/guard.hpp"
#include "control/pid/pid_controller.hpp"
#include "control/test/support/controllers.hpp"
#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/text_file.hpp"
#include "models/closed_chains/loop_stepper.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::control {
namespace {

using test::expect_refused;
using test::input;
using test::kGains;
using test::khr1;
using test::kNaN;
using test::make;
using test::place_of;

TEST(ControllerFactory, MakesByNameAndTakesFurtherOnes) {
  ControllerFactory factory;
  EXPECT_EQ(factory.names(), (std::vector<std::string>{"balance", "pid", "virtual-loop"}));
  factory.add("mine", make_pid_controller);
  EXPECT_TRUE(factory.contains("mine"));
  expect_refused([&] { factory.add("mine", make_pid_controller); }, "registered already");
  expect_refused([&] { factory.add("", make_pid_controller); }, "needs a name");
  expect_refused([&] { factory.add("other", nullptr); }, "no function creates");
  factory.add("empty", [](const ConfigDocument&, const ControlPlace&) {
    return std::unique_ptr<Controller>();
  });
  const auto named = [](const char* name) {
    return ConfigDocument::parse(
        std::string(R"({"schema": "kagami.gains/1", "controller": ")") + name + "\"}", "set.json");
  };
  const ControlPlace place = place_of(khr1(models::BaseKind::kFixed));
  expect_refused([&] { (void)factory.make(named("empty"), place); }, "returned no controller");
  expect_refused([&] { (void)factory.make(named("lqr"), place); },
                 "set.json: /controller: 'lqr' is unknown, expected one of: balance, empty, mine");
}

TEST(VirtualLoopController, KeepsBothHandsTogetherAndFollowsTheMotionWithOne) {
  const auto controller = make("khr1_hands.json", models::BaseKind::kFixed);
  const models::Model& model = *controller->reference_model();
  models::ForwardDynamics dynamics(model, models::Algorithm::kAba);
  ControlInput in = input(*controller);
  models::State s{in.q, in.v};
  ControlOutput out;
  JointVector vdot = in.v;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  const auto pitch =
      static_cast<std::size_t>(model.body(model.find_joint("left_shoulder_pitch")).v_index);
  const int other = model.body(model.find_joint("right_shoulder_pitch")).v_index;
  in.q_ref[pitch] = -0.8;
  const auto step = [&] {
    in.q = s.q;
    in.v = s.v;
    ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
    ASSERT_EQ(dynamics.run(s.q, s.v, out.tau, vdot), models::DynamicsStatus::kOk);
    s.v += 1e-3 * vdot;
    models::integrate(model, s.v, 1e-3, s.q);
  };
  step();
  for (int k = 1; k < 2000; ++k) step();
  EXPECT_NEAR(s.q[static_cast<Eigen::Index>(pitch)], -0.8, 0.02);  // rad; settled
  EXPECT_NEAR(s.q[other], s.q[static_cast<Eigen::Index>(pitch)], 1e-3);
  const test::NoAlloc guard;
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_EQ(guard.count(), 0);
}

TEST(VirtualLoopController, ReportsThatItsLoopIsOpen) {
  const auto controller = make("khr1_hands.json", models::BaseKind::kFixed);
  ControlInput in = input(*controller);
  ControlOutput out;
  in.q[controller->reference_model()
           ->body(controller->reference_model()->find_joint("left_shoulder_pitch"))
           .q_index] = -0.9;
  EXPECT_EQ(controller->reset(in), ControlStatus::kLoopOpen);
  EXPECT_GT(controller->finding().value, 0.02);  // m
  EXPECT_EQ(controller->update(in, out), ControlStatus::kLoopOpen);
}

TEST(VirtualLoopController, RefusesWhatItCannotBeBuiltFor) {
  const std::string text = read_text_file(kGains + "khr1_hands.json");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return ConfigDocument::parse(changed, "set.json");
  };
  const ControllerFactory factory;
  const ControlPlace place = place_of(khr1(models::BaseKind::kFixed));
  const ControlPlace floor = place_of(khr1(models::BaseKind::kFloating));
  expect_refused([&] { (void)factory.make(with("", ""), floor); },
                 "expected a sole that supports it, or --on stand");
  expect_refused(
      [&] { (void)factory.make(with("\"robot\": \"khr1\"", "\"robot\": \"pa10\""), place); },
      "is for 'pa10'");
  expect_refused([&] { (void)factory.make(with("left_forearm", "left_wing"), place); },
                 "left_wing");
  expect_refused([&] { (void)factory.make(with("left_shoulder_roll", "tail"), place); },
                 "leads/tail");
  expect_refused([&] { (void)factory.make(with("\"kp\": 0.1", "\"kp\": -1"), place); }, "kp");
}

TEST(BalanceController, HasTheLumpsOfTheShippedRobot) {
  const BalanceGainSet set =
      read_balance_gain_set(ConfigDocument::read(kGains + "khr1_balance.json"));
  const models::Model& model = khr1(models::BaseKind::kFloating).model;
  ASSERT_TRUE(set.parts.has_value());
  std::array<std::string_view, kLegJoints> names;
  std::copy(set.parts->legs.begin(), set.parts->legs.end(), names.begin());
  const ThreeJointModel m =
      lumps_of(model, models::neutral_state(model).q, leg_slots(model, names, set.parts->signs),
               model.frame(set.parts->trunk));
  EXPECT_NEAR(set.lumps.m1, m.m1, 1e-9);    // kg
  EXPECT_NEAR(set.lumps.mh1, m.mh1, 1e-9);  // kg
  EXPECT_NEAR(set.lumps.m2, m.m2, 1e-9);    // kg
  EXPECT_NEAR(set.lumps.l1, m.l1, 1e-9);    // m
  EXPECT_NEAR(set.lumps.lg1, m.lg1, 1e-9);  // m
  EXPECT_NEAR(set.lumps.lg2, m.lg2, 1e-9);  // m
}

// the reference model as a run moves it: both soles welded, torques alone
TEST(BalanceController, StandsOnTheReferenceModelAndReturnsAfterAPush) {
  const auto controller = make("khr1_balance.json", models::BaseKind::kFloating);
  const models::Model& model = *controller->reference_model();
  models::LoopStepper stepper(model);
  ControlInput in = input(*controller);
  ASSERT_TRUE(controller->place(in.q_ref, in.q));
  models::State s{in.q, in.v};
  ControlOutput out;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  const models::Body& left = model.body(model.find_joint("left_hip_pitch"));
  const models::Body& right = model.body(model.find_joint("right_hip_pitch"));
  double farthest = 0.0;
  for (int k = 0; k < 3000; ++k) {
    in.q = s.q;
    in.v = s.v;
    ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
    JointVector tau = out.tau;
    if (k < 100) tau[left.v_index] += 0.15, tau[right.v_index] += 0.15;  // N m, 0.1 s
    ASSERT_EQ(stepper.semi_implicit(tau, 1e-3, s), models::LoopStatus::kOk);
    farthest = std::max(farthest, std::abs(s.q[left.q_index]));
  }
  EXPECT_GT(farthest, to_rad(1.0));
  EXPECT_LT(std::abs(s.q[left.q_index]), 0.2 * farthest);
  const test::NoAlloc guard;
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_EQ(guard.count(), 0);
}

// every gain of a strategy to either end of its range, pushed meanwhile: the model stands
void expect_stands_at_the_ends(Strategy strategy) {
  BalanceGainSet set = read_balance_gain_set(ConfigDocument::read(kGains + "khr1_balance.json"));
  set.settings.choose = false;
  set.settings.always = strategy;
  BalanceController controller(set, place_of(khr1(models::BaseKind::kFloating)));
  const models::Model& model = *controller.reference_model();
  models::LoopStepper stepper(model);
  ControlInput in = input(controller);
  ASSERT_TRUE(controller.place(in.q_ref, in.q));
  const JointVector home = in.q;
  ControlOutput out;
  const int hip = model.body(model.find_joint("left_hip_pitch")).v_index;
  for (int i = 0; i < static_cast<int>(controller.tunables().size()); ++i) {
    const Tunable& t = controller.tunables()[static_cast<std::size_t>(i)];
    const double value = controller.tunable(i);
    for (const double end : {t.min, t.max}) {
      EXPECT_TRUE(controller.set_tunable(i, end)) << t.name << " " << end;
      models::State s{home, JointVector::Zero(model.num_v())};
      ASSERT_EQ(controller.reset(in), ControlStatus::kOk);
      models::LoopStatus status = models::LoopStatus::kOk;
      for (int k = 0; k < 100 && status == models::LoopStatus::kOk; ++k) {
        in.q = s.q;
        in.v = s.v;
        ASSERT_EQ(controller.update(in, out), ControlStatus::kOk) << t.name;
        JointVector tau = out.tau;
        if (k < 20) tau[hip] += 0.05;  // N m
        status = stepper.semi_implicit(tau, 1e-3, s);
      }
      EXPECT_EQ(status, models::LoopStatus::kOk) << t.name << " " << end;
      EXPECT_LT(s.v.cwiseAbs().maxCoeff(), 20.0) << t.name << " " << end;  // rad/s
      in.q = home;
    }
    EXPECT_TRUE(controller.set_tunable(i, value));
    EXPECT_EQ(controller.tunable(i), value) << t.name;
  }
}

TEST(BalanceController, StandsWithEachGainTurnedToTheEndsOfItsRange) {
  for (const Strategy strategy : {Strategy::kUpperBodyRotation, Strategy::kAnkle, Strategy::kHip}) {
    SCOPED_TRACE(control::name(strategy));
    expect_stands_at_the_ends(strategy);
  }
}

TEST(BalanceController, TakesNoNumberThatIsNotThereOrOutOfRange) {
  const auto controller = make("khr1_balance.json", models::BaseKind::kFloating);
  const auto count = static_cast<int>(controller->tunables().size());
  EXPECT_TRUE(std::isnan(controller->tunable(count)));
  EXPECT_TRUE(std::isnan(controller->tunable(-1)));
  EXPECT_FALSE(controller->set_tunable(count, 0.0));
  EXPECT_FALSE(controller->set_tunable(-1, 0.0));
  EXPECT_FALSE(controller->set_tunable(0, -1e-9));
  EXPECT_EQ(controller->tunables()[static_cast<std::size_t>(count - 1)].name, "observer_rate");
  EXPECT_TRUE(controller->set_tunable(count - 1, 3.0));
  EXPECT_EQ(controller->observer_rate(), 3.0);
  EXPECT_FALSE(controller->set_tunable(count - 1, 50.1));
  EXPECT_EQ(controller->tunable(count - 1), 3.0);
}

TEST(BalanceController, ReportsThatItsFootHangsInTheAir) {
  const auto controller = make("khr1_balance.json", models::BaseKind::kFloating);
  ControlInput in = input(*controller);
  ASSERT_TRUE(controller->place(in.q_ref, in.q));
  in.base = BasePose{};
  const models::Model& robot = khr1(models::BaseKind::kFloating).model;
  models::Kinematics k(robot);
  const models::State s = models::neutral_state(robot);
  models::forward_kinematics(robot, s.q, s.v, k);
  in.base.z = -models::frame_pose(k, robot.frame("r_sole")).p.z();  // its soles on the floor
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  in.base.z += 0.05;
  ControlOutput out;
  EXPECT_EQ(controller->update(in, out), ControlStatus::kFootInAir);
  EXPECT_NEAR(controller->finding().value, 0.05, 1e-9);  // m
}

TEST(BalanceController, RefusesWhatItCannotBeBuiltFor) {
  const ControllerFactory factory;
  const ControlPlace stand = place_of(khr1(models::BaseKind::kFixed));
  ControlPlace floor = place_of(khr1(models::BaseKind::kFloating));
  const auto set = [](const char* file) { return ConfigDocument::read(kGains + file); };
  expect_refused([&] { (void)factory.make(set("khr1_balance.json"), stand); },
                 "expected --on floor");
  expect_refused([&] { (void)factory.make(set("hoap2_balance_thesis.json"), floor); },
                 "is for 'hoap2_10dof'");
  floor.robot = "hoap2_10dof";
  expect_refused([&] { (void)factory.make(set("hoap2_balance_thesis.json"), floor); },
                 "parts: missing");
  floor.robot = "khr1";
  floor.q_start[13] = -1.0;  // a leg is lifted
  expect_refused([&] { (void)factory.make(set("khr1_balance.json"), floor); },
                 "above the floor at the motion's first pose");
}

TEST(ControlGuard, FindsWhatNoControllerMayActOn) {
  ControlGuard guard({.max_age = 0.15, .max_saturation = 0.01});
  ControlInput in;
  in.num_joints = 17;
  in.dt = 1e-3;
  EXPECT_EQ(guard.check_input(in), ControlStatus::kOk);
  in.age[3] = 0.151;
  EXPECT_EQ(guard.check_input(in), ControlStatus::kOld);
  EXPECT_EQ(guard.finding().joint, 3);
  EXPECT_EQ(guard.finding().value, 0.151);
  in.age[3] = kNaN;
  EXPECT_EQ(guard.check_input(in), ControlStatus::kOld);
  in.age[3] = 0.0;
  in.measured[16] = kNaN;
  EXPECT_EQ(guard.check_input(in), ControlStatus::kNotFinite);
  EXPECT_EQ(guard.finding().joint, 16);
  in.measured[16] = 0.0;
  in.dt = kNaN;
  EXPECT_EQ(guard.check_input(in), ControlStatus::kBadStep);
}

TEST(ControlGuard, FindsBadOutputsAndLongSaturation) {
  ControlGuard guard({.max_age = 0.15, .max_saturation = 0.0105});
  ControlInput in;
  in.num_joints = 17;
  in.dt = 1e-3;
  ControlOutput out;
  out.is_saturated[7] = true;
  for (int k = 0; k < 10; ++k) {
    ASSERT_EQ(guard.check_output(in, ControlDrive::kTarget, out), ControlStatus::kOk);
  }
  EXPECT_EQ(guard.check_output(in, ControlDrive::kTarget, out), ControlStatus::kSaturated);
  EXPECT_EQ(guard.finding().joint, 7);
  EXPECT_NEAR(guard.saturated_time(7), 0.011, 1e-12);  // s
  out.is_saturated[7] = false;
  EXPECT_EQ(guard.check_output(in, ControlDrive::kTarget, out), ControlStatus::kOk);
  EXPECT_EQ(guard.saturated_time(7), 0.0);

  out.q_target[2] = kNaN;
  EXPECT_EQ(guard.check_output(in, ControlDrive::kTarget, out), ControlStatus::kBadOutput);
  EXPECT_EQ(guard.finding().joint, 2);
  out.tau = JointVector::Zero(23);  // a floating base before the joints
  EXPECT_EQ(guard.check_output(in, ControlDrive::kTorque, out), ControlStatus::kOk);
  out.tau[6 + 5] = kNaN;
  EXPECT_EQ(guard.check_output(in, ControlDrive::kTorque, out), ControlStatus::kBadOutput);
  EXPECT_EQ(guard.finding().joint, 5);
  out.tau[2] = kNaN;
  EXPECT_EQ(guard.check_output(in, ControlDrive::kTorque, out), ControlStatus::kBadOutput);
  EXPECT_EQ(guard.finding().joint, -1);

  EXPECT_THROW(ControlGuard({.max_age = 0.0, .max_saturation = 1.0}), ConfigError);
  EXPECT_THROW(ControlGuard({.max_age = 0.1, .max_saturation = kNaN}), ConfigError);
}

TEST(ControlStatus, HasANameEach) {
  for (int i = 0; i < kNumControlStatuses; ++i) {
    EXPECT_STRNE(name(static_cast<ControlStatus>(i)), "?");
  }
  EXPECT_STREQ(name(static_cast<ControlStatus>(kNumControlStatuses)), "?");
}

}  // namespace
}  // namespace kagami::control
