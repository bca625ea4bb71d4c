// Bodies against bodies with the methods of points: stacks, collisions, a robot against itself.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "models/base/idx.hpp"
#include "models/contact/detect/manifold.hpp"
#include "models/contact/point/point_solver.hpp"
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

// `count` boxes, the upper ones turned and shifted so that edges cross
Scene crossed_stack(int count) {
  Scene scene;
  scene.statics.push_back(floor_at(0.0, kRough));
  for (int i = 0; i < count; ++i) {
    scene.systems.push_back(box_at("box" + std::to_string(i),
                                   Vec3(0.01 * i, 0.005 * i, 0.025 + 0.05 * i), 1.0 + 0.5 * i,
                                   Motion::zero(), rotation_about(Vec3::UnitZ(), 0.7 * i)));
  }
  return scene;
}

class Stacks : public test::ByMethod {};
INSTANTIATE_TEST_SUITE_P(Points, Stacks,
                         ::testing::Values(MethodName::kRelaxed, MethodName::kMultipoint),
                         [](const auto& p) { return std::string(name(p.param)); });

TEST_P(Stacks, ThreeBoxesStandAndCarryWhatIsAbove) {
  const double h = 1e-3;
  World world(crossed_stack(3), settings());
  for (int k = 0; k < 1000; ++k) ASSERT_LE(world.step(h), WorldStatus::kNotConverged) << k;
  EXPECT_EQ(world.counters().not_converged, 0);
  const double weight[] = {1.0 * kG, 1.5 * kG, 2.0 * kG};
  for (int k = 0; k < 200; ++k) {
    ASSERT_EQ(world.step(h), WorldStatus::kOk);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(lift_of(world, i, h), weight[i], 1e-3 * weight[i]);
    EXPECT_NEAR(lift_between(world, 0, 1, h), weight[1] + weight[2], 1e-3 * weight[2]);
    EXPECT_NEAR(lift_between(world, 1, 2, h), weight[2], 1e-3 * weight[2]);
    EXPECT_EQ(lift_between(world, 0, 2, h), 0.0);
    EXPECT_LE(world.contact_work(), 1e-9);  // J
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(world.state(i).v.norm(), 1e-6) << i;
    EXPECT_NEAR(world.state(i).q[2], 0.025 + 0.05 * i, 1e-6) << i;  // m
    EXPECT_NEAR(world.state(i).q[0], 0.01 * i, 1e-6) << i;          // m of creep in 1.2 s
    EXPECT_NEAR(world.state(i).q[1], 0.005 * i, 1e-6) << i;
  }
  std::set<std::uint64_t> ids;
  for (const WorldContact& c : world.contacts()) ids.insert(c.point.id);
  EXPECT_EQ(ids.size(), world.contacts().size());
}

TEST_P(Stacks, BoxesOfOneOutlineStandOnEachOther) {
  Scene scene;
  scene.statics.push_back(floor_at(0.0, kRough));
  for (int i = 0; i < 3; ++i) {
    scene.systems.push_back(box_at("box" + std::to_string(i), Vec3(0, 0, 0.025 + 0.05 * i), 1.0));
  }
  World world(scene, settings());
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(world.step(1e-3), WorldStatus::kOk) << k;
  EXPECT_EQ(world.contacts().size(), 12u);
  EXPECT_NEAR(lift_between(world, 1, 2, 1e-3), kG, 1e-3 * kG);
  EXPECT_NEAR(world.state(2).q[2], 0.125, 1e-6);
}

