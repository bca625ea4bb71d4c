#include "models/contact/point/block_algebra.hpp"

#include <cmath>

#include "models/contact/response/pairs.hpp"

namespace kagami::models {
namespace {

// a pivot below this share of its diagonal is rounding
constexpr double kZeroPivot = 1e-13;

// out = scale * sum over k < count of x[k x_step] * row k of Y; rows kSize long
template <int kSize>
KAGAMI_KERNEL_INLINE void sum_rows(const double* x, int x_step, const double* Y, int stride,
                                   int count, double scale, double* out) noexcept {
  auto sum = pairs::Row<kSize / 2>::zero();
  for (int k = 0; k < count; ++k) sum.add(scale * x[k * x_step], Y + k * stride);
  sum.put(out);
}

// loops of a length known at compile time
template <int kN, int kGroup>
struct Fixed {
  void factor(double* M) const noexcept {
    constexpr int stride = kN;
    constexpr int g = kGroup;
    for (int first = 0; first < stride; first += g) {
      double* block = M + first * stride + first;
      for (int j = 0; j < g; ++j) {
        double* row_j = block + j * stride;
        double d = row_j[j];
        const double least = kZeroPivot * d;
        for (int k = 0; k < j; ++k) d -= row_j[k] * row_j[k];
        const double scale = d > least ? 1.0 / std::sqrt(d) : 0.0;
        row_j[j] = d > least ? d * scale : 0.0;
        for (int i = j + 1; i < g; ++i) {
          double* row_i = block + i * stride;
          double e = row_i[j];
          for (int k = 0; k < j; ++k) e -= row_i[k] * row_j[k];
          row_i[j] = e * scale;
          row_j[i] = 0.0;
        }
      }
    }
  }

  // rows of N, Q are zero beyond their block's diagonal: whole blocks, so that lanes fill
  void prepare(const double* Phi, const double* N, const double* Q, double scale, double* A,
               double* T, double* B) const noexcept {
    constexpr int stride = kN;
    constexpr int g = kGroup;
    for (int i = 0; i < stride; ++i) {
      for (int first = 0; first < stride; first += g) {
        sum_rows<kGroup>(Phi + i * stride + first, 1, N + first * stride + first, stride, g, 1.0,
                         A + i * stride + first);
      }
    }
    for (int i = 0; i < stride; ++i) {
      const int last = i - i % g + g;
      sum_rows<kN>(Q + i * stride + i, stride, A + i * stride, stride, last - i, scale,
                   T + i * stride);
    }
    // upper half, by whole pairs or whole blocks
    for (int i = 0; i < stride; ++i) {
      double* b = B + i * stride;
      if (kN == 12 && i >= 6) {
        sum_rows<6>(T + i, stride, T + 6, stride, stride, 1.0, b + 6);
      } else {
        sum_rows<kN>(T + i, stride, T, stride, stride, 1.0, b);
      }
      b[i] += 1.0;
    }
    // B = U' D U with ones on U's diagonal: rows of D U, the inverse of D on the diagonal
    for (int j = 0; j < stride; ++j) {
      double* row = B + j * stride;
      const double pivot = 1.0 / row[j];
      for (int i = j + 1; i < stride; ++i) {
        const int from = i - i % 2;
        pairs::add_row(B + i * stride + from, -(row[i] * pivot), row + from, stride - from);
      }
      row[j] = pivot;
    }
  }

  void solve(const double* N, const double* B, double* t) const noexcept {
    constexpr int stride = kN;
    constexpr int g = kGroup;
    for (int i = 0; i < stride; ++i) {
      const double* row = N + i * stride;
      double x = t[i];
      for (int k = i - i % g; k < i; ++k) x -= row[k] * t[k];
      t[i] = row[i] > 0.0 ? x / row[i] : 0.0;
    }
    for (int i = 0; i < stride; ++i) {
      const double* row = B + i * stride;
      const double x = t[i] * row[i];
      if (i % 2 == 0) t[i + 1] -= row[i + 1] * x;
      const int from = i + 2 - i % 2;
      pairs::add_row(t + from, -x, row + from, stride - from);
    }
    for (int i = stride - 1; i >= 0; --i) {
      const double* row = B + i * stride;
      double x = t[i];
      for (int k = i + 1; k < stride; ++k) x -= row[k] * t[k];
      t[i] = x * row[i];
    }
  }

  void expand(const double* N, const double* t, double* s) const noexcept {
    constexpr int stride = kN;
    for (int i = 0; i < stride; ++i) {
      double x = 0.0;
      for (int k = i - i % kGroup; k <= i; ++k) x += N[i * stride + k] * t[k];
      s[i] = x;
    }
  }

  // Phi is symmetric: columns for rows, so that lanes fill
  void respond(const double* Phi, const double* s, double* y) const noexcept {
    constexpr int stride = kN;
    sum_rows<kN>(s, 1, Phi, stride, stride, 1.0, y);
  }
};

template <class F>
void dispatch(const BlockAlgebra& size, F f) noexcept {
  if (size.n == 6) return f(Fixed<6, 6>());
  if (size.group == 6) return f(Fixed<12, 6>());
  f(Fixed<12, 12>());
}

}  // namespace

void BlockAlgebra::factor(double* M) const noexcept {
  dispatch(*this, [&](const auto& fixed) { fixed.factor(M); });
}
void BlockAlgebra::prepare(const double* Phi, const double* N, const double* Q, double scale,
                           double* A, double* T, double* B) const noexcept {
  dispatch(*this, [&](const auto& fixed) { fixed.prepare(Phi, N, Q, scale, A, T, B); });
}
void BlockAlgebra::solve(const double* N, const double* B, double* t) const noexcept {
  dispatch(*this, [&](const auto& fixed) { fixed.solve(N, B, t); });
}
void BlockAlgebra::expand(const double* N, const double* t, double* s) const noexcept {
  dispatch(*this, [&](const auto& fixed) { fixed.expand(N, t, s); });
}
void BlockAlgebra::respond(const double* Phi, const double* s, double* y) const noexcept {
  dispatch(*this, [&](const auto& fixed) { fixed.respond(Phi, s, y); });
}

}  // namespace kagami::models
