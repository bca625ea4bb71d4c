/// What generated code is made of: two-lane numbers, fused products, sines of many angles. Included
/// by generated units alone; no Eigen here. Every function exists twice, in `plain` for any x86-64
/// and in `wide` for AVX2 with FMA; each operation rounds once in both, so their bits are equal.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace kagami::models::hybrid {

/// Two limbs side by side.
typedef double D2 __attribute__((vector_size(16)));
/// The same in memory among plain doubles.
typedef double D2Memory __attribute__((vector_size(16), may_alias));

/// Sine and cosine on [-pi/4, pi/4] by the polynomials of fdlibm (Sun Microsystems 1993), the turn
/// reduced by pi/2 in two parts with fused products: good to one unit in the last place up to
/// kLargestAngle; beyond, the C library serves.
struct SineConstants {
  static constexpr double kLargestAngle = 1e5;            // rad
  static constexpr double kTurns = 0x1.45f306dc9c883p-1;  // 2 / pi
  static constexpr double kRounder = 0x1.8p52;
  static constexpr double kHalfPi = 0x1.921fb54442d18p+0;
  static constexpr double kHalfPiRest = 0x1.1a62633145c07p-54;
  static constexpr double S1 = -1.66666666666666324348e-01, S2 = 8.33333333332248946124e-03,
                          S3 = -1.98412698298579493134e-04, S4 = 2.75573137070700676789e-06,
                          S5 = -2.50507602534068634195e-08, S6 = 1.58969099521155010221e-10;
  static constexpr double C1 = 4.16666666666666019037e-02, C2 = -1.38888888888741095749e-03,
                          C3 = 2.48015872894767294178e-05, C4 = -2.75573143513906633035e-07,
                          C5 = 2.08757232129817482790e-09, C6 = -1.13596475577881948265e-11;
};

namespace plain {

inline double fma(double a, double b, double c) noexcept {
  return std::fma(a, b, c);
}
/// c - a b.
inline double fnma(double a, double b, double c) noexcept {
  return std::fma(-a, b, c);
}
/// a b - c.
inline double fms(double a, double b, double c) noexcept {
  return std::fma(a, b, -c);
}
inline D2 fma(D2 a, D2 b, D2 c) noexcept {
  return D2{std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1])};
}
inline D2 fnma(D2 a, D2 b, D2 c) noexcept {
  return D2{std::fma(-a[0], b[0], c[0]), std::fma(-a[1], b[1], c[1])};
}
inline D2 fms(D2 a, D2 b, D2 c) noexcept {
  return D2{std::fma(a[0], b[0], -c[0]), std::fma(a[1], b[1], -c[1])};
}
inline double root(double a) noexcept {
  return std::sqrt(a);
}
inline D2 root(D2 a) noexcept {
  return D2{std::sqrt(a[0]), std::sqrt(a[1])};
}

inline void sine_of(double x, double& s, double& c) noexcept {
  using K = SineConstants;
  if (!(std::abs(x) <= K::kLargestAngle)) {
    s = std::sin(x);
    c = std::cos(x);
    return;
  }
  const double rounded = fma(x, K::kTurns, K::kRounder);
  const auto n = std::bit_cast<std::int64_t>(rounded);
  const double turns = rounded - K::kRounder;
  const double r = fnma(turns, K::kHalfPiRest, fnma(turns, K::kHalfPi, x));
  const double z = r * r;
  double p = fma(z, K::S6, K::S5);
  p = fma(z, p, K::S4);
  p = fma(z, p, K::S3);
  p = fma(z, p, K::S2);
  p = fma(z, p, K::S1);
  const double sine = fma(r * z, p, r);
  double k = fma(z, K::C6, K::C5);
  k = fma(z, k, K::C4);
  k = fma(z, k, K::C3);
  k = fma(z, k, K::C2);
  k = fma(z, k, K::C1);
  const double cosine = fma(z * z, k, fnma(z, 0.5, 1.0));
  const double s0 = (n & 1) != 0 ? cosine : sine;
  const double c0 = (n & 1) != 0 ? sine : cosine;
  s = (n & 2) != 0 ? -s0 : s0;
  c = ((n + 1) & 2) != 0 ? -c0 : c0;
}

/// Sines and cosines of four angles.
inline void sines(double a0, double a1, double a2, double a3, double* s, double* c) noexcept {
  sine_of(a0, s[0], c[0]);
  sine_of(a1, s[1], c[1]);
  sine_of(a2, s[2], c[2]);
  sine_of(a3, s[3], c[3]);
}

}  // namespace plain

