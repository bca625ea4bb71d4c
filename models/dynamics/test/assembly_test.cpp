// Assembly algorithms: joint forces against the oracle's and the inverse dynamics', orders,
// handles, heights, bits, the kernel against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "models/dynamics/ada.hpp"
#include "models/dynamics/dca.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/builder.hpp"
#include "models/test/support/forward_sample.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::condition;
using test::ForwardCase;
using test::ForwardSample;
using test::max_abs;
using test::moving_joints;
using test::Random;
using test::shuffled;
using test::upright_chain;

// the cases of O10
class Oracle : public ::testing::Test {
 protected:
  nlohmann::json cases_ = test::read_fixture("o10_forward.json").at("cases");
};

TEST_F(Oracle, AdaInAnyOrderGivesAccelerationsAndEveryJointsWrench) {
  Random random(7);
  for (const nlohmann::json& c : cases_) {
    const ForwardCase t(c);
    const AssemblyOrder joints = moving_joints(t.model);
    for (const AssemblyOrder& order : {AssemblyOrder{}, tip_to_base_order(t.model), joints,
                                       shuffled(random, joints), shuffled(random, joints)}) {
      SCOPED_TRACE(c.at("id").get<std::string>());
      Ada ada(t.model, order);
      JointVector vdot;
      ASSERT_EQ(ada.run(t.q, t.v, t.tau, ExternalLoads{.F_ext = t.F_ext}, vdot),
                DynamicsStatus::kOk);
      EXPECT_LT(max_abs(vdot - t.vdot), 1e-9 * std::max(1.0, max_abs(t.vdot)));
      EXPECT_LT(t.wrench_error([&](int i) { return ada.joint_force(i); }), 1e-9);
    }
  }
}

TEST_F(Oracle, DcaGivesEveryJointsWrench) {
  for (const nlohmann::json& c : cases_) {
    SCOPED_TRACE(c.at("id").get<std::string>());
    const ForwardCase t(c);
    Dca dca(t.model);
    JointVector vdot;
    ASSERT_EQ(dca.run(t.q, t.v, t.tau, ExternalLoads{.F_ext = t.F_ext}, vdot), DynamicsStatus::kOk);
    EXPECT_LT(t.wrench_error([&](int i) { return dca.joint_force(i); }), 1e-9);
  }
}

// the forces that the last run left, against the inverse dynamics of its accelerations
void expect_forces(const Ada& ada, const ForwardSample& s, const JointVector& vdot) {
  RneaWorkspace w(s.model);
  JointVector tau;
  rnea_reference(s.model, s.state.q, s.state.v, vdot, ExternalLoads{.F_ext = s.F_ext}, w, tau);
  for (int i = 0; i < s.model.num_bodies(); ++i) {
    const Force& want = w.F[static_cast<std::size_t>(i)];
    // two solves beyond the accelerations' own rounding
    EXPECT_LT((ada.joint_force(i).c - want.c).norm(), 1e-9 * std::max(1.0, want.c.norm())) << i;
  }
}

TEST(JointForces, AreThoseOfTheInverseDynamicsForEveryTypeOfJoint) {
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    const ForwardSample s(random, 1 + random.index(14),
                          trial % 2 == 0 ? BaseKind::kFixed : BaseKind::kFloating);
    Ada ada(s.model, trial % 3 == 0 ? AssemblyOrder{} : shuffled(random, moving_joints(s.model)));
    JointVector vdot;
    ASSERT_EQ(ada.run(s.state.q, s.state.v, s.tau, s.extras(), vdot), DynamicsStatus::kOk);
    expect_forces(ada, s, vdot);
  }
}

// held by the world: a body with another fixed to it, on each a limb and its mirror image
Model held_trunk(Random& random) {
  ModelBuilder builder;
  const auto add = [&](const std::string& name, int parent, const Joint& joint) {
    return builder.add_body(name, parent, name + "_joint", joint,
                            {Mat3::Identity(), 0.5 * random.vec3()},
                            {1.0, 0.1 * random.vec3(), Vec3(0.02, 0.03, 0.04).asDiagonal()});
  };
  const int trunk = add("trunk", kWorld, {});
  const int plate = add("plate", trunk, {});
  for (const int on : {trunk, plate}) {
    for (const char* side : {"left", "right"}) {
      const std::string name = side + std::to_string(on);
      const int hip = add(name + "_hip", on, {JointType::kRevolute, Vec3::UnitX()});
      const int knee = add(name + "_knee", hip, {JointType::kRevolute, Vec3::UnitZ()});
      add(name + "_sole", knee, {});
    }
  }
  return builder.build();
}

