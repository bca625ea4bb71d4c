// Generated code against the run-time algorithms, and its two forms against each other.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "models/dynamics/aba.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/hybrid/chain_dynamics.hpp"
#include "models/hybrid/generated.hpp"
#include "models/hybrid/hybrid_algorithm.hpp"
#include "models/hybrid/hybrid_dynamics.hpp"
#include "models/hybrid/model_hash.hpp"
#include "models/robot/read_model.hpp"
#include "tools/bench/our_model.hpp"

namespace kagami::models {
namespace {

const std::string kRobots = std::string(KAGAMI_SOURCE_DIR) + "/models/data/";

struct Case {
  std::string name;
  Model model;
};

// the shipped robots by the names of their generated code
std::vector<Case> shipped() {
  std::vector<Case> cases;
  for (const char* name : {"khr1", "hoap2", "hoap1"}) {
    cases.push_back({name, read_model(kRobots + name, BaseKind::kFloating).model});
    cases.push_back(
        {name + std::string("_fixed"), read_model(kRobots + name, BaseKind::kFixed).model});
  }
  for (const char* name : {"hoap2_10dof", "pa10", "planar_3r", "planar_7r", "planar_12r",
                           "floating_6link", "chain3d_6", "chain3d_12"})
    cases.push_back({name, read_model(kRobots + name).model});
  return cases;
}

struct CodeInput {
  JointVector q, v, in;
};

CodeInput random_code_input(const Model& model, std::mt19937& random) {
  std::uniform_real_distribution<double> within(-3.0, 3.0);
  CodeInput s{JointVector(model.num_q()), JointVector(model.num_v()), JointVector(model.num_v())};
  for (double& x : s.q) x = within(random);
  for (double& x : s.v) x = within(random);
  for (double& x : s.in) x = within(random);
  return s;  // a quaternion of any length: both sides normalise it
}

double relative(const JointVector& a, const JointVector& b) {
  return (a - b).norm() / b.norm();
}

TEST(Generated, EveryShippedRobotHasItsCode) {
  for (const Case& c : shipped()) {
    const hybrid::GeneratedTable* table = hybrid::find_generated(hybrid::model_hash(c.model));
    ASSERT_NE(table, nullptr) << c.name;
    EXPECT_EQ(table->name, c.name);
    EXPECT_TRUE(HybridDynamics(c.model).available());
  }
}

TEST(Generated, ShippedChainOfTwelveIsThatOfTheComparison) {
  const hybrid::GeneratedTable* table =
      hybrid::find_generated(hybrid::model_hash(bench::our_model(bench::chain3d(12))));
  ASSERT_NE(table, nullptr);
  EXPECT_STREQ(table->name, "chain3d_12");
}

TEST(Generated, ForwardDynamicsIsThatOfArticulatedBodies) {
  std::mt19937 random(1);
  for (const Case& c : shipped()) {
    AbaWorkspace w(c.model);
    const HybridDynamics code(c.model);
    double worst = 0.0;
    for (int n = 0; n < 200; ++n) {
      const CodeInput s = random_code_input(c.model, random);
      JointVector expected, vdot;
      aba(c.model, s.q, s.v, s.in, w, expected);
      code.forward(s.q, s.v, s.in, vdot);
      worst = std::max(worst, relative(vdot, expected));
    }
    EXPECT_LT(worst, 1e-11) << c.name;  // of the acceleration's norm
    RecordProperty(c.name, std::to_string(worst));
  }
}

// rotor inertia and the servos' implicit terms come with each call of a cycle
TEST(Generated, AcceptsTheActuatorsAddedInertia) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> added(1e-4, 1e-2);  // kg m^2, as a servo's at 1 ms
  for (const Case& c : shipped()) {
    AbaWorkspace w(c.model);
    HybridAlgorithm hybrid(c.model);
    double worst = 0.0;
    for (int n = 0; n < 200; ++n) {
      const CodeInput s = random_code_input(c.model, random);
      JointVector J = c.model.rotor_inertia();
      for (int k = c.model.body(0).joint.type == JointType::kFloating ? 6 : 0; k < J.size(); ++k)
        J[k] = added(random);
      const ExternalLoads loads{.F_ext = {}, .added_inertia = &J};
      JointVector expected, vdot;
      aba(c.model, s.q, s.v, s.in, loads, w, expected);
      ASSERT_EQ(hybrid.run(s.q, s.v, s.in, loads, vdot), DynamicsStatus::kOk);
      ASSERT_EQ(hybrid.substitute(), std::nullopt) << c.name;
      worst = std::max(worst, relative(vdot, expected));
    }
    EXPECT_LT(worst, 1e-12) << c.name;  // of the acceleration's norm
    RecordProperty(c.name, std::to_string(worst));
  }
}

TEST(Generated, AcceptsForcesOfTheSurroundings) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> within(-3.0, 3.0);
  for (const Case& c : shipped()) {
    AbaWorkspace w(c.model);
    HybridAlgorithm hybrid(c.model);
    std::vector<Force> F_ext(static_cast<std::size_t>(c.model.num_bodies()), Force::zero());
    for (int n = 0; n < 50; ++n) {
      const CodeInput s = random_code_input(c.model, random);
      for (Force& F : F_ext) {
        for (double& x : F.c) x = within(random);
      }
      const ExternalLoads loads{.F_ext = F_ext};
      JointVector expected, vdot;
      aba(c.model, s.q, s.v, s.in, loads, w, expected);
      ASSERT_EQ(hybrid.run(s.q, s.v, s.in, loads, vdot), DynamicsStatus::kOk);
      ASSERT_EQ(hybrid.substitute(), std::nullopt) << c.name;
      EXPECT_LT(relative(vdot, expected), 1e-10) << c.name;  // of the acceleration's norm
    }
  }
}

