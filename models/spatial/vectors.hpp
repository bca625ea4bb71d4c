/// Spatial motion and force vectors: angular part first, both parts in one frame, at one point.
#pragma once

#include <limits>

#include "models/base/types.hpp"

namespace kagami::models {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Spatial velocity or acceleration, e.g. V_WB_B: [angular rad/s; linear m/s] of the body point at
/// the frame's origin Bo. An acceleration is the componentwise derivative of such a vector. NaN
/// until set.
struct Motion {
  Vec6 c = Vec6::Constant(kNaN);

  static Motion zero() noexcept { return {Vec6::Zero()}; }
  /// From an angular part w (rad/s) and a linear part v (m/s).
  static Motion from(const Vec3& w, const Vec3& v) noexcept {
    return {Vec6(w[0], w[1], w[2], v[0], v[1], v[2])};
  }
  [[nodiscard]] Vec3 angular() const noexcept { return c.head<3>(); }
  [[nodiscard]] Vec3 linear() const noexcept { return c.tail<3>(); }
};

/// Spatial force or momentum, e.g. F_Bo_B: [moment about Bo N m; force N]. NaN until set.
struct Force {
  Vec6 c = Vec6::Constant(kNaN);

  static Force zero() noexcept { return {Vec6::Zero()}; }
  /// From a moment n (N m) and a force f (N).
  static Force from(const Vec3& n, const Vec3& f) noexcept {
    return {Vec6(n[0], n[1], n[2], f[0], f[1], f[2])};
  }
  [[nodiscard]] Vec3 moment() const noexcept { return c.head<3>(); }
  [[nodiscard]] Vec3 force() const noexcept { return c.tail<3>(); }
};

// sums and multiples inside one kind; motion + force does not compile
inline Motion operator+(const Motion& a, const Motion& b) noexcept {
  return {a.c + b.c};
}
inline Motion operator-(const Motion& a, const Motion& b) noexcept {
  return {a.c - b.c};
}
inline Motion operator-(const Motion& a) noexcept {
  return {-a.c};
}
inline Motion operator*(const Motion& a, double k) noexcept {
  return {a.c * k};
}
inline Force operator+(const Force& a, const Force& b) noexcept {
  return {a.c + b.c};
}
inline Force operator-(const Force& a, const Force& b) noexcept {
  return {a.c - b.c};
}
inline Force operator-(const Force& a) noexcept {
  return {-a.c};
}
inline Force operator*(const Force& a, double k) noexcept {
  return {a.c * k};
}
inline Motion& operator+=(Motion& a, const Motion& b) noexcept {
  a.c += b.c;
  return a;
}
inline Force& operator+=(Force& a, const Force& b) noexcept {
  a.c += b.c;
  return a;
}

/// Power of F on a body that moves with V (W); same frame, same point.
inline double power(const Motion& V, const Force& F) noexcept {
  return V.c.dot(F.c);
}

/// V x M: rate of a motion vector that is carried along by V; all in one frame.
Motion cross(const Motion& V, const Motion& M) noexcept;
/// V x* F: rate of a force vector that is carried along by V; all in one frame.
Force cross(const Motion& V, const Force& F) noexcept;

/// The matrix [v x] with [v x] u = v x u.
Mat3 skew(const Vec3& v) noexcept;

}  // namespace kagami::models
