// The joint PID as a controller: its loop, its take-over, its limits, its lead against gravity.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "control/factory/factory.hpp"
#include "control/pid/gravity_lead.hpp"
#include "control/pid/pid.hpp"
#include "control/test/support/controllers.hpp"
#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/number_text.hpp"
#include "models/base/text_file.hpp"
#include "models/dynamics/energy.hpp"
#include "models/test/support/model_json.hpp"
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

TEST(PidController, IsTheLoopOfO15WhenTheJointObeysItsTarget) {
  const nlohmann::json json = test::read_fixture("o15_pid_servo.json");
  const auto controller = make("awa_2009.json", models::BaseKind::kFixed);
  ControlInput in = input(*controller);
  in.q_ref.fill(1.0);
  in.q_ref_then.fill(1.0);
  ControlOutput out;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  int k = 0;
  for (const nlohmann::json& row : json.at("cases").at("A").at("rows")) {
    for (const int end = static_cast<int>(std::lround(row[0].get<double>() / 1e-3)); k <= end;
         ++k) {
      in.measured = in.q_target;
      ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
      in.q_target = out.q_target;
    }
    EXPECT_NEAR(in.measured[5], row[1].get<double>(), 1e-12);  // rad
  }
  EXPECT_GT(k, 1000);
}

TEST(PidController, StartsWhereTheServosStandAndStopsItsSumAtALimit) {
  const auto controller = make("awa_2009.json", models::BaseKind::kFixed);
  ControlInput in = input(*controller);
  in.q_target.fill(0.3);
  in.q_ref.fill(0.5);
  in.q_ref_then = in.q_ref;
  in.measured.fill(0.2);
  ControlOutput out;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_NEAR(out.q_target[0], 0.3, 6.16e-3);  // no further than one step at the limit
  in.q_target = out.q_target;
  // a gate holds every target at 0.31; a second later one step is enough to come back
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
    in.q_target.fill(std::min(out.q_target[0], 0.31));
  }
  EXPECT_GT(out.q_target[0], 0.31);
  EXPECT_LT(out.q_target[0], 0.31 + 7e-3);
}

/// One gain alone; what a gate of the servo's free speed makes of its targets for joint 1.
struct BehindAGate {
  static constexpr double kStep = 6.16e-3;  // rad per cycle
  std::unique_ptr<Controller> controller = make("awa_2009.json", models::BaseKind::kFixed);
  ControlInput in = input(*controller);
  ControlOutput out;

  BehindAGate(double kp, double lead_time) {
    const auto turn = [&](int gain, double value) {
      EXPECT_TRUE(controller->set_tunable(4 + gain, value));
    };
    turn(0, kp);
    turn(1, 0.0);
    turn(2, 0.0);
    turn(3, lead_time);
    EXPECT_EQ(controller->reset(in), ControlStatus::kOk);
  }
  /// The reference at `q` with rate `qd`, the joint at `measured`.
  double step(double q, double qd, double measured) {
    in.q_ref[1] = in.q_ref_then[1] = q;
    in.qd_ref[1] = qd;
    in.measured[1] = measured;
    EXPECT_EQ(controller->update(in, out), ControlStatus::kOk);
    in.q_target[1] += std::clamp(out.q_target[1] - in.q_target[1], -kStep, kStep);
    return in.q_target[1];
  }
};

TEST(PidController, ALeadThatALimitHoldsBackIsNotPaidByTheSum) {
  // without error u = 0: the target is q_ref + T q_ref', as fast as the gate lets it, and back
  BehindAGate gate(0.0, 0.2);
  const double rate = 5.0;  // rad/s
  for (int k = 1; k <= 100; ++k) {
    const double q = rate * 1e-3 * k;
    // behind q_ref + 1 rad by what the gate takes
    EXPECT_NEAR(gate.step(q, rate, q), BehindAGate::kStep * k, 1e-12);  // rad
    EXPECT_NEAR(gate.out.q_target[1], q + 1.0, 1e-12);
  }
  // 0.616 rad were reached; it is at rest now and there is no lead: back to it, to the last bit
  for (int k = 1; k <= 18; ++k) {
    EXPECT_NEAR(gate.step(0.5, 0.0, 0.5), 0.616 - BehindAGate::kStep * k, 1e-12);
  }
  EXPECT_NEAR(gate.step(0.5, 0.0, 0.5), 0.5, 1e-12);
}

