// Articulated systems in the world: response against the whole algorithm, balances of momentum and
// energy, a chain that rubs, a robot that stands.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/contact/world/world.hpp"
#include "models/contact/world/world_energy.hpp"
#include "models/dynamics/aba.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/builder.hpp"
#include "models/spatial/rotation.hpp"
#include "models/test/support/contact_boxes.hpp"
#include "models/test/support/contact_probe.hpp"
#include "models/test/support/no_alloc.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::kG;
using test::Random;

class RobotOfEveryMethod : public test::ByMethod {};
INSTANTIATE_TEST_SUITE_P(Points, RobotOfEveryMethod,
                         ::testing::Values(MethodName::kRelaxed, MethodName::kMultipoint),
                         [](const auto& p) { return std::string(name(p.param)); });

// touching bodies of a random tree, forces on them, and what the whole algorithm makes of both
void compare_with_whole_algorithm(const Model& model, const State& start, Random& random) {
  std::vector<BodyIndex> touching;
  for (int i = 0; i < model.num_bodies(); i += 2) touching.push_back(i);
  const auto bodies = make_contact_bodies(model, touching);
  Drive drive{
      .tau = random.vector(model.num_v()), .added_inertia = model.rotor_inertia(), .F_ext = {}};
  for (int k = 0; k < model.num_v(); ++k) drive.added_inertia[k] += random.between(0.0, 0.01);
  drive.F_ext.resize(static_cast<std::size_t>(model.num_bodies()), Force::zero());
  drive.F_ext[0] = Force::from(random.vec3(), random.vec3());
  const double h = 1e-3;
  ASSERT_TRUE(bodies->begin(start, drive, h));

  std::vector<Force> impulses;
  std::vector<Force> F_ext = drive.F_ext;
  for (std::size_t k = 0; k < touching.size(); ++k) {
    impulses.push_back(Force::from(random.vec3(), random.vec3()) * h);
    const Pose X_OB{bodies->X_WB[k].R, bodies->X_WB[k].p - bodies->origin()};
    F_ext[static_cast<std::size_t>(touching[k])] += inverse_times(X_OB, impulses[k]) * (1.0 / h);
  }
  State state = start;
  JointVector vdot = JointVector::Zero(model.num_v());
  ASSERT_TRUE(bodies->finish(impulses, state, vdot));
  AbaWorkspace w(model);
  JointVector whole;
  aba(model, start.q, start.v, drive.tau,
      ExternalLoads{.F_ext = F_ext, .added_inertia = &drive.added_inertia}, w, whole);
  EXPECT_LT((vdot - whole).norm(), 1e-10 * (1.0 + whole.norm()));  // relative

  // and the response is what it predicts for the bodies
  const int n = 6 * bodies->count();
  std::vector<double> Phi(static_cast<std::size_t>(n * n));
  std::vector<int> all;
  for (int k = 0; k < bodies->count(); ++k) all.push_back(k);
  bodies->response(all, Phi.data(), n);
  Eigen::VectorXd P(n);
  for (int k = 0; k < bodies->count(); ++k) {
    P.segment<6>(6 * k) = impulses[static_cast<std::size_t>(k)].c;
  }
  const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> matrix(Phi.data(), n, n);
  const Eigen::VectorXd dV = matrix * P;
  // velocity jump of each body by the kinematics of h times the difference of both accelerations
  State jump = start;
  AbaWorkspace w_free(model);
  JointVector free_vdot;
  aba(model, start.q, start.v, drive.tau,
      ExternalLoads{.F_ext = drive.F_ext, .added_inertia = &drive.added_inertia}, w_free,
      free_vdot);
  jump.v = h * (whole - free_vdot);
  Kinematics k(model);
  forward_kinematics(model, jump.q, jump.v, k);
  for (std::size_t b = 0; b < touching.size(); ++b) {
    const std::size_t body = static_cast<std::size_t>(touching[b]);
    const Pose X_OB{k.X_WB[body].R, k.X_WB[body].p - bodies->origin()};
    const Motion expected = X_OB * k.tree.V[body];
    EXPECT_LT((dV.segment<6>(6 * static_cast<int>(b)) - expected.c).norm(),
              1e-10 * (1.0 + dV.norm()));
  }
}

