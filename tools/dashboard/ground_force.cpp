#include "tools/dashboard/ground_force.hpp"

#include <algorithm>

namespace kagami::tools {

std::vector<Reaction> shared(const Reaction& whole, std::span<const Vec3> feet) {
  if (feet.empty()) return {};
  if (feet.size() != 2) return {whole};
  const Vec3 between = feet[1] - feet[0];
  const double length2 = between.squaredNorm();
  if (!(length2 > 1e-12)) return {whole};
  const double place = (whole.point - feet[0]).dot(between) / length2;
  const double s = std::clamp(place, 0.0, 1.0);
  const Vec3 off = whole.point - feet[0] - place * between;
  return {{feet[0] + off + std::min(0.0, place) * between, (1.0 - s) * whole.force},
          {feet[1] + off + std::max(0.0, place - 1.0) * between, s * whole.force}};
}

}  // namespace kagami::tools
