// ADA's multi-handle assembly of loops against O10's loops and against LoopDynamics, which shares
// with it the loops' geometry alone.
#include "models/closed_chains/loop_assembly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/closed_chains/test/loop_models.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::vec6_from_json;
using test::vector_from_json;

TEST(LoopAssembly, GivesTheOraclesAccelerationsAndWrenches) {
  const nlohmann::json fixture = test::read_fixture("o10_loops.json");
  for (const nlohmann::json& c : fixture.at("cases")) {
    const std::string id = c.at("id");
    const Model model = test::loop_model_from_json(c);
    LoopAssembly assembly(model);
    JointVector vdot;
    ASSERT_EQ(assembly.run(vector_from_json(c.at("q")), vector_from_json(c.at("v")),
                           vector_from_json(c.at("tau")), ExternalLoads{}, vdot),
              LoopStatus::kOk)
        << id;
    EXPECT_EQ(assembly.rank(), c.at("rank").get<int>()) << id;
    const JointVector exact = vector_from_json(c.at("vdot"));
    EXPECT_LE((vdot - exact).norm(), 1e-8 * std::max(1.0, exact.norm())) << id;
    for (std::size_t l = 0; l < model.loops().size(); ++l) {
      const Vec6 F = vec6_from_json(c.at("loop_wrench_on_a").at(l));
      EXPECT_LE((assembly.wrench(static_cast<int>(l)).c - F).norm(), 1e-7 * std::max(1.0, F.norm()))
          << id << " loop " << l;
    }
  }
}

TEST(LoopAssembly, RedundantLoopsMoveAsByTheMassMatrix) {
  test::Random random(4);
  for (const Model& model : {test::peers_four_bar(false), test::peers_four_bar(true),
                             test::slider_crank(), test::double_loop()}) {
    LoopDynamics dynamics(model);
    LoopAssembly assembly(model);
    JointVector q = 0.2 * random.vector(model.num_v());
    JointVector v = random.vector(model.num_v());
    const JointVector tau = random.vector(model.num_v());
    ASSERT_EQ(dynamics.close(q), LoopStatus::kOk);
    ASSERT_EQ(dynamics.factor(q), LoopStatus::kOk);
    dynamics.project_velocity(v, false);
    JointVector a;
    JointVector b;
    ASSERT_EQ(dynamics.run(q, v, tau, ExternalLoads{}, a), LoopStatus::kOk);
    ASSERT_EQ(assembly.run(q, v, tau, ExternalLoads{}, b), LoopStatus::kOk);
    EXPECT_EQ(assembly.rank(), dynamics.rank());
    EXPECT_LE((a - b).norm(), 1e-9 * std::max(1.0, a.norm()));
    for (int l = 0; l < static_cast<int>(model.loops().size()); ++l) {
      const Vec6 F = dynamics.wrench(l).c;
      EXPECT_LE((assembly.wrench(l).c - F).norm(), 1e-8 * std::max(1.0, F.norm()));
    }
  }
}

TEST(LoopAssembly, NotANumberIsAStatusAndNothingAllocates) {
  const Model model = test::peers_four_bar(false);
  LoopAssembly assembly(model);
  const JointVector zero = JointVector::Zero(3);
  const JointVector bad = JointVector::Constant(3, std::numeric_limits<double>::quiet_NaN());
  JointVector vdot = zero;
  EXPECT_EQ(assembly.run(bad, zero, zero, ExternalLoads{}, vdot), LoopStatus::kNotFinite);
  const test::NoAlloc guard;
  const LoopStatus status = assembly.run(zero, zero, zero, ExternalLoads{}, vdot);
  const long count = guard.count();
  EXPECT_EQ(status, LoopStatus::kOk);
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace kagami::models
