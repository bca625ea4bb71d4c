// Convex hull in the plane by monotone chains (Andrew 1979): points sorted by x, then y; lower
// chain left to right, upper chain back.
#include "models/contact/shape/outline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kagami::models {
namespace {

constexpr std::size_t kMaxPoints = 4 * static_cast<std::size_t>(kMaxMeshFaces);

struct Point {
  double x;  // m along t1; no initial value: hundreds of them lie on the stack, few are used
  double y;  // m along t2
};

// above 0: c lies left of a -> b
double turn(const Point& a, const Point& b, const Point& c) noexcept {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

bool before(const Point& a, const Point& b) noexcept {
  return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// counter-clockwise hull of sorted points; its size
std::size_t hull_of(const Point* points, std::size_t count, Point* hull) noexcept {
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (size >= 2 && turn(hull[size - 2], hull[size - 1], points[i]) <= 0.0) --size;
    hull[size++] = points[i];
  }
  const std::size_t lower = size + 1;
  for (std::size_t i = count - 1; i-- > 0;) {
    while (size >= lower && turn(hull[size - 2], hull[size - 1], points[i]) <= 0.0) --size;
    hull[size++] = points[i];
  }
  return size > 1 ? size - 1 : size;  // the last is the first again
}

// one corner for those that are `least` apart or nearer; the new size
std::size_t merge_corners(Point* hull, std::size_t size, double least) noexcept {
  const auto near = [&](const Point& a, const Point& b) {
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) <= least * least;
  };
  std::size_t kept = 1;
  for (std::size_t i = 1; i < size; ++i) {
    if (!near(hull[i], hull[kept - 1])) hull[kept++] = hull[i];
  }
  while (kept > 1 && near(hull[kept - 1], hull[0])) --kept;
  return kept;
}

std::size_t drop_least(Point* hull, std::size_t size) noexcept {
  std::size_t least = 0;
  double least_area = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    const double area = turn(hull[(i + size - 1) % size], hull[i], hull[(i + 1) % size]);
    if (i > 0 && area >= least_area) continue;
    least = i;
    least_area = area;
  }
  for (std::size_t i = least; i + 1 < size; ++i) hull[i] = hull[i + 1];
  return size - 1;
}

}  // namespace

void fill_outline(const Clipper& overlap, double merge, Patch& patch) noexcept {
  std::array<Point, kMaxPoints> points;
  std::array<Point, 2 * kMaxPoints> hull;
  const std::size_t count = std::min(overlap.vertices().size(), kMaxPoints);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 r = overlap.vertices()[i] - patch.centroid;
    points[i] = {patch.t1.dot(r), patch.t2.dot(r)};
  }
  std::sort(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(count), before);
  std::size_t size = hull_of(points.data(), count, hull.data());
  Point low = hull[0];
  Point high = hull[0];
  for (std::size_t i = 1; i < size; ++i) {
    low = {std::min(low.x, hull[i].x), std::min(low.y, hull[i].y)};
    high = {std::max(high.x, hull[i].x), std::max(high.y, hull[i].y)};
  }
  const double width = high.x - low.x;
  const double height = high.y - low.y;
  const double diameter = std::sqrt(width * width + height * height);
  size = merge_corners(hull.data(), size, merge * diameter);
  while (size > static_cast<std::size_t>(kMaxOutline)) size = drop_least(hull.data(), size);
  for (std::size_t i = 0; i < size; ++i) {
    patch.outline[i] = hull[i].x * patch.t1 + hull[i].y * patch.t2;
  }
  patch.outline_count = static_cast<int>(size);
}

}  // namespace kagami::models
