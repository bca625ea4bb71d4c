#include "tools/dashboard/balance_view.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/robot/joint.hpp"
#include "tools/dashboard/stamp.hpp"

namespace kagami::tools {
namespace {

using models::JointType;

constexpr double kGravity = 9.80665;   // m/s^2
constexpr double kTouching = 0.003;    // m above the floor: the relaxed contact sinks in by less
constexpr double kShortestGap = 0.02;  // s between two poses for an acceleration
constexpr double kLongestGap = 0.1;    // s

double turn(const std::array<double, 2>& a, const std::array<double, 2>& b,
            const std::array<double, 2>& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

nlohmann::json point_json(const std::optional<Vec3>& p) {
  if (!p) return nullptr;
  return {p->x(), p->y(), p->z()};
}

}  // namespace

std::vector<std::array<double, 2>> convex_hull(std::vector<std::array<double, 2>> points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<std::array<double, 2>> hull;
  // the lower chain from left to right, then the upper one back
  for (int side = 0; side < 2; ++side) {
    const std::size_t begin = hull.size();
    for (const auto& p : points) {
      while (hull.size() >= begin + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0.0) {
        hull.pop_back();
      }
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

BalanceView::BalanceView(const models::RobotDescription& robot)
    : robot_(robot),
      floating_(robot.model.num_bodies() > 0 &&
                robot.model.body(0).joint.type == JointType::kFloating),
      kinematics_(robot.model) {
  int coordinates = 0;
  int velocities = 0;
  for (int i = 0; i < robot.model.num_bodies(); ++i) {
    coordinates += models::num_q(robot.model.body(i).joint.type);
    velocities += models::num_v(robot.model.body(i).joint.type);
  }
  q_ = JointVector::Zero(coordinates);
  v_ = JointVector::Zero(velocities);
}

std::optional<Vec3> BalanceView::mass_centre(const JointArray<double>& angle,
                                             const BasePose& base) {
  int at = 0;
  std::size_t joint = 0;
  for (int i = 0; i < robot_.model.num_bodies(); ++i) {
    const models::Joint& j = robot_.model.body(i).joint;
    if (i == 0 && floating_) {
      const std::array<double, 7> pose{base.x,       base.y,       base.z,      base.turn[0],
                                       base.turn[1], base.turn[2], base.turn[3]};
      std::copy(pose.begin(), pose.end(), q_.data());
    } else if (j.type == JointType::kRevolute && joint < robot_.joint_names.size()) {
      q_[at] = angle[joint++];
    } else {
      models::neutral_joint(j, q_.data() + at);
    }
    at += models::num_q(j.type);
  }
  if (!q_.allFinite()) return std::nullopt;
  models::forward_kinematics(robot_.model, q_, v_, kinematics_);
  const Vec3 com = models::center_of_mass(robot_.model, kinematics_);
  if (!com.allFinite()) return std::nullopt;
  return com;
}

std::optional<Vec3> BalanceView::zero_moment_point(const Vec3& com, std::int64_t now_ns) {
  const Seen now{now_ns, com};
  std::optional<Vec3> point;
  if (num_before_ == 2) {
    const double h1 = static_cast<double>(before_[1].ns - before_[0].ns) * 1e-9;
    const double h2 = static_cast<double>(now.ns - before_[1].ns) * 1e-9;
    if (h2 < kShortestGap) return point;
    if (h1 <= kLongestGap && h2 <= kLongestGap) {
      // second difference over two unequal gaps; it belongs to the pose in the middle
      const Vec3 c1 = (before_[1].com - before_[0].com) / h1;
      const Vec3 c2 = (com - before_[1].com) / h2;
      const Vec3 a = (c2 - c1) * (2.0 / (h1 + h2));
      const Vec3& c = before_[1].com;
      const double push = kGravity + a.z();
      if (push > 0.1 * kGravity) {
        point = Vec3(c.x() - c.z() * a.x() / push, c.y() - c.z() * a.y() / push, 0.0);
      }
    }
  }
  before_[0] = before_[1];
  before_[1] = now;
  num_before_ = std::min(num_before_ + 1, 2);
  return point;
}

std::vector<std::array<double, 2>> BalanceView::support() const {
  std::vector<std::array<double, 2>> touching;
  for (const models::CollisionBox& box : robot_.boxes) {
    const models::Pose& X_WB = kinematics_.X_WB[static_cast<std::size_t>(box.body)];
    for (const Vec3& corner : models::corners(box)) {
      const Vec3 p = X_WB.R * corner + X_WB.p;
      if (p.z() < kTouching) touching.push_back({p.x(), p.y()});
    }
  }
  return convex_hull(std::move(touching));
}

std::string BalanceView::text(const runtime::CycleRecord& row, std::uint64_t time_ns) {
  const std::optional<Vec3> measured = mass_centre(row.in.sample.angle, row.out.base);
  const std::optional<Vec3> com = mass_centre(row.out.q_simulated, row.out.base);
  nlohmann::json message = {{"timestamp", stamp_json(time_ns)},
                            {"com", point_json(com)},
                            {"measured_com", point_json(measured)},
                            {"zmp", nullptr},
                            {"support", nullptr},
                            {"reactions", nullptr}};
  if (com) {
    if (const auto zmp = zero_moment_point(*com, row.in.now_ns)) {
      message["zmp"] = {zmp->x(), zmp->y()};
    }
    message["support"] = support();
  }
  return message.dump();
}

}  // namespace kagami::tools
