/// Rows of doubles worked two at a time (SSE2, which every x86-64 has), in a written order.
#pragma once

#include <utility>

#include "models/dynamics/kernel/lanes.hpp"

namespace kagami::models::pairs {

using kernel::V2;
/// Two neighbours in memory, on any multiple of eight bytes.
using V2InMemory __attribute__((vector_size(16), aligned(8), may_alias)) = double;

KAGAMI_KERNEL_INLINE V2 load(const double* x) noexcept {
  return *reinterpret_cast<const V2InMemory*>(x);
}
KAGAMI_KERNEL_INLINE void store(double* x, V2 v) noexcept {
  *reinterpret_cast<V2InMemory*>(x) = v;
}

/// kPairs pairs kept in registers.
template <int kPairs>
struct Row {
  V2 v[kPairs];

  KAGAMI_KERNEL_INLINE static Row zero() noexcept { return Row{}; }
  KAGAMI_KERNEL_INLINE static Row of(const double* x) noexcept {
    Row r;
    r.each([&](int i) __attribute__((always_inline)) { r.v[i] = load(x + 2 * i); });
    return r;
  }
  /// += a x
  KAGAMI_KERNEL_INLINE void add(double a, const double* x) noexcept {
    const V2 both = {a, a};
    each([&](int i) __attribute__((always_inline)) { v[i] += both * load(x + 2 * i); });
  }
  KAGAMI_KERNEL_INLINE void add(double a, const Row& x) noexcept {
    const V2 both = {a, a};
    each([&](int i) __attribute__((always_inline)) { v[i] += both * x.v[i]; });
  }
  KAGAMI_KERNEL_INLINE void put(double* x) const noexcept {
    each([&](int i) __attribute__((always_inline)) { store(x + 2 * i, v[i]); });
  }

 private:
  /// f(0), f(1), ... unrolled.
  template <class F>
  KAGAMI_KERNEL_INLINE static void each(F f) noexcept {
    [&f]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      (f(I), ...);
    }
    (std::make_integer_sequence<int, kPairs>());
  }
};

/// x[0 .. count) += a y; count even.
KAGAMI_KERNEL_INLINE void add_row(double* x, double a, const double* y, int count) noexcept {
  const V2 both = {a, a};
  for (int i = 0; i < count; i += 2) store(x + i, load(x + i) + both * load(y + i));
}

}  // namespace kagami::models::pairs
