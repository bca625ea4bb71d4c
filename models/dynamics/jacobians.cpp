// Geometric Jacobians. Column k belongs to degree of freedom k of body B; everything about Wo, in
// W.
//   J_k  = X_WB S_k = [w_k; v_k]                           (jac-1)
//   J_k' = V x J_k + X_WB S_k'                             (jac-2)
//   Jc_k  = (w_k x h + m v_k) / M                          (jac-3)
//   Jc_k' = (w_k' x h + w_k x p + m v_k') / M              (jac-4)
// m, h, p: mass, first moment and linear momentum of B with all that hangs on it; M: of all.
#include "models/dynamics/jacobians.hpp"

#include <Eigen/Geometry>

#include "models/base/idx.hpp"
#include "models/dynamics/world_columns.hpp"

namespace kagami::models {
namespace {

Motion column(const Jacobian& J, int k) noexcept {
  return {J.col(k)};
}

}  // namespace

JacobianWorkspace::JacobianWorkspace(const Model& model)
    : fast(model),
      kernel(fast),
      kinematics(model),
      zero(JointVector::Zero(model.num_v())),
      I(idx(model.num_bodies())),
      h(idx(model.num_bodies())) {}

void joint_jacobians(const Model& model, const JointVector& q, JacobianWorkspace& w,
                     Jacobian& J_W) {
  J_W.resize(6, model.num_v());
  if (q.size() != model.num_q()) return no_number(J_W);
  if (w.fast.usable) return kernel::joint_jacobians(w.fast, q.data(), w.kernel, J_W.data());
  forward_kinematics(model, q, w.zero, w.kinematics);
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      J_W.col(k) = world_column(model, w.kinematics, i, k).c;  // (jac-1)
    }
  }
}

void joint_jacobian_rates(const Model& model, const JointVector& q, const JointVector& v,
                          JacobianWorkspace& w, Jacobian& dJ_W) {
  dJ_W.resize(6, model.num_v());
  if (!sizes_fit(model, q, v)) return no_number(dJ_W);
  forward_kinematics(model, q, v, w.kinematics);
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      dJ_W.col(k) = world_column_rate(model, q, v, w.kinematics, i, k).c;  // (jac-2)
    }
  }
}

void body_jacobian(const Model& model, const Jacobian& J_W, BodyIndex body, const Pose& X_WB,
                   ExpressedIn in, Jacobian& J) {
  J.setZero(6, model.num_v());
  for (BodyIndex i = body; i != kWorld; i = model.body(i).parent) {
    const Body& b = model.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      const Motion J_k = column(J_W, k);
      J.col(k) = in == ExpressedIn::kWorld ? J_k.c : inverse_times(X_WB, J_k).c;
    }
  }
}

void body_jacobian_rate(const Model& model, const Jacobian& J_W, const Jacobian& dJ_W,
                        BodyIndex body, const Pose& X_WB, const Motion& V_WB_B, ExpressedIn in,
                        Jacobian& dJ) {
  dJ.setZero(6, model.num_v());
  for (BodyIndex i = body; i != kWorld; i = model.body(i).parent) {
    const Body& b = model.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      const Motion rate = column(dJ_W, k);
      if (in == ExpressedIn::kWorld) {
        dJ.col(k) = rate.c;
        continue;
      }
      // B's own motion takes its share of what changes in W
      const Motion J_B = inverse_times(X_WB, column(J_W, k));
      dJ.col(k) = inverse_times(X_WB, rate).c - cross(V_WB_B, J_B).c;
    }
  }
}

Vec3 com_jacobian(const Model& model, const JointVector& q, JacobianWorkspace& w,
                  PointJacobian& J) {
  J.resize(3, model.num_v());
  if (q.size() != model.num_q()) {
    no_number(J);
    return Vec3::Constant(kNaN);
  }
  if (w.fast.usable) {
    Vec3 com;
    kernel::com_jacobian(w.fast, q.data(), w.kernel, com.data(), J.data());
    return com;
  }
  forward_kinematics(model, q, w.zero, w.kinematics);
  add_world_composites(model, w);
  const double M = model.total_mass();
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const SpatialInertia& I = w.I[idx(i)];
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      const Motion J_k = world_column(model, w.kinematics, i, k);
      J.col(k) = (J_k.angular().cross(I.h) + I.mass * J_k.linear()) / M;  // (jac-3)
    }
  }
  return center_of_mass(model, w.kinematics);
}

void com_jacobian_rate(const Model& model, const JointVector& q, const JointVector& v,
                       JacobianWorkspace& w, PointJacobian& dJ) {
  dJ.resize(3, model.num_v());
  if (!sizes_fit(model, q, v)) return no_number(dJ);
  forward_kinematics(model, q, v, w.kinematics);
  add_world_composites(model, w);
  const double M = model.total_mass();
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const SpatialInertia& I = w.I[idx(i)];
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      const Motion J_k = world_column(model, w.kinematics, i, k);
      const Motion dJ_k = world_column_rate(model, q, v, w.kinematics, i, k);
      dJ.col(k) = (dJ_k.angular().cross(I.h) + J_k.angular().cross(w.h[idx(i)].force()) +
                   I.mass * dJ_k.linear()) /
                  M;  // (jac-4)
    }
  }
}

}  // namespace kagami::models
