#include "models/robot/state.hpp"

namespace kagami::models {

State neutral_state(const Model& model) {
  State state{JointVector::Zero(model.num_q()), JointVector::Zero(model.num_v())};
  for (int i = 0; i < model.num_bodies(); ++i) {
    neutral_joint(model.body(i).joint, state.q.data() + model.body(i).q_index);
  }
  return state;
}

void integrate(const Model& model, const JointVector& v, double dt, JointVector& q) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    integrate_joint(b.joint, v.data() + b.v_index, dt, q.data() + b.q_index);
  }
}

}  // namespace kagami::models
