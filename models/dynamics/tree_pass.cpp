// Joint model of [RBDA] = Featherstone 2008, sections 4.4 and 5.3, in our letters.
//   X_PB = X_PJ X_JB(q)                (tree-1)
//   VJ   = S v                         (tree-2)
//   V    = X^-1 V_P + VJ               (tree-3)
//   c    = cJ + V x VJ                 (tree-4)
#include "models/dynamics/tree_pass.hpp"

#include <algorithm>

namespace kagami::models {

TreePass::TreePass(const Model& model)
    : X_PB(static_cast<std::size_t>(model.num_bodies())),
      S(static_cast<std::size_t>(model.num_v())),
      V(static_cast<std::size_t>(model.num_bodies())),
      c(static_cast<std::size_t>(model.num_bodies())) {}

bool sizes_fit(const Model& model, const JointVector& q, const JointVector& v) noexcept {
  return q.size() == model.num_q() && v.size() == model.num_v();
}

bool sizes_fit(const Model& model, const JointVector& q, const JointVector& v, const JointVector& x,
               const ExternalLoads& extras) noexcept {
  const auto bodies = static_cast<std::size_t>(model.num_bodies());
  return sizes_fit(model, q, v) && x.size() == model.num_v() &&
         (extras.F_ext.empty() || extras.F_ext.size() == bodies) &&
         (extras.added_inertia == nullptr || extras.added_inertia->size() == model.num_v());
}

void no_number(const Model& model, JointVector& x) noexcept {
  x.setConstant(model.num_v(), kNaN);
}

void place_joints(const Model& model, const JointVector& q, TreePass& w) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const double* q_i = q.data() + b.q_index;
    w.X_PB[static_cast<std::size_t>(i)] = b.X_PJ * joint_pose(b.joint, q_i);  // (tree-1)
    joint_subspace(b.joint, q_i, w.S.data() + b.v_index);
  }
}

Motion joint_velocity(const Model& model, const TreePass& w, BodyIndex i,
                      const JointVector& v) noexcept {
  const Body& b = model.body(i);
  Motion VJ = Motion::zero();
  for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
    VJ.c += w.S[static_cast<std::size_t>(k)].c * v[k];
  }
  return VJ;
}

void move_joints(const Model& model, const JointVector& q, const JointVector& v,
                 TreePass& w) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const auto n = static_cast<std::size_t>(i);
    const Body& b = model.body(i);
    const Motion VJ = joint_velocity(model, w, i, v);  // (tree-2)
    w.V[n] = VJ;                                       // (tree-3)
    if (b.parent != kWorld) {
      w.V[n] += inverse_times(w.X_PB[n], w.V[static_cast<std::size_t>(b.parent)]);
    }
    w.c[n] = joint_bias(b.joint, q.data() + b.q_index, v.data() + b.v_index) +
             cross(w.V[n], VJ);  // (tree-4)
  }
}

// F of a body and of all that hangs on it, tips first
void add_joint_loads(const Model& model, const TreePass& w, std::span<const Force> F_ext,
                     std::vector<Force>& carried, JointVector& tau) noexcept {
  std::copy(F_ext.begin(), F_ext.end(), carried.begin());
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    const auto n = static_cast<std::size_t>(i);
    const Body& b = model.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      tau[k] += power(w.S[static_cast<std::size_t>(k)], carried[n]);
    }
    if (b.parent != kWorld) {
      carried[static_cast<std::size_t>(b.parent)] += w.X_PB[n] * carried[n];
    }
  }
}

void load_forces(const kernel::Tree& tree, const ExternalLoads& extras,
                 kernel::JointValues& j) noexcept {
  if (extras.F_ext.empty()) return;
  kernel::clear_forces(j);
  for (std::size_t i = 0; i < extras.F_ext.size(); ++i) {
    kernel::add_force(tree, static_cast<int>(i), extras.F_ext[i].c.data(), j);
  }
}

}  // namespace kagami::models