TEST(JointForces, OfTheKernelAreThoseOfTheInverseDynamicsToo) {
  Random random(41);
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    const Model model =
        trial % 3 == 0 ? held_trunk(random)
                       : test::random_tree(random, 1 + random.index(20),
                                           trial % 3 == 1 ? BaseKind::kFixed : BaseKind::kFloating);
    const ForwardSample s(random, model);
    Ada ada(s.model, tip_to_base_order(s.model));
    ASSERT_TRUE(ada.uses_kernel());
    JointVector vdot;
    ASSERT_EQ(ada.run(s.state.q, s.state.v, s.tau, s.extras(), vdot), DynamicsStatus::kOk);
    expect_forces(ada, s, vdot);
    // by turns, neither run leaves anything to the other
    ASSERT_EQ(ada.run_reference(s.state.q, s.state.v, s.tau, s.extras(), vdot),
              DynamicsStatus::kOk);
    expect_forces(ada, s, vdot);
    ASSERT_EQ(ada.run(s.state.q, s.state.v, s.tau, {}, vdot), DynamicsStatus::kOk);
    ForwardSample without = s;
    for (Force& F : without.F_ext) F = Force::zero();
    expect_forces(ada, without, vdot);
  }
}

TEST(JointForces, KernelServesSupportedModelsOnly) {
  Random random(43);
  const Model model = test::random_tree(random, 8, BaseKind::kFloating);
  const AssemblyOrder inward = tip_to_base_order(model);
  EXPECT_TRUE(Ada(model, inward).uses_kernel());
  EXPECT_FALSE(Ada(model, inward, {3}).uses_kernel());
  EXPECT_FALSE(Ada(model, moving_joints(model)).uses_kernel());
  const Model sliding = [] {
    ModelBuilder builder;
    builder.add_body("a", kWorld, "ja", {JointType::kPrismatic, Vec3::UnitY()}, {},
                     {1.0, Vec3::Zero(), Mat3::Identity()});
    return builder.build();
  }();
  EXPECT_FALSE(Ada(sliding, tip_to_base_order(sliding)).uses_kernel());
}

TEST(RandomTrees, HandlesShowWhatForcesFromOutsideDo) {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    ForwardSample s(random, 3 + random.index(10),
                    trial % 2 == 0 ? BaseKind::kFixed : BaseKind::kFloating);
    std::vector<BodyIndex> handles;
    for (int i = 0; i < s.model.num_bodies(); ++i) {
      if (!s.model.body(i).held && random.index(3) == 0) handles.push_back(i);
    }
    Ada ada(s.model, {}, handles);
    ASSERT_EQ(ada.assemble(s.state.q, s.state.v, s.tau, s.extras()), DynamicsStatus::kOk);
    std::vector<Force> forces;
    for (std::size_t h = 0; h < handles.size(); ++h) {
      forces.push_back(Force::from(random.vec3(), random.vec3()));
    }
    JointVector vdot;
    ASSERT_EQ(ada.disassemble(forces, vdot), DynamicsStatus::kOk);
    // a_h = sum Phi_hk F_k + B_h, and Phi is symmetric
    for (int h = 0; h < static_cast<int>(handles.size()); ++h) {
      Vec6 a = ada.bias(h).c;
      for (int k = 0; k < static_cast<int>(handles.size()); ++k) {
        a += ada.phi(h, k) * forces[static_cast<std::size_t>(k)].c;
        EXPECT_TRUE(ada.phi(h, k).isApprox(Mat6(ada.phi(k, h).transpose()), 1e-9));
      }
      const Vec6 got = ada.acceleration(handles[static_cast<std::size_t>(h)]).c;
      EXPECT_LT((a - got).norm(), 1e-8 * std::max(1.0, got.norm()));
    }
    // the same forces handed in as external ones
    for (std::size_t h = 0; h < handles.size(); ++h) {
      const auto body = static_cast<std::size_t>(handles[h]);
      s.F_ext[body] += inverse_times(ada.frame().X_OB[body], forces[h]);
    }
    JointVector want;
    ForwardDynamics reference(s.model, Algorithm::kCrba);
    ASSERT_EQ(reference.run(s.state.q, s.state.v, s.tau, s.extras(), want), DynamicsStatus::kOk);
    EXPECT_LT((vdot - want).norm(), 1e-8 * std::max(1.0, want.norm()));  // two solves
  }
}

