/// Composite inertias on plain numbers: the mass matrix, Jacobians, the centroidal momentum matrix.
#pragma once

#include "models/dynamics/kernel/tree.hpp"

namespace kagami::models::kernel {

/// What is kept of a body, in the kernel's frame of the body.
template <class T>
struct CompositeBody {
  Vec<T> h;            ///< kg m, itself and all that hangs on it
  SymMat3<T> I;        ///< kg m^2, the same, about Bo
  KernelMat3<T> R_WB;  ///< after place_bodies
  Vec<T> p_WB;         ///< m
};

struct CompositeKernel {
  explicit CompositeKernel(const Tree& tree) : values(tree), body(tree) {}
  JointValues values;
  Bodies<CompositeBody> body;
};

/// [moment; force] or momentum, about Bo, in B.
template <class T>
struct Wrench {
  Vec<T> n, f;
};

/// Momentum of the composite body at unit rate of its joint.
template <class T>
KAGAMI_KERNEL_INLINE Wrench<T> unit_momentum(const CompositeBody<T>& b) noexcept {
  return {{b.I.xz, b.I.yz, b.I.zz}, {T{} - b.h.y, b.h.x, T{}}};  // (k-2)
}

/// R_WB and p_WB of every body; after turn_joints. Cycle code.
void place_bodies(const Tree& tree, const double* q, const JointValues& values,
                  Bodies<CompositeBody>& body) noexcept;
/// h and I of every body with all that hangs on it; after turn_joints. Cycle code.
void add_composites(const Tree& tree, CompositeKernel& w) noexcept;

/// Mass matrix, column after column, num_v square, both halves; `added` on its diagonal. Cycle
/// code.
void crba(const Tree& tree, const double* q, const double* added, CompositeKernel& w,
          double* H) noexcept;
/// Columns [w; v of the point at Wo] of all degrees of freedom, expressed in W: 6 x num_v, column
/// after column. Cycle code.
void joint_jacobians(const Tree& tree, const double* q, CompositeKernel& w, double* J) noexcept;
/// Mass centre (m, 3) and its Jacobian (3 x num_v, m per rad), in W. Cycle code.
void com_jacobian(const Tree& tree, const double* q, CompositeKernel& w, double* com,
                  double* J) noexcept;
/// Mass centre and centroidal momentum matrix: [moment; force] about the mass centre, axes of W,
/// 6 x num_v. Cycle code.
void centroidal_matrix(const Tree& tree, const double* q, CompositeKernel& w, double* com,
                       double* A) noexcept;

}  // namespace kagami::models::kernel
