/// What the equations of motion leave over: the check of an acceleration against inverse dynamics.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Residual of a degree of freedom, as part of the joint's whole force, from which on an
/// acceleration is refused. Far above what assemblies of ordinary trees leave.
inline constexpr double kLargestResidual = 0x1p-30;

/// Sized from the model; no call after construction allocates. The model must outlive it.
class MotionResidual {
 public:
  explicit MotionResidual(const Model& model);

  /// Largest |tau - J vdot - S' F| over the degrees of freedom, each as part of the size of what
  /// the joint carries, |tau| + J |vdot| + |S| (sum of all forces that make up F, and the weight
  /// beyond the joint: F of a free base is zero by itself). F by the recursive Newton-Euler
  /// algorithm in body frames, J the model's rotor inertias or the extras' diagonal. With F_ext:
  /// the forces of loops belong to them. An infinity where a number is not finite. Cycle code.
  [[nodiscard]] double largest(const JointVector& q, const JointVector& v, const JointVector& tau,
                               const ExternalLoads& extras, const JointVector& vdot) noexcept;

 private:
  void add_up_loads(const ExternalLoads& extras) noexcept;

  const Model& model_;
  RneaWorkspace rnea_;
  JointVector tau_;
  std::vector<double> weight_;  // N, per body: of it and all that it carries
  std::vector<double> load_;    // per body: magnitudes of what its joint carries, added up
};

}  // namespace kagami::models