TEST(Faults, TheKernelGivesAStatusAndLeavesTheOutputAlone) {
  Random random(47);
  const Model tree = test::random_tree(random, 8, BaseKind::kFloating);
  ForwardSample s(random, tree);
  Ada ada(s.model, tip_to_base_order(s.model));
  ASSERT_TRUE(ada.uses_kernel());
  const JointVector before = JointVector::Constant(s.model.num_v(), 42.0);
  JointVector vdot = before;
  const auto run = [&](const ForwardSample& t) {
    return ada.run(t.state.q, t.state.v, t.tau, t.extras(), vdot);
  };
  ForwardSample bad = s;
  bad.tau[2] = kNaN;
  EXPECT_EQ(run(bad), DynamicsStatus::kNotFinite);
  // finite inputs whose sums overflow
  bad = s;
  bad.state.v.setConstant(1e120);
  EXPECT_EQ(run(bad), DynamicsStatus::kNotFinite);
  // a joint's inertia taken away: a limb's, the floating base's
  bad = s;
  bad.diagonal[s.model.num_v() - 1] = -1e3;
  EXPECT_EQ(run(bad), DynamicsStatus::kBadInput);
  bad = s;
  bad.diagonal[4] = -1e3;
  EXPECT_EQ(run(bad), DynamicsStatus::kBadInput);
  EXPECT_TRUE(vdot == before);
  EXPECT_EQ(run(s), DynamicsStatus::kOk);
}

TEST(Orders, EqualOrderGivesEqualBits) {
  Random random(13);
  const ForwardSample s(random, 14, BaseKind::kFloating);
  const AssemblyOrder order = shuffled(random, moving_joints(s.model));
  for (const AssemblyOrder& o : {AssemblyOrder{}, order}) {
    Ada first(s.model, o);
    Ada second(s.model, o.empty() ? default_order(s.model) : o);
    JointVector a;
    JointVector b;
    const JointVector other = 2.0 * s.state.v;
    ASSERT_EQ(second.run(s.state.q, other, s.tau, {}, b), DynamicsStatus::kOk);  // no memory of it
    ASSERT_EQ(first.run(s.state.q, s.state.v, s.tau, s.extras(), a), DynamicsStatus::kOk);
    ASSERT_EQ(second.run(s.state.q, s.state.v, s.tau, s.extras(), b), DynamicsStatus::kOk);
    EXPECT_EQ(std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())),
              0);
  }
}

int default_height(const Model& model) {
  return AssemblyPlan(model, {}, {}, true).height();
}

TEST(Orders, DefaultHeightOfAChainIsTheLogarithmAndTheGround) {
  int levels = 0;  // the smallest with 2^levels >= links
  for (int links = 1; links <= 384; ++links) {
    if (links > 1 << levels) ++levels;
    const Model model = upright_chain(links);
    ASSERT_EQ(default_height(model), levels + 1) << links;
  }
  const Model model = upright_chain(384);
  EXPECT_EQ(Ada(model).plan().height(), 10);
  EXPECT_EQ(Dca(model).plan().height(), 10);
  EXPECT_EQ(Ada(model, tip_to_base_order(model)).plan().height(), 384);
}

// limbs of the given numbers of links on a floating trunk
Model star(const std::vector<int>& limbs) {
  ModelBuilder builder;
  const MassProperties mass{1.0, Vec3(0.0, 0.0, 0.1), Mat3::Identity()};
  builder.add_body("trunk", kWorld, "root", {JointType::kFloating, Vec3::Zero()}, {}, mass);
  for (std::size_t limb = 0; limb < limbs.size(); ++limb) {
    int tip = 0;
    for (int i = 0; i < limbs[limb]; ++i) {
      const std::string name = std::to_string(limb) + "_" + std::to_string(i);
      tip = builder.add_body("body" + name, tip, "joint" + name,
                             {JointType::kRevolute, Vec3::UnitX()},
                             {Mat3::Identity(), Vec3(0.0, 0.0, 0.2)}, mass);
    }
  }
  return builder.build();
}

