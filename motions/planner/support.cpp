#include "motions/planner/support.hpp"

namespace kagami::motions {

models::SupportPolygon support_area(const Sole& sole, const Support& support,
                                    const std::array<Vec3, 2>& feet) {
  std::array<Vec3, 8> corners;
  std::size_t count = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    if (!support[side]) continue;
    for (const double x : {sole.x_min, sole.x_max})
      for (const double y : {sole.y_min, sole.y_max})
        corners[count++] = Vec3(feet[side].x() + x, feet[side].y() + y, 0.0);
  }
  models::SupportPolygon area;
  area.set({corners.data(), count}, {});
  return area;
}

}  // namespace kagami::motions
