/// The recursive Newton-Euler algorithm on plain numbers, limbs in pairs.
#pragma once

#include "models/dynamics/kernel/tree.hpp"

namespace kagami::models::kernel {

/// What the algorithm keeps of a body, in the kernel's frame of the body.
template <class T>
struct RneaBody {
  Vec<T> w, alpha;  ///< rad/s, rad/s^2
  Vec<T> a;         ///< of the origin, minus gravity: m/s^2
  Vec<T> n, f;      ///< force that its joint exerts on it: N m, N
};

struct RneaKernel {
  explicit RneaKernel(const Tree& tree) : values(tree), body(tree) {}
  JointValues values;
  Bodies<RneaBody> body;
};

/// tau from q, v, vdot and what is added to the diagonal, in the model's order; F_ext in w.values
/// when with_forces. Cycle code.
void rnea(const Tree& tree, const double* q, const double* v, const double* vdot,
          const double* added, bool with_forces, RneaKernel& w, double* tau) noexcept;

}  // namespace kagami::models::kernel