// sweeps that stop at their number were "not converged" in 420 of 2000 steps, with exact forces
TEST(VolumetricStack, IsNotConvergedWhileItsForcesAreOffAndNotAtRest) {
  const double h = 1e-3;
  Scene scene;
  scene.statics.push_back(floor_at(0.0, kRough));
  for (int i = 0; i < 8; ++i) {
    scene.systems.push_back(
        box_at("box" + std::to_string(i), Vec3(0.01 * (i % 2), 0, 0.025 + 0.05 * i), 1.0));
  }
  World world(scene, by(MethodName::kVolumetric));
  bool any = false;
  for (int k = 0; k < 2000; ++k) {
    std::vector<JointVector> before;
    for (int i = 0; i < 8; ++i) before.push_back(world.state(i).v);
    const WorldStatus status = world.step(h);
    // of the weight, what no force balances
    double off = 0.0;
    for (int i = 0; i < 8; ++i)
      off =
          std::max(off, (world.state(i).v - before[static_cast<std::size_t>(i)]).norm() / (kG * h));
    any |= status == WorldStatus::kNotConverged;
    if (off < 2e-3) {
      ASSERT_EQ(status, WorldStatus::kOk) << k << ": " << off;
    }
    if (k >= 100) {
      ASSERT_EQ(status, WorldStatus::kOk) << k << ": " << off;
    }
  }
  EXPECT_TRUE(any);  // the first steps, before loads are known from the step before
}

TEST_P(Stacks, CollisionKeepsMomentaAndTwoRunsTheirBits) {
  const auto run = [](bool far) {
    Scene scene;
    scene.systems.push_back(box_at("resting", Vec3(0, 0, 0), 2.0));
    const Mat3 R_thrown = rotation_rpy(0.3, 0.2, 0.5);
    scene.systems.push_back(
        box_at("thrown", Vec3(-0.4, 0.03, 0.01), 0.5,
               Motion::from(Vec3(1, 5, 2), R_thrown.transpose() * Vec3(3, 0, 0)), R_thrown));
    if (far) {
      scene.systems.push_back(box_at("far", Vec3(-9, 0, 0), 1.0));
      scene.systems.push_back(box_at("farther", Vec3(-9, 0, 0.05), 1.0));
    }
    World world(scene, settings());
    const auto momenta = [&] {
      Vec6 sum = Vec6::Zero();  // about the world's origin; angular part first
      for (int i = 0; i < 2; ++i) {
        const State& s = world.state(i);
        const Mat3 R = Eigen::Quaterniond(s.q[3], s.q[4], s.q[5], s.q[6]).toRotationMatrix();
        const double m = i == 0 ? 2.0 : 0.5;
        const Vec3 w = R * s.v.head<3>();
        const Vec3 p = m * (R * s.v.tail<3>());
        const Mat3 I = R * world.model(i).body(0).inertia.about_com() * R.transpose();
        sum.head<3>() += I * w + s.q.head<3>().cross(p);
        sum.tail<3>() += p;
      }
      return sum;
    };
    int touching = 0;
    for (int k = 0; k < 400; ++k) {
      const Vec6 before = momenta();
      EXPECT_NE(world.step(1e-3), WorldStatus::kNotFinite);
      const Vec6 change = momenta() - before;
      EXPECT_LT((change.tail<3>() - Vec3(0, 0, -2.5 * kG * 1e-3)).norm(), 1e-12);  // N s
      Vec3 turned = Vec3::Zero();  // gravity's moment where the step began
      for (int i = 0; i < 2; ++i) {
        const State& s = world.state(i);
        const Mat3 R = Eigen::Quaterniond(s.q[3], s.q[4], s.q[5], s.q[6]).toRotationMatrix();
        const Vec3 before_step = s.q.head<3>() - 1e-3 * (R * s.v.tail<3>());
        turned += 1e-3 * before_step.cross(Vec3(0, 0, -kG * (i == 0 ? 2.0 : 0.5)));
      }
      EXPECT_LT((change.head<3>() - turned).norm(), 1e-9);  // N m s
      EXPECT_LE(world.contact_work(), 1e-9);
      for (const WorldContact& c : world.contacts()) {
        touching += c.system < 2 && c.force.local[0] > 0.0 ? 1 : 0;
      }
    }
    EXPECT_GT(touching, 0);
    EXPECT_GT(world.state(0).q[0], 1e-3);  // it was pushed along
    JointVector q(14);
    q << world.state(0).q, world.state(1).q;
    return q;
  };
  const JointVector q = run(false);
  EXPECT_EQ(q, run(false));
  EXPECT_EQ(q, run(true));
}

