#include "models/spatial/rotation.hpp"

#include <cmath>

#include "models/base/trig.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

Mat3 rotation_about(const Vec3& axis, double angle) noexcept {
  // Rodrigues: R = c 1 + s [a x] + (1 - c) a a'
  const double s = trig::sin(angle);
  const double c = trig::cos(angle);
  const Vec3 k = (1.0 - c) * axis;
  const Vec3 as = s * axis;
  Mat3 R;
  R << k.x() * axis.x() + c, k.x() * axis.y() - as.z(), k.x() * axis.z() + as.y(),
      k.x() * axis.y() + as.z(), k.y() * axis.y() + c, k.y() * axis.z() - as.x(),
      k.x() * axis.z() - as.y(), k.y() * axis.z() + as.x(), k.z() * axis.z() + c;
  return R;
}

Mat3 rotation_rpy(double roll, double pitch, double yaw) noexcept {
  return rotation_about(Vec3::UnitZ(), yaw) * rotation_about(Vec3::UnitY(), pitch) *
         rotation_about(Vec3::UnitX(), roll);
}

Mat3 rotation_of(const Eigen::Quaterniond& quaternion) noexcept {
  return quaternion.toRotationMatrix();
}

Eigen::Quaterniond quaternion_of(const Mat3& R) noexcept {
  Eigen::Quaterniond q(R);
  if (q.w() < 0.0) q.coeffs() = -q.coeffs();
  return q;
}

Eigen::Quaterniond exponential(const Vec3& phi) noexcept {
  const double angle = phi.norm();
  // sin(angle / 2) / angle, by its series where the quotient loses digits (next term < 1e-17)
  const double k = angle > 1e-3
                       ? trig::sin(0.5 * angle) / angle
                       : 0.5 - angle * angle / 48.0 + angle * angle * angle * angle / 3840.0;
  const Vec3 v = k * phi;
  return {trig::cos(0.5 * angle), v.x(), v.y(), v.z()};
}

Eigen::Quaterniond integrate(const Eigen::Quaterniond& q_WB, const Vec3& w_B, double dt) noexcept {
  Eigen::Quaterniond q = q_WB * exponential(w_B * dt);
  q.normalize();
  return q;
}

}  // namespace kagami::models
