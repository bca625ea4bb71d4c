// The torques of Balance that carry the robot.
// Gravity: the printed springs cannot carry the robot, so the torques that hold it still on its
// foot are added. A floating base's six equations give the foot's force F, about Wo:
//   g_0 = J_0' F  =>  F = X_W0 g_0,   tau_g = g_l - J_path' F                           (bal-1)
// On both feet, r the support foot, o the other, at p_r, p_o, c the mass centre, s its place along
// the line between them, e its way off that line: two forces upwards, whose sum and moment are F's
//   tau_g = g_l - J_r' F_r - J_o' F_o,   F_o = -s m g at p_o + e,  F_r = -(1 - s) m g at p_r + e,
//   s = (c - p_r)' d / d' d, held inside [0, 1],  d = p_o - p_r, both in the plane      (bal-2)
#include "control/balance/balance.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace kagami::control {
void Balance::hold_gravity(const JointVector& q) noexcept {
  models::rnea(model_, q, zero_, zero_, rnea_, gravity_);
  if (robot_.other_foot) return share_gravity(q);
  if (!model_.floats()) return;
  models::joint_jacobians(model_, q, jacobian_, J_);
  const models::Body& base = model_.body(0);
  const models::Pose X_W0 = base.X_PJ * models::joint_pose(base.joint, q.data() + base.q_index);
  const Vec6 F = (X_W0 * models::Force{gravity_.head<6>()}).c;
  for (int k = 0; k < model_.num_v(); ++k) {
    if (on_path_[static_cast<std::size_t>(k)]) gravity_[k] -= J_.col(k).dot(F);  // (bal-1)
  }
  gravity_.head<6>().setZero();
}

void Balance::share_gravity(const JointVector& q) noexcept {
  models::joint_jacobians(model_, q, jacobian_, J_);
  const Vec3& n = robot_.ground.normal;
  const Vec3 p_r = models::frame_pose(kinematics_, robot_.support_foot).p;
  const Vec3 p_o = models::frame_pose(kinematics_, *robot_.other_foot).p;
  const Vec3 c = models::center_of_mass(model_, kinematics_);
  Vec3 d = p_o - p_r;
  d -= n.dot(d) * n;
  Vec3 way = c - p_r;
  way -= n.dot(way) * n;
  const double s = std::clamp(way.dot(d) / std::max(1e-12, d.squaredNorm()), 0.0, 1.0);
  const Vec3 e = way - s * d;
  const Vec3 f = -model_.total_mass() * model_.gravity();
  const Vec3 f_r = (1.0 - s) * f;
  const Vec3 f_o = s * f;
  const models::Force F_r = models::Force::from((p_r + e).cross(f_r), f_r);
  const models::Force F_o = models::Force::from((p_o + e).cross(f_o), f_o);
  for (int k = 0; k < model_.num_v(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (on_path_[i]) gravity_[k] -= J_.col(k).dot(F_r.c);        // (bal-2)
    if (on_other_path_[i]) gravity_[k] -= J_.col(k).dot(F_o.c);  // (bal-2)
  }
  if (model_.floats()) gravity_.head<6>().setZero();
}

}  // namespace kagami::control
