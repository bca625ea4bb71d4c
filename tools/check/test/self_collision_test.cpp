// Boxes against closed forms and against the cutting of polyhedra; links of the KHR-1.
#include "tools/check/self_collision.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "models/contact/shape/clip.hpp"
#include "models/contact/shape/convex_mesh.hpp"
#include "tools/check/posed_body.hpp"
#include "tools/test/source_folder.hpp"

namespace kagami::tools {
namespace {

using models::Pose;

constexpr double kRoundingM = 1e-15;  // of sums of lengths below a metre

Mat3 turned(double angle, const Vec3& axis) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

TEST(BoxGap, AlignedBoxesAreApartByTheirSides) {
  const Vec3 a(0.1, 0.2, 0.3);
  const Vec3 b(0.05, 0.05, 0.05);
  const Mat3 I = Mat3::Identity();
  EXPECT_NEAR(box_gap(a, {I, Vec3(1, 2, 3)}, b, {I, Vec3(1.25, 2, 3)}), 0.1, kRoundingM * 10);
  EXPECT_NEAR(box_gap(a, {I, Vec3::Zero()}, b, {I, Vec3(0, 0.24, 0)}), -0.01, kRoundingM * 10);
  // the shortest way out counts
  EXPECT_NEAR(box_gap(a, {I, Vec3::Zero()}, b, {I, Vec3(0.14, 0.19, 0)}), -0.01, kRoundingM * 10);
}

TEST(BoxGap, EdgeOverFaceAndEdgeOverEdge) {
  const Vec3 h(0.1, 0.1, 0.1);
  const double diagonal = 0.1 * std::sqrt(2.0);
  const Pose flat{Mat3::Identity(), Vec3::Zero()};
  const Pose on_edge{turned(M_PI / 4, Vec3::UnitX()), Vec3(0, 0, 0.3)};
  EXPECT_NEAR(box_gap(h, flat, h, on_edge), 0.3 - 0.1 - diagonal, 1e-14);
  // edges along x and along y: only their product holds the boxes apart so far
  const Pose below{turned(M_PI / 4, Vec3::UnitX()), Vec3::Zero()};
  for (const double height : {0.3, 0.27}) {
    const Pose above{turned(M_PI / 4, Vec3::UnitY()), Vec3(0, 0, height)};
    EXPECT_NEAR(box_gap(h, below, h, above), height - 2.0 * diagonal, 1e-14);
  }
}

TEST(BoxGap, AgreesWithTheCutOfTheTwoBodies) {
  const unsigned seed = 20261130;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> length(0.01, 0.1);
  std::normal_distribution<double> normal;
  models::Clipper clipper;
  int apart = 0;
  int overlapping = 0;
  for (int k = 0; k < 3000; ++k) {
    const Vec3 a(length(random), length(random), length(random));
    const Vec3 b(length(random), length(random), length(random));
    const auto some_pose = [&](double spread) {
      const Eigen::Quaterniond turn(normal(random), normal(random), normal(random), normal(random));
      return Pose{turn.normalized().toRotationMatrix(),
                  spread * Vec3(normal(random), normal(random), normal(random))};
    };
    const Pose X_WA = some_pose(1.0);
    const Pose X_AB = some_pose(0.08);
    const double gap = box_gap(a, X_WA, b, X_WA * X_AB);
    if (std::abs(gap) < 1e-6) continue;  // m: a touch may be either
    const models::ClipStatus cut = intersect(models::ConvexMesh::box("a", 2 * a),
                                             models::ConvexMesh::box("b", 2 * b), X_AB, clipper);
    EXPECT_EQ(cut, gap > 0.0 ? models::ClipStatus::kApart : models::ClipStatus::kOk)
        << "seed " << seed << ", pair " << k << ", gap " << gap;
    ++(gap > 0.0 ? apart : overlapping);
  }
  EXPECT_GT(apart, 500);
  EXPECT_GT(overlapping, 500);
}

/// The KHR-1 with its pelvis fixed.
struct Khr1 {
  models::RobotDescription robot =
      models::read_robot_folder(test::kSource / "models/data/khr1", models::BaseKind::kFixed);
  SelfCollision collision{robot};
  PosedBody body{robot};
  JointArray<double> q{};

  double& joint(const std::string& name) {
    for (std::size_t j = 0; j < robot.joint_names.size(); ++j)
      if (robot.joint_names[j] == name) return q[j];
    throw std::out_of_range(name);
  }
  /// Of the pair of links; NaN for a pair that never meets.
  double gap(const std::string& a, const std::string& b) {
    EXPECT_TRUE(body.set(q, {}));
    for (const BoxPair& pair : collision.pairs()) {
      const std::string& first = robot.boxes[pair.a].link;
      const std::string& second = robot.boxes[pair.b].link;
      if ((first == a && second == b) || (first == b && second == a))
        return collision.gap(pair, body.kinematics());
    }
    return NAN;
  }
};

TEST(SelfCollision, LinksOnOneJointAndWhatOverlapsAtHomeAreLeftOut) {
  Khr1 khr1;
  EXPECT_TRUE(std::isnan(khr1.gap("left_thigh", "left_shin")));
  EXPECT_TRUE(std::isnan(khr1.gap("base_link", "head")));
  EXPECT_GT(khr1.gap("base_link", "left_forearm"), 0.0);
  EXPECT_TRUE(khr1.body.set({}, {}));
  for (const BoxPair& pair : khr1.collision.pairs())
    EXPECT_GT(khr1.collision.gap(pair, khr1.body.kinematics()), 0.0);
}

// The forearm, turned inwards by a right angle, is level: its box and that of the trunk have
// parallel edges, and numbers of robot.urdf give the depth.
TEST(SelfCollision, ForearmInTheTrunkIsAsDeepAsTheUrdfSays) {
  Khr1 khr1;
  khr1.joint("right_elbow") = M_PI / 2;
  const double elbow = -0.056 - 0.0234 + 0.0004;      // m, y of the elbow
  const double tip = elbow + 0.0132 + 0.5 * 0.06225;  // y of the hand's end
  const double trunk = -0.5 * 0.086325;               // y of the trunk's right side
  EXPECT_NEAR(khr1.gap("base_link", "right_forearm"), -(tip - trunk), 1e-9);
  EXPECT_GT(tip - trunk, 0.008);
  khr1.joint("right_shoulder_roll") = -M_PI / 2;  // the arm out: nothing is near
  EXPECT_GT(khr1.gap("base_link", "right_forearm"), kFarApart);
}

}  // namespace
}  // namespace kagami::tools
