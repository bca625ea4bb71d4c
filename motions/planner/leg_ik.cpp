// Inverse kinematics of 18 coordinates (base and two legs of six joints) for 18 demands:
//   trunk at its pitch (3), mass centre (3), pose of the left foot (6), of the right (6).
// Body rows are in the body's own axes: error = (log R_B,target; R_WB' (p_target - p)).
//   (J' J + mu 1) d = J' e,  q <- q (+) d                                            (ik-1)
//   mu falls tenfold when a step helps, rises tenfold when it does not
//   J v = x',  J v' = x'' - (dJ/dt) v                                                (ik-2)
#include "motions/planner/leg_ik.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>

#include "models/base/errors.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::motions {
namespace {

constexpr double kClose = 1e-10;  // m, rad
constexpr int kMaxPasses = 60;
constexpr double kLimitSlack = 1e-9;  // rad

Vec3 rotation_error(const Mat3& R_WB) {
  return models::logarithm(models::quaternion_of(R_WB.transpose()));
}

}  // namespace

LegIk::LegIk(const models::Model& model, const std::array<std::string, 2>& feet)
    : model_(model), w_(model) {
  if (model.num_bodies() == 0 || model.body(0).joint.type != models::JointType::kFloating)
    throw ModelError("leg planner: the base is held, expected a floating base");
  for (int i = 0; i < 6; ++i) dofs_.push_back(i);
  for (std::size_t side = 0; side < 2; ++side) {
    feet_[side] = model.find_body(feet[side]);
    if (feet_[side] < 0) throw ModelError("leg planner: the robot has no body " + feet[side]);
    std::vector<int> leg;
    for (BodyIndex b = feet_[side]; b > 0; b = model.body(b).parent)
      for (int k = 0; k < model.body(b).nv; ++k) leg.push_back(model.body(b).v_index + k);
    std::sort(leg.begin(), leg.end());
    if (leg.size() != 6)
      throw ModelError("leg planner: " + feet[side] + " has " + std::to_string(leg.size()) +
                       " joints, expected 6");
    dofs_.insert(dofs_.end(), leg.begin(), leg.end());
  }
  J_com_.setZero(3, model.num_v());
}

LegIk::Vec18 LegIk::error(const BodyTargets& targets, const JointVector& q) {
  const JointVector still = JointVector::Zero(model_.num_v());
  models::forward_kinematics(model_, q, still, w_.kinematics);
  const models::Kinematics& k = w_.kinematics;
  Vec18 e;
  const Mat3 R_WT = models::rotation_about(Vec3::UnitY(), targets.pitch.p);
  e.segment<3>(0) = rotation_error(R_WT.transpose() * k.X_WB[0].R);
  e.segment<3>(3) = targets.com.p - models::center_of_mass(model_, k);
  for (std::size_t side = 0; side < 2; ++side) {
    const models::Pose& X_WF = k.X_WB[static_cast<std::size_t>(feet_[side])];
    const auto row = static_cast<Eigen::Index>(6 + 6 * side);
    e.segment<3>(row) = rotation_error(X_WF.R);
    e.segment<3>(row + 3) = X_WF.R.transpose() * (targets.foot[side].p - X_WF.p);
  }
  return e;
}

double LegIk::residual(const BodyTargets& targets, const JointVector& q) {
  return error(targets, q).cwiseAbs().maxCoeff();
}

LegIk::Mat18 LegIk::jacobian(const JointVector& q) {
  models::com_jacobian(model_, q, w_, J_com_);
  models::joint_jacobians(model_, q, w_, J_W_);
  const JointVector still = JointVector::Zero(model_.num_v());
  models::forward_kinematics(model_, q, still, w_.kinematics);
  Mat18 J = Mat18::Zero();
  const auto pick = [&](BodyIndex body) {
    models::body_jacobian(model_, J_W_, body, w_.kinematics.X_WB[static_cast<std::size_t>(body)],
                          models::ExpressedIn::kBody, J_body_);
  };
  pick(0);
  for (Eigen::Index c = 0; c < 18; ++c) {
    const int dof = dofs_[static_cast<std::size_t>(c)];
    J.block<3, 1>(0, c) = J_body_.block<3, 1>(0, dof);
    J.block<3, 1>(3, c) = J_com_.col(dof);
  }
  for (std::size_t side = 0; side < 2; ++side) {
    pick(feet_[side]);
    for (Eigen::Index c = 0; c < 18; ++c)
      J.block<6, 1>(static_cast<Eigen::Index>(6 + 6 * side), c) =
          J_body_.col(dofs_[static_cast<std::size_t>(c)]);
  }
  return J;
}

