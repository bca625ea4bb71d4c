// The volumetric method in company: piles, momentum, an articulated chain, islands, capacity,
// hostile scenes, bad input.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "models/base/errors.hpp"
#include "models/contact/volume/test/volumetric_scenery.hpp"
#include "models/contact/world/world.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/builder.hpp"
#include "models/spatial/rotation.hpp"
#include "models/test/support/contact_boxes.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

using test::kBox;
using test::kEqualFriction;
using test::kG;

double energy_of(const Scenery& s) {
  double sum = 0.0;
  for (const SceneSystem& system : s.systems) {
    Kinematics k(system.model);
    forward_kinematics(system.model, system.start.q, system.start.v, k);
    sum += kinetic_energy(system.model, system.start.v, k) + potential_energy(system.model, k);
  }
  return sum;
}

TEST(VolumetricContacts, TenFallingBoxesComeToRestUnderSteadyForces) {
  constexpr int kBoxes = 10;
  const double mass = 1e-3;
  const double h = 1e-3;
  Scenery s(falling_boxes(kBoxes, mass, 2018), {floor_at(0.0, kEqualFriction)});
  const double start = energy_of(s);
  double most = start;
  for (int k = 0; k < 2500; ++k) {
    ASSERT_TRUE(s.step(h)) << k;
    most = std::max(most, energy_of(s));
  }
  EXPECT_LE(most, start * (1.0 + 1e-3));  // kinetic + potential, semi-implicit fall included
  std::vector<double> sum(kBoxes, 0.0);
  std::vector<double> square(kBoxes, 0.0);
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(s.step(h));
    ASSERT_NEAR(s.carried(h), kBoxes * mass * kG, 0.001 * kBoxes * mass * kG);
    std::vector<double> force(kBoxes, 0.0);
    for (std::size_t i = 0; i < s.contacts->patches().size(); ++i) {
      const ContactPatch& c = s.contacts->patches()[i];
      if (c.b != kStaticBody) continue;
      force[idx(c.a)] += s.contacts->forces()[i].impulse.force().z() / h;
      EXPECT_LT(2.0 * c.patch.volume / c.patch.area, 2e-5);  // m, mean depth
    }
    for (std::size_t i = 0; i < kBoxes; ++i) {
      sum[i] += force[i] / 500;
      square[i] += force[i] * force[i] / 500;
    }
  }
  const auto lowest =
      static_cast<std::size_t>(std::max_element(sum.begin(), sum.end()) - sum.begin());
  EXPECT_LT(std::sqrt(std::max(0.0, square[lowest] - sum[lowest] * sum[lowest])),
            0.01 * sum[lowest]);
}

TEST(VolumetricContacts, CollisionsBetweenBodiesKeepMomentum) {
  std::vector<SceneSystem> systems = falling_boxes(6, 0.3, 5);
  std::mt19937 random(9);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (SceneSystem& s : systems) {
    s.start.q[2] *= 0.3;
    for (int i = 0; i < 6; ++i) s.start.v[i] = unit(random);
  }
  Scenery s(systems, {});
  const auto momenta = [&] {
    Vec3 P = Vec3::Zero();
    Vec3 L = Vec3::Zero();
    for (int i = 0; i < 6; ++i) {
      const Mat3 I =
          s.R(i) * s.systems[idx(i)].model.body(0).inertia.about_com() * s.R(i).transpose();
      P += 0.3 * s.v(i);
      L += I * s.w(i) + 0.3 * s.x(i).cross(s.v(i));
    }
    return std::make_pair(P, L);
  };
  int touching = 0;
  const double h = 1e-3;
  for (int k = 0; k < 300; ++k) {
    const auto before = momenta();
    Vec3 arm = Vec3::Zero();  // gravity's moment over the step, with the positions it moves
    ASSERT_TRUE(s.step(h));
    for (int i = 0; i < 6; ++i) arm += 0.3 * s.x(i);
    const auto after = momenta();
    const Vec3 g(0, 0, -kG);
    EXPECT_LT((after.first - before.first - 1.8 * h * g).norm(), 1e-13);  // N s
    // x+ x v+ = (x + h v+) x v+ = x x v+: gravity acts at the old place
    Vec3 old = arm;
    for (int i = 0; i < 6; ++i) old -= 0.3 * h * s.v(i);
    EXPECT_LT((after.second - before.second - h * old.cross(g)).norm(), 1e-13);  // N m s
    touching += static_cast<int>(s.contacts->patches().size());
  }
  EXPECT_GT(touching, 100);
}

