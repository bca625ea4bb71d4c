// Experiments of the controllers at their own settings. Their claims carry the oracles: exact
// motions of one degree of freedom, another program's results (O11, O12), and laws of mechanics.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "models/base/errors.hpp"
#include "models/robot/read_model.hpp"
#include "tools/cli/console.hpp"
#include "tools/experiments/balance_scene.hpp"
#include "tools/experiments/push_robot.hpp"
#include "tools/experiments/registry.hpp"
#include "tools/experiments/test/experiment_runs.hpp"
#include "tools/experiments/virtual_arm.hpp"

namespace kagami::tools {
namespace {

using test::result_of;
using test::settings_of;
using test::shipped_data;

class ControllerExperiment : public testing::TestWithParam<const char*> {};

TEST_P(ControllerExperiment, GivesWhatMustComeOut) {
  const ExperimentResult result = result_of(GetParam());
  EXPECT_GE(result.claims.size(), 4u);
  for (const Claim& c : result.claims) {
    EXPECT_TRUE(c.was_measured()) << c.text;
    EXPECT_TRUE(c.holds()) << c.text << ": " << c.measured << ", expected " << c.expected << " +- "
                           << c.tolerance << " " << c.unit;
  }
  EXPECT_FALSE(result.drifts.empty());
  for (const Figure& figure : result.figures)
    for (const Panel& panel : figure.panels)
      for (const Curve& curve : panel.curves)
        EXPECT_NO_THROW((void)result.trace.index(curve.column));
}

INSTANTIATE_TEST_SUITE_P(Thesis, ControllerExperiment,
                         testing::Values("reaction-null-space", "balance-upper-body",
                                         "balance-combined", "arm-free", "virtual-four-bar",
                                         "virtual-slider-crank", "virtual-four-bar-singular",
                                         "virtual-slider-crank-singular", "virtual-four-bar-stop",
                                         "virtual-slider-crank-stop", "virtual-hands",
                                         "virtual-object", "awa-leg"));

double largest(const Trace& trace, const std::string& column) {
  double most = 0.0;
  for (const double x : trace.column(column)) most = std::max(most, std::abs(x));
  return most;
}

// without Mdot_fl theta' the foot feels it: the claim is no empty one
TEST(ReactionNullSpaceExperiment, LeavingOutTheRateOfTheCouplingInertiaLoadsTheFoot) {
  const ExperimentResult result = result_of("reaction-null-space");
  EXPECT_LT(largest(result.trace, "moment"), 1e-9);  // N m
  EXPECT_GT(largest(result.trace, "moment_without"), 1e-4);
}

TEST(BalanceExperiment, PushIsARectangleOrHalfASineInItsTime) {
  ShoulderPush push{10.0, Vec3::Zero()};
  EXPECT_EQ(push.at(0.999), 0.0);
  EXPECT_EQ(push.at(1.0), 10.0);
  EXPECT_EQ(push.at(1.0999), 10.0);
  EXPECT_EQ(push.at(1.1), 0.0);
  push.smooth = true;
  EXPECT_NEAR(push.at(1.05), 10.0, 1e-12);
  EXPECT_NEAR(push.at(1.025), 10.0 * std::sqrt(0.5), 1e-12);
}

// feet free on the floor, the rigid block survives 18.5 N; the hips take what stiff joints do not,
// and so does the combined strategy with both ankles in the null space and stiff rolls; as the
// thesis has it, for feet that are held, it is worse than holding
TEST(PushOnFloor, HipAndCombinedTakeMoreThanHeldAndTheThesissLess) {
  const PushedRobot robot = pushed_hoap2(shipped_data());
  const auto survives = [&robot](const PushDrive& drive, double force) {
    FloorPush push;
    push.force = force;
    return push_on_floor(robot, drive, push).survived;
  };
  const PushDrive held{true, false, {}};
  EXPECT_TRUE(survives(held, 15.0));
  EXPECT_FALSE(survives(held, 20.0));
  EXPECT_TRUE(survives({false, false, control::Strategy::kHip}, 22.0));
  EXPECT_TRUE(survives({false, false, control::Strategy::kCombined}, 22.0));
  EXPECT_FALSE(survives({false, false, control::Strategy::kCombined}, 30.0));
  const PushDrive thesis{false, false, control::Strategy::kCombined, true, true};
  // a foot that lands is not hammered at full effort: from 5 to 13 N nothing is lost
  for (const double force : {5.0, 9.0, 11.0, 13.0}) EXPECT_TRUE(survives(thesis, force)) << force;
  EXPECT_FALSE(survives(thesis, 16.0));
  const PushDrive chosen{false, true, {}};
  EXPECT_TRUE(survives(chosen, 20.0));
}

// one closed problem of one angle against contact of eight corners and ten joints
TEST(PushOnFloor, AStiffRobotTipsAsTheRigidBlock) {
  for (PushedRobot robot : {pushed_hoap2(shipped_data()), pushed_khr1(shipped_data())}) {
    SCOPED_TRACE(robot.name);
    robot.hold_kp *= 20.0;
    robot.hold_kd *= 20.0;
    robot.effort *= 100.0;
    robot.shoulder.y() = robot.name == "hoap2" ? 0.039 : 0.0;  // m, in the middle
    const double block = rigid_block_push(robot, false);
    FloorPush push;
    push.seconds = 4.0;  // rocks for long
    push.force = 0.97 * block;
    EXPECT_TRUE(push_on_floor(robot, {true, false, {}}, push).survived) << block;
    push.force = 1.03 * block;
    EXPECT_FALSE(push_on_floor(robot, {true, false, {}}, push).survived) << block;
  }
}

TEST(PushOnFloor, BisectionEndsBetweenWhatSurvivesAndWhatIsLost) {
  const PushedRobot robot = pushed_khr1(shipped_data());
  const PushDrive held{true, false, {}};
  FloorPush push;
  push.sideways = true;
  push.force = largest_push(robot, held, true, push);
  EXPECT_NEAR(push.force, rigid_block_push(robot, true), 0.1 * push.force);  // N
  EXPECT_TRUE(push_on_floor(robot, held, push).survived);
  push.force *= 1.03;
  EXPECT_FALSE(push_on_floor(robot, held, push).survived);
}

// the engine's motors obey, so the walk's joints are those of 17 recursions without any engine
TEST(AwaWalk, JointsMoveAsTheLawAloneHasIt) {
  ExperimentSettings settings = settings_of("awa-walk");
  settings.duration = 3.0;
  const ExperimentResult result = result_of("awa-walk", settings);
  EXPECT_TRUE(all_hold(result));
  EXPECT_TRUE(result.claims.front().was_measured());  // the step's answer
  EXPECT_FALSE(result.claims.back().was_measured());  // the way, after the whole motion
  EXPECT_LT(largest(result.trace, "obeys_gap"),
            1e-5);  // rad; the engine's own slack, measured 3e-7
  EXPECT_GT(largest(result.trace, "q:right_knee"), 0.05);
  settings.dt = 2e-3;
  EXPECT_THROW(result_of("awa-walk", settings), ConfigError);
}

double largest_gap(const ArmLaw& law, const ArmLaw& exact, ArmMechanism mechanism) {
  const models::Model arm = models::read_model(find_robot(shipped_data(), "planar_arm_4r")).model;
  Trace trace =
      run_arm(arm, mechanism, law, arm_start(arm, mechanism, 40.0), {1e-3, 0.5, "rk4", "aba"});
  add_exact_arm(mechanism, exact, trace);
  return largest(trace, "theta1_gap");
}

// 2 % more gain must show: the exact motion does not follow the controller's code
TEST(ExactArm, DistinguishesLaws) {
  for (const ArmMechanism mechanism : {ArmMechanism::kFourBar, ArmMechanism::kSliderCrank}) {
    ArmLaw law;
    law.kp[0] = 5.0;
    law.kd[0] = 3.0;
    law.target_deg[0] = 70.0;
    if (mechanism == ArmMechanism::kSliderCrank) {
      law.end_kp = 7.0;
      law.end_kd = 4.0;
      law.end_target = 2.2;
    }
    EXPECT_LT(largest_gap(law, law, mechanism), 1e-11);  // rad
    ArmLaw other = law;
    other.kp[0] *= 1.02;
    EXPECT_GT(largest_gap(other, law, mechanism), 1e-5);
    other = law;
    other.end_kd *= 1.02;
    other.kd[0] *= 1.02;
    EXPECT_GT(largest_gap(other, law, mechanism), 1e-5);
  }
}

TEST(VirtualArm, AShortRunLeavesTheClaimsAboutItsEndOpen) {
  ExperimentSettings settings = settings_of("virtual-slider-crank-singular");
  settings.duration = 1.0;
  const ExperimentResult result = result_of("virtual-slider-crank-singular", settings);
  int open = 0;
  for (const Claim& c : result.claims) open += c.was_measured() ? 0 : 1;
  EXPECT_EQ(open, 4);
  EXPECT_TRUE(all_hold(result));
}

TEST(VirtualArm, FirstOrderFailsTheExactMotion) {
  ExperimentSettings settings = settings_of("virtual-four-bar");
  settings.integrator = "semi-implicit-euler";
  const ExperimentResult result = result_of("virtual-four-bar", settings);
  EXPECT_FALSE(all_hold(result));
  EXPECT_FALSE(result.claims.front().holds());
}

}  // namespace
}  // namespace kagami::tools
