// One-sided Jacobi, [GVL] = Golub and Van Loan, Matrix Computations, 4th ed., section 8.6.3: turn
// pairs of columns until all are orthogonal.
//   zeta = (b - a) / (2 c),  t = sign(zeta) / (|zeta| + sqrt(1 + zeta^2))     (jacobi-1)
//   [u_i u_j] <- [u_i u_j] [cs sn; -sn cs],  cs = 1/sqrt(1 + t^2), sn = cs t  (jacobi-2)
// with a = u_i' u_i, b = u_j' u_j, c = u_i' u_j. Columns below rounding of the largest are left.
#include "models/closed_chains/rank_revealing.hpp"

#include <cmath>
#include <limits>

namespace kagami::models {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kMaxSweeps = 40;  // six do; a NaN ends at once

template <class Matrix>
void turn(Matrix& M, int i, int j, double cs, double sn) noexcept {
  for (Eigen::Index r = 0; r < M.rows(); ++r) {
    const double x = M(r, i);
    const double y = M(r, j);
    M(r, i) = cs * x - sn * y;
    M(r, j) = sn * x + cs * y;
  }
}

}  // namespace

RankRevealing::RankRevealing(int rows, int columns)
    : U(Eigen::MatrixXd::Zero(rows, columns)),
      sigma(Eigen::VectorXd::Zero(columns)),
      V(Eigen::MatrixXd::Identity(columns, columns)) {}

bool RankRevealing::rotate(int i, int j, double floor) noexcept {
  const double a = U.col(i).squaredNorm();
  const double b = U.col(j).squaredNorm();
  if (!(a > floor) || !(b > floor)) return false;
  const double c = U.col(i).dot(U.col(j));
  if (!(std::abs(c) > 2.0 * kEps * std::sqrt(a * b))) return false;
  const double zeta = (b - a) / (2.0 * c);
  const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
  const double cs = 1.0 / std::sqrt(1.0 + t * t);  // (jacobi-1)
  turn(U, i, j, cs, cs * t);                       // (jacobi-2)
  turn(V, i, j, cs, cs * t);
  return true;
}

void RankRevealing::factor() noexcept {
  const int m = static_cast<int>(U.cols());
  V.setIdentity();
  const double size = U.norm();
  const double floor = (4.0 * kEps * size) * (4.0 * kEps * size);
  bool turned = true;
  for (int sweep = 0; sweep < kMaxSweeps && turned; ++sweep) {
    turned = false;
    for (int i = 0; i < m; ++i) {
      for (int j = i + 1; j < m; ++j) turned = rotate(i, j, floor) || turned;
    }
  }
  for (int i = 0; i < m; ++i) {
    sigma[i] = U.col(i).norm();
    if (sigma[i] * sigma[i] > floor) U.col(i) /= sigma[i];
  }
  sort();
}

void RankRevealing::sort() noexcept {
  for (int i = 0; i < sigma.size(); ++i) {
    int largest = i;
    for (int j = i + 1; j < sigma.size(); ++j) {
      if (sigma[j] > sigma[largest]) largest = j;
    }
    if (largest == i) continue;
    std::swap(sigma[i], sigma[largest]);
    U.col(i).swap(U.col(largest));
    V.col(i).swap(V.col(largest));
  }
}

}  // namespace kagami::models
