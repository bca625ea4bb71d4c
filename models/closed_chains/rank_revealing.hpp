/// Singular values and singular vectors of a small matrix, without allocation.
#pragma once

#include <Eigen/Core>

namespace kagami::models {

/// Y = U diag(sigma) V' by one-sided Jacobi rotations, which give small singular values to high
/// relative accuracy; Eigen's own decompositions allocate temporaries. Sized once.
class RankRevealing {
 public:
  RankRevealing(int rows, int columns);

  /// Of the matrix in U. Cycle code.
  void factor() noexcept;

  /// Before factor: Y, rows x columns. After: its columns are u_i sigma_i divided by sigma_i where
  /// that is above rounding, sorted by falling sigma.
  Eigen::MatrixXd U;
  Eigen::VectorXd sigma;
  Eigen::MatrixXd V;

 private:
  bool rotate(int i, int j, double floor) noexcept;
  void sort() noexcept;
};

}  // namespace kagami::models
