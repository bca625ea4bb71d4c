/// Coordinates and velocities of a model.
#pragma once

#include <string>

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
/// The v that takes q0 to q1 in one second by integrate. Cycle code; v must have its size.
void difference(const Model& model, const JointVector& q0, const JointVector& q1,
                JointVector& v) noexcept;
/// dq/dt of v; q_rate must have the size of q. Cycle code.
void q_rate(const Model& model, const JointVector& q, const JointVector& v,
            JointVector& rate) noexcept;

/// True when every quaternion of q, which has the model's size, names an orientation: longer than
/// 1e-6, so that it can be brought to unit length. Cycle code.
bool has_orientations(const Model& model, const JointVector& q) noexcept;

/// Empty when q and v can be a state of the model: right sizes, finite, quaternions of unit length
/// to 1e-3 (files round them; algorithms normalise). Otherwise what is wrong and where. Set-up.
std::string state_problem(const Model& model, const JointVector& q, const JointVector& v);

}  // namespace kagami::models
