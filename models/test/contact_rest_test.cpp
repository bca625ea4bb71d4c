// Rest, of every method: the load, its chatter, depth, slip, and the same pose whatever the step.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "models/dynamics/kinematics.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/contact_probe.hpp"

namespace kagami::models {
namespace {

constexpr double kG = 9.81;
const Surface kRough{.mu_static = 0.5, .mu_kinetic = 0.5, .restitution = 0.0};

class EveryMethod : public ::testing::TestWithParam<MethodName> {
 protected:
  static bool volumetric() { return GetParam() == MethodName::kVolumetric; }
  static ContactSettings settings() {
    ContactSettings s;
    s.method = GetParam();
    return s;
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, ::testing::ValuesIn(test::kEveryMethod),
                         [](const auto& p) { return std::string(name(p.param)); });

// a box, or the KHR-1 on its soles; put down from `height` (m)
Scene scene_of(bool robot, double height) {
  Scene scene;
  scene.systems.push_back(robot ? test::khr1(height, kRough)
                                : free_body("box", ConvexMesh::box("box", Vec3(0.2, 0.1, 0.05)),
                                            1.0, kRough,
                                            {Mat3::Identity(), Vec3(0.0, 0.0, 0.025 + height)}));
  scene.statics.push_back(floor_at(0.0, kRough));
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
TEST_P(EveryMethod, BoxAndKhr1RestOnAllCornersWithoutChatterSlipOrDepth) {
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
TEST_P(EveryMethod, TheRestPoseIsTheSameAtAnyStep) {
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

}  // namespace
}  // namespace kagami::models
