/// Products of six numbers in loops of fixed length, two lanes at a time: what a visit of a patch
/// consists of. Cycle code.
#pragma once

#include "models/base/types.hpp"

namespace kagami::models {

/// Two numbers, wherever they lie.
using Lanes = double __attribute__((vector_size(16), aligned(8), may_alias));

/// a . b
inline double dot(const Vec6& a, const Vec6& b) noexcept {
  double sum = a[0] * b[0];
  for (int k = 1; k < 6; ++k) sum += a[k] * b[k];
  return sum;
}

/// y += factor M x; column after column.
inline void add_product(const Mat6& M, const Vec6& x, double factor, Vec6& y) noexcept {
  auto* const to = reinterpret_cast<Lanes*>(y.data());
  Lanes y0 = to[0];
  Lanes y1 = to[1];
  Lanes y2 = to[2];
  for (int j = 0; j < 6; ++j) {
    const auto* const m = reinterpret_cast<const Lanes*>(M.data() + 6 * j);
    const double f = factor * x[j];
    const Lanes xj = {f, f};
    y0 += m[0] * xj;
    y1 += m[1] * xj;
    y2 += m[2] * xj;
  }
  to[0] = y0;
  to[1] = y1;
  to[2] = y2;
}

/// M x
inline Vec6 times(const Mat6& M, const Vec6& x) noexcept {
  Vec6 y = Vec6::Zero();
  add_product(M, x, 1.0, y);
  return y;
}

}  // namespace kagami::models
