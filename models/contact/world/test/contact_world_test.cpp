// The world as a whole: rest, momentum, energy, what bad input and full capacity get.
#include "models/contact/world/world.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/contact/detect/manifold.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/spatial/rotation.hpp"
#include "models/test/support/contact_boxes.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

using test::by;
using test::kBox;
using test::kG;
using test::kRough;

Pose lying_at(double x, double height) {
  return {Mat3::Identity(), Vec3(x, 0.0, height + 0.5 * kBox.z())};
}

Scene one_box(const Pose& X_WB, double mass = 1.0, const Motion& V = Motion::zero()) {
  Scene scene;
  scene.statics.push_back(floor_at(0.0, kRough));
  scene.systems.push_back(free_body("box", ConvexMesh::box("box", kBox), mass, kRough, X_WB, V));
  return scene;
}

class WorldOfEveryMethod : public ::testing::TestWithParam<MethodName> {};
INSTANTIATE_TEST_SUITE_P(Points, WorldOfEveryMethod,
                         ::testing::Values(MethodName::kRelaxed, MethodName::kMultipoint),
                         [](const auto& p) { return std::string(name(p.param)); });

double normal_force(const World& world, double h) {
  double sum = 0.0;
  for (const WorldContact& c : world.contacts()) sum += c.force.local[0];
  return sum / h;
}

TEST_P(WorldOfEveryMethod, BoxAtRestIsCarriedByItsCornersAlike) {
  World world(one_box(lying_at(0.0, 0.0)), by(GetParam()));
  const double h = 1e-3;
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(world.step(h), WorldStatus::kOk);
  double sum2 = 0.0;
  double sum = 0.0;
  for (int k = 0; k < 1000; ++k) {
    ASSERT_EQ(world.step(h), WorldStatus::kOk);
    ASSERT_EQ(world.contacts().size(), 4u);
    for (const WorldContact& c : world.contacts()) {
      EXPECT_EQ(c.force.motion, ContactMotion::kStick);
      EXPECT_NEAR(c.force.local[0] / h, 0.25 * kG, 1e-6 * kG);  // N; one quarter
    }
    const double F = normal_force(world, h);
    sum += F;
    sum2 += F * F;
  }
  const double mean = sum / 1000.0;
  EXPECT_NEAR(mean, kG, 1e-6);                                             // N
  EXPECT_LT(std::sqrt(std::max(0.0, sum2 / 1000.0 - mean * mean)), 1e-5);  // N
  const State& s = world.state(0);
  EXPECT_LT(s.v.norm(), 1e-9);
  EXPECT_LT(s.q.head<2>().norm(), 1e-9);  // m of creep in 2 s
  // depth of [Wakisaka 2013] for four corners; multipoint stays on the surface
  const ContactSettings settings;
  const double depth = GetParam() == MethodName::kRelaxed
                           ? settings.relaxation * kG * h / (16.0 * settings.compensation)
                           : 0.0;
  EXPECT_NEAR(0.5 * kBox.z() - s.q[2], depth, 1e-3 * depth + 1e-12);  // m
}

TEST_P(WorldOfEveryMethod, TumblingBoxKeepsItsMomentaUntilItTouches) {
  const Vec3 w(7.0, -5.0, 3.0);
  World world(
      one_box({Mat3::Identity(), Vec3(0.0, 0.0, 20.0)}, 1.0, Motion::from(w, Vec3(3.0, 1.0, 2.0))),
      by(GetParam()));
  Kinematics k(world.model(0));
  forward_kinematics(world.model(0), world.state(0).q, world.state(0).v, k);
  const Force before = momentum_about_com(world.model(0), k);
  const double energy = kinetic_energy(world.model(0), world.state(0).v, k);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(world.step(1e-3), WorldStatus::kOk);
  forward_kinematics(world.model(0), world.state(0).q, world.state(0).v, k);
  const Force after = momentum_about_com(world.model(0), k);
  EXPECT_LT((after.moment() - before.moment()).norm(), 1e-12);                      // kg m^2/s
  EXPECT_LT((after.force() - before.force() - Vec3(0.0, 0.0, -kG)).norm(), 1e-11);  // kg m/s
  const double falls = 0.5 * (after.force().squaredNorm() - before.force().squaredNorm());
  EXPECT_NEAR(kinetic_energy(world.model(0), world.state(0).v, k) - energy - falls, 0.0,
              1e-4 * energy);  // J; the turn is of second order
}

