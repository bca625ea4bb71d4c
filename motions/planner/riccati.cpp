// Doubling for the discrete algebraic Riccati equation. [Chu 2004]: from
//   A_0 = A, G_0 = B R^-1 B', H_0 = Q                                       (dare-1)
//   W = (1 + G H)^-1                                                        (dare-2)
//   A <- A W A,  G <- G + A W G A',  H <- H + A' H W A                      (dare-3)
// H runs to P, its error is squared in every pass.
#include "motions/planner/riccati.hpp"

#include <Eigen/LU>
#include <cmath>

#include "models/base/errors.hpp"

namespace kagami::motions {
namespace {

using Eigen::MatrixXd;

constexpr int kMaxPasses = 60;      // 2^60 steps of the plant
constexpr double kSettled = 1e-15;  // relative change of H in the last pass

void check_sizes(const LinearQuadratic& s) {
  const Eigen::Index n = s.A.rows();
  const Eigen::Index m = s.B.cols();
  if (n < 1 || m < 1 || s.A.cols() != n || s.B.rows() != n || s.Q.rows() != n || s.Q.cols() != n ||
      s.R.rows() != m || s.R.cols() != m)
    throw ConfigError("Riccati equation: expected A n x n, B n x m, Q n x n, R m x m; A has " +
                      std::to_string(n) + " rows, B " + std::to_string(s.B.rows()) + ", Q " +
                      std::to_string(s.Q.rows()) + ", R " + std::to_string(s.R.rows()));
}

}  // namespace

MatrixXd solve_riccati(const LinearQuadratic& plant) {
  check_sizes(plant);
  const Eigen::FullPivLU<MatrixXd> R(plant.R);
  if (!R.isInvertible()) throw ConfigError("Riccati equation: R has no inverse");
  const MatrixXd one = MatrixXd::Identity(plant.A.rows(), plant.A.rows());
  MatrixXd A = plant.A;
  MatrixXd G = plant.B * R.solve(plant.B.transpose());  // (dare-1)
  MatrixXd H = plant.Q;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const MatrixXd W = (one + G * H).partialPivLu().solve(one);  // (dare-2)
    const MatrixXd dH = A.transpose() * H * W * A;               // (dare-3)
    const MatrixXd dG = A * W * G * A.transpose();
    A = A * W * A;
    G += 0.5 * (dG + dG.transpose());
    H += 0.5 * (dH + dH.transpose());
    if (!H.allFinite()) break;
    // the loop over 2^pass steps must have died out as well: an unstable mode that H does not see
    // leaves A growing
    if (dH.cwiseAbs().maxCoeff() <= kSettled * H.cwiseAbs().maxCoeff() &&
        A.cwiseAbs().maxCoeff() < 1.0)
      return H;
  }
  throw ConfigError(
      "Riccati equation: no stabilising solution; the plant must be stabilisable by B and "
      "detectable through Q");
}

MatrixXd input_gain(const LinearQuadratic& s, const MatrixXd& P) {
  const MatrixXd PB = P * s.B;
  return (s.R + s.B.transpose() * PB).partialPivLu().solve(PB.transpose());
}

}  // namespace kagami::motions
