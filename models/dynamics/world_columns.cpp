#include "models/dynamics/world_columns.hpp"

#include "models/base/idx.hpp"

namespace kagami::models {
Motion world_column(const Model& /*model*/, const Kinematics& k, BodyIndex i, int dof) noexcept {
  return k.X_WB[idx(i)] * k.tree.S[idx(dof)];
}

Motion world_column_rate(const Model& model, const JointVector& q, const JointVector& v,
                         const Kinematics& k, BodyIndex i, int dof) noexcept {
  const Body& b = model.body(i);
  Motion rate = cross(k.tree.V[idx(i)], k.tree.S[idx(dof)]);
  if (b.joint.type == JointType::kUniversal && dof == b.v_index) {
    // joint_bias is linear in the first rate: at 1 it is the rate of the first column
    const double unit[2] = {1.0, v[b.v_index + 1]};
    rate += joint_bias(b.joint, q.data() + b.q_index, unit);
  }
  return k.X_WB[idx(i)] * rate;
}

void add_world_composites(const Model& model, JacobianWorkspace& w) noexcept {
  const Kinematics& k = w.kinematics;
  for (int i = 0; i < model.num_bodies(); ++i) {
    w.I[idx(i)] = k.X_WB[idx(i)] * model.body(i).inertia;
    w.h[idx(i)] = k.X_WB[idx(i)] * (model.body(i).inertia * k.tree.V[idx(i)]);
  }
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    const BodyIndex parent = model.body(i).parent;
    if (parent == kWorld) continue;
    w.I[idx(parent)] = w.I[idx(parent)] + w.I[idx(i)];
    w.h[idx(parent)] += w.h[idx(i)];
  }
}

}  // namespace kagami::models