TEST(ContactBodies, AnswerAsTheWholeAlgorithmDoes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const BaseKind base = seed % 2 == 0 ? BaseKind::kFloating : BaseKind::kFixed;
    const Model plain = test::random_tree(random, 9, base);
    compare_with_whole_algorithm(plain, test::random_state(random, plain), random);
    const Model mixed = test::random_mixed_tree(random, 9, base);
    compare_with_whole_algorithm(mixed, test::random_state(random, mixed), random);
  }
}

TEST(ContactBodies, RefuseLoopsAndUnknownBodies) {
  Random random(3);
  const Model tree = test::random_tree(random, 4, BaseKind::kFloating);
  EXPECT_THROW(make_contact_bodies(tree, {4}), Error);
  EXPECT_THROW(make_contact_bodies(tree, {-1}), Error);
  ModelBuilder builder(tree);
  builder.add_loop("loop", 3, Pose{}, kWorld, Pose{}, Joint{.type = JointType::kSpherical});
  EXPECT_THROW(make_contact_bodies(builder.build(), {0}), ModelError);
}

TEST_P(RobotOfEveryMethod, RobotStandsWithoutChatterSlipOrLostCorners) {
  Vec3 first = Vec3::Zero();
  for (const double h : {0.5e-3, 1e-3, 2e-3, 4e-3}) {
    SCOPED_TRACE(h);
    World world({.systems = {test::biped(0.0)}, .statics = {floor_at(0.0, {})}}, settings());
    const double weight = world.model(0).total_mass() * kG;
    double sum = 0.0;
    double sum2 = 0.0;
    int count = 0;
    Vec3 corner = Vec3::Constant(kNaN);
    for (int i = 0; i < static_cast<int>(4.0 / h); ++i) {
      test::hold_biped(world, 0, h);
      ASSERT_EQ(world.step(h), WorldStatus::kOk);
      if (i < static_cast<int>(2.0 / h)) continue;
      double F = 0.0;
      ASSERT_EQ(world.contacts().size(), 8u);
      for (const WorldContact& c : world.contacts()) {
        ASSERT_GT(c.force.local[0], 0.0);
        ASSERT_GT(c.point.gap, -0.5e-6);  // m; the bound
        F += c.force.local[0] / h;
      }
      if (count == 0) corner = world.contacts()[0].point.p;
      ASSERT_LT((world.contacts()[0].point.p - corner).head<2>().norm(), 1e-9);  // m in 2 s
      sum += F;
      sum2 += F * F;
      ++count;
    }
    const double mean = sum / count;
    EXPECT_NEAR(mean, weight, 1e-6 * weight);
    EXPECT_LT(std::sqrt(std::max(0.0, sum2 / count - mean * mean)), 1e-5 * weight);
    // the rest pose does not depend on the step
    const Vec3 pose(world.state(0).q[0], world.state(0).q[2], world.state(0).q[8]);
    if (h < 0.6e-3) first = pose;
    EXPECT_LT((pose - first).cwiseAbs().maxCoeff(), 1e-6);  // m, rad
  }
}

