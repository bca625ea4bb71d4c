/// Recursive Newton-Euler algorithm: joint forces from joint accelerations.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/kernel/rnea_kernel.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Sized from the model; no call allocates afterwards. It belongs to that model: it holds constants
/// prepared from it.
struct RneaWorkspace {
  explicit RneaWorkspace(const Model& model);

  kernel::Tree fast;  ///< of rnea
  kernel::RneaKernel kernel;

  TreePass tree;          ///< of rnea_reference, this and all below
  std::vector<Motion> a;  ///< per body, acceleration minus gravity, in B
  std::vector<Force> F;   ///< per body, F_Bo_B that its joint exerts on it (N m, N)
};

/// Fast where the kernels know every joint (fixed, revolute, floating: docs/math/kernels.md), else
/// rnea_reference. tau (N m; a floating base: moment and force on it, in its frame) that gives vdot
/// at q, v. Cycle code.
void rnea(const Model& model, const JointVector& q, const JointVector& v, const JointVector& vdot,
          const ExternalLoads& extras, RneaWorkspace& w, JointVector& tau) noexcept;
void rnea(const Model& model, const JointVector& q, const JointVector& v, const JointVector& vdot,
          RneaWorkspace& w, JointVector& tau) noexcept;
/// The same line by line from its source, for every type of joint; leaves the force of every joint
/// in w.F. Cycle code.
void rnea_reference(const Model& model, const JointVector& q, const JointVector& v,
                    const JointVector& vdot, const ExternalLoads& extras, RneaWorkspace& w,
                    JointVector& tau) noexcept;

}  // namespace kagami::models
