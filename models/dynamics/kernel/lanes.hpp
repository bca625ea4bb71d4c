/// The small algebra of the kernels: three-vectors and 3x3 blocks whose entries are one double or
/// two lanes of doubles. No Eigen; every sum in a written order, so both give the same bits.
#pragma once

namespace kagami::models::kernel {

/// Two lanes: left and right limb. SSE2, which every x86-64 has.
using V2 __attribute__((vector_size(16))) = double;

// the kernels are slow unless these dissolve in their callers, at -O1 and in debug builds too
#define KAGAMI_KERNEL_INLINE [[gnu::always_inline]] inline

template <class T>
struct Vec {
  T x, y, z;
};

/// Symmetric block.
template <class T>
struct SymMat3 {
  T xx, yy, zz, xy, xz, yz;
};

/// General block, row first.
template <class T>
struct KernelMat3 {
  T xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

/// Cosine and sine of a joint's angle: R_JB turns about z.
template <class T>
struct PlanarRotation {
  T c, s;
};

/// Lane k of an entry, and an entry from the lanes of an array.
KAGAMI_KERNEL_INLINE double lane(double x, int /*k*/) noexcept {
  return x;
}
KAGAMI_KERNEL_INLINE double lane(V2 x, int k) noexcept {
  return x[k];
}
template <class T>
KAGAMI_KERNEL_INLINE Vec<double> lane(const Vec<T>& v, int k) noexcept {
  return {lane(v.x, k), lane(v.y, k), lane(v.z, k)};
}
/// out = (a; b), six numbers.
KAGAMI_KERNEL_INLINE void set6(double* out, const Vec<double>& a, const Vec<double>& b) noexcept {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
  out[3] = b.x;
  out[4] = b.y;
  out[5] = b.z;
}
template <class T>
KAGAMI_KERNEL_INLINE constexpr int num_lanes() noexcept {
  return static_cast<int>(sizeof(T) /
                          sizeof(double));  // NOLINT(bugprone-sizeof-expression): T is a number
}

/// visit(k) for each lane, unrolled.
template <class T, class F>
KAGAMI_KERNEL_INLINE void for_lanes(F visit) noexcept {
  visit(0);
  if constexpr (num_lanes<T>() == 2) visit(1);
}

/// The same number in every lane; lanes stay lanes.
template <class T>
KAGAMI_KERNEL_INLINE T spread(double x) noexcept {
  if constexpr (num_lanes<T>() == 1) {
    return x;
  } else {
    return T{x, x};
  }
}
template <class T>
KAGAMI_KERNEL_INLINE T spread(V2 x) noexcept {
  return x;
}
template <class T, class P>
KAGAMI_KERNEL_INLINE Vec<T> spread(const Vec<P>& v) noexcept {
  return {spread<T>(v.x), spread<T>(v.y), spread<T>(v.z)};
}

/// total += x, lane by lane into one number where the total has no lanes.
KAGAMI_KERNEL_INLINE void add(double& total, double x) noexcept {
  total += x;
}
KAGAMI_KERNEL_INLINE void add(V2& total, V2 x) noexcept {
  total += x;
}
KAGAMI_KERNEL_INLINE void add(double& total, V2 x) noexcept {
  total = (total + x[0]) + x[1];
}
template <class P, class T>
KAGAMI_KERNEL_INLINE void add(Vec<P>& total, const Vec<T>& v) noexcept {
  add(total.x, v.x);
  add(total.y, v.y);
  add(total.z, v.z);
}
template <class P, class T>
KAGAMI_KERNEL_INLINE void add(SymMat3<P>& total, const SymMat3<T>& A) noexcept {
  add(total.xx, A.xx);
  add(total.yy, A.yy);
  add(total.zz, A.zz);
  add(total.xy, A.xy);
  add(total.xz, A.xz);
  add(total.yz, A.yz);
}
template <class P, class T>
KAGAMI_KERNEL_INLINE void add(KernelMat3<P>& total, const KernelMat3<T>& A) noexcept {
  add(total.xx, A.xx);
  add(total.xy, A.xy);
  add(total.xz, A.xz);
  add(total.yx, A.yx);
  add(total.yy, A.yy);
  add(total.yz, A.yz);
  add(total.zx, A.zx);
  add(total.zy, A.zy);
  add(total.zz, A.zz);
}

template <class T>
KAGAMI_KERNEL_INLINE Vec<T> operator+(const Vec<T>& a, const Vec<T>& b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> operator-(const Vec<T>& a, const Vec<T>& b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> operator*(const Vec<T>& a, T k) noexcept {
  return {a.x * k, a.y * k, a.z * k};
}
template <class T>
KAGAMI_KERNEL_INLINE T dot(const Vec<T>& a, const Vec<T>& b) noexcept {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> cross(const Vec<T>& a, const Vec<T>& b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> operator*(const SymMat3<T>& A, const Vec<T>& v) noexcept {
  return {(A.xx * v.x + A.xy * v.y) + A.xz * v.z, (A.xy * v.x + A.yy * v.y) + A.yz * v.z,
          (A.xz * v.x + A.yz * v.y) + A.zz * v.z};
}
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> operator*(const KernelMat3<T>& A, const Vec<T>& v) noexcept {
  return {(A.xx * v.x + A.xy * v.y) + A.xz * v.z, (A.yx * v.x + A.yy * v.y) + A.yz * v.z,
          (A.zx * v.x + A.zy * v.y) + A.zz * v.z};
}
/// A' v.
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> transpose_times(const KernelMat3<T>& A, const Vec<T>& v) noexcept {
  return {(A.xx * v.x + A.yx * v.y) + A.zx * v.z, (A.xy * v.x + A.yy * v.y) + A.zy * v.z,
          (A.xz * v.x + A.yz * v.y) + A.zz * v.z};
}

/// w x (w x r) = w (w r) - r (w w).
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> twice_across(const Vec<T>& w, const Vec<T>& r) noexcept {
  const T wr = dot(w, r);
  const T ww = dot(w, w);
  return {w.x * wr - r.x * ww, w.y * wr - r.y * ww, w.z * wr - r.z * ww};
}

/// From J to B (about z by the joint's angle), R' v.
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> turn_in(const PlanarRotation<T>& R, const Vec<T>& v) noexcept {
  return {R.c * v.x + R.s * v.y, R.c * v.y - R.s * v.x, v.z};
}
/// From B to J: R v, R A R'. Of a 2x2 block [a b; d e] with k = s (a - e) + c (b + d), turning
/// gives [a - s k, c k - d; c k - b, e + s k]: four products in place of sixteen.
template <class T>
KAGAMI_KERNEL_INLINE Vec<T> turn_out(const PlanarRotation<T>& R, const Vec<T>& v) noexcept {
  return {R.c * v.x - R.s * v.y, R.s * v.x + R.c * v.y, v.z};
}
template <class T>
KAGAMI_KERNEL_INLINE SymMat3<T> turn_out(const PlanarRotation<T>& R, const SymMat3<T>& A) noexcept {
  const T k = R.s * (A.xx - A.yy) + R.c * (A.xy + A.xy);
  const T sk = R.s * k;
  return {
      A.xx - sk, A.yy + sk, A.zz, R.c * k - A.xy, R.c * A.xz - R.s * A.yz, R.s * A.xz + R.c * A.yz};
}
template <class T>
KAGAMI_KERNEL_INLINE KernelMat3<T> turn_out(const PlanarRotation<T>& R,
                                            const KernelMat3<T>& A) noexcept {
  const T k = R.s * (A.xx - A.yy) + R.c * (A.xy + A.yx);
  const T sk = R.s * k;
  const T ck = R.c * k;
  return {A.xx - sk,
          ck - A.yx,
          R.c * A.xz - R.s * A.yz,
          ck - A.xy,
          A.yy + sk,
          R.s * A.xz + R.c * A.yz,
          R.c * A.zx - R.s * A.zy,
          R.s * A.zx + R.c * A.zy,
          A.zz};
}

/// R v, R A R' with a whole rotation.
template <class T>
KAGAMI_KERNEL_INLINE KernelMat3<T> times_transpose(const KernelMat3<T>& A,
                                                   const KernelMat3<T>& R) noexcept {
  const Vec<T> a = R * Vec<T>{A.xx, A.xy, A.xz};
  const Vec<T> b = R * Vec<T>{A.yx, A.yy, A.yz};
  const Vec<T> c = R * Vec<T>{A.zx, A.zy, A.zz};
  return {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
}
template <class T>
KAGAMI_KERNEL_INLINE KernelMat3<T> times(const KernelMat3<T>& R, const KernelMat3<T>& A) noexcept {
  const Vec<T> a = R * Vec<T>{A.xx, A.yx, A.zx};
  const Vec<T> b = R * Vec<T>{A.xy, A.yy, A.zy};
  const Vec<T> c = R * Vec<T>{A.xz, A.yz, A.zz};
  return {a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z};
}
template <class T>
KAGAMI_KERNEL_INLINE KernelMat3<T> rotated(const KernelMat3<T>& R,
                                           const KernelMat3<T>& A) noexcept {
  return times(R, times_transpose(A, R));
}
template <class T>
KAGAMI_KERNEL_INLINE SymMat3<T> rotated(const KernelMat3<T>& R, const SymMat3<T>& A) noexcept {
  const KernelMat3<T> full{A.xx, A.xy, A.xz, A.xy, A.yy, A.yz, A.xz, A.yz, A.zz};
  const KernelMat3<T> r = rotated(R, full);
  return {r.xx, r.yy, r.zz, r.xy, r.xz, r.yz};
}

}  // namespace kagami::models::kernel
