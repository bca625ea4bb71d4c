// Chains put together from generated blocks: any length, both forms, no allocation.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "models/dynamics/aba.hpp"
#include "models/hybrid/chain_dynamics.hpp"
#include "models/hybrid/generated.hpp"
#include "models/hybrid/hybrid_dynamics.hpp"
#include "models/robot/read_model.hpp"
#include "models/test/support/no_alloc.hpp"
#include "tools/bench/our_model.hpp"

namespace kagami::models {
namespace {

Model planar_7r() {
  return read_model(KAGAMI_SOURCE_DIR "/models/data/planar_7r").model;
}

struct ChainSample {
  JointVector q, v, tau;
};

ChainSample random_chain_sample(const Model& model, std::mt19937& random) {
  std::uniform_real_distribution<double> within(-1.0, 1.0);
  ChainSample s{JointVector(model.num_q()), JointVector(model.num_v()), JointVector(model.num_v())};
  for (double& x : s.q) x = within(random);
  for (double& x : s.v) x = within(random);
  for (double& x : s.tau) x = within(random);
  return s;
}

JointVector by_articulated_bodies(const Model& model, const ChainSample& s) {
  AbaWorkspace w(model);
  JointVector vdot;
  aba(model, s.q, s.v, s.tau, w, vdot);
  return vdot;
}

// largest error of a few states, of the acceleration's norm
double worst_error(const Model& model, ChainDynamics& chain, int states) {
  std::mt19937 random(11);
  double worst = 0.0;
  for (int n = 0; n < states; ++n) {
    const ChainSample s = random_chain_sample(model, random);
    const JointVector expected = by_articulated_bodies(model, s);
    JointVector vdot;
    EXPECT_TRUE(chain.run(s.q, s.v, s.tau, vdot));
    worst = std::max(worst, (vdot - expected).norm() / expected.norm());
  }
  return worst;
}

TEST(ChainDynamics, JoinsTwoPartsOfThePlanarSevenLinks) {
  const Model model = planar_7r();
  ChainDynamics chain(model);
  ASSERT_TRUE(chain.available());
  EXPECT_EQ(chain.num_segments(), 2);
  EXPECT_LT(worst_error(model, chain, 200), 1e-11);
}

TEST(ChainDynamics, OneSetOfBlocksMakesChainsOfAnyNumberOfThrees) {
  for (const int links : {6, 12, 24, 48, 96, 192, 384}) {
    SCOPED_TRACE(links);
    const Model model = bench::our_model(bench::chain3d(links));
    ChainDynamics chain(model);
    ASSERT_TRUE(chain.available());
    EXPECT_EQ(chain.num_segments(), links / 3);
    // of the acceleration's norm; the whole chain's inertias grow with the cube of its length, and
    // with them the rounding that both algorithms make differently
    EXPECT_LT(worst_error(model, chain, 20), 1e-9);
  }
}

TEST(ChainDynamics, RejectsChainsThatItsBlocksDoNotMake) {
  EXPECT_FALSE(ChainDynamics(bench::our_model(bench::chain3d(13))).available());
  EXPECT_FALSE(ChainDynamics(bench::our_model(bench::planar(8))).available());
  EXPECT_FALSE(ChainDynamics(bench::our_model(bench::khr1_like())).available());  // it branches
  bench::ModelDef heavier = bench::chain3d(96);
  heavier.bodies[50].mass *= 1.0 + 1e-15;
  EXPECT_FALSE(ChainDynamics(bench::our_model(heavier)).available());
  EXPECT_FALSE(ChainDynamics(planar_7r(), nullptr).available());
}

TEST(ChainDynamics, BothFormsGiveTheSameBits) {
  if (!hybrid::has_wide_units()) GTEST_SKIP() << "no AVX2 with FMA here";
  std::mt19937 random(12);
  int found = 0;
  for (int i = 0; const hybrid::GeneratedBlocks* family = hybrid::generated_blocks_at(i); ++i) {
    for (const Model& model : {planar_7r(), bench::our_model(bench::chain3d(24))}) {
      ChainDynamics plain(model, family, false);
      ChainDynamics wide(model, family, true);
      ASSERT_EQ(plain.available(), wide.available());
      if (!wide.available()) continue;
      ++found;
      for (int n = 0; n < 50; ++n) {
        const ChainSample s = random_chain_sample(model, random);
        JointVector a, b;
        ASSERT_TRUE(plain.run(s.q, s.v, s.tau, a));
        ASSERT_TRUE(wide.run(s.q, s.v, s.tau, b));
        EXPECT_EQ(a, b) << model.num_v();
      }
    }
  }
  EXPECT_EQ(found, 2);
}

TEST(ChainDynamics, ANaNIsRefusedAndTheResultUntouched) {
  const Model model = bench::our_model(bench::chain3d(12));
  ChainDynamics chain(model);
  ASSERT_TRUE(chain.available());
  std::mt19937 random(13);
  ChainSample s = random_chain_sample(model, random);
  s.v[9] = std::nan("");
  JointVector vdot = JointVector::Constant(model.num_v(), 5.0);
  EXPECT_FALSE(chain.run(s.q, s.v, s.tau, vdot));
  EXPECT_EQ(vdot, JointVector::Constant(model.num_v(), 5.0));
}

TEST(HybridCode, AllocatesNothingAfterSetUp) {
  std::mt19937 random(14);
  for (const Model& model : {planar_7r(), bench::our_model(bench::chain3d(12))}) {
    ChainDynamics chain(model);
    const HybridDynamics whole(model);
    ASSERT_TRUE(chain.available() && whole.available());
    const ChainSample s = random_chain_sample(model, random);
    JointVector vdot, tau;
    const test::NoAlloc guard;
    EXPECT_TRUE(chain.run(s.q, s.v, s.tau, vdot));
    whole.forward(s.q, s.v, s.tau, vdot);
    whole.inverse(s.q, s.v, vdot, tau);
    EXPECT_EQ(guard.count(), 0) << model.num_v();
  }
}

}  // namespace
}  // namespace kagami::models
