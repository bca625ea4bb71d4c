/// The discrete algebraic Riccati equation of optimal control.
#pragma once

#include <Eigen/Core>

namespace kagami::motions {

/// x(k+1) = A x(k) + B u(k), cost sum of x' Q x + u' R u; n states, m inputs.
struct LinearQuadratic {
  Eigen::MatrixXd A;  ///< n x n
  Eigen::MatrixXd B;  ///< n x m
  Eigen::MatrixXd Q;  ///< n x n, symmetric, positive semidefinite
  Eigen::MatrixXd R;  ///< m x m, symmetric, positive definite
};

/// P = A' P A - A' P B (R + B' P B)^-1 B' P A + Q, the solution whose closed loop is stable, by
/// doubling [Chu 2004]. Throws ConfigError for sizes that do not fit, R that has no inverse, and a
/// plant for which doubling does not end (not stabilisable or not detectable). Set-up.
Eigen::MatrixXd solve_riccati(const LinearQuadratic& plant);

/// K = (R + B' P B)^-1 B' P: the optimal input is u = -K A x.
Eigen::MatrixXd input_gain(const LinearQuadratic& plant, const Eigen::MatrixXd& P);

}  // namespace kagami::motions
