/// Recursive Newton-Euler algorithm: joint forces from joint accelerations.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Sized from the model; no call allocates afterwards.
struct RneaWorkspace {
  explicit RneaWorkspace(const Model& model);

  TreePass tree;
  std::vector<Motion> a;  ///< per body, acceleration minus gravity, in B
  std::vector<Force> F;   ///< per body, F_Bo_B that its joint exerts on it (N m, N)
};

/// tau (N m; a floating base: moment and force on it, in its frame) that gives vdot at q, v. Cycle
/// code.
void rnea(const Model& model, const JointVector& q, const JointVector& v, const JointVector& vdot,
          const Extras& extras, RneaWorkspace& w, JointVector& tau) noexcept;
void rnea(const Model& model, const JointVector& q, const JointVector& v, const JointVector& vdot,
          RneaWorkspace& w, JointVector& tau) noexcept;

}  // namespace kagami::models
