// Sine, cosine, exponential and arc tangent. The coefficients are the published values of Sun's
// fdlibm 5.3 (k_sin.c, k_cos.c, e_rem_pio2.c, e_exp.c, s_atan.c).
//
// Sine and cosine by argument reduction in two doubles and two short polynomials.
//   n   = nearest integer to x 2/pi                                       (trig-1)
//   y + e = x - n pi/2, e below half a unit of y, |y| <= pi/4             (trig-2)
//   sin y+e = y + (e + y^3 S(y^2) - e y^2 / 2)                            (trig-3)
//   cos y+e = 1 - y^2/2 + (y^4 C(y^2) - y e)                              (trig-4)
// and by n modulo 4 the two are exchanged and change sign. The three parts of pi/2 (33, 33 and 53
// bits: n times the first two is exact for |n| < 2^20); S and C are minimax on [-pi/4, pi/4].
//
// Exponential: with k the nearest integer to x / ln 2, r = x - k ln 2 in two parts, |r| <= ln 2 /
// 2,
//   e^x = 2^k (1 + r + r c / (2 - c)),  c = r - r^2 P(r^2)                (trig-5)
// Arc tangent of x >= 0: with a the nearest of 0, 1/2, 1, 3/2, infinity,
//   atan x = atan a + atan z,  z = (x - a) / (1 + a x),  atan z = z - z A(z^2)   (trig-6)
#include "models/base/trig.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace kagami::trig {
namespace {

using V2 __attribute__((vector_size(16))) = double;
using I2 __attribute__((vector_size(16))) = std::int64_t;

constexpr double kTwoOverPi = 6.36619772367581382433e-01;
constexpr double kHalfPi1 = 1.57079632673412561417e+00;
constexpr double kHalfPi2 = 6.07710050630396597660e-11;
constexpr double kHalfPi3 = 2.02226624879595063154e-21;
// adding it rounds to an integer and leaves that in the low bits
constexpr double kRound = 0x1.8p52;

constexpr double kS[] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                         -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                         -2.50507602534068634195e-08, 1.58969099521155010221e-10};
constexpr double kC[] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                         2.48015872894767294178e-05, -2.75573143513906633035e-07,
                         2.08757232129817482790e-09, -1.13596475577881948265e-11};

// one number in all lanes
template <class T>
T all(double x) noexcept {
  return T{} + x;
}

// T is double or V2; the lanes never meet, so both give the same bits
template <class T, class I>
[[gnu::always_inline]] inline void both(T x, T* sine, T* cosine) noexcept {
  const T shifted = x * all<T>(kTwoOverPi) + all<T>(kRound);
  const T n = shifted - all<T>(kRound);  // (trig-1)
  I quarter;
  std::memcpy(&quarter, &shifted, sizeof quarter);

  // (trig-2): the second difference keeps its rounding error, exact whichever part is larger
  const T r = x - n * all<T>(kHalfPi1);
  const T part = n * all<T>(kHalfPi2);
  const T r2 = r - part;
  const T back = r - r2;
  const T lost = (r - (r2 + back)) + (back - part);
  const T tail = lost - n * all<T>(kHalfPi3);
  const T y = r2 + tail;
  const T e = (r2 - y) + tail;

  const T z = y * y;
  const T z2 = z * z;
  const T S = (all<T>(kS[1]) + z * all<T>(kS[2])) +
              z2 * ((all<T>(kS[3]) + z * all<T>(kS[4])) + z2 * all<T>(kS[5]));
  const T y3 = z * y;
  const T half_z = all<T>(0.5) * z;
  const T sin_y = y + ((e - half_z * e) + (y3 * all<T>(kS[0]) + y3 * (z * S)));  // (trig-3)
  const T C = (all<T>(kC[0]) + z * all<T>(kC[1])) +
              z2 * ((all<T>(kC[2]) + z * all<T>(kC[3])) + z2 * (all<T>(kC[4]) + z * all<T>(kC[5])));
  const T w = all<T>(1.0) - half_z;
  const T cos_y = w + (((all<T>(1.0) - w) - half_z) + (z2 * C - y * e));  // (trig-4)

  // quarter turns: odd ones exchange; the sign bits from n's second bit and that of n + 1
  I sin_bits;
  I cos_bits;
  std::memcpy(&sin_bits, &sin_y, sizeof sin_bits);
  std::memcpy(&cos_bits, &cos_y, sizeof cos_bits);
  const I exchange = -(quarter & 1);
  const I flip = (sin_bits ^ cos_bits) & exchange;
  sin_bits = (sin_bits ^ flip) ^ ((quarter & 2) << 62);
  cos_bits = (cos_bits ^ flip) ^ (((quarter + 1) & 2) << 62);
  std::memcpy(sine, &sin_bits, sizeof *sine);
  std::memcpy(cosine, &cos_bits, sizeof *cosine);
}

constexpr double kLn2High = 6.93147180369123816490e-01;  // 33 bits: k times it is exact
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kOverLn2 = 1.44269504088896338700e+00;
constexpr double kP[] = {1.66666666666666019037e-01, -2.77777777770155933842e-03,
                         6.61375632143793436117e-05, -1.65339022054652515390e-06,
                         4.13813679705723846039e-08};
