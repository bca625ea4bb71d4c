#include "models/spatial/vectors.hpp"

#include <Eigen/Geometry>

namespace kagami::models {

Motion cross(const Motion& V, const Motion& M) noexcept {
  const Vec3 w = V.angular();
  return Motion::from(w.cross(M.angular()), w.cross(M.linear()) + V.linear().cross(M.angular()));
}

Force cross(const Motion& V, const Force& F) noexcept {
  const Vec3 w = V.angular();
  return Force::from(w.cross(F.moment()) + V.linear().cross(F.force()), w.cross(F.force()));
}

Mat3 skew(const Vec3& v) noexcept {
  Mat3 m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

}  // namespace kagami::models
