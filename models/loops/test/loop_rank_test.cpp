// Redundant equations as files give them: axes that are parallel to their printed digits only.
#include <gtest/gtest.h>

#include "models/dynamics/rnea.hpp"
#include "models/loops/loop_assembly.hpp"
#include "models/loops/loop_dynamics.hpp"
#include "models/loops/test/loop_models.hpp"
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
  ASSERT_EQ(want.run(q, zero, zero, Extras{}, vdot), LoopStatus::kOk);
  ASSERT_EQ(want.rank(), 2);
  const double load = want.wrench(0).c.norm();
  for (const double tilt : {1e-15, 1e-13, 1e-11, 1e-9}) {
    SCOPED_TRACE(tilt);
    const Model model = four_bar(tilt);
    LoopDynamics dynamics(model);
    JointVector got;
    ASSERT_EQ(dynamics.run(q, zero, zero, Extras{}, got), LoopStatus::kOk);
    // counted as independent, the third equation would take the motion away: rank 3 of 3
    EXPECT_EQ(dynamics.rank(), 2);
    EXPECT_LT((got - vdot).norm(), 10.0 * tilt + 1e-12);
    EXPECT_LT(dynamics.wrench(0).c.norm(), load * (1.0 + 1e-6));
    LoopAssembly assembly(model);
    ASSERT_EQ(assembly.run(q, zero, zero, Extras{}, got), LoopStatus::kOk);
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
                           const Extras& extras) {
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

}  // namespace
}  // namespace kagami::models
