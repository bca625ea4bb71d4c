#include "control/balance/reaction_null_space.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/robot/state.hpp"

// [Takahashi 2012] section 6.1. A: momentum about Wo per joint rate; J: joints' Jacobian about Wo;
// 0: the floating base; a path's J has zeros where a joint does not move the foot. With the foot at
// rest the base moves by what the path would move the foot:
//   v_0 = -J_0^-1 J_path theta',  J_0 = X_W0                                             (rns-1)
//   M_fl = X_WF^-1 (A_l - A_0 X_W0^-1 J_path)                                            (rns-2)
//   vdot_0 = -X_W0^-1 Jdot_path v  at theta'' = 0                                        (rns-3)
//   Mdot_fl theta' = X_WF^-1 (Adot v + A_0 vdot_0)                                       (rns-4)
// Generalised inverse and projector of W M_fl (weights W) by M_fl' W = U Sigma V':
//   M^# = U diag(s / (s^2 + l^2)) V' W,  N = 1 - U diag(s^2 / (s^2 + l^2)) U'            (rns-5)
//   l^2 = l_max^2 (1 - (s_min / s_near)^2)  below s_near, else 0                         (rns-6)
namespace kagami::control {
namespace {

constexpr double kRank = 1e-10;  // part of the largest singular value: rounding below

void check_part(double value, const char* what) {
  if (value >= 0.0 && value <= 1.0) return;
  throw ConfigError("reaction null space: " + std::string(what) + " " + number_text(value) +
                    " is outside [0, 1]");
}

std::vector<int> weighted_rows(const Vec6& weights) {
  std::vector<int> rows;
  for (int i = 0; i < 6; ++i) {
    if (!(weights[i] >= 0.0) || !std::isfinite(weights[i])) {
      throw ConfigError("reaction null space: weights[" + std::to_string(i) + "] " +
                        number_text(weights[i]) + " is not a finite number of at least 0");
    }
    if (weights[i] > 0.0) rows.push_back(i);
  }
  if (rows.empty()) throw ConfigError("reaction null space: no weight is above 0");
  return rows;
}

std::vector<bool> path_to(const models::Model& model, BodyIndex body) {
  std::vector<bool> on_path(static_cast<std::size_t>(model.num_v()), false);
  for (BodyIndex i = body; i != kWorld; i = model.body(i).parent) {
    for (int k = 0; k < model.body(i).nv; ++k) {
      on_path[static_cast<std::size_t>(model.body(i).v_index + k)] = true;
    }
  }
  return on_path;
}

int base_freedom(const models::Model& model) {
  return model.floats() ? 6 : 0;
}

}  // namespace

ReactionNullSpace::ReactionNullSpace(const models::Model& model, const models::Frame& foot,
                                     const ReactionSettings& settings)
    : model_(model),
      foot_(foot),
      settings_(settings),
      base_nv_(base_freedom(model)),
      num_joints_(model.num_v() - base_nv_),
      rows_(weighted_rows(settings.weights)),
      on_path_(path_to(model, foot.body)),
      jacobian_(model),
      centroidal_(model),
      J_(models::Jacobian::Zero(6, model.num_v())),
      dJ_(J_),
      A_(J_),
      M_(models::Jacobian::Zero(6, num_joints_)),
      svd_(num_joints_, static_cast<int>(rows_.size())),
      v_(JointVector::Zero(model.num_v())),
      vdot_(v_) {
  check_part(settings.near_singular, "near_singular");
  check_part(settings.max_damping, "max_damping");
  if (num_joints_ < 1) throw ConfigError("reaction null space: the robot has no joints");
  if (base_nv_ == 0 && foot.body != kWorld && !model.body(foot.body).held) {
    throw ConfigError("reaction null space: the foot '" + foot.name +
                      "' moves against a base that is held; expected a floating base or the foot "
                      "as the root");
  }
}

models::Force ReactionNullSpace::to_foot(const Vec6& F_Wo) const noexcept {
  return models::inverse_times(X_WF_, models::Force{F_Wo});
}

// poses, and the velocity and acceleration of the base that leave the foot at rest
void ReactionNullSpace::place_foot(const JointVector& q, const JointVector& rate) noexcept {
  models::joint_jacobians(model_, q, jacobian_, J_);
  v_.tail(num_joints_) = rate;
  vdot_.setZero();
  if (base_nv_ > 0) {
    const models::Body& base = model_.body(0);
    X_W0_ = base.X_PJ * models::joint_pose(base.joint, q.data() + base.q_index);
    Vec6 way = Vec6::Zero();
    for (int k = base_nv_; k < model_.num_v(); ++k) {
      if (on_path_[static_cast<std::size_t>(k)]) way += J_.col(k) * v_[k];
    }
    v_.head<6>() = -models::inverse_times(X_W0_, models::Motion{way}).c;  // (rns-1)
  }
  models::joint_jacobian_rates(model_, q, v_, jacobian_, dJ_);
  const models::Kinematics& k = jacobian_.kinematics;
  X_WF_ =
      foot_.body == kWorld ? foot_.X_BF : k.X_WB[static_cast<std::size_t>(foot_.body)] * foot_.X_BF;
  if (base_nv_ == 0) return;
  Vec6 turn = Vec6::Zero();
  for (int i = 0; i < model_.num_v(); ++i) {
    if (on_path_[static_cast<std::size_t>(i)]) turn += dJ_.col(i) * v_[i];
  }
  vdot_.head<6>() = -models::inverse_times(X_W0_, models::Motion{turn}).c;  // (rns-3)
}

void ReactionNullSpace::couple() noexcept {
  for (int j = 0; j < num_joints_; ++j) {
    Vec6 h = A_.col(base_nv_ + j);
    if (base_nv_ > 0 && on_path_[static_cast<std::size_t>(base_nv_ + j)]) {
      const Vec6 back = models::inverse_times(X_W0_, models::Motion{J_.col(base_nv_ + j)}).c;
      for (int i = 0; i < 6; ++i) h -= A_.col(i) * back[i];
    }
    M_.col(j) = to_foot(h).c;  // (rns-2)
  }
}

void ReactionNullSpace::factor() noexcept {
  const int m = static_cast<int>(rows_.size());
  for (int i = 0; i < m; ++i) {
    const int row = rows_[static_cast<std::size_t>(i)];
    svd_.U.col(i) = settings_.weights[row] * M_.row(row).transpose();
  }
  svd_.factor();
  const int most = std::min(m, num_joints_);
  report_ = ReactionReport{};
  report_.largest = svd_.sigma[0];
  while (report_.rank < most && svd_.sigma[report_.rank] > kRank * report_.largest) ++report_.rank;
  report_.free = num_joints_ - report_.rank;
  report_.smallest = report_.rank > 0 ? svd_.sigma[report_.rank - 1] : 0.0;
  report_.condition = report_.rank > 0 ? report_.largest / report_.smallest
                                       : std::numeric_limits<double>::infinity();
  const double part = svd_.sigma[most - 1] / (settings_.near_singular * report_.largest);
  if (part < 1.0) {
    report_.damping =
        settings_.max_damping * report_.largest * std::sqrt(1.0 - part * part);  // (rns-6)
  }
  inverse_.setZero();
  passes_.setZero();
  for (int i = 0; i < report_.rank; ++i) {
    const double s = svd_.sigma[i];
    const double size = s * s + report_.damping * report_.damping;
    inverse_[i] = s / size;     // (rns-5)
    passes_[i] = s * s / size;  // (rns-5)
  }
}

ReactionStatus ReactionNullSpace::evaluate(const JointVector& q, const JointVector& rate) noexcept {
  if (q.size() != model_.num_q() || rate.size() != num_joints_ || !q.allFinite() ||
      !rate.allFinite() || !models::has_orientations(model_, q)) {
    return ReactionStatus::kNotFinite;
  }
  place_foot(q, rate);
  // momentum about the mass centre c, brought to Wo
  const Vec3 c = models::centroidal_matrix(model_, q, centroidal_, A_);
  for (int k = 0; k < model_.num_v(); ++k) {
    A_.col(k).head<3>() += c.cross(A_.col(k).tail<3>());
  }
  couple();
  Vec6 L = Vec6::Zero();
  for (int j = 0; j < num_joints_; ++j) L += M_.col(j) * rate[j];
  momentum_ = models::Force{L};
  const models::Force rate_c = models::centroidal_bias(model_, q, v_, centroidal_);
  Vec6 bias = rate_c.c;
  bias.head<3>() += c.cross(rate_c.force());
  for (int i = 0; i < base_nv_; ++i) bias += A_.col(i) * vdot_[i];
  bias_ = to_foot(bias);  // (rns-4)
  factor();
  return ReactionStatus::kOk;
}

void ReactionNullSpace::acceleration(const JointVector& zeta,
                                     JointVector& theta_dd) const noexcept {
  velocity(models::Force{-bias_.c}, zeta, theta_dd);  // (6.4)
}

void ReactionNullSpace::velocity(const models::Force& L, const JointVector& b,
                                 JointVector& theta_d) const noexcept {
  theta_d = b;
  project(theta_d);
  for (int i = 0; i < report_.rank; ++i) {
    double part = 0.0;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const int row = rows_[k];
      part += svd_.V(static_cast<Eigen::Index>(k), i) * settings_.weights[row] * L.c[row];
    }
    theta_d += svd_.U.col(i) * (inverse_[i] * part);  // (6.8), (rns-5)
  }
}

void ReactionNullSpace::project(JointVector& x) const noexcept {
  // the columns of U are orthogonal: one after the other is all at once
  for (int i = 0; i < report_.rank; ++i) {
    const double part = svd_.U.col(i).dot(x);
    x -= svd_.U.col(i) * (passes_[i] * part);
  }
}

std::span<const double> ReactionNullSpace::singular_values() const noexcept {
  return {svd_.sigma.data(), static_cast<std::size_t>(svd_.sigma.size())};
}

}  // namespace kagami::control