TEST(PidController, TheIntegralStopsWhereItPushesIntoALimitAndContinuesWhereItLeadsOut) {
  // the reference jumps by 1 rad: 162.3 cycles of the gate; an error of +0.1 rad pushes further
  BehindAGate outward(2.0, 0.0);
  static_cast<void>(outward.step(1.0, 0.0, 0.9));  // one step is summed before the limit is seen
  for (int k = 2; k <= 162; ++k) {
    static_cast<void>(outward.step(1.0, 0.0, 0.9));
    EXPECT_NEAR(outward.out.q_target[1], 1.0 + 0.2e-3, 1e-12) << k;  // rad
  }
  // an error of -0.1 rad leads out of it: c' = -0.2 rad/s in every cycle
  BehindAGate inward(2.0, 0.0);
  for (int k = 1; k <= 150; ++k) {
    static_cast<void>(inward.step(1.0, 0.0, 1.1));
    EXPECT_NEAR(inward.out.q_target[1], 1.0 - 0.2e-3 * k, 1e-12) << k;
  }
}

TEST(PidController, TurnsAGainWithoutABumpAndRefusesWhatIsOutOfRange) {
  const auto controller = make("awa_2009.json", models::BaseKind::kFixed);
  ControlInput in = input(*controller);
  in.q_ref_then.fill(0.1);
  ControlOutput out;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  for (int k = 0; k < 10; ++k) ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  ASSERT_EQ(controller->tunables().size(), 6u * 17u);
  EXPECT_EQ(controller->tunables()[0].name, "head_yaw/kp");
  EXPECT_EQ(controller->tunable(0), 5.0);
  const double before = out.u[0];
  EXPECT_TRUE(controller->set_tunable(0, 50.0));
  EXPECT_EQ(controller->tunable(0), 50.0);
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_NEAR(out.u[0], before, 0.02);  // rad/s; what one step integrates
  EXPECT_FALSE(controller->set_tunable(0, 1001.0));
  EXPECT_FALSE(controller->set_tunable(2, 1.0));  // kd: (pid-4)
  EXPECT_FALSE(controller->set_tunable(0, kNaN));
  EXPECT_FALSE(controller->set_tunable(6 * 17, 1.0));
  EXPECT_TRUE(std::isnan(controller->tunable(-1)));
  EXPECT_EQ(controller->tunable(0), 50.0);
}

TEST(PidController, NamesTheJointOfABadMeasurement) {
  const auto controller = make("awa_2009.json", models::BaseKind::kFixed);
  ControlInput in = input(*controller);
  ControlOutput out;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  in.measured[4] = kNaN;
  EXPECT_EQ(controller->update(in, out), ControlStatus::kNotFinite);
  EXPECT_EQ(controller->finding().joint, 4);
  in.measured[4] = 0.0;
  in.dt = 0.0;
  EXPECT_EQ(controller->update(in, out), ControlStatus::kBadStep);
}

TEST(PidController, RefusesTorquesAndOtherRobots) {
  std::string text = read_text_file(kGains + "awa_2009.json");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return ConfigDocument::parse(changed, "set.json");
  };
  const ControlPlace place = place_of(khr1(models::BaseKind::kFixed));
  const ControllerFactory factory;
  expect_refused([&] { (void)factory.make(with("\"speed\"", "\"torque\""), place); },
                 "expected output 'speed'");
  expect_refused(
      [&] { (void)factory.make(with("\"output\"", "\"robot\": \"hoap2\", \"output\""), place); },
      "is for 'hoap2', this robot is 'khr1'");
  expect_refused([&] { (void)factory.make(with("\"kp\": 5", "\"kp\": 5e4"), place); }, "kp");
}

/// awa_2009 with that share of the gravity lead; servos of 20 N m/rad.
std::unique_ptr<Controller> with_gravity(double share, models::BaseKind base, double stiffness) {
  std::string text = read_text_file(kGains + "awa_2009.json");
  const std::string key = "\"form\"";
  text.replace(text.find(key), key.size(),
               "\"gravity_feed_forward\": " + number_text(share) + ", " + key);
  ControlPlace place = place_of(khr1(base));
  place.servo_stiffness.fill(stiffness);
  return ControllerFactory().make(ConfigDocument::parse(text, "set.json"), place);
}

