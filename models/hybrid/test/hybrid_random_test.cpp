// Derived programs in numbers, without a compiler, against the run-time algorithms on random trees
// and chains and against the oracle's trees; hybrid by name on all of them.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "models/dynamics/aba.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/hybrid/chain_blocks.hpp"
#include "models/hybrid/test/interpret.hpp"
#include "models/robot/builder.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models::hybrid {
namespace {

using test::Random;
using test::vector_from_json;

struct State {
  JointVector q, v, tau;
};

State random_state_of(Random& random, const Model& model) {
  const models::State s = test::random_state(random, model);
  return {s.q, s.v, random.vector(model.num_v())};
}

double relative(const JointVector& a, const JointVector& b) {
  return (a - b).norm() / std::max(1e-12, b.norm());
}

JointVector by_articulated_bodies(const Model& model, const State& s) {
  AbaWorkspace w(model);
  JointVector vdot;
  aba(model, s.q, s.v, s.tau, w, vdot);
  return vdot;
}

BaseKind base_of(int seed) {
  return seed % 2 == 0 ? BaseKind::kFloating : BaseKind::kFixed;
}

// of the acceleration's norm; the project's bound between algorithms on random trees
constexpr double kTolerance = 1e-9;

// the same, scaled by the mass matrix's condition number where that exceeds 1e4
double tolerance_at(const Model& model, const JointVector& q) {
  CrbaWorkspace w(model);
  JointMatrix H = JointMatrix::Zero(model.num_v(), model.num_v());
  crba(model, q, w, H);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H, Eigen::EigenvaluesOnly).eigenvalues();
  return kTolerance * std::max(1.0, values[values.size() - 1] / values[0] / 1e4);
}

TEST(DerivedDynamics, AreThoseOfArticulatedBodiesOnRandomTrees) {
  double worst = 0.0;
  int derived = 0;
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const Model model = test::random_tree(random, 1 + random.index(10), base_of(seed));
    if (!plan_problem(model).empty()) continue;  // every joint came out fixed
    ++derived;
    const State s = random_state_of(random, model);
    const JointVector expected = by_articulated_bodies(model, s);
    const bool fused = seed % 3 == 0;
    for (const EliminationOrder way :
         {EliminationOrder::kFewOperations, EliminationOrder::kShortPath}) {
      const Program p = derive(make_plan(model, !fused), Task::kForwardDynamics, fused, way);
      worst = std::max(worst, relative(interpret(p, s.q, s.v, s.tau), expected));
      ASSERT_LT(worst, kTolerance);
    }
  }
  EXPECT_GT(derived, 270);
  RecordProperty("worst", std::to_string(worst));
}

// what is added to the diagonal comes with the call, that of a floating base included
TEST(DerivedDynamics, TakeAnyDiagonalOnRandomTrees) {
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const int bodies = 1 + random.index(8);
    const Model model = seed % 2 == 0 ? test::random_tree(random, bodies, base_of(seed / 2))
                                      : test::random_mixed_tree(random, bodies, base_of(seed / 2));
    if (!plan_problem(model).empty() || model.num_v() == 0) continue;
    const State s = random_state_of(random, model);
    const JointVector J = random.vector(model.num_v()).cwiseAbs();
    AbaWorkspace w(model);
    JointVector expected;
    aba(model, s.q, s.v, s.tau, ExternalLoads{.F_ext = {}, .added_inertia = &J}, w, expected);
    const bool fused = seed % 3 == 0;
    for (const EliminationOrder way :
         {EliminationOrder::kFewOperations, EliminationOrder::kShortPath}) {
      const Program p = derive(make_plan(model, !fused), Task::kDrivenDynamics, fused, way);
      ASSERT_LT(relative(interpret(p, s.q, s.v, s.tau, J), expected), kTolerance);
    }
  }
}

TEST(DerivedDynamics, InvertOnRandomTrees) {
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const int bodies = 1 + random.index(10);
    const Model model = seed % 2 == 0 ? test::random_tree(random, bodies, base_of(seed / 2))
                                      : test::random_mixed_tree(random, bodies, base_of(seed / 2));
    if (!plan_problem(model).empty()) continue;
    const State s = random_state_of(random, model);
    RneaWorkspace w(model);
    JointVector expected;
    rnea(model, s.q, s.v, s.tau, w, expected);
    const Program p = derive(make_plan(model, true), Task::kInverseDynamics, false);
    ASSERT_LT(relative(interpret(p, s.q, s.v, s.tau), expected), 1e-11);  // no system is solved
  }
}

