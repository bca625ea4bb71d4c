// Rest, of every method: the load, its chatter, depth, slip, and the same pose whatever the step; a
// chain comes to rest.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "models/dynamics/energy.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/contact_boxes.hpp"
#include "models/test/support/contact_probe.hpp"
#include "models/test/support/model_json.hpp"

namespace kagami::models {
namespace {

using test::kEqualFriction;
using test::kG;

class RestOfEveryMethod : public test::ByMethod {};
INSTANTIATE_TEST_SUITE_P(Methods, RestOfEveryMethod, ::testing::ValuesIn(test::kEveryMethod),
                         [](const auto& p) { return std::string(name(p.param)); });

// a box, or the KHR-1 on its soles; put down from `height` (m)
Scene scene_of(bool robot, double height) {
  Scene scene;
  scene.systems.push_back(robot ? test::khr1(height, kEqualFriction)
                                : free_body("box", ConvexMesh::box("box", Vec3(0.2, 0.1, 0.05)),
                                            1.0, kEqualFriction,
                                            {Mat3::Identity(), Vec3(0.0, 0.0, 0.025 + height)}));
  scene.statics.push_back(floor_at(0.0, kEqualFriction));
  return scene;
}

// what a while of rest shows
struct Rest {
  double mean = 0.0, deviation = 0.0;  // of the ground's force, over the weight
  double deepest = 0.0;                // m
  double slip = 0.0;                   // m, farthest of a sole from where it was first
  int fewest = 1000;                   // corners that carry something
  double least = 1.0;                  // least load of a corner over the weight
};

// Loads of a patch's corners: those of smallest norm that give its wrench. A rectangle's:
// N/n (1 + x.c/mean x^2 + ...) of (c: centre of pressure) for corners alike about its centre.
void patch_corners(const WorldPatch& c, double weight, double h, Rest& rest, int& pressed) {
  const Patch& p = c.patch.patch;
  const int n = p.outline_count;
  Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMaxOutline> A(3, n);
  for (int k = 0; k < n; ++k) {
    const Vec3& r = p.outline[static_cast<std::size_t>(k)];
    A.col(k) << 1.0, r.dot(p.t2), -r.dot(p.t1);
  }
  const Vec3 wrench(c.force.local[5], c.force.local[0], c.force.local[1]);
  const Mat3 AA = A * A.transpose();
  const Vec3 y = AA.ldlt().solve(wrench);
  for (int k = 0; k < n; ++k) {
    const double load = A.col(k).dot(y) / h;
    rest.least = std::min(rest.least, load / weight);
    pressed += load > 0.0 ? 1 : 0;
  }
}

void corners(const World& world, double weight, double h, Rest& rest) {
  int pressed = 0;
  for (const WorldContact& c : world.contacts()) {
    rest.least = std::min(rest.least, c.force.local[0] / h / weight);
    pressed += c.force.local[0] > 0.0 ? 1 : 0;
  }
  for (int i = 0; i < world.num_patches(); ++i)
    patch_corners(world.patch(i), weight, h, rest, pressed);
  rest.fewest = std::min(rest.fewest, pressed);
}

// where the system's shapes are (m)
std::vector<Vec3> places(const World& world, const Scene& scene) {
  const Model& model = world.model(0);
  Kinematics k(model);
  forward_kinematics(model, world.state(0).q, world.state(0).v, k);
  std::vector<Vec3> all;
  for (const BodyShape& s : scene.systems[0].shapes)
    all.push_back(k.X_WB[static_cast<std::size_t>(s.body)] * s.mesh.vertices()[0]);
  return all;
}

void step(World& world, bool robot, double h) {
  if (robot) test::hold_khr1(world, 0, h);
  // while a robot lands, sweeps may be cut off
  const bool patches = std::string(world.method()) == "volumetric";
  ASSERT_LE(world.step(h), patches ? WorldStatus::kNotConverged : WorldStatus::kOk);
}

Rest rest_of(const Scene& scene, const ContactSettings& settings, bool robot, double h,
             double settle, double seconds) {
  World world(scene, settings);
  const double weight = world.model(0).total_mass() * kG;
  for (int i = 0; i < std::lround(settle / h); ++i) step(world, robot, h);
  const std::vector<Vec3> start = places(world, scene);
  Rest rest;
  double sum = 0.0;
  double squares = 0.0;
  const long count = std::lround(seconds / h);
  for (long i = 0; i < count; ++i) {
    step(world, robot, h);
    const double load = test::carried(world, scene, h) / weight;
    sum += load;
    squares += (load - 1.0) * (load - 1.0);
    rest.deepest = std::max(rest.deepest, test::deepest(world, scene));
    corners(world, weight, h, rest);
    if (i % 100 != 99) continue;
    const std::vector<Vec3> now = places(world, scene);
    for (std::size_t k = 0; k < now.size(); ++k)
      rest.slip = std::max(rest.slip, (now[k] - start[k]).head<2>().norm());
  }
  rest.mean = sum / static_cast<double>(count);
  const double off = rest.mean - 1.0;
  rest.deviation = std::sqrt(std::max(0.0, squares / static_cast<double>(count) - off * off));
  return rest;
}

// mean 0.1 %, deviation 0.5 % of the weight, 0.1 mm deep and 0.1 mm of slip in a minute
TEST_P(RestOfEveryMethod, BoxAndKhr1RestOnAllCornersWithoutChatterSlipOrDepth) {
  for (const bool robot : {false, true}) {
    SCOPED_TRACE(robot ? "KHR-1" : "box");
    const Rest rest = rest_of(scene_of(robot, 0.0), settings(), robot, 1e-3, 2.0, 60.0);
    EXPECT_NEAR(rest.mean, 1.0, 1e-3);
    EXPECT_LT(rest.deviation, 5e-3);
    EXPECT_EQ(rest.fewest, robot ? 8 : 4);
    EXPECT_GT(rest.least, robot ? 0.01 : 0.2);
    EXPECT_LT(rest.deepest, 0.1e-3);  // m
    EXPECT_LT(rest.slip, 0.1e-3);     // m in 60 s
  }
}

// Depth of `relaxed`: in proportion to the step, relaxation g h / (n^2 K) for a box; far below the
// bound at every step. All other coordinates, and those of the others, must agree.
TEST_P(RestOfEveryMethod, TheRestPoseIsTheSameAtAnyStep) {
  for (const bool robot : {false, true}) {
    SCOPED_TRACE(robot ? "KHR-1" : "box");
    State first;
    for (const double h : {1e-4, 5e-4, 1e-3, 2e-3, 4e-3}) {
      SCOPED_TRACE(h);
      // dropped by 1 mm: it has to find its pose
      const Scene scene = scene_of(robot, 1e-3);
      World world(scene, settings());
      for (int i = 0; i < std::lround(4.0 / h); ++i) step(world, robot, h);
      const State& now = world.state(0);
      if (h == 1e-4) first = now;
      JointVector d = JointVector::Zero(now.v.size());
      difference(world.model(0), first.q, now.q, d);
      double metres = 0.0;
      double radians = 0.0;
      for (int k = 0; k < d.size(); ++k) {
        double& most = k >= 3 && k < 6 ? metres : radians;
        most = std::max(most, std::abs(d[k]));
      }
      if (!robot && GetParam() == MethodName::kRelaxed) {
        const ContactSettings s;
        const double depth = s.relaxation * kG * h / (16.0 * s.compensation);
        EXPECT_NEAR(0.025 - now.q[2], depth, 1e-3 * depth);  // m
      }
      EXPECT_LT(metres, 0.1e-3);
      EXPECT_LT(radians, 0.1 * M_PI / 180.0);
      EXPECT_LT(now.v.norm(), 1e-3);
    }
  }
}

// O14k: what lies above, on equal boxes and on a light one
TEST_P(RestOfEveryMethod, StacksCarryWhatTheOracleSays) {
  const nlohmann::json file = test::read_fixture("o14k_statics.json");
  std::vector<std::pair<std::vector<double>, std::vector<double>>> cases;  // masses, forces
  for (const nlohmann::json& c : file.at("stacks"))
    cases.emplace_back(std::vector<double>(c.at("n").get<std::size_t>(), c.at("mass")),
                       c.at("force_between"));
  const nlohmann::json& heavy = file.at("mass_ratio_stack");
  cases.emplace_back(heavy.at("masses_from_below"),
                     std::vector<double>{heavy.at("ground_force"), heavy.at("between")});
  for (const auto& [masses, expected] : cases) {
    SCOPED_TRACE(masses.size());
    Scene scene;
    scene.statics.push_back(floor_at(0.0, kEqualFriction));
    for (std::size_t i = 0; i < masses.size(); ++i) {
      const std::string name = "box" + std::to_string(i);
      const Vec3 p(0.0, 0.0, 0.025 + 0.05 * static_cast<double>(i));
      scene.systems.push_back(free_body(name, ConvexMesh::box(name, Vec3(0.2, 0.1, 0.05)),
                                        masses[i], kEqualFriction, {Mat3::Identity(), p}));
    }
    World world(scene, settings());
    for (int k = 0; k < 2000; ++k) ASSERT_LE(world.step(1e-3), WorldStatus::kNotConverged);
    std::vector<double> force(masses.size(), 0.0);  // what each box bears on, from below
    for (const test::Push& p : test::pushes(world, scene)) {
      const int upper = p.other == kStaticBody ? 0 : std::max(p.system, p.other);
      force[static_cast<std::size_t>(upper)] += p.normal / 1e-3;
    }
    for (std::size_t i = 0; i < masses.size(); ++i)
      EXPECT_NEAR(force[i], expected[i], 0.005 * expected[i]) << i;  // N, the oracle's 0.5 %
    const int top = static_cast<int>(masses.size()) - 1;
    EXPECT_LT(world.state(top).v.norm(), 1e-3);  // m/s, rad/s
  }
}

// a triangle in x, z with its apex below, stretched along y; sides at these angles from the
// vertical
ConvexMesh wedge_roller(double left, double right) {
  constexpr double kHeight = 0.06;
  std::vector<Vec3> v;
  for (const double y : {-0.05, 0.05}) {
    v.emplace_back(0.0, y, 0.0);
    v.emplace_back(-kHeight * std::tan(left), y, kHeight);
    v.emplace_back(kHeight * std::tan(right), y, kHeight);
  }
  return {"roller", v, {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}}};
}

// a plank that bridges two boxes off its middle: each carries by the lever of the other
TEST_P(RestOfEveryMethod, PlankOnTwoBoxesLoadsThemByItsLevers) {
  const double h = 1e-3;
  Scene scene;
  scene.statics.push_back(floor_at(0.0, kEqualFriction));
  const ConvexMesh cube = ConvexMesh::box("cube", Vec3::Constant(0.1));
  scene.systems.push_back(
      free_body("left", cube, 1.0, kEqualFriction, {Mat3::Identity(), Vec3(-0.2, 0.0, 0.05)}));
  scene.systems.push_back(
      free_body("right", cube, 1.0, kEqualFriction, {Mat3::Identity(), Vec3(0.3, 0.0, 0.05)}));
  scene.systems.push_back(free_body("plank", ConvexMesh::box("plank", Vec3(1.0, 0.1, 0.05)), 2.0,
                                    kEqualFriction, {Mat3::Identity(), Vec3(0.0, 0.0, 0.125)}));
  World world(scene, settings());
  for (int k = 0; k < 1500; ++k) ASSERT_LE(world.step(h), WorldStatus::kNotConverged);
  double total = 0.0, moment = 0.0;  // N, N m about the plank's middle
  const auto add = [&](int other, double up, double x) {
    if (other == kStaticBody) return;
    total += up / h;
    moment += x * up / h;
  };
  for (const WorldContact& c : world.contacts()) {
    if (c.other != kNoStatic) continue;
    add(c.other_system, std::abs(c.force.impulse.force().z()), c.point.p.x());
  }
  for (int i = 0; i < world.num_patches(); ++i) {
    const WorldPatch c = world.patch(i);
    add(c.other, std::abs(c.force.impulse.force().z()), c.patch.patch.centroid.x());
  }
  EXPECT_NEAR(total, 2.0 * kG, 1e-3 * 2.0 * kG);
  if (!volumetric()) {
    EXPECT_NEAR(moment, 0.0, 1e-3 * kG);
  }
  for (int i = 0; i < 3; ++i) EXPECT_LT(world.state(i).v.norm(), 1e-4) << i;
  EXPECT_NEAR(world.state(2).q[2], 0.125, 5e-5);  // m
}

TEST_P(RestOfEveryMethod, FrictionlessGrooveBearsAsItsAnglesSay) {
  const nlohmann::json file = test::read_fixture("o14k_statics.json");
  const Surface smooth{.mu_static = 0.0, .mu_kinetic = 0.0, .restitution = 0.0};
  for (const nlohmann::json& c : file.at("v_groove")) {
    SCOPED_TRACE(c.dump());
    const double deg = M_PI / 180.0;
    const bool alike = c.contains("half_opening_deg");
    const double left =
        deg * (alike ? c.at("half_opening_deg") : c.at("wall_angles_from_vertical_deg").at(0))
                  .get<double>();
    const double right =
        deg * (alike ? c.at("half_opening_deg") : c.at("wall_angles_from_vertical_deg").at(1))
                  .get<double>();
    const double expected[2] = {alike ? c.at("normal_each") : c.at("normals").at(0),
                                alike ? c.at("normal_each") : c.at("normals").at(1)};
    Scene scene;
    const Vec3 n[2] = {Vec3(std::cos(left), 0.0, std::sin(left)),
                       Vec3(-std::cos(right), 0.0, std::sin(right))};
    for (const Vec3& wall : n)
      scene.statics.push_back({.name = wall.x() > 0.0 ? "left" : "right",
                               .n = wall,
                               .offset = 0.0,
                               .mesh = {},
                               .surface = smooth});
    scene.systems.push_back(free_body("roller", wedge_roller(left, right), 1.0, smooth, Pose{}));
    World world(scene, settings());
    for (int k = 0; k < 1000; ++k) ASSERT_LE(world.step(1e-3), WorldStatus::kNotConverged);
    double force[2] = {0.0, 0.0};
    for (const test::Push& p : test::pushes(world, scene))
      force[p.n.dot(n[0]) > 0.9 ? 0 : 1] += p.normal / 1e-3;
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(force[i], expected[i], 0.005 * expected[i]) << i;  // N
  }
}

// boxes hinged at their end centres, hanging from a fixed hinge
Scene chain_scene(const nlohmann::json& scene, const Surface& surface) {
  const int n = scene.at("n");
  ModelBuilder builder;
  const double H = scene.at("H");
  const ConvexMesh link =
      ConvexMesh::box("link", Vec3(0.04, 0.04, 0.1), {Mat3::Identity(), Vec3(0.0, 0.0, 0.05)});
  Joint hinge;
  hinge.type = JointType::kRevolute;
  hinge.axis = Vec3::UnitY();
  SceneSystem chain{.name = "chain", .model = {}, .start = {}, .shapes = {}};
  for (int i = 0; i < n; ++i) {
    builder.add_body("link" + std::to_string(i), i - 1, "hinge" + std::to_string(i), hinge,
                     {Mat3::Identity(), Vec3(0.0, 0.0, i == 0 ? H : 0.1)},
                     link.mass_properties(0.3));
    chain.shapes.push_back({.body = i, .mesh = link, .surface = surface});
  }
  chain.model = builder.build();
  chain.start = neutral_state(chain.model);
  for (int i = 0; i < n; ++i) {
    chain.start.q[i] =
        scene.at("theta0_deg").at(static_cast<std::size_t>(i)).get<double>() * M_PI / 180.0;
  }
  return {.systems = {chain}, .statics = {floor_at(0.0, surface)}};
}

TEST_P(RestOfEveryMethod, FrictionlessChainComesToRestWithTheOraclesCornerForces) {
  if (volumetric()) GTEST_SKIP() << "contact_pile_test has this case";
  const nlohmann::json c = test::read_fixture("o14d_pendulum.json");
  const Surface smooth{.mu_static = 0.0, .mu_kinetic = 0.0};
  World world(chain_scene(c.at("scene"), smooth), settings());
  const double h = 1e-3;
  // joint damping, implicit: tau = -b v+ = -b v - h b vdot
  const double b = 0.005;
  Kinematics k(world.model(0));
  double least = c.at("scene").at("E0_about_ground");
  world.drive(0).added_inertia = JointVector::Constant(3, h * b);
  for (int i = 0; i < 25000; ++i) {
    world.drive(0).tau = -b * world.state(0).v;
    ASSERT_EQ(world.step(h), WorldStatus::kOk) << i;
    forward_kinematics(world.model(0), world.state(0).q, world.state(0).v, k);
    const double energy =
        kinetic_energy(world.model(0), world.state(0).v, k) + potential_energy(world.model(0), k);
    ASSERT_LE(energy, least + 1e-3) << i;  // J, of 1.1 J at the start
    least = std::min(least, energy);
  }
  EXPECT_LT(world.state(0).v.norm(), 1e-4);
  // two corners of each of two edges carry 1.4715 N and 0.73575 N
  double sum = 0.0;
  int carrying = 0;
  for (const WorldContact& contact : world.contacts()) {
    const double force = contact.force.local[0] / h;
    sum += force;
    if (force == 0.0) continue;
    ++carrying;
    const double nearest = std::abs(force - 1.4715) < std::abs(force - 0.73575) ? 1.4715 : 0.73575;
    EXPECT_NEAR(force, nearest, 0.005 * nearest);
  }
  EXPECT_EQ(carrying, 4);
  EXPECT_NEAR(sum, c.at("frictionless_rest").at("normal_total"), 0.005 * 4.4145);
}

}  // namespace
}  // namespace kagami::models