TEST(GravityLead, IsTheSlopeOfThePotentialEnergyOverTheStiffness) {
  const models::Model& model = khr1(models::BaseKind::kFixed).model;
  const std::vector<double> stiffness(17, 20.0);
  GravityLead gravity(model, stiffness, khr1(models::BaseKind::kFixed).joint_names);
  JointArray<double> q{};
  for (std::size_t j = 0; j < 17; ++j) q[j] = 0.1 * static_cast<double>(j) - 0.7;
  JointArray<double> lead{};
  const kagami::test::NoAlloc guard;
  gravity.at(q, lead);
  EXPECT_EQ(guard.count(), 0);
  models::Kinematics k(model);
  const auto energy = [&](std::size_t joint, double step) {
    JointVector at(17);
    for (std::size_t j = 0; j < 17; ++j) at[static_cast<Eigen::Index>(j)] = q[j];
    at[static_cast<Eigen::Index>(joint)] += step;
    models::forward_kinematics(model, at, JointVector::Zero(17), k);
    return models::potential_energy(model, k);
  };
  double largest = 0.0;
  for (std::size_t j = 0; j < 17; ++j) {
    const double slope = (energy(j, 1e-4) - energy(j, -1e-4)) / 2e-4;  // N m
    EXPECT_NEAR(lead[j], slope / 20.0, 1e-9) << j;                     // rad; differences of 1e-4
    largest = std::max(largest, std::abs(lead[j]));
  }
  EXPECT_GT(largest, to_rad(0.3));
}

TEST(PidController, LeadsTheMotionByWhatGravityTakesFromTheServos) {
  const auto controller = with_gravity(1.0, models::BaseKind::kFixed, 20.0);
  GravityLead gravity(khr1(models::BaseKind::kFixed).model, std::vector<double>(17, 20.0),
                      khr1(models::BaseKind::kFixed).joint_names);
  ControlInput in = input(*controller);
  in.q_ref.fill(0.5);
  in.q_ref_then = in.q_ref;
  in.measured = in.q_ref;
  in.q_target = in.q_ref;
  ControlOutput out;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  JointArray<double> before{};
  JointArray<double> after{};
  gravity.at(in.q_ref, before);
  for (std::size_t j = 0; j < 17; ++j) EXPECT_EQ(out.q_target[j], in.q_target[j]) << j;  // no bump
  // the motion continues: the targets go with it and with the change of the lead, no further
  in.q_ref.fill(1.4);
  in.q_ref_then = in.q_ref;
  in.measured = in.q_ref;
  in.sample_dt.fill(0.0);  // no new reading: no rate
  in.q_target = out.q_target;
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  gravity.at(in.q_ref, after);
  double largest = 0.0;
  for (std::size_t j = 0; j < 17; ++j) {
    EXPECT_NEAR(out.q_target[j], 1.4 + after[j] - before[j], 1e-12) << j;  // rad
    largest = std::max(largest, std::abs(after[j] - before[j]));
  }
  EXPECT_GT(largest, to_rad(0.1));
}

TEST(PidController, LeadsTheMotionAlongItsRateAndTurnsTheLeadWithoutABump) {
  const auto controller = make("awa_2009.json", models::BaseKind::kFixed);
  ControlInput in = input(*controller);
  ControlOutput out;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  ASSERT_EQ(controller->tunables()[7].name, "left_shoulder_pitch/lead_time");
  EXPECT_TRUE(controller->set_tunable(7, 0.2));  // at rest nothing moves
  EXPECT_EQ(controller->tunable(7), 0.2);
  in.sample_dt.fill(0.0);
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_EQ(out.q_target[1], 0.0);
  in.q_target = out.q_target;
  in.qd_ref.fill(0.5);
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_NEAR(out.q_target[1], 0.1, 1e-15);  // rad
  EXPECT_EQ(out.q_target[2], 0.0);           // its lead is 0
  in.q_target = out.q_target;
  EXPECT_TRUE(controller->set_tunable(7, 0.4));
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_NEAR(out.q_target[1], 0.1, 1e-15);  // the change itself is not felt
  in.q_target = out.q_target;
  in.qd_ref.fill(0.0);
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_NEAR(out.q_target[1], -0.1, 1e-15);  // from here on it leads by 0.4 s
  EXPECT_FALSE(controller->set_tunable(7, 0.51));
}

TEST(PidController, TurnsBothFeedForwardsWithoutABump) {
  const auto controller = with_gravity(0.0, models::BaseKind::kFixed, 20.0);
  ASSERT_EQ(controller->tunables().size(), 7u * 17u);
  ASSERT_EQ(controller->tunables()[4 * 17 + 1].name, "left_shoulder_pitch/rate_feed_forward");
  ASSERT_EQ(controller->tunables()[6 * 17 + 1].name, "left_shoulder_pitch/gravity_feed_forward");
  EXPECT_FALSE(controller->tunables()[6 * 17 + 1].text.empty());
  ControlInput in = input(*controller);
  in.q_ref[1] = in.q_ref_then[1] = in.measured[1] = in.q_target[1] = -1.0;  // the arm is up
  ControlOutput out;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  in.sample_dt.fill(0.0);
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  in.q_target = out.q_target;
  const double before = out.q_target[1];
  EXPECT_TRUE(controller->set_tunable(6 * 17 + 1, 1.0));
  EXPECT_TRUE(controller->set_tunable(4 * 17 + 1, 0.5));
  EXPECT_EQ(controller->tunable(6 * 17 + 1), 1.0);
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_NEAR(out.q_target[1], before, 1e-9);  // rad; the change itself is not felt
  in.q_target = out.q_target;
  in.q_ref[1] = in.q_ref_then[1] = in.measured[1] = 0.0;  // the arm hangs: no sag is left to lead
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_GT(std::abs(out.q_target[1] - before - 1.0), 1e-4);
  EXPECT_FALSE(controller->set_tunable(6 * 17 + 1, 2.1));
}

