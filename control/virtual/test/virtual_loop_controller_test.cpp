// The virtual loop as a controller on the floor, its tunables, and its status when it cannot.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "control/test/support/controllers.hpp"
#include "models/base/config.hpp"
#include "models/base/text_file.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::control {
namespace {

using models::BaseKind;
using test::expect_refused;
using test::input;
using test::kGains;
using test::khr1;
using test::kNaN;
using test::make;
using test::place_of;

/// In the run's order.
std::size_t joint(const std::string& name) {
  const std::vector<std::string>& names = khr1(BaseKind::kFloating).joint_names;
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

models::Pose sole_at(const models::Model& model, const char* sole, const JointVector& q) {
  models::Kinematics k(model);
  models::forward_kinematics(model, q, JointVector::Zero(model.num_v()), k);
  return models::frame_pose(k, model.frame(sole));
}

ConfigDocument changed(const std::string& from, const std::string& to) {
  std::string text = read_text_file(kGains + "khr1_feet.json");
  text.replace(text.find(from), from.size(), to);
  return ConfigDocument::parse(text, "set.json");
}

// one leg is driven down and up; the reference model is supported by the right sole alone
TEST(VirtualLoopOnTheFloor, KeepsTheOtherSoleWhereItWasWhileTheLegsBend) {
  const auto controller = make("khr1_feet.json", BaseKind::kFloating);
  const models::Model& model = *controller->reference_model();
  ASSERT_EQ(model.num_v(), 17);  // its root is the supporting sole
  models::ForwardDynamics dynamics(model, models::Algorithm::kAba);
  ControlInput in = input(*controller);
  ASSERT_TRUE(controller->place(in.q_ref, in.q));
  models::State s{in.q, in.v};
  const models::Pose left = sole_at(model, "l_sole", s.q);
  const models::Pose right = sole_at(model, "r_sole", s.q);
  EXPECT_NEAR(right.p.norm(), 0.0, 1e-12);  // m
  ControlOutput out;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  JointVector vdot = s.v;
  double drift = 0.0;
  double turn = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const double down = 0.5 - 0.5 * std::cos(3.141592653589793 * 1e-3 * k);
    const double rate = 0.5 * 3.141592653589793 * std::sin(3.141592653589793 * 1e-3 * k);
    for (const char* side : {"right", "left"}) {
      const std::string leg(side);
      const auto set = [&](const char* name, double angle) {
        const std::size_t j = joint(leg + name);
        in.q_ref[j] = angle * down;
        in.qd_ref[j] = angle * rate;
      };
      set("_hip_pitch", -0.6);
      set("_knee", 1.1);
      set("_ankle_pitch", -0.5);
    }
    in.q = s.q;
    in.v = s.v;
    ASSERT_EQ(controller->update(in, out), ControlStatus::kOk) << k;
    ASSERT_EQ(dynamics.run(s.q, s.v, out.tau, vdot), models::DynamicsStatus::kOk);
    s.v += 1e-3 * vdot;
    models::integrate(model, s.v, 1e-3, s.q);
    const models::Pose now = sole_at(model, "l_sole", s.q);
    drift = std::max(drift, (now.p - left.p).norm());
    turn = std::max(turn, (now.R - left.R).norm());
    if (k == 1000) {
      for (const char* knee : {"right_knee", "left_knee"}) {
        EXPECT_NEAR(s.q[model.body(model.find_joint(knee)).q_index], 1.1, 0.05) << knee;  // rad
      }
    }
  }
  EXPECT_LT(drift, 2e-5);  // m; steps of first order of 1 ms
  EXPECT_LT(turn, 2e-4);   // rad
  const test::NoAlloc guard;
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_EQ(guard.count(), 0);
}

TEST(VirtualLoopOnTheFloor, AFootInTheAirIsReportedWithItsHeight) {
  const auto controller = make("khr1_feet.json", BaseKind::kFloating);
  ControlInput in = input(*controller);
  ASSERT_TRUE(controller->place(in.q_ref, in.q));
  in.base.z = 0.2519 + 0.05;  // m, the shadow's
  in.base.turn = {1.0, 0.0, 0.0, 0.0};
  EXPECT_EQ(controller->reset(in), ControlStatus::kFootInAir);
  EXPECT_EQ(controller->finding().joint, -1);
  EXPECT_NEAR(controller->finding().value, 0.05, 1e-4);  // m
  in.base.z = 0.2519 + 0.01;
  EXPECT_EQ(controller->reset(in), ControlStatus::kOk);
}

TEST(VirtualLoopOnTheFloor, RefusesWhatCannotStand) {
  const ControllerFactory factory;
  const ControlPlace floor = place_of(khr1(BaseKind::kFloating));
  const ControlPlace stand = place_of(khr1(BaseKind::kFixed));
  expect_refused([&] { (void)factory.make(changed("", ""), stand); }, "expected --on floor");
  expect_refused([&] { (void)factory.make(changed("\"r_sole\"", "\"nose\""), floor); },
                 "stands_on: ");
  expect_refused([&] { (void)factory.make(changed("\"l_sole\"", "\"nose\""), floor); }, "loops: ");
  expect_refused([&] { (void)factory.make(changed("\"stands_on\": \"r_sole\",", ""), floor); },
                 "expected a sole that supports it, or --on stand");
  // the sole that the loop holds to the ground hangs in the air
  ControlPlace lifted = floor;
  lifted.q_start[joint("left_knee")] = 1.0;
  expect_refused([&] { (void)factory.make(changed("", ""), lifted); }, "'l_sole' is 0.0");
}

TEST(VirtualLoopController, NamesTheJointThatIsFarthestFromWhereTheLoopCloses) {
  const auto controller = make("khr1_hands.json", BaseKind::kFixed);
  const models::Model& model = *controller->reference_model();
  ControlInput in = input(*controller);
  in.q[model.body(model.find_joint("left_elbow")).q_index] = 0.6;
  EXPECT_EQ(controller->reset(in), ControlStatus::kLoopOpen);
  EXPECT_GT(controller->finding().value, 0.02);
  const std::string name =
      khr1(BaseKind::kFixed).joint_names[static_cast<std::size_t>(controller->finding().joint)];
  EXPECT_TRUE(name.find("elbow") != std::string::npos || name.find("shoulder") != std::string::npos)
      << name;
}

TEST(VirtualLoopController, WhatMayBeTurnedHasNamesRangesAndTheSetsValues) {
  const auto controller = make("khr1_hands.json", BaseKind::kFixed);
  const std::span<const Tunable> t = controller->tunables();
  ASSERT_EQ(t.size(), 7u);
  const char* names[] = {"left_shoulder_pitch/kp",
                         "left_shoulder_pitch/kd",
                         "left_shoulder_roll/kp",
                         "left_shoulder_roll/kd",
                         "damping",
                         "correction_rate",
                         "observer_rate"};
  const double values[] = {0.1, 0.015, 0.1, 0.015, 0.0, 20.0, 0.0};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(t[static_cast<std::size_t>(i)].name, names[i]);
    EXPECT_FALSE(t[static_cast<std::size_t>(i)].unit.empty());
    EXPECT_EQ(controller->tunable(i), values[i]);
    EXPECT_FALSE(controller->set_tunable(i, -0.1));
    EXPECT_FALSE(controller->set_tunable(i, t[static_cast<std::size_t>(i)].max + 1.0));
    EXPECT_FALSE(controller->set_tunable(i, kNaN));
    EXPECT_EQ(controller->tunable(i), values[i]);
    EXPECT_TRUE(controller->set_tunable(i, 3.0));
    EXPECT_EQ(controller->tunable(i), 3.0);
  }
  EXPECT_FALSE(controller->set_tunable(7, 1.0));
  EXPECT_FALSE(controller->set_tunable(-1, 1.0));
  EXPECT_TRUE(std::isnan(controller->tunable(7)));
  EXPECT_TRUE(controller->set_tunable(6, 2.0));
  EXPECT_EQ(controller->observer_rate(), 0.0);  // not yet
}