namespace wide {

[[gnu::always_inline, gnu::target("avx2,fma")]] inline double fma(double a, double b,
                                                                  double c) noexcept {
  return __builtin_fma(a, b, c);
}
[[gnu::always_inline, gnu::target("avx2,fma")]] inline double fnma(double a, double b,
                                                                   double c) noexcept {
  return __builtin_fma(-a, b, c);
}
[[gnu::always_inline, gnu::target("avx2,fma")]] inline double fms(double a, double b,
                                                                  double c) noexcept {
  return __builtin_fma(a, b, -c);
}
[[gnu::always_inline, gnu::target("avx2,fma")]] inline D2 fma(D2 a, D2 b, D2 c) noexcept {
  return _mm_fmadd_pd(a, b, c);
}
[[gnu::always_inline, gnu::target("avx2,fma")]] inline D2 fnma(D2 a, D2 b, D2 c) noexcept {
  return _mm_fnmadd_pd(a, b, c);
}
[[gnu::always_inline, gnu::target("avx2,fma")]] inline D2 fms(D2 a, D2 b, D2 c) noexcept {
  return _mm_fmsub_pd(a, b, c);
}
[[gnu::always_inline, gnu::target("avx2,fma")]] inline double root(double a) noexcept {
  return __builtin_sqrt(a);
}
[[gnu::always_inline, gnu::target("avx2,fma")]] inline D2 root(D2 a) noexcept {
  return _mm_sqrt_pd(a);
}

// the angles come as numbers, not as an array: four small stores in front of one wide load would
// stall
[[gnu::always_inline, gnu::target("avx2,fma")]] inline void sines(double a0, double a1, double a2,
                                                                  double a3, double* s,
                                                                  double* c) noexcept {
  using K = SineConstants;
  const __m256d sign_bit = _mm256_set1_pd(-0.0);
  const __m256d x = _mm256_set_pd(a3, a2, a1, a0);
  const __m256d size = _mm256_andnot_pd(sign_bit, x);
  const int far =
      _mm256_movemask_pd(_mm256_cmp_pd(size, _mm256_set1_pd(K::kLargestAngle), _CMP_NLE_UQ));
  const __m256d rounder = _mm256_set1_pd(K::kRounder);
  const __m256d rounded = _mm256_fmadd_pd(x, _mm256_set1_pd(K::kTurns), rounder);
  const __m256i turn = _mm256_castpd_si256(rounded);
  const __m256d turns = _mm256_sub_pd(rounded, rounder);
  const __m256d r = _mm256_fnmadd_pd(turns, _mm256_set1_pd(K::kHalfPiRest),
                                     _mm256_fnmadd_pd(turns, _mm256_set1_pd(K::kHalfPi), x));
  const __m256d z = _mm256_mul_pd(r, r);
  __m256d p = _mm256_fmadd_pd(z, _mm256_set1_pd(K::S6), _mm256_set1_pd(K::S5));
  p = _mm256_fmadd_pd(z, p, _mm256_set1_pd(K::S4));
  p = _mm256_fmadd_pd(z, p, _mm256_set1_pd(K::S3));
  p = _mm256_fmadd_pd(z, p, _mm256_set1_pd(K::S2));
  p = _mm256_fmadd_pd(z, p, _mm256_set1_pd(K::S1));
  const __m256d sine = _mm256_fmadd_pd(_mm256_mul_pd(r, z), p, r);
  __m256d k = _mm256_fmadd_pd(z, _mm256_set1_pd(K::C6), _mm256_set1_pd(K::C5));
  k = _mm256_fmadd_pd(z, k, _mm256_set1_pd(K::C4));
  k = _mm256_fmadd_pd(z, k, _mm256_set1_pd(K::C3));
  k = _mm256_fmadd_pd(z, k, _mm256_set1_pd(K::C2));
  k = _mm256_fmadd_pd(z, k, _mm256_set1_pd(K::C1));
  const __m256d cosine = _mm256_fmadd_pd(
      _mm256_mul_pd(z, z), k, _mm256_fnmadd_pd(z, _mm256_set1_pd(0.5), _mm256_set1_pd(1.0)));
  // bit 0 of the turn swaps, bit 1 changes the sine's sign, bit 1 of turn + 1 the cosine's
  const __m256d swap = _mm256_castsi256_pd(_mm256_slli_epi64(turn, 63));
  const __m256d s0 = _mm256_blendv_pd(sine, cosine, swap);
  const __m256d c0 = _mm256_blendv_pd(cosine, sine, swap);
  const __m256i next = _mm256_add_epi64(turn, _mm256_set1_epi64x(1));
  const __m256d s_sign = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(turn, 62)), sign_bit);
  const __m256d c_sign = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(next, 62)), sign_bit);
  _mm256_storeu_pd(s, _mm256_xor_pd(s0, s_sign));
  _mm256_storeu_pd(c, _mm256_xor_pd(c0, c_sign));
  // far angles, infinities and what is no number: as the plain form
  if (far != 0) plain::sines(a0, a1, a2, a3, s, c);
}

}  // namespace wide
}  // namespace kagami::models::hybrid
