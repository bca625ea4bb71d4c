/// A mass centre's path whose zero-moment point follows a reference: preview control of the
/// cart-table model [Kajita 2003]. docs/math/zmp_preview.md.
#pragma once

#include <vector>

#include "motions/planner/riccati.hpp"
#include "motions/planner/spline5.hpp"

namespace kagami::motions {

struct PreviewSettings {
  double period = 5e-3;       ///< T (s, > 0): jerk is constant within it
  double preview = 1.6;       ///< s, >= period: how far the reference is seen ahead
  double height = 0.0;        ///< z_c (m, > 0): of the mass centre above the ground
  double gravity = 9.81;      ///< m/s^2, > 0
  double error_weight = 1.0;  ///< Q_e (> 0) on the error of the zero-moment point
  double jerk_weight = 1e-6;  ///< R (> 0) on the jerk's increment
};

/// Gains of u(k) = -G_i sum of e - G_x x(k) + sum of G_p(j) p_ref(k + j); e = p - p_ref.
struct PreviewGains {
  double Gi = 0.0;
  Eigen::RowVector3d Gx = Eigen::RowVector3d::Zero();
  std::vector<double> Gp;  ///< j = 1, 2, ...
  LinearQuadratic plant;   ///< the one with the error as first state, of which they are optimal
  Eigen::MatrixXd P;       ///< of its Riccati equation
};

/// One axis of the cart: position, velocity, acceleration at 0, T, 2 T, ...
class CartPath {
 public:
  CartPath(double period, std::vector<PathPoint> points);
  /// Between samples jerk is constant; before the first and after the last they hold. Set-up.
  [[nodiscard]] PathPoint at(double t) const;
  [[nodiscard]] const std::vector<PathPoint>& points() const { return points_; }

 private:
  double period_;
  std::vector<PathPoint> points_;
};

class ZmpPreview {
 public:
  /// Throws ConfigError that names the value for settings outside their ranges.
  explicit ZmpPreview(const PreviewSettings& settings);
  [[nodiscard]] const PreviewGains& gains() const { return gains_; }
  /// Path for the reference p_ref(k T) (m), which holds its last value afterwards; from rest at
  /// `start`. One point per reference value.
  [[nodiscard]] CartPath follow(const std::vector<double>& p_ref, double start) const;
  /// Zero-moment point of the cart: p = x - z_c / g x''.
  [[nodiscard]] double zmp(const PathPoint& x) const;

 private:
  PreviewSettings s_;
  PreviewGains gains_;
};

}  // namespace kagami::motions