// 5 mm a step: both are seen before they meet, and end where they do
TEST_P(Stacks, FastBoxesMeetAtTheirFacesAndStickTogether) {
  const double h = 1e-3;
  Scene scene;
  scene.systems.push_back(box_at("left", Vec3(-0.1512, 0.0, 0.0), 1.0,
                                 Motion::from(Vec3::Zero(), Vec3(5.0, 0.0, 0.0))));
  scene.systems.push_back(box_at("right", Vec3(0.1, 0.0, 0.0), 2.0));
  World world(scene, settings());
  double deepest = 0.0;  // m
  for (int k = 0; k < 40; ++k) {
    ASSERT_LE(world.step(h), WorldStatus::kNotConverged) << k;
    deepest = std::max(deepest, world.state(0).q[0] + 0.2 - world.state(1).q[0]);
  }
  EXPECT_LT(deepest, 1e-5);  // relaxed: its own depth of an impact
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(world.state(i).v[3], 5.0 / 3.0, 5e-3) << i;  // m/s
}

TEST_P(Stacks, HandDoesNotPassThroughTheTrunk) {
  Scene scene;
  scene.systems.push_back(test::folding_robot());
  World world(scene, settings());
  // lower arm swings towards the trunk by its own motor, the shoulder is held
  double deepest = 0.0;
  double pressed = 0.0;
  double most = 0.0;
  for (int k = 0; k < 1500; ++k) {
    JointVector tau = JointVector::Zero(8);
    const State& s = world.state(0);
    tau[6] = -20.0 * s.q[7] - 0.2 * s.v[6];
    tau[7] = -0.1 - 0.005 * s.v[7];
    world.drive(0).tau = tau;
    world.drive(0).added_inertia = JointVector::Zero(8);
    world.drive(0).added_inertia[6] = 1e-3 * 0.2 + 1e-6 * 20.0;
    world.drive(0).added_inertia[7] = 1e-3 * 0.005;
    ASSERT_NE(world.step(1e-3), WorldStatus::kNotFinite);
    ASSERT_EQ(world.status(0), SystemStatus::kOk);
    pressed = 0.0;
    for (const WorldContact& c : world.contacts()) {
      EXPECT_EQ(c.other_system, 0);
      EXPECT_EQ(std::min(c.body, c.other_body), 0);
      EXPECT_EQ(std::max(c.body, c.other_body), 2);  // the upper arm is tied to the trunk
      deepest = std::min(deepest, c.point.gap);
      pressed += c.force.local[0] / 1e-3;
    }
    most = std::max(most, std::abs(s.q[8]));
  }
  EXPECT_GT(deepest, -1e-4);        // m
  EXPECT_NEAR(pressed, 1.0, 0.35);  // N: 0.1 N m at 10 cm or a little less
  EXPECT_LT(most, 1.2);             // rad: it would turn on
  EXPECT_LT(std::abs(world.state(0).v[7]), 1e-3);
}

TEST_P(Stacks, HandPassesThroughTheTrunkOfARobotWithoutSelfCollision) {
  for (const MethodName method : {GetParam(), MethodName::kVolumetric}) {
    Scene scene;
    scene.systems.push_back(test::folding_robot());
    scene.systems[0].self_collision = false;
    scene.systems[0].start.q[8] = -1.2;  // rad: where the hand is in the trunk
    World world(scene, by(method));
    for (int k = 0; k < 100; ++k) {
      ASSERT_EQ(world.step(1e-3), WorldStatus::kOk);
      ASSERT_TRUE(world.contacts().empty());
      ASSERT_EQ(world.num_patches(), 0);
    }
    scene.systems[0].self_collision = true;
    scene.systems[0].start.q[8] = 0.0;  // what overlaps at the start would never meet
    World apart(scene, by(method));
    apart.state(0).q[8] = -1.2;
    (void)apart.step(1e-3);
    EXPECT_GT(apart.contacts().size() + static_cast<std::size_t>(apart.num_patches()), 0u);
  }
}

