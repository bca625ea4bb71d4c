/// The articulated-body algorithm on plain numbers, limbs in pairs.
#pragma once

#include "models/dynamics/kernel/tree.hpp"

namespace kagami::models::kernel {

/// What the algorithm keeps of a body between its passes, in the kernel's frame of the body.
template <class T>
struct AbaBody {
  Vec<T> w;      ///< rad/s
  T cx, cy;      ///< velocity product, angular: rad/s^2, about z it has none
  Vec<T> cl;     ///< the same, linear, in J: m/s^2
  SymMat3<T> I;  ///< articulated inertia: angular, mixed and linear blocks
  KernelMat3<T> H;
  SymMat3<T> M;
  Vec<T> n, f;    ///< bias force: N m, N
  Vec<T> Un, Uf;  ///< articulated inertia times S
  T D_inverse, u;
  Vec<T> alpha, a;  ///< acceleration: rad/s^2; of the origin, m/s^2, minus gravity
};

struct AbaKernel {
  explicit AbaKernel(const Tree& tree) : values(tree), body(tree) {}
  JointValues values;
  Bodies<AbaBody> body;
  bool free_is_positive = true;  ///< every free body's articulated inertia was positive definite
};

/// vdot from q, v, tau and what is added to the diagonal, in the model's order; F_ext in w.values
/// when with_forces. Cycle code.
void aba(const Tree& tree, const double* q, const double* v, const double* tau, const double* added,
         bool with_forces, AbaKernel& w, double* vdot) noexcept;

/// Response of a free body, with all that hangs on it, to impulses on itself: [ww wv; wv' vv], the
/// inverse of its articulated inertia, about Bo, in B.
struct FreeResponse {
  SymMat3<double> ww;     ///< 1/(kg m^2)
  KernelMat3<double> wv;  ///< 1/(kg m)
  SymMat3<double> vv;     ///< 1/kg
};
/// Of the tree's free body `i`, after aba with the same `added`. Cycle code.
FreeResponse free_response(const Tree& tree, std::size_t i, const double* added,
                           const AbaKernel& w) noexcept;
/// dv, in the model's order, that the impulses in w.values.F_ext (N m s, N s; as forces are given)
/// cause at the configuration of the last aba; roots: free_response of every free body. Overwrites
/// the bias forces and accelerations of w. Cycle code.
void aba_response(const Tree& tree, const FreeResponse* roots, AbaKernel& w, double* dv) noexcept;

}  // namespace kagami::models::kernel