// three links of 0.3 kg, 10 cm by 4 cm by 4 cm, hanging from a pivot at 0.2 m, without friction
SceneSystem chain(double pivot, const std::array<double, 3>& q, const Surface& surface) {
  const ConvexMesh link =
      ConvexMesh::box("link", Vec3(0.04, 0.04, 0.1), {Mat3::Identity(), Vec3(0, 0, 0.05)});
  ModelBuilder builder;
  BodyIndex parent = kWorld;
  for (int i = 0; i < 3; ++i) {
    Joint joint;
    joint.type = JointType::kRevolute;
    joint.axis = Vec3::UnitY();
    const Vec3 place(0, 0, i == 0 ? pivot : 0.1);
    const std::string name = "link" + std::to_string(i);
    parent = builder.add_body(name, parent, name, joint, {Mat3::Identity(), place},
                              link.mass_properties(0.3));
  }
  SceneSystem system{.name = "chain", .model = builder.build(), .start = {}, .shapes = {}};
  system.start = neutral_state(system.model);
  for (int i = 0; i < 3; ++i) {
    system.start.q[i] = q[idx(i)];
    system.shapes.push_back({.body = i, .mesh = link, .surface = surface});
  }
  return system;
}

TEST(VolumetricContacts, ChainComesToRestWithTheOraclesLoads) {
  const nlohmann::json c = test::read_fixture("o14d_pendulum.json");
  const Surface smooth{.mu_static = 0.0, .mu_kinetic = 0.0, .restitution = 0.0};
  Scenery s({chain(0.2, {2.0 * M_PI / 3, 0.0, 0.0}, smooth)}, {floor_at(0.0, smooth)});
  const double h = 1e-3;
  const double b = 0.005;  // N m s/rad, implicit
  for (int k = 0; k < 25000; ++k) {
    s.drives[0].tau = -b * s.systems[0].start.v;
    s.drives[0].added_inertia = JointVector::Constant(3, h * b);
    ASSERT_TRUE(s.step(h)) << k;
  }
  EXPECT_LT(s.systems[0].start.v.norm(), 1e-4);
  // the last link lies flat: 2.943 N at its joint's end, 1.4715 N at its free end, 10 cm apart
  ASSERT_EQ(s.contacts->forces().size(), 1u);
  const Force P = s.contacts->forces()[0].impulse;
  const double total = P.force().z() / h;
  EXPECT_NEAR(total, c.at("frictionless_rest").at("normal_total"), 0.005 * 4.4145);
  EXPECT_NEAR(P.moment().norm() / h, (2.943 - 1.4715) * 0.05, 0.005 * 0.073575);
}

TEST(VolumetricContacts, AFarIslandDoesNotChangeABit) {
  const auto run = [](bool with_far) {
    std::vector<SceneSystem> systems = {
        free_box(Vec3(0, 0, 0.03), 1.0, Motion::from(Vec3(1, 2, 3), Vec3(0.2, 0, 0)))};
    systems.push_back(
        free_box(Vec3(0.05, 0.02, 0.09), 2.0, Motion::zero(), kEqualFriction, kBox, "upper"));
    if (with_far) {
      for (int i = 0; i < 5; ++i) {
        systems.push_back(free_box(Vec3(-5, 0, 0.025 + 0.05 * i), 1.0, Motion::zero(),
                                   kEqualFriction, kBox, "far" + std::to_string(i)));
      }
    }
    Scenery s(systems, {floor_at(0.0, kEqualFriction)});
    for (int k = 0; k < 500; ++k) EXPECT_TRUE(s.step(1e-3));
    return s.systems[0].start.q;
  };
  EXPECT_EQ((run(false) - run(true)).norm(), 0.0);
}

