// Capture point [Pratt 2006]: the pendulum c'' = (g / h) (c - p) comes to rest over p = c + c'
// sqrt(h / g). Convex hull by Andrew's monotone chain.
#include "models/balance/capture_point.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace kagami::models {
namespace {

// twice the area of a, b, c; positive: they turn left
template <class P>
double turn(const P& a, const P& b, const P& c) noexcept {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

}  // namespace

SupportPolygon::Point SupportPolygon::in_plane(const Vec3& point) const noexcept {
  const Vec3 d = point - plane_.point;
  return {e_x_.dot(d), e_y_.dot(d)};
}

void SupportPolygon::set(std::span<const Vec3> points, const GroundPlane& plane) noexcept {
  plane_ = plane;
  const Vec3 n = plane.normal;
  const Vec3 along = std::abs(n.x()) < 0.9 ? Vec3(Vec3::UnitX()) : Vec3(Vec3::UnitY());
  e_x_ = (along - n * n.dot(along)).normalized();
  e_y_ = n.cross(e_x_);
  std::array<Point, kMaxSupportPoints> all{};
  int count = 0;
  for (const Vec3& p : points) {
    if (count < kMaxSupportPoints && p.allFinite())
      all[static_cast<std::size_t>(count++)] = in_plane(p);
  }
  std::sort(all.begin(), all.begin() + count,
            [](const Point& a, const Point& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  // lower chain from left to right, upper chain back
  std::array<Point, 2 * kMaxSupportPoints> hull{};
  int size = 0;
  const auto add = [&](const Point& p, int keep) {
    while (size > keep && turn(hull[static_cast<std::size_t>(size - 2)],
                               hull[static_cast<std::size_t>(size - 1)], p) <= 0.0) {
      --size;
    }
    hull[static_cast<std::size_t>(size++)] = p;
  };
  for (int i = 0; i < count; ++i) add(all[static_cast<std::size_t>(i)], 1);
  const int lower = size;
  for (int i = count - 2; i >= 0; --i) add(all[static_cast<std::size_t>(i)], lower);
  size_ = count > 1 ? size - 1 : count;  // the first corner came again
  for (int i = 0; i < size_; ++i) {
    corner_[static_cast<std::size_t>(i)] = hull[static_cast<std::size_t>(i)];
  }
}

// to the piece between two corners
double SupportPolygon::distance_to_edge(int edge, const Point& p) const noexcept {
  const Point& a = corner_[static_cast<std::size_t>(edge)];
  const Point& b = corner_[static_cast<std::size_t>((edge + 1) % size_)];
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length = dx * dx + dy * dy;
  const double s =
      length > 0.0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0.0;
  const double x = p.x - a.x - s * dx;
  const double y = p.y - a.y - s * dy;
  return std::sqrt(x * x + y * y);
}

double SupportPolygon::margin(const Vec3& point) const noexcept {
  if (!point.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  double nearest = std::numeric_limits<double>::infinity();
  const Point p = in_plane(point);
  bool inside = size_ > 2;
  for (int i = 0; i < size_; ++i) {
    nearest = std::min(nearest, distance_to_edge(i, p));
    inside = inside && turn(corner_[static_cast<std::size_t>(i)],
                            corner_[static_cast<std::size_t>((i + 1) % size_)], p) >= 0.0;
  }
  return inside ? nearest : -nearest;
}

Vec3 capture_point(const Vec3& c, const Vec3& c_dot, double g, const GroundPlane& plane) noexcept {
  const double h = plane.normal.dot(c - plane.point);
  if (!(h > 0.0) || !(g > 0.0)) return Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  const Vec3 way = c_dot - plane.normal * plane.normal.dot(c_dot);
  return c - plane.normal * h + way * std::sqrt(h / g);
}

}  // namespace kagami::models
