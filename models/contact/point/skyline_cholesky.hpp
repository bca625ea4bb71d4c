/// Algebra of three bodies and more: the matrices of BlockAlgebra, each row only as far as it
/// reaches.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/idx.hpp"
#include "models/contact/method/contact_method.hpp"

namespace kagami::models {

/// Puts bodies in an order in which those that touch stand close together (reverse Cuthill-McKee
/// over contacts and systems); then everything away from the diagonal is zero and left out. All
/// matrices n x n with n = 6 bodies, row after row, in that order; vectors by the problem's bodies.
/// Set-up by capacity; cycle code after that. One thread.
class SkylineCholesky {
 public:
  explicit SkylineCholesky(int bodies);

  /// Takes order and reach from a problem within the capacity, whose Phi is borrowed.
  void load(const ContactProblem& problem) noexcept;
  /// Place of a body in the problem.
  [[nodiscard]] int place(int body) const noexcept { return place_[idx(body)]; }

  /// Zero, where factor() reads.
  void clear(double* M) const noexcept;
  /// Lower Cholesky factor in place. Where a pivot is rounding its column is zero: M may be
  /// semidefinite.
  void factor(double* M) noexcept;
  /// A = Phi N, T = scale Q' A, and 1 + T' T = U' D U in B: rows of D U, on the diagonal D^-1.
  void prepare(const double* N, const double* Q, double scale, double* A, double* T,
               double* B) const noexcept;
  /// s = N (U' D U)^-1 N^-1 r, pivots of N that are zero give nothing.
  void solve(const double* N, const double* B, const double* r, double* s) noexcept;
  /// y = Phi x.
  void respond(const double* x, double* y) const noexcept;

 private:
  // blocks [first, end) of a block row
  struct Reach {
    int first = 0;
    int end = 0;
    void take(const Reach& r) noexcept {
      if (r.first < first) first = r.first;
      if (r.end > end) end = r.end;
    }
  };

  [[nodiscard]] bool touch(int I, int K) const noexcept {
    return (link_[idx(I * K_ + K)] & 1) != 0;
  }
  [[nodiscard]] bool coupled(int I, int K) const noexcept {
    return I == K || (link_[idx(I * K_ + K)] & 2) != 0;
  }
  void link(const ContactProblem& problem) noexcept;
  void sort() noexcept;
  void measure() noexcept;
  void multiply_phi(const double* N, double* A) const noexcept;
  void multiply_q(const double* Q, double scale, const double* A, double* T) const noexcept;
  void square(const double* T, double* B) const noexcept;
  void eliminate(double* B) const noexcept;
  void go_back(const double* B, double* t) const noexcept;

  int K_ = 0;
  const double* Phi_ = nullptr;
  std::vector<std::uint8_t> link_;  // K x K by place: 1 touch, 2 of one system
  std::vector<std::uint8_t> by_body_;
  std::vector<int> body_, place_, degree_;
  std::vector<Reach> N_, A_, T_;  // of block rows
  std::vector<int> tall_, B_;     // of N: lowest block of a column + 1; end of B's rows
  std::vector<Reach> system_;     // places of a body's system
  std::vector<Reach> fellows_;    // the same by body
  std::vector<double> inverse_;   // of pivots
  std::vector<double> t_;         // by place
};

}  // namespace kagami::models
