// Redundant equations as files give them: axes that are parallel to their printed digits only.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "models/closed_chains/loop_assembly.hpp"
#include "models/closed_chains/loop_dynamics.hpp"
#include "models/closed_chains/test/loop_models.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/joint_places.hpp"
#include "models/robot/reroot.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::models {
namespace {

// the parallelogram of three rods of 1 m on hinges along y, the second hinge `tilt` (rad) off
Model four_bar(double tilt) {
  ModelBuilder builder;
  const Joint hinge{JointType::kRevolute, Vec3::UnitY(), Vec3::Zero()};
  const Vec3 along = Vec3::UnitZ();
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    const Mat3 R = i == 1 ? rotation_about(Vec3::UnitX(), tilt) : Mat3(Mat3::Identity());
    const Vec3 p = i == 0 ? Vec3::Zero() : along;
    builder.add_body("rod" + n, i - 1, "hinge" + n, hinge, {R, p},
                     {1.0, 0.5 * along, 0.1 * Mat3::Identity()});
  }
  builder.add_loop("ground", 2, {Mat3::Identity(), along}, kWorld,
                   {Mat3::Identity(), Vec3(1.0, 0.0, 0.0)}, hinge);
  return builder.build();
}

// up, to the right, down: a square
const double kSquare[3] = {0.0, 0.5 * M_PI, 0.5 * M_PI};

TEST(LoopRank, AxesParallelToTheirPrintedDigitsGiveNoLoads) {
  const JointVector q = Eigen::Map<const Eigen::Vector3d>(kSquare);
  const JointVector zero = JointVector::Zero(3);
  const Model exact = four_bar(0.0);
  LoopDynamics want(exact);
  JointVector vdot;
  ASSERT_EQ(want.run(q, zero, zero, ExternalLoads{}, vdot), LoopStatus::kOk);
  ASSERT_EQ(want.rank(), 2);
  const double load = want.wrench(0).c.norm();
  for (const double tilt : {1e-15, 1e-13, 1e-11, 1e-9}) {
    SCOPED_TRACE(tilt);
    const Model model = four_bar(tilt);
    LoopDynamics dynamics(model);
    JointVector got;
    ASSERT_EQ(dynamics.run(q, zero, zero, ExternalLoads{}, got), LoopStatus::kOk);
    // counted as independent, the third equation would take the motion away: rank 3 of 3
    EXPECT_EQ(dynamics.rank(), 2);
    EXPECT_LT((got - vdot).norm(), 10.0 * tilt + 1e-12);
    EXPECT_LT(dynamics.wrench(0).c.norm(), load * (1.0 + 1e-6));
    LoopAssembly assembly(model);
    ASSERT_EQ(assembly.run(q, zero, zero, ExternalLoads{}, got), LoopStatus::kOk);
    EXPECT_EQ(assembly.rank(), 2);
    EXPECT_LT((got - vdot).norm(), 1e-8);
  }
}

TEST(LoopRank, AnAxisThatIsTiltedForGoodLocksTheLoop) {
  const JointVector q = Eigen::Map<const Eigen::Vector3d>(kSquare);
  const Model model = four_bar(1e-2);
  LoopDynamics dynamics(model);
  ASSERT_EQ(dynamics.factor(q), LoopStatus::kOk);
  EXPECT_EQ(dynamics.rank(), 3);  // of 5 equations, for 3 joints: nothing moves
  JointVector v = JointVector::Ones(3);
  dynamics.project_velocity(v, false);
  EXPECT_LT(v.norm(), 1e-10);
}

TEST(LoopStates, OtherSizesAndQuaternionsOfNoLengthAreAStatus) {
  ModelBuilder builder;
  const Joint ball{JointType::kSpherical, Vec3::Zero(), Vec3::Zero()};
  const Vec3 along = Vec3::UnitZ();
  const MassProperties rod{1.0, 0.5 * along, 0.1 * Mat3::Identity()};
  builder.add_body("rod", kWorld, "ball", ball, {}, rod);
  builder.add_loop("pin", 0, {Mat3::Identity(), along}, kWorld, {Mat3::Identity(), along}, ball);
  const Model model = builder.build();
  JointVector q(4);
  q << 1.0, 0.0, 0.0, 0.0;
  const JointVector zero = JointVector::Zero(3);
  const JointVector four = JointVector::Zero(4);
  const std::vector<Force> forces(2, Force::zero());
  const JointVector before = JointVector::Constant(3, 42.0);
  JointVector vdot = before;
  LoopDynamics dynamics(model);
  LoopAssembly assembly(model);
  const auto refused = [&](const JointVector& q_, const JointVector& v, const JointVector& tau,
                           const ExternalLoads& extras) {
    EXPECT_EQ(dynamics.run(q_, v, tau, extras, vdot), LoopStatus::kNotFinite);
    EXPECT_EQ(assembly.run(q_, v, tau, extras, vdot), LoopStatus::kNotFinite);
    EXPECT_EQ(vdot, before);
  };
  refused(zero, zero, zero, {});
  refused(q, four, zero, {});
  refused(q, zero, four, {});
  refused(q, zero, zero, {.F_ext = forces});
  refused(q, zero, zero, {.F_ext = {}, .added_inertia = &four});
  refused(JointVector::Zero(4), zero, zero, {});
  EXPECT_EQ(dynamics.run(q, zero, zero, {}, vdot), LoopStatus::kOk);
}

