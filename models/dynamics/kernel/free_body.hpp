/// What the kernels need of a body that floats in the world.
#pragma once

#include "models/dynamics/kernel/tree.hpp"

namespace kagami::models::kernel {

/// R_WB of a free body; its quaternion (w x y z) is normalised first.
KernelMat3<double> rotation_of(const FreeBody& body, const double* q) noexcept;

/// x = A^-1 b of a symmetric positive definite matrix, whose lower half is read and overwritten.
/// False when the matrix is not positive definite; x then means nothing.
bool solve6(double A[6][6], const double* b, double* x) noexcept;

}  // namespace kagami::models::kernel