TEST(PidController, TurnsTheDerivativesFilterWithoutABump) {
  // a joint that turns at 0.3 rad/s, read every 10 ms; kd = 0.5 alone: u = -kd w, w of (pid-1)
  const auto controller = make("awa_2009.json", models::BaseKind::kFixed);
  const auto turn = [&](int index, double value) { return controller->set_tunable(index, value); };
  ASSERT_EQ(controller->tunables()[5 * 17].name, "head_yaw/filter_time");
  ASSERT_EQ(controller->tunables()[5 * 17].max, kMaxFilterTime);
  ASSERT_TRUE(turn(0, 0.0) && turn(1, 0.0) && turn(2, 0.5) && turn(5 * 17, 0.03));
  ControlInput in = input(*controller);
  ControlOutput out;
  ASSERT_EQ(controller->reset(in), ControlStatus::kOk);
  double rate = 0.0;  // rad/s, filtered
  const auto reading = [&](double filter_time, double speed) {
    in.measured[0] += 0.01 * speed;
    in.sample_dt.fill(0.01);
    rate += (speed - rate) * 0.01 / (filter_time + 0.01);
    EXPECT_EQ(controller->update(in, out), ControlStatus::kOk);
    in.q_target = out.q_target;
  };
  for (int k = 0; k < 5; ++k) {
    reading(0.03, 0.3);
    EXPECT_NEAR(out.u[0], -0.5 * rate, 1e-12);  // rad/s
  }
  EXPECT_NEAR(rate, 0.3 * (1.0 - std::pow(0.75, 5)), 1e-12);
  // another filter: the next cycle, without a new reading, gives the same speed
  const double before = out.u[0];
  ASSERT_TRUE(turn(5 * 17, 0.1));
  EXPECT_EQ(controller->tunable(5 * 17), 0.1);
  in.sample_dt.fill(0.0);
  ASSERT_EQ(controller->update(in, out), ControlStatus::kOk);
  EXPECT_EQ(out.u[0], before);
  in.q_target = out.q_target;
  for (int k = 0; k < 5; ++k) {
    reading(0.1, -0.2);
    EXPECT_NEAR(out.u[0], -0.5 * rate, 1e-12);
  }
  EXPECT_FALSE(turn(5 * 17, 0.21));
  EXPECT_FALSE(turn(5 * 17, -0.01));
}

TEST(PidController, RefusesAFilterThatIsTooShortForTheDerivative) {
  nlohmann::json gains = nlohmann::json::parse(read_text_file(kGains + "awa_2009.json"));
  gains["all"]["filter_time"] = 0.02;  // kd < 1 + 2 * 0.02 / 0.01 = 5
  gains["all"]["td"] = 0.6;            // kd = 3
  const auto controller = ControllerFactory().make(ConfigDocument::parse(gains.dump(), "t"),
                                                   place_of(khr1(models::BaseKind::kFixed)));
  EXPECT_GT(controller->tunables()[2].max, 3.0);  // 0.99 (1 + 2 T / h)
  EXPECT_FALSE(controller->set_tunable(5 * 17, 0.005));
  EXPECT_EQ(controller->tunable(5 * 17), 0.02);
  EXPECT_TRUE(controller->set_tunable(2, 0.9));
  EXPECT_TRUE(controller->set_tunable(5 * 17, 0.0));
  EXPECT_FALSE(controller->set_tunable(2, 3.0));  // within its range, but not without a filter
  EXPECT_TRUE(controller->set_tunable(5 * 17, 0.02));
  EXPECT_TRUE(controller->set_tunable(2, 3.0));
}

TEST(PidController, RefusesAGravityLeadWhereNothingIsKnownOfIt) {
  expect_refused([] { (void)with_gravity(1.0, models::BaseKind::kFloating, 20.0); },
                 "expected --on stand");
  expect_refused([] { (void)with_gravity(1.0, models::BaseKind::kFixed, 0.0); },
                 "joint head_yaw: gravity_feed_forward requires the servo's stiffness");
  EXPECT_NO_THROW((void)with_gravity(0.0, models::BaseKind::kFloating, 0.0));
}

}  // namespace
}  // namespace kagami::control