constexpr double kLargestExponent = 709.782712893383973096;  // of a finite result
constexpr double kLeastExponent = -745.133219101941108420;   // of one above 0

constexpr double kA[] = {
    3.33333333333329318027e-01,  -1.99999999998764832476e-01, 1.42857142725034663711e-01,
    -1.11111104054623557880e-01, 9.09088713343650656196e-02,  -7.69187620504482999495e-02,
    6.66107313738753120669e-02,  -5.83357013379057348645e-02, 4.97687799461593236017e-02,
    -3.65315727442169155270e-02, 1.62858201153657823623e-02};
// atan of 1/2, 1, 3/2 and infinity, and what their doubles leave out
constexpr double kAtan[] = {4.63647609000806093515e-01, 7.85398163397448278999e-01,
                            9.82793723247329054082e-01, 1.57079632679489655800e+00};
constexpr double kAtanLow[] = {2.26987774529616870924e-17, 3.06161699786838301793e-17,
                               1.39033110312309984516e-17, 6.12323399573676603587e-17};
constexpr double kPi = 2.0 * kAtan[3];
constexpr double kPiLow = 2.0 * kAtanLow[3];
constexpr double kVast = 0x1p60;  // a quotient beyond which the small part does not count

// of x >= 0, (trig-6)
double arc_tangent(double x) noexcept {
  int a = -1;
  double z = x;
  if (x >= 2.4375) {
    a = 3;
    z = -1.0 / x;
  } else if (x >= 1.1875) {
    a = 2;
    z = (x - 1.5) / (1.0 + 1.5 * x);
  } else if (x >= 0.6875) {
    a = 1;
    z = (x - 1.0) / (x + 1.0);
  } else if (x >= 0.4375) {
    a = 0;
    z = (2.0 * x - 1.0) / (2.0 + x);
  }
  const double s = z * z;
  const double w = s * s;
  const double even =
      s * (kA[0] + w * (kA[2] + w * (kA[4] + w * (kA[6] + w * (kA[8] + w * kA[10])))));
  const double odd = w * (kA[1] + w * (kA[3] + w * (kA[5] + w * (kA[7] + w * kA[9]))));
  const double bend = z * (even + odd);
  return a < 0 ? z - bend : kAtan[a] - ((bend - kAtanLow[a]) - z);
}

bool is_ours(double angle) noexcept {
  return std::abs(angle) <= kLargestAngle;
}

}  // namespace

SinCos sincos(double angle) noexcept {
  if (!is_ours(angle)) return {std::sin(angle), std::cos(angle)};
  SinCos result;
  both<double, std::int64_t>(angle, &result.sin, &result.cos);
  return result;
}

void sincos(const double* angle, int count, double* sine, double* cosine) noexcept {
  int i = 0;
  for (; i + 1 < count; i += 2) {
    V2 x;
    std::memcpy(&x, angle + i, sizeof x);
    V2 s;
    V2 c;
    both<V2, I2>(x, &s, &c);
    std::memcpy(sine + i, &s, sizeof s);
    std::memcpy(cosine + i, &c, sizeof c);
  }
  // the odd one, and those that are out of range
  bool all_ours = true;
  for (int k = 0; k < i; ++k) all_ours &= is_ours(angle[k]);
  for (int k = all_ours ? i : 0; k < count; ++k) {
    const SinCos one = sincos(angle[k]);
    sine[k] = one.sin;
    cosine[k] = one.cos;
  }
}

double exp(double x) noexcept {
  if (std::isnan(x)) return x;
  if (x > kLargestExponent) return std::numeric_limits<double>::infinity();
  if (x < kLeastExponent) return 0.0;
  const double shifted = x * kOverLn2 + kRound;
  const double k = shifted - kRound;
  const double high = x - k * kLn2High;
  const double low = k * kLn2Low;
  const double r = high - low;
  const double t = r * r;
  const double c = r - t * (kP[0] + t * (kP[1] + t * (kP[2] + t * (kP[3] + t * kP[4]))));
  const double y = 1.0 - ((low - r * c / (2.0 - c)) - high);  // (trig-5)
  return std::ldexp(y, static_cast<int>(k));
}

// below half of ln 2 nothing is split off: (trig-5) without its 1
double expm1(double x) noexcept {
  if (!(std::abs(x) * kOverLn2 <= 0.5)) return exp(x) - 1.0;
  const double t = x * x;
  const double c = x - t * (kP[0] + t * (kP[1] + t * (kP[2] + t * (kP[3] + t * kP[4]))));
  return x + x * c / (2.0 - c);
}

double atan2(double y, double x) noexcept {
  const double height = std::abs(y);
  const double width = std::abs(x);
  // nothing to compute: zeros, infinities and NaN have answers that are one double each
  if (!(height > 0.0 && width > 0.0) || !std::isfinite(height) || !std::isfinite(width))
    return std::atan2(y, x);
  const double slope = height / width;
  if (slope > kVast) return std::copysign(kAtan[3], y);
  const double z = arc_tangent(slope);
  return std::copysign(x > 0.0 ? z : kPi - (z - kPiLow), y);
}

}  // namespace kagami::trig
