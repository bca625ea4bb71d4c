/// Columns of motion subspaces, composite inertias and momenta, all about Wo and in W: what the
/// rates of Jacobians and of the centroidal momentum matrix are made of.
#pragma once

#include "models/dynamics/jacobians.hpp"

namespace kagami::models {

/// Column k of J_W. Cycle code; so are all below. They read w.kinematics after
/// forward_kinematics.
Motion world_column(const Model& model, const Kinematics& k, BodyIndex i, int dof) noexcept;
/// Its rate: V x S, and the share of a column that turns in B (universal joint).
Motion world_column_rate(const Model& model, const JointVector& q, const JointVector& v,
                         const Kinematics& k, BodyIndex i, int dof) noexcept;
/// w.I and w.h of every body with all that hangs on it.
void add_world_composites(const Model& model, JacobianWorkspace& w) noexcept;

}  // namespace kagami::models