// The KHR-1 on both soles, twice: its trunk floats and both soles are welded, 12 equations; it
// hangs from its right sole and the left one is welded, 6. A pose and rates that the welds allow,
// given to both.
struct TwoRoots {
  State floating;
  State held;
  Model from_trunk = test::humanoid_on_both_feet(floating);
  Model from_foot;
  std::vector<std::string> names;
  JointPlaces in_trunk;
  JointPlaces in_foot;

  TwoRoots() {
    const RobotDescription robot = read_robot_folder(
        std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1", BaseKind::kFloating);
    names = robot.joint_names;
    const Loop& left = from_trunk.loops()[0];
    const Loop& right = from_trunk.loops()[1];
    ModelBuilder builder(rerooted(robot.model, right.body_a, right.X_BJ * inverse(right.X_AL)));
    const Frame sole = robot.model.frame("l_sole");
    builder.add_loop("left", builder.find_joint("left_ankle_roll"), sole.X_BF, kWorld, left.X_BJ,
                     Joint{});
    from_foot = builder.build();
    in_trunk = joint_places(from_trunk, names);
    in_foot = joint_places(from_foot, names);
    held = neutral_state(from_foot);
  }

  // the floating trunk where the held foot has it: its new frame is in the right hip
  void copy() {
    Kinematics k(from_foot);
    forward_kinematics(from_foot, held.q, held.v, k);
    const auto trunk = static_cast<std::size_t>(from_foot.find_body("base_link"));
    const Pose X_0H = from_trunk.body(from_trunk.find_joint("right_hip_roll")).X_PJ;
    const Pose X_W0 = k.X_WB[trunk] * inverse(X_0H);
    const Eigen::Quaterniond turn(X_W0.R);
    floating.q.head<7>() << X_W0.p, turn.w(), turn.x(), turn.y(), turn.z();
    floating.v.head<6>() = (X_0H * k.tree.V[trunk]).c;
    for (std::size_t j = 0; j < names.size(); ++j) {
      floating.q[in_trunk.q[j]] = held.q[in_foot.q[j]];
      floating.v[in_trunk.v[j]] = held.v[in_foot.v[j]];
    }
  }
};

TEST(Rerooted, TheRobotOnBothFeetMovesTheSameWithHalfTheEquations) {
  TwoRoots two;
  LoopDynamics trunk(two.from_trunk);
  LoopDynamics foot(two.from_foot);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> some(-1.0, 1.0);
  for (int n = 0; n < 20; ++n) {
    // the first one at home, where the legs' straight knees cost an equation
    for (Eigen::Index i = 0; i < two.held.q.size(); ++i) {
      two.held.q[i] = n == 0 ? 0.0 : 0.2 * some(random);
      two.held.v[i] = some(random);
    }
    ASSERT_EQ(foot.close(two.held.q), LoopStatus::kOk);
    foot.project_velocity(two.held.v, false);
    two.copy();
    ASSERT_EQ(trunk.factor(two.floating.q), LoopStatus::kOk);
    EXPECT_LT(trunk.gap(), 1e-9);  // m, rad
    EXPECT_NEAR(test::energy(two.from_trunk, two.floating), test::energy(two.from_foot, two.held),
                1e-12);  // J
    JointVector tau[2] = {JointVector::Zero(two.from_trunk.num_v()),
                          JointVector::Zero(two.from_foot.num_v())};
    for (std::size_t j = 0; j < two.names.size(); ++j) {
      tau[0][two.in_trunk.v[j]] = tau[1][two.in_foot.v[j]] = 0.3 * some(random);
    }
    JointVector vdot[2];
    ASSERT_EQ(trunk.run(two.floating.q, two.floating.v, tau[0], {}, vdot[0]), LoopStatus::kOk) << n;
    ASSERT_EQ(foot.run(two.held.q, two.held.v, tau[1], {}, vdot[1]), LoopStatus::kOk) << n;
    EXPECT_EQ(trunk.rank(), foot.rank() + 6);
    double most = 0.0;
    for (std::size_t j = 0; j < two.names.size(); ++j) {
      most = std::max(most, std::abs(vdot[0][two.in_trunk.v[j]] - vdot[1][two.in_foot.v[j]]));
    }
    // of accelerations of 1e2..1e4 rad/s^2; what the closure left of 1e-12 costs 1e-9 of them
    EXPECT_LT(most, 1e-8 * (1.0 + vdot[1].norm())) << n;
  }
}

TEST(Rerooted, RefusesWhatItCannotTurnRound) {
  const Model robot = test::four_bar({1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}, 1.0);
  EXPECT_THROW(static_cast<void>(rerooted(robot, 1, {})), ModelError);  // a loop
  ModelBuilder builder;
  const MassProperties mass{1.0, Vec3::Zero(), Mat3::Identity()};
  Joint ball;
  ball.type = JointType::kSpherical;
  builder.add_body("a", kWorld, "weld", Joint{}, {}, mass);
  builder.add_body("b", 0, "ball", ball, {}, mass);
  const Model arm = builder.build();
  EXPECT_THROW(static_cast<void>(rerooted(arm, 1, {})), ModelError);  // three degrees of freedom
  EXPECT_THROW(static_cast<void>(rerooted(arm, 2, {})), ModelError);
  EXPECT_EQ(rerooted(arm, 0, {}).num_v(), 3);  // not on the way
  const std::string names[] = {"ball"};
  EXPECT_THROW(static_cast<void>(joint_places(arm, names)), ModelError);
}

}  // namespace
}  // namespace kagami::models
