// The rules of expressions, and oracle O06: the motion of a planar 7R.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "models/base/errors.hpp"
#include "models/hybrid/chain_blocks.hpp"
#include "models/hybrid/test/interpret.hpp"
#include "models/robot/builder.hpp"
#include "models/test/support/model_json.hpp"

namespace kagami::models::hybrid {
namespace {

TEST(Expression, EqualOnesAreOneNode) {
  Graph g;
  const Expr a = g.input({Source::kSin, 0, 0});
  const Expr b = g.input({Source::kCos, 0, 0});
  EXPECT_EQ((a * b + a).id, (a + b * a).id);
  EXPECT_EQ((a - a).id, g.constant(0.0).id);
  EXPECT_EQ((a / a).id, g.constant(1.0).id);
  EXPECT_EQ(g.constant(-0.0).id, g.constant(0.0).id);
}

TEST(Expression, ZerosOnesAndSignsVanish) {
  Graph g;
  const Expr a = g.input({Source::kSin, 0, 0});
  const Expr b = g.input({Source::kCos, 0, 0});
  const Expr zero = g.constant(0.0);
  const Expr one = g.constant(1.0);
  EXPECT_EQ((a + zero).id, a.id);
  EXPECT_EQ((zero - a).id, (-a).id);
  EXPECT_TRUE((a * zero).is_zero());
  EXPECT_EQ((one * a).id, a.id);
  EXPECT_EQ((a * g.constant(-1.0)).id, (-a).id);
  EXPECT_EQ((-(-a)).id, a.id);
  EXPECT_EQ((a + -b).id, (a - b).id);
  EXPECT_EQ((a - -b).id, (a + b).id);
  EXPECT_EQ((-(a - b)).id, (b - a).id);
  EXPECT_EQ((-a * b).id, (-(a * b)).id);
  EXPECT_EQ((g.constant(2.0) * (g.constant(3.0) * a)).id, (g.constant(6.0) * a).id);
}

TEST(Expression, LanesFoldEachForItself) {
  Graph g;
  const Expr mirrored = g.constant(Lanes{1.0, -1.0});
  const Expr a = g.input({Source::kSin, 0, 0});
  EXPECT_NE((mirrored * a).id, a.id);  // 1 in one lane alone is not the constant 1
  EXPECT_FALSE(g.constant(Lanes{0.0, 1.0}).is_zero());
  EXPECT_EQ((mirrored * mirrored).id, g.constant(1.0).id);
}

// the rods of O06
Plan rods() {
  ModelBuilder builder;
  BodyIndex parent = kWorld;
  for (int i = 0; i < 7; ++i) {
    Pose X_PJ;
    X_PJ.p = Vec3(0.0, 0.0, i == 0 ? 0.0 : 1.0);
    Joint joint;
    joint.type = JointType::kRevolute;
    joint.axis = Vec3::UnitY();
    const Mat3 I = Vec3(1.0 / 12.0, 1.0 / 12.0, 1e-3).asDiagonal();
    const std::string name = std::to_string(i + 1);
    parent = builder.add_body("link" + name, parent, "joint" + name, joint, X_PJ,
                              {1.0, Vec3(0.0, 0.0, 0.5), I});
  }
  return make_plan(builder.build(), false);
}

// the oracle joins the sub-chains of four and three rods by Phi and B in closed form
TEST(SubChains, MotionIsThatOfO06) {
  const Plan plan = rods();
  const Program whole = derive(plan, Task::kForwardDynamics, true);
  const Program joined = derive_chain(plan, {4, 3});
  const nlohmann::json cases = test::read_fixture("o06_hybrid.json").at("cases");
  ASSERT_EQ(cases.size(), 3u);
  for (const nlohmann::json& c : cases) {
    const JointVector q = test::vector_from_json(c.at("theta"));
    const JointVector v = test::vector_from_json(c.at("thetad"));
    const JointVector tau = test::vector_from_json(c.at("tau"));
    const JointVector expected = test::vector_from_json(c.at("thetadd"));
    const double tolerance = 1e-10 * std::max(1.0, expected.cwiseAbs().maxCoeff());
    for (const Program* program : {&whole, &joined})
      EXPECT_LT((interpret(*program, q, v, tau) - expected).cwiseAbs().maxCoeff(), tolerance);
  }
}

TEST(SubChains, ASplitMustMakeUpTheChain) {
  const Plan plan = rods();
  EXPECT_EQ(split_chain(plan, {4, 3}).size(), 2u);
  EXPECT_THROW(split_chain(plan, {4, 2}), ModelError);
  EXPECT_THROW(split_chain(plan, {4, 4}), ModelError);
}

TEST(Plan, ReportsWhatItDoesNotSupport) {
  ModelBuilder builder;
  Joint joint;
  joint.type = JointType::kFloating;
  builder.add_body("first", kWorld, "one", joint, Pose{}, {1.0, Vec3::Zero(), Mat3::Identity()});
  builder.add_body("second", kWorld, "two", joint, Pose{}, {1.0, Vec3::Zero(), Mat3::Identity()});
  const Model model = builder.build();
  EXPECT_NE(plan_problem(model).find("'two'"), std::string::npos);
  EXPECT_THROW(make_plan(model, true), ModelError);
}

}  // namespace
}  // namespace kagami::models::hybrid
