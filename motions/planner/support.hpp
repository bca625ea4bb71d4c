/// Soles, and the area that they support.
#pragma once

#include <array>

#include "models/balance/capture_point.hpp"
#include "models/base/types.hpp"

namespace kagami::motions {

/// Rectangle of a level sole, in the foot's frame.
struct Sole {
  double x_min = 0.0, x_max = 0.0;  ///< m
  double y_min = 0.0, y_max = 0.0;  ///< m
  double below = 0.0;               ///< m: how far it lies below the foot's origin, > 0
};

/// Which feet stand. Index 0: left.
using Support = std::array<bool, 2>;

using Vec2 = Eigen::Vector2d;

/// What the soles that stand support, on the ground at z = 0; `feet`: origins of both feet (m, W),
/// soles level, heading 0.
models::SupportPolygon support_area(const Sole& sole, const Support& support,
                                    const std::array<Vec3, 2>& feet);

}  // namespace kagami::motions