TEST(VolumetricContacts, TheCycleAllocatesNothingAndRepeatsItsBits) {
  const auto run = [](long* allocations) {
    Scenery s(falling_boxes(6, 0.1, 3), {floor_at(0.0, kEqualFriction)});
    for (int k = 0; k < 600; ++k) EXPECT_TRUE(s.step(1e-3));
    const test::NoAlloc guard;
    for (int k = 0; k < 50; ++k) EXPECT_TRUE(s.step(1e-3));
    *allocations = guard.count();
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) sum += s.x(i).sum() + s.w(i).sum();
    return sum;
  };
  long first = 0;
  long second = 0;
  EXPECT_EQ(run(&first), run(&second));
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 0);
}

TEST(VolumetricContacts, OverflowLeavesTheShallowestOutAndSaysSo) {
  std::vector<SceneSystem> systems;
  for (int i = 0; i < 4; ++i) {
    systems.push_back(free_box(Vec3(0.5 * i, 0, 0.025 - 1e-3 * (i + 1)), 1.0, Motion::zero(),
                               kEqualFriction, kBox, "box" + std::to_string(i)));
  }
  Scenery s(systems, {floor_at(0.0, kEqualFriction)}, {}, {.pairs = 16, .patches = 2});
  ASSERT_TRUE(s.step(1e-3));
  EXPECT_TRUE(s.contacts->report().overflowed);
  ASSERT_EQ(s.contacts->patches().size(), 2u);
  std::vector<int> kept = {s.contacts->patches()[0].a, s.contacts->patches()[1].a};
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(kept, (std::vector<int>{2, 3}));  // the deepest
  Scenery narrow(systems, {floor_at(0.0, kEqualFriction)}, {}, {.pairs = 1, .patches = 2});
  ASSERT_TRUE(narrow.step(1e-3));
  EXPECT_TRUE(narrow.contacts->report().overflowed);
}

TEST(VolumetricContacts, HostileScenesStayFinite) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    std::vector<SceneSystem> systems;
    for (int i = 0; i < 6; ++i) {  // thrown into each other, masses six orders apart
      const Vec3 size(0.02 + 0.2 * std::abs(unit(random)), 0.02 + 0.1 * std::abs(unit(random)),
                      seed % 3 == 0 ? 1e-3 : 0.05);
      const Mat3 R =
          exponential(M_PI * Vec3(unit(random), unit(random), unit(random))).toRotationMatrix();
      const std::string name = "b" + std::to_string(i);
      systems.push_back(free_body(
          name, ConvexMesh::box(name, size), std::pow(10.0, 3.0 * unit(random)), kEqualFriction,
          {R, Vec3(0.1 * unit(random), 0.1 * unit(random), 0.05 + 0.05 * unit(random))},
          Motion::from(20.0 * Vec3(unit(random), unit(random), unit(random)),
                       5.0 * Vec3(unit(random), unit(random), unit(random)))));
    }
    Scenery s(systems, {floor_at(0.0, kEqualFriction)});
    for (int k = 0; k < 200; ++k) {
      ASSERT_TRUE(s.step(1e-3)) << k;
      ASSERT_LE(static_cast<int>(s.contacts->report().status),
                static_cast<int>(ContactStatus::kNotConverged));
      for (int i = 0; i < 6; ++i) ASSERT_LT(s.v(i).norm(), 1e3);
    }
  }
}

TEST(VolumetricContacts, NotFiniteAndInactiveSystemsTouchNobody) {
  Scenery s({free_box(Vec3(0, 0, 0.0249)),
             free_box(Vec3(0, 0, 0.0745), 1.0, Motion::zero(), kEqualFriction, kBox, "lost")},
            {floor_at(0.0, kEqualFriction)});
  ASSERT_TRUE(s.step(1e-3));
  EXPECT_EQ(s.contacts->patches().size(), 2u);
  s.bodies[1]->X_WB[0].p.x() = std::nan("");
  s.bodies[1]->V_free[0].c.setConstant(std::nan(""));
  const std::array<std::uint8_t, 2> active = {1, 0};
  s.contacts->step(1e-3, active);
  EXPECT_EQ(s.contacts->patches().size(), 1u);
  EXPECT_EQ(s.contacts->report().status, ContactStatus::kOk);
  EXPECT_GT(s.contacts->impulses(0)[0].force().z(), 0.0);
  s.bodies[0]->V_free[0].c.setConstant(std::nan(""));
  s.contacts->step(1e-3, active);
  EXPECT_EQ(s.contacts->report().status, ContactStatus::kNotFinite);
  EXPECT_EQ(s.contacts->impulses(0)[0].c.norm(), 0.0);
}

