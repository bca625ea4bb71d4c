#include "tools/dashboard/balance_view.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/balance/capture_point.hpp"
#include "models/base/time.hpp"
#include "tools/dashboard/ground_force.hpp"
#include "tools/dashboard/stamp.hpp"

namespace kagami::tools {
namespace {

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

// of a point mass; nothing while it falls, or nearly
std::optional<Vec3> zero_moment_point(const Vec3& c, const Vec3& acceleration) {
  const double push = kGravity + acceleration.z();
  if (!(push > 0.1 * kGravity)) return std::nullopt;
  return Vec3(c.x() - c.z() * acceleration.x() / push, c.y() - c.z() * acceleration.y() / push,
              0.0);
}

Vec3 middle(const std::vector<Vec3>& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

nlohmann::json hull_json(const std::vector<Vec3>& corners) {
  std::vector<std::array<double, 2>> points;
  for (const Vec3& p : corners) points.push_back({p.x(), p.y()});
  return convex_hull(std::move(points));
}

nlohmann::json reactions_json(const std::vector<Reaction>& reactions) {
  nlohmann::json list = nlohmann::json::array();
  for (const Reaction& r : reactions) {
    list.push_back({{"point", point_json(r.point)}, {"force", point_json(r.force)}});
  }
  return list;
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
    : body_(robot), total_mass_(robot.model.total_mass()) {}

std::optional<Vec3> BalanceView::mass_centre(const JointArray<double>& angle,
                                             const BasePose& base) {
  if (!body_.set(angle, base)) return std::nullopt;
  return body_.mass_centre();
}

std::optional<BalanceView::PointMass> BalanceView::point_mass(const Vec3& com,
                                                              std::int64_t now_ns) {
  const ComSample now{now_ns, com};
  std::optional<PointMass> mass;
  if (num_before_ == 2) {
    const double h1 = seconds(before_[1].ns - before_[0].ns);
    const double h2 = seconds(now.ns - before_[1].ns);
    if (h2 < kShortestGap) return mass;
    if (h1 <= kLongestGap && h2 <= kLongestGap) {
      // differences over two unequal gaps; they belong to the pose in the middle
      const Vec3 c1 = (before_[1].com - before_[0].com) / h1;
      const Vec3 c2 = (com - before_[1].com) / h2;
      mass =
          PointMass{before_[1].com, (c1 * h2 + c2 * h1) / (h1 + h2), (c2 - c1) * (2.0 / (h1 + h2))};
    }
  }
  before_[0] = before_[1];
  before_[1] = now;
  num_before_ = std::min(num_before_ + 1, 2);
  return mass;
}

std::string BalanceView::text(const runtime::CycleRecord& row, std::uint64_t time_ns) {
  const std::optional<Vec3> measured = mass_centre(row.in.sample.angle, row.out.base);
  const std::optional<Vec3> com = mass_centre(row.out.q_simulated, row.out.base);
  nlohmann::json message = {{"timestamp", stamp_json(time_ns)},
                            {"com", point_json(com)},
                            {"measured_com", point_json(measured)},
                            {"zmp", nullptr},
                            {"support", nullptr},
                            {"reactions", nullptr},
                            {"margin_m", nullptr}};
  if (!com) return message.dump();
  std::vector<Vec3> corners;
  std::vector<Vec3> feet;
  for (const PosedBody::Touching& body : body_.touching(kTouching)) {
    feet.push_back(middle(body.corners));
    corners.insert(corners.end(), body.corners.begin(), body.corners.end());
  }
  message["support"] = hull_json(corners);
  const std::optional<PointMass> mass = point_mass(*com, row.in.now_ns);
  if (!mass) return message.dump();
  if (const std::optional<Vec3> zmp = zero_moment_point(mass->com, mass->acceleration)) {
    message["zmp"] = {zmp->x(), zmp->y()};
    const Vec3 force = total_mass_ * (mass->acceleration + Vec3(0.0, 0.0, kGravity));
    message["reactions"] = reactions_json(shared({*zmp, force}, feet));
  }
  models::SupportPolygon polygon;
  polygon.set(corners, models::GroundPlane{});
  const double margin = polygon.margin(
      models::capture_point(mass->com, mass->velocity, kGravity, models::GroundPlane{}));
  if (std::isfinite(margin)) message["margin_m"] = margin;
  return message.dump();
}

}  // namespace kagami::tools
