// [T] = Takahashi 2012, table 2.1, S-joint, corrected: with s2 = sin q2, c3 = cos q3, ...
//   S  = [-s2 c3  s3  0]          T_a = 1/s2 [-c3  s2 s3   c2 c3]
//        [ s2 s3  c3  0]                     [ s3  s2 c3  -c2 s3]
//        [    c2   0  1]                     [  0      0      s2]
#include "models/robot/euler_zyz.hpp"

#include <cmath>

#include "models/base/trig.hpp"

namespace kagami::models {
namespace {

struct SinesCosines {
  explicit SinesCosines(const Vec3& q) noexcept
      : s2(trig::sin(q[1])), c2(trig::cos(q[1])), s3(trig::sin(q[2])), c3(trig::cos(q[2])) {}
  double s2;
  double c2;
  double s3;
  double c3;
};

double wrapped(double angle) noexcept {
  return std::remainder(angle, 2.0 * M_PI);
}

}  // namespace

Eigen::Quaterniond euler_zyz_quaternion(const Vec3& angles) noexcept {
  // half angles: w = c2 cos(sum), z = c2 sin(sum), x = -s2 sin(dif), y = s2 cos(dif)
  const double sum = 0.5 * (angles[0] + angles[2]);
  const double dif = 0.5 * (angles[0] - angles[2]);
  const double s = trig::sin(0.5 * angles[1]);
  const double c = trig::cos(0.5 * angles[1]);
  return {c * trig::cos(sum), -s * trig::sin(dif), s * trig::cos(dif), c * trig::sin(sum)};
}

EulerZyz euler_zyz_of(const Eigen::Quaterniond& q_JB) noexcept {
  const double s = std::sqrt(q_JB.x() * q_JB.x() + q_JB.y() * q_JB.y());
  const double c = std::sqrt(q_JB.w() * q_JB.w() + q_JB.z() * q_JB.z());
  EulerZyz result;
  result.sigma = 2.0 * s * c;
  result.singular = result.sigma < kEulerSingular;
  result.angles[1] = 2.0 * trig::atan2(s, c);
  const double sum = c > 0.0 ? trig::atan2(q_JB.z(), q_JB.w()) : 0.0;
  const double dif = s > 0.0 ? trig::atan2(-q_JB.x(), q_JB.y()) : 0.0;
  if (result.singular) {
    // q3 = 0; what is left is 2 sum at q2 = 0 and 2 dif at q2 = pi
    result.angles[0] = wrapped(2.0 * (c > s ? sum : dif));
    return result;
  }
  result.angles[0] = wrapped(sum + dif);
  result.angles[2] = wrapped(sum - dif);
  return result;
}

Mat3 euler_zyz_actuation(const Vec3& angles) noexcept {
  const SinesCosines t(angles);
  Mat3 T_a;
  T_a << -t.c3 / t.s2, t.s3, t.c2 * t.c3 / t.s2,  //
      t.s3 / t.s2, t.c3, -t.c2 * t.s3 / t.s2,     //
      0.0, 0.0, 1.0;
  return T_a;
}

bool euler_zyz_rates(const Vec3& angles, const Vec3& w_B, Vec3& rates) noexcept {
  if (std::abs(trig::sin(angles[1])) < kEulerSingular) return false;
  rates = euler_zyz_actuation(angles).transpose() * w_B;  // T_a' is the inverse of S
  return true;
}

}  // namespace kagami::models
