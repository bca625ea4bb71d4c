#include "models/spatial/inertia.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>

#include "models/base/number_text.hpp"

namespace kagami::models {
namespace {

// relative slack of the triangle inequality and of symmetry: rounding of printed digits
constexpr double kInertiaSlack = 1e-6;

// R A R'; written out, as the general product is the most expensive line of the dynamics
Mat3 rotated(const Mat3& R, const Mat3& A) noexcept {
  Mat3 result;
  for (int i = 0; i < 3; ++i) {
    const double a = R(i, 0) * A(0, 0) + R(i, 1) * A(1, 0) + R(i, 2) * A(2, 0);
    const double b = R(i, 0) * A(0, 1) + R(i, 1) * A(1, 1) + R(i, 2) * A(2, 1);
    const double c = R(i, 0) * A(0, 2) + R(i, 1) * A(1, 2) + R(i, 2) * A(2, 2);
    for (int j = 0; j < 3; ++j) result(i, j) = a * R(j, 0) + b * R(j, 1) + c * R(j, 2);
  }
  return result;
}

// the same for a symmetric A
Mat3 rotated_symmetric(const Mat3& R, const Mat3& A) noexcept {
  Mat3 result;
  for (int i = 0; i < 3; ++i) {
    const double a = R(i, 0) * A(0, 0) + R(i, 1) * A(1, 0) + R(i, 2) * A(2, 0);
    const double b = R(i, 0) * A(0, 1) + R(i, 1) * A(1, 1) + R(i, 2) * A(2, 1);
    const double c = R(i, 0) * A(0, 2) + R(i, 1) * A(1, 2) + R(i, 2) * A(2, 2);
    for (int j = i; j < 3; ++j) {
      result(i, j) = a * R(j, 0) + b * R(j, 1) + c * R(j, 2);
      result(j, i) = result(i, j);
    }
  }
  return result;
}

// [p x] A: the cross product with each column
Mat3 cross_columns(const Vec3& p, const Mat3& A) noexcept {
  Mat3 result;
  for (int k = 0; k < 3; ++k) {
    result(0, k) = p[1] * A(2, k) - p[2] * A(1, k);
    result(1, k) = p[2] * A(0, k) - p[0] * A(2, k);
    result(2, k) = p[0] * A(1, k) - p[1] * A(0, k);
  }
  return result;
}

}  // namespace

SpatialInertia SpatialInertia::from_com(double mass, const Vec3& com, const Mat3& I_com) noexcept {
  const Mat3 cx = skew(com);
  return {mass, mass * com, I_com - mass * cx * cx};  // parallel axes
}

Mat3 SpatialInertia::about_com() const noexcept {
  const Mat3 cx = skew(com());
  return I + mass * cx * cx;
}

Force operator*(const SpatialInertia& M, const Motion& V) noexcept {
  const Vec3 w = V.angular();
  const Vec3 v = V.linear();
  return Force::from(M.I * w + M.h.cross(v), M.mass * v - M.h.cross(w));
}

SpatialInertia operator+(const SpatialInertia& a, const SpatialInertia& b) noexcept {
  return {a.mass + b.mass, a.h + b.h, a.I + b.I};
}

SpatialInertia operator*(const Pose& X_AB, const SpatialInertia& M_B) noexcept {
  // shift by p about Ao: I_A = R I R' - [p x][Rh x] - [(Rh + m p) x][p x]
  const Vec3 Rh = X_AB.R * M_B.h;
  const Vec3 h_A = Rh + M_B.mass * X_AB.p;
  const Mat3 px = skew(X_AB.p);
  return {M_B.mass, h_A, X_AB.R * M_B.I * X_AB.R.transpose() - px * skew(Rh) - skew(h_A) * px};
}

ArticulatedInertia ArticulatedInertia::from(const SpatialInertia& M) noexcept {
  return {M.I, skew(M.h), M.mass * Mat3::Identity()};
}

Mat6 ArticulatedInertia::matrix() const noexcept {
  Mat6 m;
  m << I, H, H.transpose(), M;
  return m;
}

Force operator*(const ArticulatedInertia& IA, const Motion& a) noexcept {
  const Vec3 w = a.angular();
  const Vec3 v = a.linear();
  return Force::from(IA.I * w + IA.H * v, IA.H.transpose() * w + IA.M * v);
}

ArticulatedInertia& operator+=(ArticulatedInertia& a, const ArticulatedInertia& b) noexcept {
  a.I += b.I;
  a.H += b.H;
  a.M += b.M;
  return a;
}

ArticulatedInertia minus_outer(const ArticulatedInertia& IA, const Force& U, double D) noexcept {
  const Vec3 n = U.moment();
  const Vec3 f = U.force();
  const Vec3 n_D = n / D;
  const Vec3 f_D = f / D;
  return {IA.I - n_D * n.transpose(), IA.H - n_D * f.transpose(), IA.M - f_D * f.transpose()};
}

ArticulatedInertia operator*(const Pose& X_AB, const ArticulatedInertia& IA_B) noexcept {
  // with P = [p x]:  M_A = R M R',  H_A = R H R' + P M_A,  I_A = R I R' - R H R' P + P H_A'
  // and -K P = (P K')' for any K
  const Mat3 K = rotated(X_AB.R, IA_B.H);
  ArticulatedInertia A;
  A.M = rotated_symmetric(X_AB.R, IA_B.M);
  A.H = K + cross_columns(X_AB.p, A.M);
  A.I = rotated_symmetric(X_AB.R, IA_B.I) + cross_columns(X_AB.p, K.transpose()).transpose() +
        cross_columns(X_AB.p, A.H.transpose());
  return A;
}

std::string inertia_problem(double mass, const Mat3& I_com) {
  if (!(mass > 0.0) || !std::isfinite(mass)) {
    return "mass " + number_text(mass) + " kg, expected a finite value above 0";
  }
  if (!I_com.allFinite()) return "inertia has a value that is not finite";
  const double size = I_com.cwiseAbs().maxCoeff();
  if ((I_com - I_com.transpose()).cwiseAbs().maxCoeff() > kInertiaSlack * size) {
    return "inertia is not symmetric";
  }
  // principal values, ascending
  const Vec3 principal = Eigen::SelfAdjointEigenSolver<Mat3>(I_com).eigenvalues();
  const std::string values = number_text(principal[0]) + ", " + number_text(principal[1]) + ", " +
                             number_text(principal[2]) + " kg m^2";
  if (!(principal[0] > 0.0)) {
    return "inertia has the principal values " + values + ", expected all above 0";
  }
  if (principal[2] > (principal[0] + principal[1]) * (1.0 + kInertiaSlack)) {
    return "inertia has the principal values " + values +
           ", expected the largest to be at most the sum of the others (triangle inequality)";
  }
  return "";
}

}  // namespace kagami::models
