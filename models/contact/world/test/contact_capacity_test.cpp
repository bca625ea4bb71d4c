// More contacts, pairs or bodies than fit: what is kept, what is said, how an island is solved in
// parts.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <tuple>

#include "models/contact/detect/sweep.hpp"
#include "models/contact/world/world.hpp"
#include "models/robot/builder.hpp"
#include "models/spatial/rotation.hpp"
#include "models/test/support/contact_boxes.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

using test::box_at;
using test::by;
using test::kBox;
using test::kG;
using test::kRough;
using test::lift_between;
using test::lift_of;

class Capacity : public test::ByMethod {};
INSTANTIATE_TEST_SUITE_P(Points, Capacity,
                         ::testing::Values(MethodName::kRelaxed, MethodName::kMultipoint),
                         [](const auto& p) { return std::string(name(p.param)); });

// twelve bodies of an island, four to a problem
TEST_P(Capacity, IslandOfMoreBodiesThanFitIsSolvedInPartsAndSaysSo) {
  const double h = 1e-3;
  Scene scene;
  scene.statics.push_back(floor_at(0.0, kRough));
  for (int i = 0; i < 12; ++i) {
    scene.systems.push_back(box_at("box" + std::to_string(i), Vec3(0, 0, 0.025 + 0.05 * i), 1.0));
  }
  World world(scene, settings(), {.bodies = 4, .points = 256});
  for (int k = 0; k < 500; ++k) {
    ASSERT_GE(world.step(h), WorldStatus::kCapacity) << k;
    ASSERT_LE(world.contact_work(), 1e-9) << k;  // J
  }
  EXPECT_EQ(world.counters().overflowed, 500);
  const test::NoAlloc guard;
  (void)world.step(h);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(world.contacts().size(), 48u);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(world.status(i), SystemStatus::kOk);
    EXPECT_NEAR(world.state(i).q[2], 0.025 + 0.05 * i, 1e-5) << i;  // m
    EXPECT_LT(world.state(i).v.norm(), 1e-3) << i;
    EXPECT_NEAR(lift_of(world, i, h), kG, 1e-2 * kG) << i;  // N
    if (i > 0) {
      EXPECT_NEAR(lift_between(world, i - 1, i, h), (12 - i) * kG, 2e-2 * 12 * kG) << i;
    }
  }
}

TEST_P(Capacity, PartsKeepTheMomentumOfACollision) {
  Scene scene;
  for (int i = 0; i < 5; ++i) {  // a row of five; the first is thrown at it
    const Mat3 R = rotation_rpy(0.05 * i, 0.02 * i, 0.1 * i);
    const Vec3 v = i == 0 ? Vec3(2, 0, 0) : Vec3::Zero();
    scene.systems.push_back(box_at("box" + std::to_string(i), Vec3(0.22 * i, 0, 0), 1.0,
                                   Motion::from(Vec3::Zero(), R.transpose() * v), R));
  }
  World world(scene, settings(), {.bodies = 2, .points = 256});
  const auto momentum = [&] {
    Vec3 p = Vec3::Zero();
    for (int i = 0; i < 5; ++i) {
      const State& s = world.state(i);
      p += Eigen::Quaterniond(s.q[3], s.q[4], s.q[5], s.q[6]) * Vec3(s.v.tail<3>());
    }
    return p;
  };
  for (int k = 1; k <= 200; ++k) {
    (void)world.step(1e-3);
    ASSERT_LT((momentum() - Vec3(2, 0, -5 * kG * 1e-3 * k)).norm(), 1e-9) << k;  // N s
    ASSERT_LE(world.contact_work(), 1e-9) << k;
  }
  EXPECT_GT(world.counters().overflowed, 0);
  EXPECT_GT(world.state(4).q[0], 0.22 * 4 + 1e-3);  // it went through to the last
}

// hand and trunk are two touching bodies of one system: one to a problem leaves their contacts out
TEST_P(Capacity, ContactWithoutRoomForItsTwoBodiesIsLeftOut) {
  Scene scene;
  scene.systems.push_back(test::folding_robot());
  World world(scene, settings(), {.bodies = 1, .points = 64});
  world.state(0).q[8] = -1.1;  // rad: the hand is in the trunk
  EXPECT_EQ(world.step(1e-3), WorldStatus::kSolver);
  EXPECT_EQ(world.counters().overflowed, 1);
  EXPECT_EQ(world.status(0), SystemStatus::kSolver);
  EXPECT_TRUE(world.state(0).q.allFinite());
}

TEST(SweepAndPrune, KeepsTheDeepestPairsOfThoseThatDoNotFit) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<Bounds> boxes(40);
  for (Bounds& b : boxes) {
    for (int i = 0; i < 3; ++i) {
      b.low[i] = unit(random);
      b.high[i] = b.low[i] + 0.1 + 0.3 * unit(random);
    }
  }
  std::vector<std::tuple<double, int, int>> all;  // every pair, the deepest first
  for (int a = 0; a < 40; ++a) {
    for (int b = a + 1; b < 40; ++b) {
      const Bounds& p = boxes[static_cast<std::size_t>(a)];
      const Bounds& q = boxes[static_cast<std::size_t>(b)];
      const double overlap = (p.high.cwiseMin(q.high) - p.low.cwiseMax(q.low)).minCoeff();
      if (overlap >= 0.0) all.emplace_back(-overlap, a, b);
    }
  }
  std::sort(all.begin(), all.end());
  ASSERT_GT(all.size(), 60u);
  SweepAndPrune roomy(40, static_cast<int>(all.size()));
  EXPECT_TRUE(roomy.find(boxes));
  EXPECT_EQ(roomy.pairs().size(), all.size());
  SweepAndPrune narrow(40, 30);
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(narrow.find(boxes));
    std::set<std::pair<int, int>> expected;
    std::set<std::pair<int, int>> kept;
    for (std::size_t i = 0; i < 30; ++i) expected.emplace(std::get<1>(all[i]), std::get<2>(all[i]));
    for (const BoundsPair& p : narrow.pairs()) kept.emplace(p.a, p.b);
    EXPECT_EQ(kept, expected);
  }
}

TEST_P(Capacity, PairsThatDoNotFitAreAStatusAndTheDeepestStay) {
  // eight boxes on each other by twos, so near that all boxes of W overlap: 28 pairs in room for 4
  Scene scene;
  for (int i = 0; i < 8; ++i) {
    scene.systems.push_back(box_at("box" + std::to_string(i), Vec3(0, 0, 0.05005 * i), 1.0));
  }
  for (SceneSystem& s : scene.systems) s.start.v[5] = 100.0;  // m/s: each box's way is 20 cm
  World world(scene, settings(), {.bodies = 8, .points = 1});
  EXPECT_EQ(world.step(1e-3), WorldStatus::kCapacity);
  EXPECT_EQ(world.counters().overflowed, 1);
  ASSERT_EQ(world.contacts().size(), 1u);
  const WorldContact& c = world.contacts()[0];
  EXPECT_EQ(std::abs(c.system - c.other_system), 1);
}

}  // namespace
}  // namespace kagami::models
