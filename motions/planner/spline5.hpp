/// Polynomials of fifth order between two points with given velocities and accelerations.
#pragma once

#include <algorithm>

namespace kagami::motions {

/// Position, velocity, acceleration; SI.
struct PathPoint {
  double p = 0.0;
  double v = 0.0;
  double a = 0.0;
};

/// From `start` to `end` in T seconds (> 0), twice differentiable at both.
struct Spline5 {
  PathPoint start;
  PathPoint end;
  double T = 1.0;

  /// At time t, clamped to [0, T].
  [[nodiscard]] PathPoint at(double t) const {
    const double s = std::clamp(t, 0.0, T);
    const double dp = end.p - start.p - (start.v + 0.5 * start.a * T) * T;
    const double dv = (end.v - start.v - start.a * T) * T;
    const double da = (end.a - start.a) * T * T;
    const double c3 = (10.0 * dp - 4.0 * dv + 0.5 * da) / (T * T * T);
    const double c4 = (-15.0 * dp + 7.0 * dv - da) / (T * T * T * T);
    const double c5 = (6.0 * dp - 3.0 * dv + 0.5 * da) / (T * T * T * T * T);
    return {start.p + s * (start.v + s * (0.5 * start.a + s * (c3 + s * (c4 + s * c5)))),
            start.v + s * (start.a + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5))),
            start.a + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))};
  }
};

}  // namespace kagami::motions
