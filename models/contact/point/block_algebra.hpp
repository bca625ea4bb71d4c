/// Dense algebra of one or two bodies: square matrices row after row, blocks of six on the
/// diagonal.
#pragma once

namespace kagami::models {

/// Sizes of one use: n = 6 or 12 for one or two bodies, group = size of the blocks on the diagonal
/// of M and W (6, or 12 where the two touch each other). All matrices n x n. Cycle code. More
/// bodies: sky_algebra.hpp.
struct BlockAlgebra {
  int n = 0;
  int group = 6;

  /// Lower Cholesky factor of every block, in place, above its diagonal cleared. Where a pivot is
  /// rounding its column is zero: M may be semidefinite.
  void factor(double* M) const noexcept;
  /// A = Phi N, T = scale Q' A, and 1 + T' T = U' D U in B: rows of D U, on the diagonal D^-1.
  void prepare(const double* Phi, const double* N, const double* Q, double scale, double* A,
               double* T, double* B) const noexcept;
  /// t = (U' D U)^-1 N^-1 r, in place; pivots of N that are zero give nothing.
  void solve(const double* N, const double* B, double* t) const noexcept;
  /// s = N t.
  void expand(const double* N, const double* t, double* s) const noexcept;
  /// y = Phi s.
  void respond(const double* Phi, const double* s, double* y) const noexcept;
};

}  // namespace kagami::models
