/// Articulated-body algorithm: joint accelerations from joint forces in one sweep per direction.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/kernel/aba_kernel.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/inertia.hpp"

namespace kagami::models {

/// Sized from the model; no call allocates afterwards. It belongs to that model: it holds constants
/// prepared from it.
struct AbaWorkspace {
  explicit AbaWorkspace(const Model& model);

  kernel::Tree fast;  ///< of aba
  kernel::AbaKernel kernel;

  TreePass tree;                       ///< of aba_reference, this and all below
  std::vector<ArticulatedInertia> IA;  ///< per body
  std::vector<Force> pA;               ///< per body, bias force
  std::vector<Motion> a;               ///< per body, acceleration minus gravity
  std::vector<Force> U;                ///< per degree of freedom
  JointVector u;                       ///< per degree of freedom
  JointVector D;                       ///< per body with one degree of freedom, at its dof
  std::vector<Mat6> D_inverse;         ///< per body with several, upper left block
};

/// Fast where the kernels know every joint (fixed, revolute, floating: docs/math/kernels.md), else
/// aba_reference. vdot (rad/s^2; a floating base: derivative of its six velocity components) from
/// q, v and tau (N m, N). Cycle code.
void aba(const Model& model, const JointVector& q, const JointVector& v, const JointVector& tau,
         const ExternalLoads& extras, AbaWorkspace& w, JointVector& vdot) noexcept;
void aba(const Model& model, const JointVector& q, const JointVector& v, const JointVector& tau,
         AbaWorkspace& w, JointVector& vdot) noexcept;
/// The same line by line from its source, for every type of joint. Cycle code.
void aba_reference(const Model& model, const JointVector& q, const JointVector& v,
                   const JointVector& tau, const ExternalLoads& extras, AbaWorkspace& w,
                   JointVector& vdot) noexcept;

}  // namespace kagami::models
