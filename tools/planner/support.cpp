#include "tools/planner/support.hpp"

#include <algorithm>
#include <limits>

namespace kagami::tools {
namespace {

double turn(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

// one chain of the hull over points sorted by x: left turns alone
template <class Iterator>
void add_chain(Iterator from, Iterator to, std::vector<Vec2>& hull) {
  const std::size_t first = hull.size();
  for (Iterator p = from; p != to; ++p) {
    while (hull.size() >= first + 2 && turn(hull[hull.size() - 2], hull.back(), *p) <= 0.0)
      hull.pop_back();
    hull.push_back(*p);
  }
  hull.pop_back();
}

}  // namespace

std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(), [](const Vec2& a, const Vec2& b) {
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Vec2> hull;
  add_chain(points.begin(), points.end(), hull);
  add_chain(points.rbegin(), points.rend(), hull);
  return hull;
}

double margin(const std::vector<Vec2>& hull, const Vec2& p) {
  if (hull.empty()) return -std::numeric_limits<double>::infinity();
  if (hull.size() < 3) return -(p - hull.front()).norm();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Vec2& a = hull[i];
    const Vec2& b = hull[(i + 1) % hull.size()];
    least = std::min(least, turn(a, b, p) / (b - a).norm());
  }
  return least;
}

std::vector<Vec2> support_area(const Sole& sole, const Support& support,
                               const std::array<Vec3, 2>& feet) {
  std::vector<Vec2> points;
  for (std::size_t side = 0; side < 2; ++side) {
    if (!support[side]) continue;
    for (const double x : {sole.x_min, sole.x_max})
      for (const double y : {sole.y_min, sole.y_max})
        points.emplace_back(feet[side].x() + x, feet[side].y() + y);
  }
  return convex_hull(std::move(points));
}

}  // namespace kagami::tools
