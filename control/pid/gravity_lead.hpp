/// How far servo targets must lead so that gravity does not make the joints sag.
#pragma once

#include <span>
#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/model.hpp"

namespace kagami::control {

/// A servo with a proportional loop gives way by tau / k under a load tau; a target that is that
/// much further on takes it out. tau by RNEA at rest (docs/math/pid.md (pid-5)).
class GravityLead {
 public:
  /// `stiffness`: of each joint's servo, N m/rad, model order. Copies the model. Throws ConfigError
  /// for a base that floats (what its feet bear is not a function of the joints) and a stiffness
  /// that is not known, 0 or not finite.
  GravityLead(const models::Model& model, std::span<const double> stiffness,
              std::span<const std::string> joint_names);

  /// lead (rad) at the angles q (rad, model order, finite). Cycle code.
  void at(const JointArray<double>& q, JointArray<double>& lead) noexcept;

 private:
  models::Model model_;
  std::vector<double> stiffness_;
  models::RneaWorkspace workspace_;
  JointVector q_;
  JointVector rest_;  // no speed, no acceleration
  JointVector tau_;
};

}  // namespace kagami::control