TEST(Orders, DefaultOfAHumanoidIsAsLowAsLimbsAllowAndHasOneHandleABody) {
  // KHR-1: head, arms, legs. Six joints meet in the trunk, so no order takes fewer than six joins;
  // with the ground last the second join finds no limb ready that fits, which makes seven
  const Model model = star({1, 3, 3, 5, 5});
  EXPECT_EQ(default_height(model), 7);
  EXPECT_TRUE(Ada(model).uses_kernel());
  Random random(53);
  AssemblyOrder order = moving_joints(model);
  int least = 100;
  for (int trial = 0; trial < 20000; ++trial) {
    order = shuffled(random, order);
    std::swap(*std::find(order.begin(), order.end(), 0), order.back());
    least = std::min(least, AssemblyPlan(model, order, {}, true).height());
  }
  EXPECT_GE(least, 7);
  // the ground second
  const AssemblyOrder early = {1, 0, 4, 3, 2, 7, 6, 5, 12, 11, 10, 9, 8, 17, 16, 15, 14, 13};
  EXPECT_EQ(AssemblyPlan(model, early, {}, true).height(), 6);
}

TEST(Orders, DefaultUsesTheRoomThatTheHeightLeaves) {
  // long limbs that would raise the height link by link are halved, short ones are not
  EXPECT_EQ(default_height(star({8})), 5);
  EXPECT_FALSE(Ada(star({8})).uses_kernel());
  EXPECT_EQ(default_height(star({1, 2, 3, 4, 5, 6})), 7);
  EXPECT_TRUE(Ada(star({1, 2, 3, 4, 5, 6})).uses_kernel());
  EXPECT_EQ(default_height(star({6, 6, 6})), 7);
  EXPECT_FALSE(Ada(star({6, 6, 6})).uses_kernel());
}

TEST(Chains, OfManyLinksAreAccurateInEveryOrder) {
  for (const int links : {12, 96, 384}) {
    SCOPED_TRACE(links);
    Random random(59);
    ForwardSample s(random, test::floating_chain(links));
    const double slack = condition(s.model, s.state.q) * 0x1p-52;
    JointVector want;
    ForwardDynamics reference(s.model, Algorithm::kCrba);
    ASSERT_EQ(reference.run(s.state.q, s.state.v, s.tau, s.extras(), want), DynamicsStatus::kOk);
    // a backward stable solution is off by the condition number times rounding
    const auto expect_close = [&](const JointVector& vdot, const char* who) {
      EXPECT_LT((vdot - want).norm(), slack * want.norm()) << who;
    };
    JointVector vdot;
    ForwardDynamics aba(s.model, Algorithm::kAba);
    ASSERT_EQ(aba.run(s.state.q, s.state.v, s.tau, s.extras(), vdot), DynamicsStatus::kOk);
    expect_close(vdot, "aba");
    Ada balanced(s.model);
    EXPECT_FALSE(balanced.uses_kernel());
    ASSERT_EQ(balanced.run(s.state.q, s.state.v, s.tau, s.extras(), vdot), DynamicsStatus::kOk);
    expect_close(vdot, "ada, balanced");
    Ada inward(s.model, tip_to_base_order(s.model));
    ASSERT_EQ(inward.run(s.state.q, s.state.v, s.tau, s.extras(), vdot), DynamicsStatus::kOk);
    expect_close(vdot, "ada, tips to base");
    ASSERT_EQ(inward.run_reference(s.state.q, s.state.v, s.tau, s.extras(), vdot),
              DynamicsStatus::kOk);
    expect_close(vdot, "ada, tips to base, reference");
    // Phi grows with the square of the distance from O, and dca subtracts it: more digits go
    Dca dca(s.model);
    ASSERT_EQ(dca.run(s.state.q, s.state.v, s.tau, s.extras(), vdot), DynamicsStatus::kOk);
    const double scaled = 1e-9 * std::max(1.0, condition(s.model, s.state.q) / 1e4);
    EXPECT_LT((vdot - want).norm(), scaled * want.norm());
  }
}

TEST(Orders, ImpossibleOnesAreNamed) {
  const Model model = upright_chain(3);
  const auto message = [&](const AssemblyOrder& order) -> std::string {
    try {
      Ada ada(model, order);
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({0, 1}), "assembly order: joint 'j2' is missing");
  EXPECT_EQ(message({0, 1, 1, 2}), "assembly order: joint 'j1' twice");
  EXPECT_EQ(message({0, 1, 2, 3}), "assembly order: body index 3 is outside [0, 3)");
  EXPECT_THROW(Ada(model, {}, {5}), ConfigError);
  EXPECT_THROW(Ada(model, {}, {-1}), ConfigError);
}

}  // namespace
}  // namespace kagami::models
