#include "models/dynamics/kinematics.hpp"

#include <Eigen/Geometry>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

// the answer to another size than the model's
void no_place(Kinematics& k) noexcept {
  const Pose nowhere{Mat3::Constant(kNaN), Vec3::Constant(kNaN)};
  for (Pose& X : k.X_WB) X = nowhere;
  for (Pose& X : k.tree.X_PB) X = nowhere;
  for (Motion& S : k.tree.S) S = Motion{};
  for (Motion& V : k.tree.V) V = Motion{};
  for (Motion& c : k.tree.c) c = Motion{};
}

}  // namespace

Kinematics::Kinematics(const Model& model) : tree(model), X_WB(idx(model.num_bodies())) {}

void forward_kinematics(const Model& model, const JointVector& q, const JointVector& v,
                        Kinematics& k) noexcept {
  if (!sizes_fit(model, q, v)) return no_place(k);
  place_joints(model, q, k.tree);
  move_joints(model, q, v, k.tree);
  for (int i = 0; i < model.num_bodies(); ++i) {
    const BodyIndex parent = model.body(i).parent;
    const Pose& X_PB = k.tree.X_PB[idx(i)];
    k.X_WB[idx(i)] = parent == kWorld ? X_PB : k.X_WB[idx(parent)] * X_PB;
  }
}

Pose frame_pose(const Kinematics& k, const Frame& frame) noexcept {
  return k.X_WB[idx(frame.body)] * frame.X_BF;
}

Vec3 center_of_mass(const Model& model, const Kinematics& k) noexcept {
  double mass = 0.0;
  Vec3 moment = Vec3::Zero();  // sum of m p_WBcm
  for (int i = 0; i < model.num_bodies(); ++i) {
    const SpatialInertia& I = model.body(i).inertia;
    mass += I.mass;
    moment += I.mass * k.X_WB[idx(i)].p + k.X_WB[idx(i)].R * I.h;
  }
  return moment / mass;
}

Force momentum(const Model& model, const Kinematics& k) noexcept {
  Force sum = Force::zero();
  for (int i = 0; i < model.num_bodies(); ++i) {
    sum += k.X_WB[idx(i)] * (model.body(i).inertia * k.tree.V[idx(i)]);
  }
  return sum;
}

Force momentum_about_com(const Model& model, const Kinematics& k) noexcept {
  const Pose X_WC{Mat3::Identity(), center_of_mass(model, k)};
  return inverse_times(X_WC, momentum(model, k));
}

}  // namespace kagami::models
