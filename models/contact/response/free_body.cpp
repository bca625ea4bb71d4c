// One rigid body with mass m and inertia I about its mass centre C, impulse P at O with moment N:
//   v_C+ = v_C + h f/m + P/m,   L+ = L + h n + N - c x P,   w+ = I_W^-1 L+
// L, the angular momentum about C in W, does not change without moments: no gyroscopic term appears
// in the step, and none can feed energy into it. The pose then moves by v_C+, turned by
// w half way: w_half = w of L+ in the body turned by w+ h/2; second order in h.
#include "models/contact/response/free_body.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "models/spatial/rotation.hpp"

namespace kagami::models {

bool is_free_body(const Model& model) noexcept {
  return model.num_bodies() == 1 && model.floats();
}

FreeBody::FreeBody(const Model& model, std::size_t touching)
    : ContactBodies(touching), model_(model) {
  const SpatialInertia& M = model.body(0).inertia;
  I_B_ = M.about_com();
  I_B_inverse_ = I_B_.inverse();
  com_B_ = M.com();
  m_ = M.mass;
  mass_ = M.mass;
}

bool FreeBody::begin(const State& state, const Drive& drive, double h) noexcept {
  h_ = h;
  X_WB_ = model_.body(0).X_PJ * joint_pose(model_.body(0).joint, state.q.data());
  origin_ = X_WB_.p;
  com_ = X_WB_.R * com_B_;
  const Mat3 I_W = X_WB_.R * I_B_ * X_WB_.R.transpose();
  I_inverse_ = X_WB_.R * I_B_inverse_ * X_WB_.R.transpose();

  const Vec3 w = X_WB_.R * state.v.head<3>();
  const Vec3 v_o = X_WB_.R * state.v.segment<3>(3);
  Vec6 F = drive.tau.head<6>();
  if (!drive.F_ext.empty()) F += drive.F_ext[0].c;
  const Vec3 force = X_WB_.R * F.tail<3>();
  const Vec3 moment = X_WB_.R * F.head<3>();
  v_ = v_o + w.cross(com_) + h * (force / m_ + model_.gravity());
  L_ = I_W * w + h * (moment - com_.cross(force));
  const Vec3 w_free = I_inverse_ * L_;
  const Vec3 v_free = v_ - w_free.cross(com_);
  for (int k = 0; k < count(); ++k) {
    X_WB[static_cast<std::size_t>(k)] = X_WB_;
    V_before[static_cast<std::size_t>(k)] = Motion::from(w, v_o);
    V_free[static_cast<std::size_t>(k)] = Motion::from(w_free, v_free);
  }
  return v_.allFinite() && L_.allFinite();
}

void FreeBody::response(std::span<const int> bodies, double* Phi, int stride) noexcept {
  if (bodies.empty()) return;
  // w = I^-1 (N - c x P),  v_O = P/m - w x c = P/m + c x w
  const Mat3 c = skew(com_);
  const Mat3 w_P = -I_inverse_ * c;
  const Mat3 v_P = Mat3::Identity() / m_ + c * w_P;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Phi[i * stride + j] = I_inverse_(i, j);
      Phi[i * stride + 3 + j] = w_P(i, j);
      Phi[(3 + i) * stride + j] = w_P(j, i);
      Phi[(3 + i) * stride + 3 + j] = v_P(i, j);
    }
  }
}

bool FreeBody::finish(std::span<const Force> impulses, State& state, JointVector& vdot) noexcept {
  Vec3 v = v_;
  Vec3 L = L_;
  if (!impulses.empty()) {
    const Vec3 P = impulses[0].force();
    v += P / m_;
    L += impulses[0].moment() - com_.cross(P);
  }
  const Vec3 w = I_inverse_ * L;
  const Mat3 R_half = exponential(0.5 * h_ * w).toRotationMatrix() * X_WB_.R;
  const Vec3 w_half = R_half * (I_B_inverse_ * (R_half.transpose() * L));
  const Mat3 R = exponential(h_ * w_half).toRotationMatrix() * X_WB_.R;
  const Vec3 com = X_WB_.p + com_ + h_ * v;
  const Vec3 w_end_B = I_B_inverse_ * (R.transpose() * L);
  const Vec3 v_end_B = R.transpose() * v - w_end_B.cross(com_B_);
  const Pose X_JB = inverse(model_.body(0).X_PJ) * Pose{R, com - R * com_B_};
  const Eigen::Quaterniond q = quaternion_of(X_JB.R);
  if (!X_JB.p.allFinite() || !q.coeffs().allFinite() || !w_end_B.allFinite()) return false;

  vdot.head<3>() = (w_end_B - state.v.head<3>()) / h_;
  vdot.segment<3>(3) = (v_end_B - state.v.segment<3>(3)) / h_;
  state.v.head<3>() = w_end_B;
  state.v.segment<3>(3) = v_end_B;
  state.q.head<3>() = X_JB.p;
  state.q.segment<4>(3) << q.w(), q.x(), q.y(), q.z();
  return true;
}

}  // namespace kagami::models