TEST_P(WorldOfEveryMethod, DroppedBoxNeverGainsEnergyAndComesToRestOnAFace) {
  const Mat3 R = rotation_about(Vec3::UnitZ(), M_PI / 3.0) *
                 rotation_about(Vec3::UnitY(), M_PI / 4.0) *
                 rotation_about(Vec3::UnitZ(), M_PI / 6.0);
  World world(one_box({R, Vec3(0.0, 0.0, 1.0)}), by(GetParam()));
  Kinematics k(world.model(0));
  const double h = 1e-3;
  double last = kG;
  double deepest = 0.0;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_NE(world.step(h), WorldStatus::kNotFinite);
    EXPECT_LE(world.contact_work(), 1e-9) << i;  // J
    forward_kinematics(world.model(0), world.state(0).q, world.state(0).v, k);
    const double energy =
        kinetic_energy(world.model(0), world.state(0).v, k) + potential_energy(world.model(0), k);
    EXPECT_LE(energy, last + 1e-3) << i;  // J; what the turn of a step may err at 30 rad/s
    last = energy;
    for (const WorldContact& c : world.contacts()) deepest = std::min(deepest, c.point.gap);
  }
  EXPECT_GT(deepest, -1e-3);  // m
  EXPECT_LT(world.state(0).v.norm(), 1e-6);
  EXPECT_NEAR(world.state(0).q[2], 0.025, 1e-5);
  EXPECT_NEAR(normal_force(world, h), kG, 1e-4);
  EXPECT_EQ(world.counters().not_converged, 0);
}

TEST_P(WorldOfEveryMethod, SameSceneGivesTheSameBits) {
  const auto end_of = [] {
    World world(one_box({rotation_rpy(0.3, 0.5, 0.7), Vec3(0.0, 0.0, 0.3)}, 1.0,
                        Motion::from(Vec3(1.0, 2.0, 3.0), Vec3(0.5, 0.0, 0.0))),
                by(GetParam()));
    for (int i = 0; i < 1000; ++i) (void)world.step(1e-3);
    return world.state(0);
  };
  const State a = end_of();
  const State b = end_of();
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
}

TEST_P(WorldOfEveryMethod, StepAllocatesNothing) {
  World world(one_box(lying_at(0.0, 0.1)), by(GetParam()));
  const test::NoAlloc guard;
  for (int i = 0; i < 300; ++i) (void)world.step(1e-3);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(world.contacts().size(), 4u);
}

TEST_P(WorldOfEveryMethod, FullCapacityKeepsTheNearestAndSaysSo) {
  // one edge slightly lower: of four vertices near the floor the two low ones must stay
  Pose X_WB = lying_at(0.0, 0.0);
  X_WB.R = rotation_about(Vec3::UnitY(), 1e-4);
  World world(one_box(X_WB), by(GetParam()), {.bodies = 1, .points = 2});
  EXPECT_EQ(world.step(1e-3), WorldStatus::kCapacity);
  EXPECT_EQ(world.counters().overflowed, 1);
  ASSERT_EQ(world.contacts().size(), 2u);
  for (const WorldContact& c : world.contacts()) EXPECT_LT(c.point.gap, 0.0);
  EXPECT_TRUE(world.state(0).q.allFinite());
}

TEST_P(WorldOfEveryMethod, BodyWithoutAPoseStandsAndTheRestGoesOn) {
  Scene scene = one_box(lying_at(0.0, 0.0));
  scene.systems.push_back(
      free_body("other", ConvexMesh::box("other", kBox), 1.0, kRough, lying_at(1.0, 0.05)));
  World world(scene, by(GetParam()));
  world.state(0).q[1] = kNaN;
  for (int i = 0; i < 300; ++i) ASSERT_EQ(world.step(1e-3), WorldStatus::kNotFinite);
  EXPECT_EQ(world.status(0), SystemStatus::kNotFinite);
  EXPECT_EQ(world.status(1), SystemStatus::kOk);
  EXPECT_NEAR(world.state(1).q[2], 0.025, 1e-6);
  EXPECT_EQ(world.step(0.0), WorldStatus::kNotFinite);
  EXPECT_EQ(world.step(kNaN), WorldStatus::kNotFinite);
}

