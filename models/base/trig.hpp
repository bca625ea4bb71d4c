/// Every transcendental function of the cycle goes through here.
///
/// All of them are ours, made of +, -, *, / and square roots in a written order: the same bits on
/// every processor, which the C library's, chosen by processor, do not promise. Sine and cosine,
/// alone or in lanes: error at most 0.8 units in the last place over [-1e5, 1e5] rad; exp 1, atan2
/// 1.6, asin, acos and expm1 4; checked against long double.
#pragma once

#include <cmath>

namespace kagami::trig {

/// Beyond this |angle| (rad), and for what is not finite, the C library answers.
inline constexpr double kLargestAngle = 1e5;

struct SinCos {
  double sin = 0.0;
  double cos = 0.0;
};

/// Both of one angle (rad). Cycle code.
SinCos sincos(double angle) noexcept;
/// Both of `count` angles (rad), two at a time: the bits of sincos() for each. The arrays must not
/// overlap. Cycle code.
void sincos(const double* angle, int count, double* sine, double* cosine) noexcept;

inline double sin(double angle) noexcept {
  return sincos(angle).sin;
}
inline double cos(double angle) noexcept {
  return sincos(angle).cos;
}
/// Angle of the point (x, y) from the x axis, in [-pi, pi] (rad); signed zeros, infinities and NaN
/// as the C library takes them. Cycle code.
double atan2(double y, double x) noexcept;
/// In [-pi/2, pi/2] and in [0, pi] (rad); NaN for |x| > 1. Cycle code.
inline double asin(double x) noexcept {
  return atan2(x, std::sqrt((1.0 - x) * (1.0 + x)));
}
inline double acos(double x) noexcept {
  return atan2(std::sqrt((1.0 - x) * (1.0 + x)), x);
}
/// e^x; 0 and infinity where a double cannot hold it. Cycle code.
double exp(double x) noexcept;
/// e^x - 1, of full relative accuracy about 0 too. Cycle code.
double expm1(double x) noexcept;

}  // namespace kagami::trig