TEST_P(Stacks, StepAllocatesNothingAndTooManyPointsAreAStatus) {
  World world(crossed_stack(4), settings());
  for (int k = 0; k < 50; ++k) (void)world.step(1e-3);
  const test::NoAlloc guard;
  for (int k = 0; k < 100; ++k) (void)world.step(1e-3);
  EXPECT_EQ(guard.count(), 0);
  World few(crossed_stack(4), settings(), {.bodies = 8, .points = 5});
  EXPECT_EQ(few.step(1e-3), WorldStatus::kCapacity);
  EXPECT_EQ(few.contacts().size(), 5u);
}

TEST(Manifold, CrossedPlanksTouchAtTheCornersOfTheSquareTheyShare) {
  const ConvexMesh plank = ConvexMesh::box("plank", kBox);
  Manifold m;
  const Pose X_WB{rotation_about(Vec3::UnitZ(), M_PI / 2), Vec3(0, 0, 0.0501)};
  ASSERT_TRUE(find_manifold(plank, Pose{}, plank, X_WB, 1e-3, m));
  ASSERT_EQ(m.count, 4);
  std::set<int> lines;
  for (int i = 0; i < m.count; ++i) {
    const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
    EXPECT_NEAR(p.gap, 1e-4, 1e-15);
    EXPECT_NEAR(std::abs(p.p.x()), 0.05, 1e-15);
    EXPECT_NEAR(std::abs(p.p.y()), 0.05, 1e-15);
    EXPECT_EQ(p.vertex, -1);
    lines.insert(p.lines);
  }
  EXPECT_EQ(lines.size(), 4u);
  EXPECT_FALSE(find_manifold(plank, Pose{}, plank, {X_WB.R, Vec3(0, 0, 0.0521)}, 1e-3, m));
  EXPECT_EQ(m.count, 0);
}

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Nine bodies, three of them of one robot, and points between them and the ground.
struct Heap {
  static constexpr int kBodies = 9;

  explicit Heap(unsigned seed) : random(seed) {
    Phi.setZero(6 * kBodies, 6 * kBodies);
    const int system_of[kBodies] = {0, 1, 1, 1, 2, 3, 4, 5, 6};
    for (int k = 0; k < kBodies; ++k) bodies[idx(k)].system = system_of[k];
    for (const auto& [first, size] :
         {std::pair(0, 6), {6, 18}, {24, 6}, {30, 6}, {36, 6}, {42, 6}, {48, 6}}) {
      const Matrix L = Matrix::NullaryExpr(size, size, [this] { return number(); });
      Phi.block(first, first, size, size) = L * L.transpose() + Matrix::Identity(size, size);
    }
    // rings over the bodies, so that no order is a chain; more rows than 6 bodies
    for (int k = 0; k < 3 * kBodies; ++k) add(k % kBodies, (4 * (k % kBodies) + 4) % kBodies);
    for (int k = 0; k < 4; ++k) add(2 * k, kStaticBody);
    J.setZero(3 * static_cast<int>(points.size()), 6 * kBodies);
    for (int i = 0; i < static_cast<int>(points.size()); ++i) {
      const ContactPoint& p = points[idx(i)];
      for (const auto& [body, sign] : {std::pair(p.a, 1.0), {p.b, -1.0}}) {
        if (body < 0) continue;
        const Vec3 axes[3] = {p.n, p.t1, p.t2};
        for (int k = 0; k < 3; ++k) {
          J.block<1, 3>(3 * i + k, 6 * body) += sign * p.p.cross(axes[k]).transpose();
          J.block<1, 3>(3 * i + k, 6 * body + 3) += sign * axes[k].transpose();
        }
      }
    }
  }