TEST(DerivedDynamics, AndHybridByNameAreThoseOfMixedTrees) {
  int derived = 0;
  for (int seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const Model model = test::random_mixed_tree(random, 1 + random.index(8), base_of(seed));
    if (model.num_v() == 0) continue;
    const State s = random_state_of(random, model);
    const JointVector expected = by_articulated_bodies(model, s);
    ForwardDynamics hybrid(model, Algorithm::kHybrid);
    JointVector vdot;
    ASSERT_EQ(hybrid.run(s.q, s.v, s.tau, vdot), DynamicsStatus::kOk);
    const double tolerance = tolerance_at(model, s.q);
    ASSERT_LT(relative(vdot, expected), tolerance);
    ++derived;
    const EliminationOrder way =
        seed % 4 < 2 ? EliminationOrder::kFewOperations : EliminationOrder::kShortPath;
    const Program p = derive(make_plan(model, true), Task::kForwardDynamics, false, way);
    ASSERT_LT(relative(interpret(p, s.q, s.v, s.tau), expected), tolerance);
  }
  EXPECT_GT(derived, 900);  // the others came out with fixed joints alone
}

// what pushes from outside in a case of O10, seen at the joints: bias without it less bias with it
JointVector outside_at_joints(const Model& model, const nlohmann::json& c, const JointVector& q,
                              const JointVector& v) {
  Kinematics k(model);
  forward_kinematics(model, q, v, k);
  std::vector<Force> F_ext(static_cast<std::size_t>(model.num_bodies()), Force::zero());
  for (const nlohmann::json& e : c.at("external")) {
    const auto i = e.at("body").get<std::size_t>();
    const Mat3& R = k.X_WB[i].R;
    const Vec3 f = R.transpose() * test::vec3_from_json(e.at("force_world"));
    const Vec3 n = R.transpose() * test::vec3_from_json(e.at("moment_world"));
    F_ext[i] += Force::from(n + test::vec3_from_json(e.at("point_body")).cross(f), f);
  }
  RneaWorkspace w(model);
  const JointVector at_rest = JointVector::Zero(model.num_v());
  JointVector without, with;
  rnea(model, q, v, at_rest, w, without);
  rnea(model, q, v, at_rest, ExternalLoads{.F_ext = F_ext}, w, with);
  return without - with;
}

TEST(DerivedDynamics, AreTheOraclesAccelerationsOnItsTrees) {
  const nlohmann::json cases = test::read_fixture("o10_forward.json").at("cases");
  ASSERT_EQ(cases.size(), 20u);
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c.at("id").get<std::string>());
    const Model model = test::model_from_json(c.at("model"));
    const JointVector q = vector_from_json(c.at("q"));
    const JointVector v = vector_from_json(c.at("v"));
    const JointVector tau = vector_from_json(c.at("tau")) + outside_at_joints(model, c, q, v);
    const JointVector expected = vector_from_json(c.at("vdot"));
    const double tolerance = 1e-9 * std::max(1.0, expected.cwiseAbs().maxCoeff());
    ForwardDynamics hybrid(model, Algorithm::kHybrid);
    JointVector vdot;
    ASSERT_EQ(hybrid.run(q, v, tau, vdot), DynamicsStatus::kOk);
    EXPECT_LT((vdot - expected).cwiseAbs().maxCoeff(), tolerance);
    const Program p = derive(make_plan(model, true), Task::kForwardDynamics, false);
    EXPECT_LT((interpret(p, q, v, tau) - expected).cwiseAbs().maxCoeff(), tolerance);
  }
}

Model random_chain(Random& random, int bodies, BaseKind base) {
  ModelBuilder builder;
  for (int i = 0; i < bodies; ++i) {
    const bool floats = i == 0 && base == BaseKind::kFloating;
    const Joint joint =
        test::random_joint_of(random, floats ? JointType::kFloating : JointType::kRevolute);
    Pose X_PJ;
    X_PJ.p = random.vec3();
    const std::string name = std::to_string(i);
    const Mat3 I = Vec3(0.3, 0.4, 0.5).asDiagonal();
    builder.add_body("link" + name, i - 1, "joint" + name, joint, X_PJ,
                     {random.between(0.5, 2.0), 0.3 * random.vec3(), I});
    if (!floats && random.index(2) == 0) builder.set_rotor_inertia(i, random.between(0.0, 0.1));
  }
  return builder.build();
}

TEST(SubChainsInARow, AreThoseOfArticulatedBodiesHoweverTheyAreSplit) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const Model model = random_chain(random, 7, base_of(seed));
    const State s = random_state_of(random, model);
    const JointVector expected = by_articulated_bodies(model, s);
    const Plan plan = make_plan(model, false);
    for (const std::vector<int>& lengths :
         {std::vector<int>{7}, {4, 3}, {1, 6}, {2, 2, 2, 1}, {1, 1, 1, 1, 1, 1, 1}}) {
      for (const EliminationOrder way :
           {EliminationOrder::kFewOperations, EliminationOrder::kShortPath}) {
        const Program p = derive_chain(plan, lengths, way);
        ASSERT_LT(relative(interpret(p, s.q, s.v, s.tau), expected), kTolerance) << lengths.size();
      }
    }
  }
}

}  // namespace
}  // namespace kagami::models::hybrid
