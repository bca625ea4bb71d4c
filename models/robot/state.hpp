/// Coordinates and velocities of a model.
#pragma once

#include "models/base/types.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// q has model.num_q() entries, v has model.num_v(); meanings per joint type in joint.hpp.
struct State {
  JointVector q;
  JointVector v;
};

/// Every joint at zero, at rest. Set-up.
State neutral_state(const Model& model);
/// Moves q by v for dt (s), each joint by its own rule. Cycle code.
void integrate(const Model& model, const JointVector& v, double dt, JointVector& q) noexcept;

}  // namespace kagami::models
