/// Whether a standing robot can still be saved without a step: capture point and support polygon.
#pragma once

#include <array>
#include <span>

#include "models/base/types.hpp"
#include "models/dynamics/balance_point.hpp"

namespace kagami::models {

/// Most corners that a support polygon is made from.
inline constexpr int kMaxSupportPoints = 32;

/// Convex hull of the points of the soles that touch, in the ground's plane. Corners run
/// counter-clockwise as seen from above (against the normal).
class SupportPolygon {
 public:
  /// Points in W, brought into the plane along its normal; more than kMaxSupportPoints are left
  /// out, points that are not finite too. None: nothing supports. Cycle code, like all below.
  void set(std::span<const Vec3> points, const GroundPlane& plane) noexcept;
  /// How far inside a point is (m): distance to the nearest edge, negative outside (distance to the
  /// polygon); -infinity without support, NaN for a point that is not finite.
  [[nodiscard]] double margin(const Vec3& point) const noexcept;
  [[nodiscard]] int size() const noexcept { return size_; }

 private:
  struct Point {
    double x = 0.0;
    double y = 0.0;
  };
  [[nodiscard]] Point in_plane(const Vec3& point) const noexcept;
  [[nodiscard]] double distance_to_edge(int edge, const Point& p) const noexcept;

  GroundPlane plane_;
  Vec3 e_x_ = Vec3::UnitX();
  Vec3 e_y_ = Vec3::UnitY();
  std::array<Point, kMaxSupportPoints> corner_{};
  int size_ = 0;
};

/// Capture point of the linear inverted pendulum: where the ground's force would have to act for
/// the mass centre to come to rest above it, c + c' sqrt(h / g), on the plane (W, m). c, c': mass
/// centre and its velocity; g = |gravity|. NaN for a mass centre at or below the plane. Source:
/// [Pratt 2006]. Cycle code.
Vec3 capture_point(const Vec3& c, const Vec3& c_dot, double g, const GroundPlane& plane) noexcept;

}  // namespace kagami::models
