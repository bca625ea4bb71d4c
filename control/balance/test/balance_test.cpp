// Balance strategies against O12: its exact three-joint ratios, and the signs and bounds of its two
// runs, which are another program's on the same model.
#include "control/balance/balance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "control/balance/balance_gains.hpp"
#include "control/balance/test/balance_scene.hpp"
#include "models/base/errors.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::control {
namespace {

using namespace test_scene;

constexpr double kToe = 0.059;  // m, HOAP-2's soles in O12, from the ankles
constexpr double kHeel = -0.039;
constexpr double kSide = 0.0705;

BalanceSettings always(Strategy strategy) {
  BalanceSettings s;
  for (int i = 0; i < kStrategies; ++i) {
    s.strategies[static_cast<std::size_t>(i)] = thesis_gains(static_cast<Strategy>(i));
  }
  s.choose = false;
  s.always = strategy;
  return s;
}

TEST(ThreeJoint, HasTheNullSpaceOfO12) {
  const nlohmann::json json = test::read_fixture("o12_balance.json");
  for (const nlohmann::json& c : json.at("three_joint")) {
    const nlohmann::json& p = c.at("params");
    const ThreeJointModel model{p.at("m1"), p.at("mh1"), p.at("m2"),
                                p.at("l1"), p.at("lg1"), p.at("lg2")};
    const double a = c.at("theta_a"), h1 = c.at("theta_h1"), h2 = c.at("theta_h2");
    const ThreeJointNullSpace n = null_space(model, a, h1, h2);
    EXPECT_NEAR(n.n11, c.at("n11").get<double>(), 1e-12);
    EXPECT_NEAR(n.n31, c.at("n31").get<double>(), 1e-12);
    EXPECT_NEAR(n.n12, c.at("n2").at("n12").get<double>(), 1e-12);
    EXPECT_NEAR(n.n22, c.at("n2").at("n22").get<double>(), 1e-12);
    EXPECT_NEAR(ankle_to_hip_ratio(model, a, h1, h2), c.at("ratio_ankle_to_hip2").get<double>(),
                1e-12);
    // M_fl n1 = 0; what was printed for n31 leaves a tenth of the momentum and more
    const JointVector M = test::vector_from_json(c.at("M_fl"));
    EXPECT_NEAR(M[0] * n.n11 + M[2] * n.n31, 0.0, 1e-12);
    EXPECT_NEAR(M[0] * n.n12 + M[1] * n.n22, 0.0, 1e-12);
    EXPECT_GT(std::abs(c.at("printed_n31").get<double>() - n.n31), 0.3);
  }
  EXPECT_TRUE(std::isnan(ankle_to_hip_ratio({}, 0.0, 0.0, 0.0)));
  ThreeJointModel bad = thesis_lumps();
  bad.l1 = 0.0;
  EXPECT_THROW(check(bad), ConfigError);
}

TEST(FifthOrder, GoesFromZeroToOneWithoutAKink) {
  EXPECT_EQ(fifth_order(-1.0), 0.0);
  EXPECT_EQ(fifth_order(0.0), 0.0);
  EXPECT_EQ(fifth_order(0.5), 0.5);
  EXPECT_EQ(fifth_order(1.0), 1.0);
  EXPECT_EQ(fifth_order(2.0), 1.0);
  for (const double end : {0.0, 1.0}) {  // slope and curvature vanish
    const double h = 1e-4;
    const double inside = end == 0.0 ? h : 1.0 - h;
    EXPECT_LT(std::abs(fifth_order(inside) - end), 11.0 * h * h * h);
  }
}

TEST(UpperBodyRotation, TurnsAwayAndComesBackAsInO12) {
  const Outcome o = push_and_see(hoap2_scene(), always(Strategy::kUpperBodyRotation), kHand, 0.0,
                                 models::Scheme::kRk4);
  ASSERT_TRUE(o.completed);
  EXPECT_LT(o.correlation, -0.5);   // antiphase; O12 -0.76, measured -0.74
  EXPECT_GT(o.yaw, 2.0 * o.pitch);  // O12 12.1 and 4.5 deg, measured 11.7 and 4.6
  EXPECT_LT(o.com, 0.015);          // m; O12 0.0126, measured 0.0130
  EXPECT_LT(o.zmp_pushed, kToe);    // O12 -0.034 .. 0.010, measured -0.032 .. 0.011
  EXPECT_GT(o.zmp_back, kHeel);
  EXPECT_LT(o.zmp_side, kSide);
  EXPECT_LT(o.turn_at_end, 1.0);  // deg
}

TEST(Combined, TurnsAndBendsAsInO12) {
  const Outcome o = push_and_see(hoap2_scene(), always(Strategy::kCombined), kShoulder, 0.005,
                                 models::Scheme::kRk4);
  ASSERT_TRUE(o.completed);
  EXPECT_GT(o.correlation, 0.7);  // in phase; O12 and measured 0.93
  EXPECT_GT(o.yaw, 25.0);         // deg; O12 33.1, measured 32.2
  EXPECT_GT(o.pitch, 25.0);       // deg; O12 37.3, measured 36.1
  EXPECT_LT(o.com, 0.010);        // m; O12 0.0078, measured 0.0049
  EXPECT_LT(o.zmp_front, kToe);   // m, from 5 ms after the push on; measured 0.033
  EXPECT_LT(o.zmp_pushed, 0.1);   // while the push acts; O12 0.086, measured 0.066
  EXPECT_GT(o.zmp_back, kHeel);
  EXPECT_LT(o.zmp_side, kSide);
  EXPECT_LT(o.turn_at_end, 1.0);  // deg
}

// O12: a good mutation
TEST(Balance, TheWrongSignOfTheAnkleMakesTheRobotFall) {
  for (const Strategy strategy : {Strategy::kUpperBodyRotation, Strategy::kCombined}) {
    const Outcome o = push_and_see(hoap2_scene(-1.0), always(strategy),
                                   strategy == Strategy::kCombined ? kShoulder : kHand);
    EXPECT_TRUE(!o.completed || o.com > 0.05 || o.zmp_front > 0.2 || o.zmp_back < -0.2)
        << name(strategy) << " " << o.com << " " << o.zmp_front << " " << o.zmp_back;
  }
}

TEST(Balance, ChoosesByPlaceAndSizeOfThePushAndReturns) {
  struct Case {
    Push push;
    Strategy strategy;
    double seconds;
  };
  for (const Case& c :
       {Case{kHand, Strategy::kUpperBodyRotation, 3.2}, Case{kShoulder, Strategy::kCombined, 3.2},
        Case{middle(5.0), Strategy::kAnkle, 3.2}, Case{middle(18.0), Strategy::kHip, 3.2}}) {
    SCOPED_TRACE(name(c.strategy));
    Scene scene = hoap2_scene();
    scene.seconds = c.seconds;
    const Outcome o = push_and_see(scene, thesis_settings(), c.push, 0.02);
    ASSERT_TRUE(o.completed);
    EXPECT_STREQ(name(o.report.strategy), name(c.strategy));
    EXPECT_EQ(o.report.phase, BalancePhase::kStanding);
    EXPECT_EQ(o.report.pushes, 1);
    EXPECT_LE(o.report.changes, 1);
    EXPECT_LT(o.turn_at_end, 1.0);  // deg
    EXPECT_LT(o.zmp_front, kToe);
    EXPECT_GT(o.zmp_back, kHeel);
    EXPECT_LT(o.zmp_side, kSide);
  }
}

// the large push in the middle: leaning as one piece, the toes would have to hold more than they
// can
TEST(Hip, HoldsTheMassCentreWhereTheAnkleLosesIt) {
  Scene scene = hoap2_scene();
  scene.seconds = 1.0;
  const Outcome ankle = push_and_see(scene, always(Strategy::kAnkle), middle(18.0), 0.02);
  const Outcome hip = push_and_see(scene, always(Strategy::kHip), middle(18.0), 0.02);
  EXPECT_GT(ankle.zmp_front, kToe);     // m; measured 0.071
  EXPECT_LT(hip.zmp_front, kToe);       // measured 0.034
  EXPECT_LT(hip.com, 0.2 * ankle.com);  // measured 3 and 44 mm
}

// 1.2 kg in place of 7, 0.15 m in place of 0.22, no hip yaw; knees and arms are held
TEST(Balance, OfTheKhr1LeansOrBendsAndReturns) {
  BalanceSettings settings = thesis_settings();
  for (StrategyGains& g : settings.strategies) g = scaled(g, 0.12, 0.1);
  Scene scene = khr1_scene();
  scene.seconds = 5.0;
  struct Case {
    double force;  // N, 0.1 s, to the side of the middle: it cannot turn away
    Strategy strategy;
  };
  for (const Case& c : {Case{1.0, Strategy::kAnkle}, Case{3.0, Strategy::kHip}}) {
    const Outcome o =
        push_and_see(scene, settings, {Vec3(c.force, 0.0, 0.0), Vec3(0.0, 0.02, 0.05)}, 0.02);
    ASSERT_TRUE(o.completed);
    EXPECT_STREQ(name(o.reaction), name(c.strategy));
    EXPECT_LT(o.turn_at_end, 0.02 * o.pitch);  // 4.7 s after the push began
    EXPECT_EQ(o.report.phase, BalancePhase::kStanding);
  }
}

TEST(Lumps, AreThoseOfTheRobotWhateverItsRoot) {
  const nlohmann::json json = test::read_fixture("o12_balance.json");
  const models::Model from_trunk = test::model_from_json(json.at("scene_model"));
  const models::Model from_foot = hoap2(models::BaseKind::kFixed);
  for (const models::Model* model : {&from_trunk, &from_foot}) {
    const BalanceRobot robot = robot_of(*model);
    const ThreeJointModel m =
        lumps_of(*model, models::neutral_state(*model).q, robot.legs, robot.trunk);
    EXPECT_NEAR(m.m1, 1.6, 1e-12);        // kg, thighs
    EXPECT_NEAR(m.lg1, 0.1, 1e-12);       // m
    EXPECT_NEAR(m.l1, 0.2, 1e-12);        // m
    EXPECT_NEAR(m.m2, 4.2 + 0.6, 1e-12);  // kg, upper body and hip brackets
    EXPECT_NEAR(m.lg2, (4.2 * 0.1 - 0.6 * 0.01) / 4.8, 1e-12);
  }
  BalanceRobot below = robot_of(from_trunk);
  below.trunk = from_trunk.frame("link5");
  EXPECT_THROW(lumps_of(from_trunk, models::neutral_state(from_trunk).q, below.legs, below.trunk),
               ConfigError);
}

// hips turned about the vertical by `yaw` (rad, rad/s), 1 ms each: what the robot would show
BalanceReport show(Balance& balance, const models::Model& model, int steps, double yaw,
                   double yaw_rate) {
  models::State s = models::neutral_state(model);
  const LegSlots legs = robot_of(model).legs;
  JointVector tau;
  for (int k = 0; k < steps; ++k) {
    s.q[legs[kRightHipYaw].q_index] = yaw + 1e-3 * k * yaw_rate;
    s.v[legs[kRightHipYaw].v_index] = yaw_rate;
    EXPECT_EQ(balance.update(s.q, s.v, 1e-3, tau), BalanceControlStatus::kOk);
  }
  return balance.report();
}

TEST(Balance, GoesThroughItsPhasesAndDetectsAnotherPush) {
  const models::Model model = on_both_feet();
  Balance balance(model, robot_of(model), thesis_settings());
  ASSERT_EQ(balance.start(models::neutral_state(model).q), BalanceControlStatus::kOk);
  EXPECT_EQ(show(balance, model, 10, 0.0, 0.0).phase, BalancePhase::kStanding);
  const BalanceReport pushed = show(balance, model, 100, 0.0, 1.0);
  EXPECT_EQ(pushed.phase, BalancePhase::kReaction);
  EXPECT_EQ(pushed.pushes, 1);
  EXPECT_STREQ(name(pushed.strategy), "upper-body-rotation");
  const BalanceReport back = show(balance, model, 20, 0.1, -0.5);
  EXPECT_EQ(back.phase, BalancePhase::kRecovery);
  EXPECT_EQ(back.pushes, 1);
  // four times the first one
  const BalanceReport again = show(balance, model, 50, 0.09, 4.0);
  EXPECT_EQ(again.phase, BalancePhase::kReaction);
  EXPECT_EQ(again.pushes, 2);
  EXPECT_STREQ(name(again.strategy), "combined");
  EXPECT_EQ(show(balance, model, 10, 0.2, -0.1).phase, BalancePhase::kRecovery);
  EXPECT_EQ(show(balance, model, 290, 0.0, 0.0).phase, BalancePhase::kRecovery);  // not yet 0.3 s
  EXPECT_EQ(show(balance, model, 20, 0.0, 0.0).phase, BalancePhase::kStanding);
}

TEST(Balance, ReportsHowFarTheCapturePointIsInsideTheSoles) {
  Scene scene = hoap2_scene();
  scene.seconds = 0.25;  // half of the push
  // standing: the mass centre, 0.43 mm ahead of the ankles (O12), from the rear edge
  const Outcome small = push_and_see(scene, always(Strategy::kAnkle), middle(5.0));
  EXPECT_NEAR(small.least_margin, 0.039 + 0.0004285714286, 1e-9);  // m
  EXPECT_GT(small.report.capture_margin, small.least_margin);      // it moved to the middle
  // 60 N for 50 ms: 0.43 m/s and more of the mass centre, times 0.16 s, beyond the toes
  const Outcome large = push_and_see(scene, always(Strategy::kAnkle), middle(60.0));
  EXPECT_LT(large.report.capture_margin, -0.01);
  EXPECT_EQ(large.report.least_margin, large.report.capture_margin);
  scene.robot.sole_corners.clear();
  EXPECT_TRUE(
      std::isnan(push_and_see(scene, always(Strategy::kAnkle), middle(5.0)).report.capture_margin));
}

}  // namespace
}  // namespace kagami::control