TEST(World, BadScenesAreRefused) {
  const auto refused = [](auto change) {
    Scene scene = one_box(lying_at(0.0, 0.0));
    change(scene);
    EXPECT_THROW(World(scene, {}), Error);
  };
  refused([](Scene& s) { s.systems.push_back(s.systems[0]); });
  refused([](Scene& s) { s.systems[0].start.q[0] = kNaN; });
  refused([](Scene& s) { s.systems[0].shapes[0].surface.mu_kinetic = -1.0; });
  refused([](Scene& s) { s.systems[0].shapes[0].body = 3; });
  refused([](Scene& s) { s.statics[0].surface.restitution = 2.0; });
  refused([](Scene& s) { s.statics[0].n = Vec3(0.0, 0.0, 2.0); });
  refused([](Scene& s) { s.statics[0].offset = 0.3; });  // deeper than half the box
  World(one_box(lying_at(0.0, 0.0)), {});                // as it is
}

TEST(World, BodiesInsideEachOtherAreRefusedAndMadeSoLaterLeaveTheRestAlone) {
  ContactSettings volumetric;
  volumetric.method = MethodName::kVolumetric;
  const auto scene_at = [](double height, const Vec3& size) {
    Scene scene = one_box(lying_at(0.0, 0.025));
    scene.systems.push_back(
        free_body("a", ConvexMesh::box("a", kBox), 1.0, kRough, lying_at(2.0, 0.025)));
    scene.systems.push_back(
        free_body("b", ConvexMesh::box("b", size), 1.0, kRough, lying_at(2.0, height)));
    return scene;
  };
  EXPECT_THROW(World(scene_at(0.025, kBox), volumetric), ConfigError);        // in one place
  EXPECT_THROW(World(scene_at(0.035, 0.1 * kBox), volumetric), ConfigError);  // swallowed
  EXPECT_THROW(World(scene_at(0.025, kBox), {}), ConfigError);                // by points, too
  World world(scene_at(0.074, kBox), volumetric);                             // 1 mm deep: as it is
  world.state(2).q[2] = world.state(1).q[2];
  world.forget();
  for (int i = 0; i < 300; ++i) {
    static_cast<void>(world.step(1e-3));
    ASSERT_TRUE(world.state(1).q.allFinite() && world.state(2).q.allFinite());
  }
  EXPECT_EQ(world.status(0), SystemStatus::kOk);
  EXPECT_NEAR(world.state(0).q[2], 0.025, 1e-4);  // m
}

// what a contact remembers is found by its id, so the list must be in their order
TEST_P(WorldOfEveryMethod, ContactsStayInOrderAndHoldWhereTwoShapesAreTouched) {
  Scene scene = one_box(lying_at(0.0, 0.0));
  scene.statics.push_back(floor_at(0.0, kRough));  // the four lower corners touch
  scene.statics.push_back(floor_at(0.0, kRough));  // each of the three
  World world(scene, by(GetParam()));
  for (int k = 0; k < 300; ++k) {
    ASSERT_LE(world.step(1e-3), WorldStatus::kNotConverged);
    ASSERT_EQ(world.contacts().size(), 12u);
    for (std::size_t i = 1; i < 12; ++i) {
      ASSERT_LT(world.contacts()[i - 1].point.id, world.contacts()[i].point.id) << k;
    }
  }
  int remembered = 0;
  for (const WorldContact& c : world.contacts()) {
    remembered += c.point.before != ContactMotion::kNew ? 1 : 0;
  }
  EXPECT_EQ(remembered, 12);
}

TEST(World, StandsOnAStaticBoxAsOnTheFloor) {
  Scene scene = one_box(lying_at(0.0, 0.2));
  scene.statics.push_back(obstacle(
      ConvexMesh::box("step", Vec3(0.4, 0.4, 0.1), {Mat3::Identity(), {0, 0, 0.05}}), kRough));
  World world(scene, {});
  for (int i = 0; i < 500; ++i) ASSERT_EQ(world.step(1e-3), WorldStatus::kOk);
  EXPECT_NEAR(world.state(0).q[2], 0.125, 1e-7);  // m
  EXPECT_NEAR(normal_force(world, 1e-3), kG, 1e-6);
}

