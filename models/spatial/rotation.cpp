#include "models/spatial/rotation.hpp"

#include <cmath>

#include "models/base/trig.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {
namespace {

// below this square of an angle the series are as exact as the formulas: the next term is < 1e-16
// of the result, and the formulas lose 1e-16 / angle^2
constexpr double kSmallTurn2 = 2.5e-3;

}  // namespace

Mat3 rotation_about(const Vec3& axis, double angle) noexcept {
  // Rodrigues: R = c 1 + s [a x] + (1 - c) a a'
  const auto [s, c] = trig::sincos(angle);
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

Vec3 logarithm(const Eigen::Quaterniond& quaternion) noexcept {
  const double sign = quaternion.w() < 0.0 ? -1.0 : 1.0;  // both name the same rotation
  const double w = sign * quaternion.w();
  const Vec3 v = sign * quaternion.vec();
  const double s = v.norm();
  // angle / sin(angle / 2), by its series near 0 (next term < 1e-17)
  const double k =
      s > 1e-3 ? 2.0 * trig::atan2(s, w) / s : 2.0 + s * s / 3.0 + 3.0 * s * s * s * s / 20.0;
  return k * v;
}

Mat3 screw_factor(const Vec3& phi) noexcept {
  const double t2 = phi.squaredNorm();
  double b = 0.5 - t2 / 24.0 + t2 * t2 / 720.0 - t2 * t2 * t2 / 40320.0;  // (1 - cos t) / t^2
  double c = 1.0 / 6.0 - t2 / 120.0 + t2 * t2 / 5040.0;                   // (t - sin t) / t^3
  if (t2 > kSmallTurn2) {
    const double t = std::sqrt(t2);
    const double s_half = trig::sin(0.5 * t);
    b = 2.0 * s_half * s_half / t2;
    c = (t - trig::sin(t)) / (t2 * t);
  }
  const Mat3 P = skew(phi);
  return Mat3::Identity() + b * P + c * (P * P);
}

Mat3 inverse_screw_factor(const Vec3& phi) noexcept {
  const double t2 = phi.squaredNorm();
  double c = 1.0 / 12.0 + t2 / 720.0 + t2 * t2 / 30240.0;  // (1 - t/2 cot t/2) / t^2
  if (t2 > kSmallTurn2) {
    const double half = 0.5 * std::sqrt(t2);
    c = (1.0 - half * trig::cos(half) / trig::sin(half)) / t2;
  }
  const Mat3 P = skew(phi);
  return Mat3::Identity() - 0.5 * P + c * (P * P);
}

Eigen::Quaterniond integrate(const Eigen::Quaterniond& q_WB, const Vec3& w_B, double dt) noexcept {
  Eigen::Quaterniond q = q_WB * exponential(w_B * dt);
  q.normalize();
  return q;
}

}  // namespace kagami::models
