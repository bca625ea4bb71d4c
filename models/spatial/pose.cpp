// Transforms of [RBDA] = Featherstone, Rigid Body Dynamics Algorithms, 2008, Table 2.1, in our
// letters: the book's BXA (coordinates A to B) is inverse_times(X_AB, .), its E is R_AB', its r is
// p_AB.
#include "models/spatial/pose.hpp"

#include <Eigen/Geometry>

namespace kagami::models {

Pose operator*(const Pose& X_AB, const Pose& X_BC) noexcept {
  return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
}

Vec3 operator*(const Pose& X_AB, const Vec3& p_BQ) noexcept {
  return X_AB.p + X_AB.R * p_BQ;
}

Motion operator*(const Pose& X_AB, const Motion& V_B) noexcept {
  const Vec3 w_A = X_AB.R * V_B.angular();
  return Motion::from(w_A, X_AB.R * V_B.linear() + X_AB.p.cross(w_A));
}

Force operator*(const Pose& X_AB, const Force& F_B) noexcept {
  const Vec3 f_A = X_AB.R * F_B.force();
  return Force::from(X_AB.R * F_B.moment() + X_AB.p.cross(f_A), f_A);
}

Pose inverse(const Pose& X_AB) noexcept {
  return {X_AB.R.transpose(), -(X_AB.R.transpose() * X_AB.p)};
}

Motion inverse_times(const Pose& X_AB, const Motion& V_A) noexcept {
  const Vec3 w_A = V_A.angular();
  return Motion::from(X_AB.R.transpose() * w_A,
                      X_AB.R.transpose() * (V_A.linear() - X_AB.p.cross(w_A)));
}

Force inverse_times(const Pose& X_AB, const Force& F_A) noexcept {
  const Vec3 f_A = F_A.force();
  return Force::from(X_AB.R.transpose() * (F_A.moment() - X_AB.p.cross(f_A)),
                     X_AB.R.transpose() * f_A);
}

Vec3 inverse_times(const Pose& X_AB, const Vec3& p_AQ) noexcept {
  return X_AB.R.transpose() * (p_AQ - X_AB.p);
}

}  // namespace kagami::models