// of two boxes whose edges cross at a right angle, a corner line of each towards the other
TEST(Manifold, CrossingEdgesPushAlongTheirCommonNormal) {
  const ConvexMesh box = ConvexMesh::box("box", Vec3::Constant(0.1));
  const std::vector<MeshEdge> edges = mesh_edges(box);
  EXPECT_EQ(edges.size(), 12u);
  // A's edge along x on top, B's along y at the bottom; half diagonals meet 20 um deep
  const double reach = 0.05 * std::sqrt(2.0);
  const Pose X_WA{rotation_about(Vec3::UnitX(), M_PI / 4), Vec3::Zero()};
  for (const double tilt : {0.0, 0.3}) {  // all of it turned together
    const Pose X_WT{rotation_about(Vec3(1, 2, 3).normalized(), tilt), Vec3(0.1, 0.2, 0.3)};
    for (const double gap : {-2e-5, 4e-4, 2e-3}) {
      const Pose X_AB{rotation_about(Vec3::UnitY(), M_PI / 4), Vec3(0.01, 0.02, 2 * reach + gap)};
      Manifold m;
      const bool touch = find_manifold(box, X_WT * X_WA, box, X_WT * X_AB, 1e-3, m, edges, edges);
      EXPECT_EQ(touch, gap < 1e-3);
      if (!touch) continue;
      ASSERT_TRUE(m.count == 1 && m.face == kTwoEdges);
      EXPECT_LT((m.n - X_WT.R * Vec3::UnitZ()).norm(), 1e-12);
      EXPECT_NEAR(m.points[0].gap, gap, 1e-12);  // m
      EXPECT_LT((m.points[0].p - X_WT * Vec3(0.01, 0.0, reach + gap)).norm(), 1e-12);
    }
  }
}

// a box with an edge down, falling across a rail with an edge up: it is carried by the edges alone
TEST_P(WorldOfEveryMethod, BoxIsCarriedByTheEdgeOfARailThatItsOwnEdgeCrosses) {
  const double reach = 0.05 * std::sqrt(2.0);
  const ConvexMesh box = ConvexMesh::box("box", Vec3::Constant(0.1));
  for (const bool fixed : {true, false}) {
    Scene scene;
    const Pose X_WR{rotation_about(Vec3::UnitX(), M_PI / 4), Vec3(0, 0, 0.5)};
    const ConvexMesh rail = ConvexMesh::box("rail", Vec3(2.0, 0.1, 0.1));
    if (fixed) {
      scene.statics.push_back(obstacle(rail.moved(X_WR), kRough));
    } else {
      scene.systems.push_back(free_body("rail", rail, 1e6, kRough, X_WR));
    }
    scene.systems.push_back(
        free_body("box", box, 1.0, kRough,
                  {rotation_about(Vec3::UnitY(), M_PI / 4), Vec3(0, 0, 0.5 + 2 * reach + 1e-3)}));
    World world(scene, by(GetParam()));
    const int last = world.num_systems() - 1;
    double pressed = 0.0, lever = 0.0;
    for (int k = 0; k < 60; ++k) {
      (void)world.step(1e-3);
      pressed = 0.0;
      for (const WorldContact& c : world.contacts()) {
        pressed += c.force.local[0] / 1e-3;
        lever = std::max(lever, (c.point.n - Vec3::UnitZ() * (c.system == last ? 1 : -1)).norm());
      }
      ASSERT_LE(world.contact_work(), 1e-9);
    }
    EXPECT_NEAR(pressed, fixed ? kG : 0.0, 1e-2 * kG);  // N; both fall together otherwise
    EXPECT_LT(lever, 1e-3) << fixed;
  }
}

// a vertex of the step under the box's face, which no vertex of the box tells
TEST_P(WorldOfEveryMethod, BoxLiesOnAPostThatIsSmallerThanItsFace) {
  Scene scene;
  scene.statics.push_back(
      obstacle(ConvexMesh::box("post", Vec3(0.04, 0.04, 0.5), {Mat3::Identity(), Vec3(0, 0, 0.25)}),
               kRough));
  scene.systems.push_back(
      free_body("box", ConvexMesh::box("box", kBox), 1.0, kRough, lying_at(0.0, 0.501)));
  World world(scene, by(GetParam()));
  for (int k = 0; k < 400; ++k) ASSERT_LE(world.step(1e-3), WorldStatus::kNotConverged);
  EXPECT_NEAR(world.state(0).q[2], 0.525, 1e-6);  // m
  EXPECT_LT(world.state(0).v.norm(), 1e-6);
  EXPECT_NEAR(normal_force(world, 1e-3), kG, 1e-3 * kG);
  EXPECT_EQ(world.contacts().size(), 4u);
}