TEST(Generated, InverseDynamicsIsThatOfNewtonAndEuler) {
  std::mt19937 random(2);
  for (const Case& c : shipped()) {
    RneaWorkspace w(c.model);
    const HybridDynamics code(c.model);
    for (int n = 0; n < 200; ++n) {
      const CodeInput s = random_code_input(c.model, random);
      JointVector expected, tau;
      rnea(c.model, s.q, s.v, s.in, w, expected);
      code.inverse(s.q, s.v, s.in, tau);
      EXPECT_LT(relative(tau, expected), 1e-12) << c.name;
    }
  }
}

TEST(Generated, BothFormsGiveTheSameBits) {
  if (!hybrid::has_wide_units()) GTEST_SKIP() << "no AVX2 with FMA here";
  const auto expect_same = [](const char* name, const std::vector<double>& plain,
                              const std::vector<double>& wide) {
    for (std::size_t k = 0; k < plain.size(); ++k) {
      if (std::isnan(plain[k]) && std::isnan(wide[k])) continue;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(plain[k]), std::bit_cast<std::uint64_t>(wide[k]))
          << name << ", entry " << k;
    }
  };
  std::mt19937 random(3);
  for (int i = 0; const hybrid::GeneratedTable* t = hybrid::generated_at(i); ++i) {
    std::uniform_real_distribution<double> within(-3.0, 3.0);
    for (int n = 0; n < 100; ++n) {
      std::vector<double> q(static_cast<std::size_t>(t->num_q));
      std::vector<double> v(static_cast<std::size_t>(t->num_v)), in(v), plain(v), wide(v);
      for (double& x : q) x = within(random);
      for (double& x : v) x = within(random);
      for (double& x : in) x = within(random);
      if (n == 7) q.back() = 1e6;  // beyond the reduction's range
      if (n == 8) q.back() = std::numeric_limits<double>::infinity();
      for (const hybrid::GeneratedForms& f : {t->forward_dynamics, t->inverse_dynamics}) {
        f.plain(q.data(), v.data(), in.data(), plain.data());
        f.wide(q.data(), v.data(), in.data(), wide.data());
        expect_same(t->name, plain, wide);
      }
      std::vector<double> J(v);
      for (double& x : J) x = std::abs(x);
      const hybrid::DrivenForms& f = t->driven_dynamics;
      f.plain(q.data(), v.data(), in.data(), J.data(), plain.data());
      f.wide(q.data(), v.data(), in.data(), J.data(), wide.data());
      expect_same(t->name, plain, wide);
    }
  }
}

TEST(Generated, SubChainsJoinedMoveAsTheWholeChain) {
  std::mt19937 random(4);
  int found = 0;
  for (const Case& c : shipped()) {
    ChainDynamics chain(c.model);
    if (!chain.available()) continue;
    ++found;
    AbaWorkspace w(c.model);
    for (int n = 0; n < 200; ++n) {
      const CodeInput s = random_code_input(c.model, random);
      JointVector expected, vdot;
      aba(c.model, s.q, s.v, s.in, w, expected);
      ASSERT_TRUE(chain.run(s.q, s.v, s.in, vdot));
      EXPECT_LT(relative(vdot, expected), 1e-10) << c.name;  // of the acceleration's norm
    }
  }
  EXPECT_GE(found, 4);  // planar 7R, floating chains of 6 (two) and 12
}

TEST(Generated, AnotherModelsCodeIsRefused) {
  const std::vector<Case> cases = shipped();
  const hybrid::GeneratedTable* khr1 = hybrid::find_generated(hybrid::model_hash(cases[0].model));
  ASSERT_NE(khr1, nullptr);
  EXPECT_TRUE(HybridDynamics(cases[0].model, khr1).available());
  EXPECT_FALSE(HybridDynamics(cases[1].model, khr1).available());
  EXPECT_FALSE(HybridDynamics(cases[0].model, nullptr).available());
  hybrid::GeneratedTable old = *khr1;
  old.version = hybrid::kGeneratorVersion + 1;
  EXPECT_FALSE(HybridDynamics(cases[0].model, &old).available());
}

}  // namespace
}  // namespace kagami::models
