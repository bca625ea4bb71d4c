/// Cholesky factorisation of a tree's mass matrix that keeps its zeros.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Parent of each degree of freedom, -1 at a root: the coordinates of one joint follow each other,
/// the first hangs on the last of the nearest moving joint towards the root.
std::vector<int> dof_parents(const Model& model);

/// H = L' L in place: L in the lower triangle of H, entries off a branch stay untouched zeros.
/// False when H is not positive definite. Cycle code.
bool factor_tree(const std::vector<int>& parent, JointMatrix& H) noexcept;
/// x = H^-1 x from factor_tree. Cycle code.
void solve_tree(const std::vector<int>& parent, const JointMatrix& L, JointVector& x) noexcept;

}  // namespace kagami::models