// (dJ/dt) v of the 18 demands
LegIk::Vec18 LegIk::bias(const models::State& s) {
  Vec18 x;
  models::com_jacobian_rate(model_, s.q, s.v, w_, J_com_);
  x.segment<3>(3) = J_com_ * s.v;
  models::joint_jacobians(model_, s.q, w_, J_W_);
  models::joint_jacobian_rates(model_, s.q, s.v, w_, dJ_W_);
  const auto rate = [&](BodyIndex body) -> Vec6 {
    const auto i = static_cast<std::size_t>(body);
    models::body_jacobian_rate(model_, J_W_, dJ_W_, body, w_.kinematics.X_WB[i],
                               w_.kinematics.tree.V[i], models::ExpressedIn::kBody, J_body_);
    return J_body_ * s.v;
  };
  x.segment<3>(0) = rate(0).head<3>();
  for (std::size_t side = 0; side < 2; ++side)
    x.segment<6>(static_cast<Eigen::Index>(6 + 6 * side)) = rate(feet_[side]);
  return x;
}

JointVector LegIk::spread(const Vec18& x) const {
  JointVector all = JointVector::Zero(model_.num_v());
  for (Eigen::Index c = 0; c < 18; ++c) all[dofs_[static_cast<std::size_t>(c)]] = x[c];
  return all;
}

void LegIk::check_limits(const JointVector& q) const {
  for (BodyIndex b = 1; b < model_.num_bodies(); ++b) {
    const models::Body& body = model_.body(b);
    if (body.nv != 1) continue;
    const models::DofLimits& limits = model_.limits(body.v_index);
    const double angle = q[body.q_index];
    if (angle < limits.q_min - kLimitSlack || angle > limits.q_max + kLimitSlack)
      throw ConfigError(fmt::format("joint {} would be at {:.4g} rad, allowed {:.4g} to {:.4g}",
                                    body.joint_name, angle, limits.q_min, limits.q_max));
  }
}

PlanSample LegIk::solve(const BodyTargets& targets, models::State& state) {
  Vec18 e = error(targets, state.q);
  double mu = 1e-6;
  for (int pass = 0; e.cwiseAbs().maxCoeff() > kClose; ++pass) {
    if (!(pass < kMaxPasses))
      throw ConfigError(fmt::format("the legs do not reach the feet: {:.3g} m or rad remain",
                                    e.cwiseAbs().maxCoeff()));
    const Mat18 J = jacobian(state.q);
    const Mat18 N = J.transpose() * J + mu * Mat18::Identity();
    const Vec18 d = N.ldlt().solve(J.transpose() * e);  // (ik-1)
    JointVector q = state.q;
    models::integrate(model_, spread(d), 1.0, q);
    const Vec18 after = error(targets, q);
    if (after.norm() < e.norm()) {
      state.q = q;
      e = after;
      mu *= 0.1;
    } else {
      mu = std::max(10.0 * mu, 1e-12);
    }
  }
  check_limits(state.q);

  Vec18 x1 = Vec18::Zero();
  Vec18 x2 = Vec18::Zero();
  x1[1] = targets.pitch.v;  // about y of W and of the trunk alike
  x2[1] = targets.pitch.a;
  x1.segment<3>(3) = targets.com.v;
  x2.segment<3>(3) = targets.com.a;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto row = static_cast<Eigen::Index>(9 + 6 * side);
    x1.segment<3>(row) = targets.foot[side].v;
    x2.segment<3>(row) = targets.foot[side].a;
  }
  const Eigen::PartialPivLU<Mat18> J(jacobian(state.q));
  state.v = spread(J.solve(x1));  // (ik-2)
  const JointVector vdot = spread(J.solve(x2 - bias(state)));
  return {state.q, state.v, vdot};
}

}  // namespace kagami::motions