  double number() { return std::uniform_real_distribution(-1.0, 1.0)(random); }
  void add(int a, int b) {
    ContactPoint p;
    p.a = a;
    p.b = b;
    p.p = Vec3(number(), number(), number());
    points.push_back(p);
  }

  std::mt19937_64 random;
  std::array<TouchingBody, kBodies> bodies;
  std::vector<ContactPoint> points;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Phi;
  Matrix J;  // rows n, t1, t2 of every point
};

// Rows and columns that the points' modes choose of J; what the columns are worth in n, t1, t2.
struct Chosen {
  Chosen(const Matrix& J, const std::vector<PointChoice>& choices) {
    for (int i = 0; i < static_cast<int>(choices.size()); ++i) {
      const PointChoice& c = choices[static_cast<std::size_t>(i)];
      const bool slips = c.mode == PointMode::kSlip;
      for (int k = 0; k < (slips ? 1 : 3); ++k) rows.push_back(3 * i + k);
      const int first = c.mode == PointMode::kNoPress ? 1 : 0;
      for (int k = first; k < (slips || c.mode == PointMode::kLimit ? 1 : 3); ++k) {
        Vector column = Vector::Zero(J.rows());
        column[3 * i + k] = 1.0;
        if (slips || c.mode == PointMode::kLimit)
          column.segment<2>(3 * i + 1) << c.slip[0], c.slip[1];
        columns.push_back(column);
      }
    }
  }
  std::vector<int> rows;
  std::vector<Vector> columns;
};

TEST(PointSolver, SolvesHeapsOfManyBodiesAsDenseLeastSquaresDo) {
  constexpr double kLambda = 1.0;  // large: the answer then is well determined
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Heap heap(seed);
    const int count = static_cast<int>(heap.points.size());
    std::vector<PointChoice> choices(heap.points.size());
    constexpr PointMode kModes[] = {PointMode::kHold, PointMode::kSlip, PointMode::kLimit,
                                    PointMode::kNoPress};
    for (int i = 0; i < count; ++i) {
      PointChoice& c = choices[idx(i)];
      c.lambda = kLambda;
      c.mode = seed % 2 == 0 ? PointMode::kHold : kModes[i % 4];  // the first: W = M / lambda
      c.slip[0] = 0.3;
      c.slip[1] = -0.2;
    }
    const Vector c = Vector::NullaryExpr(3 * count, [&] { return heap.number(); });
    PointSolver solver({.bodies = Heap::kBodies, .points = count});
    solver.load(
        {.step = 1e-3, .bodies = heap.bodies, .Phi = heap.Phi.data(), .points = heap.points});
    Vector f(3 * count);
    Vector v(3 * count);
    solver.solve(choices, c.data(), 0, f.data(), v.data());

    const Chosen chosen(heap.J, choices);
    Matrix C(3 * count, static_cast<int>(chosen.columns.size()));
    for (int k = 0; k < C.cols(); ++k) C.col(k) = chosen.columns[idx(k)];
    const Matrix all = heap.J * heap.Phi * heap.J.transpose();
    const Matrix A = (all * C)(chosen.rows, Eigen::all);
    const Matrix H = A.transpose() * A + kLambda * Matrix::Identity(C.cols(), C.cols());
    const Vector expected = -C * H.ldlt().solve(A.transpose() * Vector(c(chosen.rows)));
    const double size = expected.cwiseAbs().maxCoeff();
    EXPECT_LT((f - expected).cwiseAbs().maxCoeff(), 1e-6 * size) << seed;  // N is near singular
    EXPECT_LT((v - all * f).cwiseAbs().maxCoeff(), 1e-11 * (1.0 + v.cwiseAbs().maxCoeff())) << seed;
  }
}

}  // namespace
}  // namespace kagami::models