TEST(VolumetricContacts, RefusesBadSettings) {
  const auto refusal = [](const std::function<void(VolumetricSettings&)>& spoil) {
    VolumetricSettings settings;
    spoil(settings);
    try {
      check_settings(settings);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using Settings = VolumetricSettings;
  const std::vector<std::pair<const char*, std::function<void(Settings&)>>> cases = {
      {"/compensation:", [](Settings& s) { s.compensation = -1.0; }},
      {"/compensation_speed:", [](Settings& s) { s.compensation_speed = std::nan(""); }},
      {"/rest_depth:", [](Settings& s) { s.rest_depth = -1e-6; }},
      {"/pyramid_edges:", [](Settings& s) { s.pyramid_edges = 2; }},
      {"/restitution_speed:", [](Settings& s) { s.restitution_speed = -1.0; }},
      {"/slip_speed:", [](Settings& s) { s.slip_speed = -1.0; }},
      {"/accuracy:", [](Settings& s) { s.accuracy = 0.0; }},
      {"/max_sweeps:", [](Settings& s) { s.max_sweeps = 0; }},
  };
  for (const auto& [key, spoil] : cases) {
    EXPECT_NE(refusal(spoil).find(key), std::string::npos) << key;
  }
  EXPECT_THROW(Scenery({free_box(Vec3::Zero())}, {}, {}, {.pairs = 0, .patches = 1}), ConfigError);
  EXPECT_THROW(Scenery({free_box(Vec3::Zero())}, {}, {}, {.pairs = 1, .patches = 0}), ConfigError);
}

// the world hands the method what it needs and keeps its own promises
TEST(VolumetricWorld, StacksRestTogetherAndALostBodyLosesNobodyElse) {
  Scene scene;
  scene.statics.push_back(floor_at(0.0, kEqualFriction));
  for (int i = 0; i < 3; ++i) {
    scene.systems.push_back(free_box(Vec3(0, 0, 0.025 + 0.05 * i), 1.0, Motion::zero(),
                                     kEqualFriction, kBox, "box" + std::to_string(i)));
  }
  ContactSettings settings;
  settings.method = MethodName::kVolumetric;
  World world(scene, settings);
  EXPECT_STREQ(world.method(), "volumetric");
  for (int k = 0; k < 1500; ++k) world.step(1e-3);
  EXPECT_EQ(world.step(1e-3), WorldStatus::kOk);
  ASSERT_EQ(world.num_patches(), 3);
  double carried = 0.0;
  for (int i = 0; i < 3; ++i) {
    const WorldPatch p = world.patch(i);
    if (p.other == kStaticBody) carried += p.force.impulse.force().z() / 1e-3;
    EXPECT_EQ(p.force.motion, ContactMotion::kStick);
  }
  EXPECT_NEAR(carried, 3 * kG, 1e-3 * 3 * kG);
  // J: the impulse 3 g h takes away the speed g h of one step's fall
  EXPECT_NEAR(world.contact_work(), -0.5 * 3 * kG * kG * 1e-6, 1e-3 * 1.44e-4);
  world.state(2).v[0] = std::nan("");
  EXPECT_EQ(world.step(1e-3), WorldStatus::kNotFinite);
  EXPECT_EQ(world.status(2), SystemStatus::kNotFinite);
  EXPECT_EQ(world.status(0), SystemStatus::kOk);
  EXPECT_EQ(world.num_patches(), 2);
}

}  // namespace
}  // namespace kagami::models
