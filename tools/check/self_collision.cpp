// The separating axes of two boxes: the face normals of both and the products of their edges
// [Gregorius 2013].
#include "tools/check/self_collision.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/idx.hpp"
#include "models/robot/state.hpp"

namespace kagami::tools {
namespace {

constexpr double kParallel = 1e-9;  // of the product of two unit edges: no axis of its own

models::Pose pose_of(const models::CollisionBox& box, const models::Kinematics& pose) {
  return pose.X_WB[idx(box.body)] * box.X_BS;
}

}  // namespace

double box_gap(const Vec3& half_a, const models::Pose& X_WA, const Vec3& half_b,
               const models::Pose& X_WB) {
  const Mat3 A = X_WA.R;  // columns: the edges of the boxes, in W
  const Mat3 B = X_WB.R;
  const Vec3 between = X_WB.p - X_WA.p;
  double largest = -std::numeric_limits<double>::infinity();
  const auto hold_apart = [&](const Vec3& n) {
    const double reach =
        half_a.dot((A.transpose() * n).cwiseAbs()) + half_b.dot((B.transpose() * n).cwiseAbs());
    largest = std::max(largest, std::abs(between.dot(n)) - reach);
  };
  for (int i = 0; i < 3; ++i) {
    hold_apart(A.col(i));
    hold_apart(B.col(i));
    for (int j = 0; j < 3; ++j) {
      const Vec3 n = A.col(i).cross(B.col(j));
      const double length = n.norm();
      if (length > kParallel) hold_apart(n / length);
    }
  }
  return largest;
}

SelfCollision::SelfCollision(const models::RobotDescription& robot) : robot_(robot) {
  const models::State zero = models::neutral_state(robot.model);
  models::Kinematics pose(robot.model);
  models::forward_kinematics(robot.model, zero.q, zero.v, pose);
  const auto parent = [&](BodyIndex body) { return robot.model.body(body).parent; };
  for (std::size_t a = 0; a < robot.boxes.size(); ++a) {
    for (std::size_t b = a + 1; b < robot.boxes.size(); ++b) {
      const BodyIndex body_a = robot.boxes[a].body;
      const BodyIndex body_b = robot.boxes[b].body;
      const bool is_tied = body_a == body_b || parent(body_a) == body_b || parent(body_b) == body_a;
      if (!is_tied && gap({a, b}, pose) > 0.0) pairs_.push_back({a, b});
    }
  }
}

double SelfCollision::gap(const BoxPair& pair, const models::Kinematics& pose) const {
  const models::CollisionBox& a = robot_.boxes[pair.a];
  const models::CollisionBox& b = robot_.boxes[pair.b];
  const models::Pose X_WA = pose_of(a, pose);
  const models::Pose X_WB = pose_of(b, pose);
  const double balls = (X_WB.p - X_WA.p).norm() - 0.5 * (a.size.norm() + b.size.norm());
  return balls > kFarApart ? balls : box_gap(0.5 * a.size, X_WA, 0.5 * b.size, X_WB);
}

}  // namespace kagami::tools
