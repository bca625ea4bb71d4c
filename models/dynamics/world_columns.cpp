#include "models/dynamics/world_columns.hpp"

namespace kagami::models {
namespace {

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

}  // namespace

Motion world_column(const Model& /*model*/, const Kinematics& k, BodyIndex i, int dof) noexcept {
  return k.X_WB[at(i)] * k.tree.S[at(dof)];
}

Motion world_column_rate(const Model& model, const JointVector& q, const JointVector& v,
                         const Kinematics& k, BodyIndex i, int dof) noexcept {
  const Body& b = model.body(i);
  Motion rate = cross(k.tree.V[at(i)], k.tree.S[at(dof)]);
  if (b.joint.type == JointType::kUniversal && dof == b.v_index) {
    // joint_bias is linear in the first rate: at 1 it is the rate of the first column
    const double unit[2] = {1.0, v[b.v_index + 1]};
    rate += joint_bias(b.joint, q.data() + b.q_index, unit);
  }
  return k.X_WB[at(i)] * rate;
}

void add_world_composites(const Model& model, JacobianWorkspace& w) noexcept {
  const Kinematics& k = w.kinematics;
  for (int i = 0; i < model.num_bodies(); ++i) {
    w.I[at(i)] = k.X_WB[at(i)] * model.body(i).inertia;
    w.h[at(i)] = k.X_WB[at(i)] * (model.body(i).inertia * k.tree.V[at(i)]);
  }
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    const BodyIndex parent = model.body(i).parent;
    if (parent == kWorld) continue;
    w.I[at(parent)] = w.I[at(parent)] + w.I[at(i)];
    w.h[at(parent)] += w.h[at(i)];
  }
}

}  // namespace kagami::models
