/// Composite-rigid-body algorithm: the mass matrix.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/inertia.hpp"

namespace kagami::models {

/// Sized from the model; no call allocates afterwards.
struct CrbaWorkspace {
  explicit CrbaWorkspace(const Model& model);

  TreePass tree;
  std::vector<SpatialInertia> Ic;  ///< per body: itself and all that hangs on it, as one
};

/// Mass matrix H (kg m^2 and kin) at q, symmetric, rotor inertias on its diagonal. Cycle code.
void crba(const Model& model, const JointVector& q, CrbaWorkspace& w, JointMatrix& H) noexcept;

}  // namespace kagami::models
