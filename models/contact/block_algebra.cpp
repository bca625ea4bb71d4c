#include "models/contact/block_algebra.hpp"

#include <cmath>

namespace kagami::models {
namespace {

// a pivot below this share of its diagonal is rounding
constexpr double kZeroPivot = 1e-13;

// kN, kGroup: sizes known to the compiler; 0: those of `size`
template <int kN, int kGroup>
struct Fixed {
  explicit Fixed(const BlockAlgebra& size) : size_(size) {}
  [[nodiscard]] int n() const noexcept { return kN > 0 ? kN : size_.n; }
  [[nodiscard]] int group() const noexcept { return kGroup > 0 ? kGroup : size_.group; }

  void factor(double* M) const noexcept {
    const int stride = n();
    const int g = group();
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
    const int stride = n();
    const int g = group();
    for (int i = 0; i < stride; ++i) {
      double* a = A + i * stride;
      for (int first = 0; first < stride; first += g) {
        for (int j = 0; j < g; ++j) a[first + j] = 0.0;
        for (int k = first; k < first + g; ++k) {
          const double x = Phi[i * stride + k];
          const double* row = N + k * stride + first;
          for (int j = 0; j < g; ++j) a[first + j] += x * row[j];
        }
      }
    }
    for (int i = 0; i < stride; ++i) {
      double* t = T + i * stride;
      for (int j = 0; j < stride; ++j) t[j] = 0.0;
      const int last = i - i % g + g;
      for (int k = i; k < last; ++k) {
        const double x = scale * Q[k * stride + i];
        const double* a = A + k * stride;
        for (int j = 0; j < stride; ++j) t[j] += x * a[j];
      }
    }
    for (int i = 0; i < stride; ++i) {
      double* b = B + i * stride;
      const int from = i - i % 2;
      for (int j = from; j < stride; ++j) b[j] = 0.0;
      b[i] = 1.0;
      for (int k = 0; k < stride; ++k) {
        const double* t = T + k * stride;
        const double x = t[i];
        for (int j = from; j < stride; ++j) b[j] += x * t[j];
      }
    }
    for (int j = 0; j < stride; ++j) {
      double* row = B + j * stride;
      const double pivot = 1.0 / std::sqrt(row[j]);
      for (int k = j + 1; k < stride; ++k) row[k] *= pivot;
      row[j] = pivot;
      for (int i = j + 1; i < stride; ++i) {
        double* below = B + i * stride;
        const double x = row[i];
        for (int k = i - i % 2; k < stride; ++k) below[k] -= x * row[k];
      }
    }
  }

  void solve(const double* N, const double* B, double* t) const noexcept {
    const int stride = n();
    const int g = group();
    for (int i = 0; i < stride; ++i) {
      const double* row = N + i * stride;
      double x = t[i];
      for (int k = i - i % g; k < i; ++k) x -= row[k] * t[k];
      t[i] = row[i] > 0.0 ? x / row[i] : 0.0;
    }
    for (int i = 0; i < stride; ++i) {
      const double* row = B + i * stride;
      const double x = t[i] * row[i];
      t[i] = x;
      for (int k = i + 1; k < stride; ++k) t[k] -= row[k] * x;
    }
    for (int i = stride - 1; i >= 0; --i) {
      const double* row = B + i * stride;
      double x = t[i];
      for (int k = i + 1; k < stride; ++k) x -= row[k] * t[k];
      t[i] = x * row[i];
    }
  }

  void expand(const double* N, const double* t, double* s) const noexcept {
    const int stride = n();
    for (int i = 0; i < stride; ++i) {
      double x = 0.0;
      for (int k = i - i % group(); k <= i; ++k) x += N[i * stride + k] * t[k];
      s[i] = x;
    }
  }

  // Phi is symmetric: columns for rows, so that lanes fill
  void respond(const double* Phi, const double* s, double* y) const noexcept {
    const int stride = n();
    for (int i = 0; i < stride; ++i) y[i] = 0.0;
    for (int k = 0; k < stride; ++k) {
      const double* row = Phi + k * stride;
      for (int i = 0; i < stride; ++i) y[i] += row[i] * s[k];
    }
  }

 private:
  const BlockAlgebra& size_;
};

template <class F>
void dispatch(const BlockAlgebra& size, F f) noexcept {
  if (size.group == 6 && size.n == 6) return f(Fixed<6, 6>(size));
  if (size.group == 6 && size.n == 12) return f(Fixed<12, 6>(size));
  f(Fixed<0, 0>(size));
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
