#include "motions/play/interpolate.hpp"

#include <algorithm>

namespace kagami::motions {

// Quintic with zero acceleration at both ends, s = t/T, D = q1 - q0, a = v0 T, b = v1 T:
//   q(s) = q0 + a s + c3 s^3 + c4 s^4 + c5 s^5                                     (quintic-1)
//   c3 = 10 D - 6 a - 4 b,  c4 = -15 D + 8 a + 7 b,  c5 = 6 D - 3 a - 3 b          (quintic-2)
// a = b = 0 is the minimum-jerk move. Derivation: docs/math/interpolation.md.
CurvePoint QuinticPiece::at(double t) const noexcept {
  const double s = std::clamp(t / T, 0.0, 1.0);
  if (s >= 1.0) return {q1, v1, 0.0};  // the exact pose, without rounding
  const double D = q1 - q0;
  const double a = v0 * T;
  const double b = v1 * T;
  const double c3 = 10.0 * D - 6.0 * a - 4.0 * b;   // (quintic-2)
  const double c4 = -15.0 * D + 8.0 * a + 7.0 * b;  // (quintic-2)
  const double c5 = 6.0 * D - 3.0 * a - 3.0 * b;    // (quintic-2)
  CurvePoint point;
  point.q = q0 + s * (a + s * s * (c3 + s * (c4 + s * c5)));  // (quintic-1)
  point.qd = (a + s * s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5))) / T;
  point.qdd = s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5)) / (T * T);
  return point;
}

double pose_velocity(double d0, double d1) noexcept {
  return d0 * d1 > 0.0 ? 2.0 * d0 * d1 / (d0 + d1) : 0.0;
}

double rest_to_rest_time(double travel, double speed) noexcept {
  return 15.0 / 8.0 * travel / speed;
}

double smooth_step(double x) noexcept {
  const double s = std::clamp(x, 0.0, 1.0);
  return s * s * (3.0 - 2.0 * s);
}

}  // namespace kagami::motions