// a sole turns by less than the skin in a step of its legs' motion, so it keeps its whole outline
TEST(Volumetric, SquattingRobotKeepsTheCornersOfItsSolesAndDoesNotChatter) {
  ContactSettings settings;
  settings.method = MethodName::kVolumetric;
  World world({.systems = {test::biped(0.0)}, .statics = {floor_at(0.0, {})}}, settings);
  const double weight = world.model(0).total_mass() * kG;
  const double h = 1e-3;
  double before = kNaN;
  Kinematics placed(world.model(0));
  std::array<Vec3, 2> stood;  // m
  for (int i = 0; i < 3000; ++i) {
    const double crouch = 0.125 * (1.0 - std::cos(2.0 * M_PI * h * i));  // rad; once a second
    test::hold_biped(world, 0, h, crouch);
    ASSERT_LE(world.step(h), WorldStatus::kNotConverged);
    double F = 0.0;
    for (int k = 0; k < world.num_patches(); ++k) F += world.patch(k).force.local[5] / h;
    if (i >= 1000) {
      ASSERT_EQ(world.num_patches(), 2) << i;
      for (int k = 0; k < 2; ++k) {
        const Patch& patch = world.patch(k).patch.patch;
        double reach = 0.0;  // m, half the sole's diagonal
        for (int c = 0; c < patch.outline_count; ++c) {
          reach = std::max(reach, patch.outline[static_cast<std::size_t>(c)].norm());
        }
        ASSERT_EQ(patch.outline_count, 4) << i;
        ASSERT_NEAR(reach, 0.5 * std::hypot(0.08, 0.045), 1e-4) << i;
      }
      ASSERT_LT(std::abs(F - before), 2e-3 * weight) << i;  // from step to step
      forward_kinematics(world.model(0), world.state(0).q, world.state(0).v, placed);
      for (std::size_t k = 0; k < 2; ++k) {
        const Vec3 now = placed.X_WB[3 * (k + 1)] * Vec3(0.0, 0.0, -0.033);  // on the sole
        if (i == 1000) stood[k] = now;
        // what each step's own error carries off is taken back
        ASSERT_LT((now - stood[k]).head<2>().norm(), 3e-8)
            << i;  // m; 0.01e-6 seen, more than this without
      }
    }
    before = F;
  }
}

TEST_P(RobotOfEveryMethod, EveryStepBalancesMomentumAndEnergy) {
  World world({.systems = {test::biped(0.03)}, .statics = {floor_at(0.0, {})}}, settings());
  world.state(0).v[3] = 0.1;  // m/s forward
  WorldEnergy energy(world);
  Kinematics k(world.model(0));
  const double h = 1e-3;
  const double m = world.model(0).total_mass();
  forward_kinematics(world.model(0), world.state(0).q, world.state(0).v, k);
  Vec3 before = momentum(world.model(0), k).force();
  for (int i = 0; i < 800; ++i) {
    test::hold_biped(world, 0, h);
    ASSERT_EQ(world.step(h), WorldStatus::kOk) << i;
    Vec3 P(0.0, 0.0, -m * kG * h);
    for (const WorldContact& c : world.contacts()) P += c.force.impulse.force();
    forward_kinematics(world.model(0), world.state(0).q, world.state(0).v, k);
    const Vec3 now = momentum(world.model(0), k).force();
    // the joints' turn within a step carries mass along curves: second order in h
    EXPECT_LT((now - before - P).norm(), 2e-3) << i;  // N s; the largest impact is 0.9 N s
    before = now;
    const StepEnergy e = energy.after_step(h);
    EXPECT_LE(e.contact, 1e-9) << i;  // J
    // J; the joints' turn at up to 60 rad/s in the step of the impact
    EXPECT_LE(e.gain(), 1e-9) << i;
  }
  EXPECT_LE(energy.contact_gain(), 1e-9);
  EXPECT_LT(world.state(0).v.norm(), 1.0);  // stands, still rocking
}

// thrown down in any attitude, all limbs hitting: not every step converges, none may feed energy
TEST_P(RobotOfEveryMethod, FallingRobotGainsNothingFromContact) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    SceneSystem robot = test::biped(0.2);
    robot.shapes.push_back({.body = 0,
                            .mesh = ConvexMesh::box("trunk", Vec3(0.06, 0.08, 0.12),
                                                    {Mat3::Identity(), Vec3(0.0, 0.0, 0.04)}),
                            .surface = {}});
    const Eigen::Quaterniond q = exponential(3.0 * random.vec3());
    robot.start.q.segment<4>(3) << q.w(), q.x(), q.y(), q.z();
    World world({.systems = {robot}, .statics = {floor_at(0.0, {})}}, settings());
    for (int i = 0; i < 2000; ++i) {
      test::hold_biped(world, 0, 1e-3);
      const WorldStatus status = world.step(1e-3);
      ASSERT_TRUE(status == WorldStatus::kOk || status == WorldStatus::kNotConverged) << i;
      ASSERT_LE(world.contact_work(), 1e-9) << i;                                         // J
      for (const WorldContact& c : world.contacts()) ASSERT_GT(c.point.gap, -1e-3) << i;  // m
    }
    EXPECT_LE(world.counters().not_converged, 10);
  }
}

