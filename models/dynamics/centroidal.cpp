// Centroidal momentum matrix. Body B with all that hangs on it has the inertia I about Wo, in W;
// J_k is column k of the joints' Jacobian there, c the mass centre, [n; f] one column's momentum.
//   F_k  = I J_k,  A_k = [n - c x f; f]                                       (cmm-1)
//   F_k' = I' J_k + I J_k',  A_k' = [n' - c' x f - c x f'; f']                (cmm-2)
//   I'   = sum of V x* I_i - I_i V x: no mass, first moment w x h + m v,      (cmm-3)
//          moment w x I - I w x - [v x][h x] - [h x][v x]
//   A' v = momentum's rate at vdot = 0: sum of X (I a + V x* I V),            (cmm-4)
//          a = X^-1 a_P + c_B, taken about c; c' x p = 0 as p is along c'
#include "models/dynamics/centroidal.hpp"

#include <Eigen/Geometry>

#include "models/base/idx.hpp"
#include "models/dynamics/world_columns.hpp"

namespace kagami::models {
namespace {

void set_column(const Force& F, const Vec3& c, int k, Jacobian& A) noexcept {
  A.col(k).head<3>() = F.moment() - c.cross(F.force());
  A.col(k).tail<3>() = F.force();
}

// (cmm-3) of one body
SpatialInertia inertia_rate(const SpatialInertia& I, const Motion& V) noexcept {
  const Mat3 w = skew(V.angular());
  const Mat3 v = skew(V.linear());
  const Mat3 h = skew(I.h);
  return {0.0, V.angular().cross(I.h) + I.mass * V.linear(), w * I.I - I.I * w - v * h - h * v};
}

void add_rates(const Model& model, CentroidalWorkspace& w) noexcept {
  const Kinematics& k = w.jacobian.kinematics;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const SpatialInertia I = k.X_WB[idx(i)] * model.body(i).inertia;
    w.dI[idx(i)] = inertia_rate(I, k.X_WB[idx(i)] * k.tree.V[idx(i)]);
  }
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    const BodyIndex parent = model.body(i).parent;
    if (parent != kWorld) w.dI[idx(parent)] = w.dI[idx(parent)] + w.dI[idx(i)];
  }
}

}  // namespace

CentroidalWorkspace::CentroidalWorkspace(const Model& model)
    : jacobian(model),
      dI(idx(model.num_bodies())),
      a(idx(model.num_bodies())),
      A(Jacobian::Zero(6, model.num_v())) {}

Vec3 centroidal_matrix(const Model& model, const JointVector& q, CentroidalWorkspace& w,
                       Jacobian& A) {
  A.resize(6, model.num_v());
  if (q.size() != model.num_q()) {
    no_number(A);
    return Vec3::Constant(kNaN);
  }
  JacobianWorkspace& j = w.jacobian;
  if (j.fast.usable) {
    Vec3 com;
    kernel::centroidal_matrix(j.fast, q.data(), j.kernel, com.data(), A.data());
    return com;
  }
  forward_kinematics(model, q, j.zero, j.kinematics);
  add_world_composites(model, j);
  const Vec3 c = center_of_mass(model, j.kinematics);
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      set_column(j.I[idx(i)] * world_column(model, j.kinematics, i, k), c, k, A);  // (cmm-1)
    }
  }
  return c;
}

void centroidal_matrix_rate(const Model& model, const JointVector& q, const JointVector& v,
                            CentroidalWorkspace& w, Jacobian& dA) {
  dA.resize(6, model.num_v());
  if (!sizes_fit(model, q, v)) return no_number(dA);
  JacobianWorkspace& j = w.jacobian;
  forward_kinematics(model, q, v, j.kinematics);
  add_world_composites(model, j);
  add_rates(model, w);
  const Vec3 c = center_of_mass(model, j.kinematics);
  const Vec3 dc = momentum(model, j.kinematics).force() / model.total_mass();
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      const Motion J = world_column(model, j.kinematics, i, k);
      const Motion dJ = world_column_rate(model, q, v, j.kinematics, i, k);
      const Force F = j.I[idx(i)] * J;
      set_column(w.dI[idx(i)] * J + j.I[idx(i)] * dJ, c, k, dA);  // (cmm-2)
      dA.col(k).head<3>() -= dc.cross(F.force());
    }
  }
}

Force centroidal_bias(const Model& model, const JointVector& q, const JointVector& v,
                      CentroidalWorkspace& w) noexcept {
  if (!sizes_fit(model, q, v)) return Force{};
  Kinematics& k = w.jacobian.kinematics;
  forward_kinematics(model, q, v, k);
  Force sum = Force::zero();
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    const Motion& V = k.tree.V[idx(i)];
    w.a[idx(i)] = k.tree.c[idx(i)];
    if (b.parent != kWorld) w.a[idx(i)] += inverse_times(k.tree.X_PB[idx(i)], w.a[idx(b.parent)]);
    sum += k.X_WB[idx(i)] * (b.inertia * w.a[idx(i)] + cross(V, b.inertia * V));  // (cmm-4)
  }
  const Vec3 c = center_of_mass(model, k);
  return Force::from(sum.moment() - c.cross(sum.force()), sum.force());
}

}  // namespace kagami::models
