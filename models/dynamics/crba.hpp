/// Composite-rigid-body algorithm: the mass matrix.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/kernel/composite_kernel.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/inertia.hpp"

namespace kagami::models {

/// Sized from the model; no call allocates afterwards. It belongs to that model: it holds constants
/// prepared from it.
struct CrbaWorkspace {
  explicit CrbaWorkspace(const Model& model);

  kernel::Tree fast;  ///< of crba
  kernel::CompositeKernel kernel;

  TreePass tree;                   ///< of crba_reference, this and all below
  std::vector<SpatialInertia> Ic;  ///< per body: itself and all that hangs on it, as one
};

/// Mass matrix H (kg m^2 and kin) at q, symmetric, rotor inertias on its diagonal. Fast where the
/// kernels know every joint (fixed, revolute, floating: docs/math/kernels.md), else crba_reference.
/// Allocates only where H is not yet num_v square. Cycle code.
void crba(const Model& model, const JointVector& q, CrbaWorkspace& w, JointMatrix& H) noexcept;

/// The same line by line from its source, for every type of joint. Cycle code.
void crba_reference(const Model& model, const JointVector& q, CrbaWorkspace& w,
                    JointMatrix& H) noexcept;

}  // namespace kagami::models