TEST_P(RobotOfEveryMethod, RobotsStepAllocatesNothing) {
  World world({.systems = {test::biped(0.01)}, .statics = {floor_at(0.0, {})}}, settings());
  WorldEnergy energy(world);
  const test::NoAlloc guard;
  for (int i = 0; i < 300; ++i) {
    test::hold_biped(world, 0, 1e-3);
    (void)world.step(1e-3);
    (void)energy.after_step(1e-3);
  }
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(world.contacts().size(), 8u);
}

TEST(WorldEnergy, CountsImplicitDampingAsWork) {
  ModelBuilder builder;
  Joint hinge;
  hinge.type = JointType::kRevolute;
  hinge.axis = Vec3::UnitY();
  const ConvexMesh link = ConvexMesh::box("link", Vec3(0.04, 0.04, 0.1));
  builder.add_body("link", kWorld, "hinge", hinge, Pose{}, link.mass_properties(0.3));
  SceneSystem top{.name = "top", .model = builder.build(), .start = {}, .shapes = {}};
  top.start = neutral_state(top.model);
  top.start.v[0] = 10.0;  // rad/s
  World world({.systems = {top}, .statics = {}}, {});
  WorldEnergy energy(world);
  const double h = 1e-3;
  const double b = 0.01;  // N m s/rad: stronger than the inertia can follow explicitly
  world.drive(0).added_inertia[0] += h * b;
  const double before = energy.after_step(0.0).stored;
  double work = 0.0;
  double stored = 0.0;
  for (int i = 0; i < 300; ++i) {
    world.drive(0).tau[0] = -b * world.state(0).v[0];
    ASSERT_EQ(world.step(h), WorldStatus::kOk);
    const StepEnergy e = energy.after_step(h);
    work += e.drive;
    stored = e.stored;
    EXPECT_LT(std::abs(e.integrator), 1e-15) << i;  // J; one body about its mass centre
    EXPECT_LT(std::abs(e.added()), 1e-12) << i;
  }
  EXPECT_NEAR(work, stored - before, 1e-11);
  EXPECT_LT(work, -0.9 * before);
}

// the chain of O14d with the paper's friction: jams and slips on its way to rest
TEST_P(RobotOfEveryMethod, RubbingChainComesToRestWithoutSinkingIn) {
  const Surface surface{.mu_static = 1.0, .mu_kinetic = 0.4};
  ModelBuilder builder;
  const ConvexMesh link =
      ConvexMesh::box("link", Vec3(0.04, 0.04, 0.1), {Mat3::Identity(), Vec3(0.0, 0.0, 0.05)});
  Joint hinge;
  hinge.type = JointType::kRevolute;
  hinge.axis = Vec3::UnitY();
  SceneSystem chain{.name = "chain", .model = {}, .start = {}, .shapes = {}};
  for (int i = 0; i < 3; ++i) {
    builder.add_body("link" + std::to_string(i), i - 1, "hinge" + std::to_string(i), hinge,
                     {Mat3::Identity(), Vec3(0.0, 0.0, i == 0 ? 0.2 : 0.1)},
                     link.mass_properties(0.3));
    chain.shapes.push_back({.body = i, .mesh = link, .surface = surface});
  }
  chain.model = builder.build();
  chain.start = neutral_state(chain.model);
  chain.start.q[0] = 2.0 * M_PI / 3.0;
  World world({.systems = {chain}, .statics = {floor_at(0.0, surface)}}, settings());
  WorldEnergy energy(world);
  double least = 1.103625;  // J, the oracle's start
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(world.step(1e-3), WorldStatus::kOk) << i;
    const StepEnergy e = energy.after_step(1e-3);
    ASSERT_LE(e.stored, least + 1e-3) << i;
    least = std::min(least, e.stored);
    for (const WorldContact& c : world.contacts()) ASSERT_GT(c.point.gap, -1e-6) << i;  // m
    if (i > 4000) {
      EXPECT_LT(world.state(0).v.norm(), 1e-2);  // rad/s
    }
  }
}

}  // namespace
}  // namespace kagami::models
