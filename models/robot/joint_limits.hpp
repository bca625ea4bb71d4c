/// Whether a posture is within the joint limits of its model.
#pragma once

#include <string>

#include "models/base/types.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// The first degree of freedom whose coordinate is outside its limits by more than 1e-9 rad or m,
/// -1 where none is. Only joints of one degree of freedom have limits. Cycle code.
int limit_passed(const Model& model, const JointVector& q) noexcept;
/// "joint 'knee' at 2.1 is outside its limits [-0.1, 2]"; `dof` as limit_passed returned it.
std::string limit_text(const Model& model, int dof, const JointVector& q);

}  // namespace kagami::models
