/// Soles, and the area that they support.
#pragma once

#include <array>
#include <vector>

#include "models/base/types.hpp"

namespace kagami::tools {

/// Rectangle of a level sole, in the foot's frame.
struct Sole {
  double x_min = 0.0, x_max = 0.0;  ///< m
  double y_min = 0.0, y_max = 0.0;  ///< m
  double below = 0.0;               ///< m: how far it lies below the foot's origin, > 0
};

/// Which feet stand. Index 0: left.
using Support = std::array<bool, 2>;

using Vec2 = Eigen::Vector2d;

/// Corners of the convex hull, counter-clockwise; points on its edges are left out. Needs three
/// points that are not on a line to have an area.
std::vector<Vec2> convex_hull(std::vector<Vec2> points);
/// Distance of p from the nearest edge (m), positive inside; a hull of fewer than three corners has
/// no inside: minus the distance from its first corner, minus infinity when empty.
double margin(const std::vector<Vec2>& hull, const Vec2& p);
/// Hull of the soles that stand; `feet`: origins of both feet (m, W), soles level, heading 0.
std::vector<Vec2> support_area(const Sole& sole, const Support& support,
                               const std::array<Vec3, 2>& feet);

}  // namespace kagami::tools