// flush with the edge of a step, lying on it: carried from below, not pushed aside
TEST_P(WorldOfEveryMethod, BoxFlushWithTheEdgeOfAStepIsCarriedFromBelow) {
  for (const double beyond : {0.0, 1e-7, -1e-7, 0.05}) {
    Scene scene;
    scene.statics.push_back(
        obstacle(ConvexMesh::box("step", Vec3(1.0, 1.0, 0.1), {Mat3::Identity(), Vec3(0, 0, 0.05)}),
                 kRough));
    scene.systems.push_back(free_body("box", ConvexMesh::box("box", kBox), 1.0, kRough,
                                      lying_at(0.5 - 0.1 + beyond, 0.1 - 1e-5)));
    World world(scene, by(GetParam()));
    for (int k = 0; k < 300; ++k) ASSERT_LE(world.step(1e-3), WorldStatus::kNotConverged);
    EXPECT_NEAR(world.state(0).q[2], 0.125, 2e-6) << beyond;
    EXPECT_NEAR(world.state(0).q[0], 0.4 + beyond, 1e-6) << beyond;
    EXPECT_NEAR(normal_force(world, 1e-3), kG, 1e-3 * kG) << beyond;
    for (const WorldContact& c : world.contacts()) EXPECT_EQ(c.point.n, Vec3::UnitZ());
  }
}

TEST_P(WorldOfEveryMethod, BodyThatIsSetWhollyInsideAnotherIsPushedOut) {
  Scene scene;
  scene.systems.push_back(free_body("big", ConvexMesh::box("big", Vec3::Constant(0.4)), 10.0,
                                    kRough, {Mat3::Identity(), Vec3::Zero()}));
  scene.systems.push_back(free_body("small", ConvexMesh::box("small", Vec3::Constant(0.05)), 1.0,
                                    kRough, {Mat3::Identity(), Vec3(0.0, 0.0, 0.5)}));
  World world(scene, by(GetParam()));
  world.state(1).q[2] = 0.1;  // m: 7.5 cm to go
  world.forget();
  for (int k = 0; k < 1000; ++k) {
    ASSERT_LE(world.step(1e-3), WorldStatus::kNotConverged);
    ASSERT_LT((world.state(1).v.tail<3>() - world.state(0).v.tail<3>()).norm(), 0.6);  // m/s
  }
  EXPECT_GT(world.state(1).q[2] - world.state(0).q[2], 0.225 - 1e-4);  // m: on the surface or off
}

TEST(ConvexMeshes, KnowTheirVolumeAndInertia) {
  const Pose X{rotation_rpy(0.3, -0.4, 0.5), Vec3(1.0, -2.0, 3.0)};
  const ConvexMesh box = ConvexMesh::box("box", kBox, X);
  EXPECT_NEAR(box.volume(), 1e-3, 1e-15);
  const MassProperties m = box.mass_properties(2.0);
  EXPECT_LT((m.com - X.p).norm(), 1e-13);
  const Vec3 I = 2.0 / 12.0 * Vec3(0.0125, 0.0425, 0.05);
  EXPECT_LT((m.I_com - X.R * I.asDiagonal() * X.R.transpose()).norm(), 1e-14);
}

TEST(ConvexMeshes, ThatAreNoneAreRefused) {
  const std::vector<Vec3> corners = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  const std::vector<std::vector<int>> faces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  EXPECT_NEAR(ConvexMesh("tetrahedron", corners, faces).volume(), 1.0 / 6.0, 1e-15);
  const auto refused = [&](auto change) {
    std::vector<Vec3> v = corners;
    std::vector<std::vector<int>> f = faces;
    change(v, f);
    EXPECT_THROW(ConvexMesh("bad", v, f), ConfigError);
  };
  refused([](auto&, auto& f) { f.pop_back(); });                 // open
  refused([](auto&, auto& f) { std::swap(f[3][0], f[3][1]); });  // one face turned over
  refused([](auto&, auto& f) {                                   // all of them
    for (auto& face : f) std::swap(face[0], face[1]);
  });
  refused([](auto& v, auto&) { v[3].z() = 0.0; });  // flat
  refused([](auto& v, auto&) { v[3].z() = kNaN; });
  refused([](auto&, auto& f) { f[0][0] = 4; });
  refused([](auto&, auto& f) { f[0] = {0, 2}; });
  EXPECT_THROW(ConvexMesh::box("none", Vec3(1.0, 0.0, 1.0)), ConfigError);
  // a notch: one vertex of a box pushed in
  std::vector<Vec3> v = ConvexMesh::box("box", kBox).vertices();
  v[7] *= 0.2;
  EXPECT_THROW(ConvexMesh("notch", v,
                          {{0, 4, 6, 2},
                           {1, 3, 5},
                           {3, 7, 5},
                           {0, 1, 5, 4},
                           {2, 6, 3},
                           {6, 7, 3},
                           {0, 2, 3, 1},
                           {4, 5, 6},
                           {5, 7, 6}}),
               ConfigError);
}

}  // namespace
}  // namespace kagami::models