// every tunable in turn, off the target, in motion and with a gap: the update at which it is
// changed has the same bits, the next ones approach it smoothly, and the last is what was requested
TEST(VirtualLoopController, ATurnedGainIsNotFeltAtOnce) {
  for (int index = 0; index < 6; ++index) {
    SCOPED_TRACE(index);
    const auto turned = make("khr1_hands.json", BaseKind::kFixed);
    const auto kept = make("khr1_hands.json", BaseKind::kFixed);
    ControlInput in = input(*turned);
    ASSERT_EQ(turned->reset(in), ControlStatus::kOk);
    ASSERT_EQ(kept->reset(in), ControlStatus::kOk);
    const models::Model& model = *turned->reference_model();
    for (int i = 0; i < in.v.size(); ++i) in.v[i] = 0.05 * std::sin(1.0 + i);
    in.q[model.body(model.find_joint("right_elbow")).q_index] += 0.003;  // rad
    in.q_ref[static_cast<std::size_t>(
        model.body(model.find_joint("left_shoulder_pitch")).v_index)] = -0.4;
    in.q_ref[static_cast<std::size_t>(model.body(model.find_joint("left_shoulder_roll")).v_index)] =
        0.2;
    ControlOutput a;
    ControlOutput b;
    const double most = index == 5 ? 60.0 : 1.0;
    ASSERT_TRUE(turned->set_tunable(index, most));
    ASSERT_EQ(turned->update(in, a), ControlStatus::kOk);
    ASSERT_EQ(kept->update(in, b), ControlStatus::kOk);
    EXPECT_EQ(a.tau, b.tau);
    JointVector before = a.tau;
    double step = 0.0;
    for (int k = 0; k < 3000; ++k) {
      ASSERT_EQ(turned->update(in, a), ControlStatus::kOk);
      step = std::max(step, (a.tau - before).cwiseAbs().maxCoeff());
      before = a.tau;
    }
    const double whole = (a.tau - b.tau).cwiseAbs().maxCoeff();
    EXPECT_GT(whole, 1e-6);  // N m: it is felt in the end
    EXPECT_LT(step,
              0.0301 * whole);  // N m a ms: a hundredth; of the rate's square up to three times it
    const double end = turned->tunable(index);
    EXPECT_EQ(end, most);
    ASSERT_EQ(kept->reset(in), ControlStatus::kOk);
    ASSERT_TRUE(kept->set_tunable(index, most));
    ASSERT_EQ(kept->reset(in), ControlStatus::kOk);  // a start has it at once
    ASSERT_EQ(kept->update(in, b), ControlStatus::kOk);
    EXPECT_EQ(a.tau, b.tau);
  }
}

}  // namespace
}  // namespace kagami::control
