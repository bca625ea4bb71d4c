// Ours. u: coordinates that nothing drives, j: the joints; J: the robot's own loops; W: what their
// forces cost, 1 for a force, 1 / l^2 for a moment.
//   g = H vdot + b, by RNEA                                                       (open-1)
// Carried:
//   J_u' lambda = g_u, lambda' W lambda smallest: lambda = W^-1 J_u x,
//   (J_u' W^-1 J_u) x = g_u                                                       (open-2)
//   tau_j = g_j - J_j' lambda                                                     (open-3)
// Flying:
//   vdot_u <- vdot_u - H_uu^-1 g_u, then (open-1) again: g_u = 0                  (open-4)
#include "control/virtual/open_inverse.hpp"

#include <cmath>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"

namespace kagami::control {
namespace {

constexpr int kRounds = 4;  // with H from next to q: each leaves a part as large as the gap
constexpr double kDependent = 1e-12;  // part of a pivot that is left: rounding

Support support_of(const models::Model& robot, int num_floating) {
  int roots = 0;
  for (int i = 0; i < robot.num_bodies(); ++i) roots += robot.body(i).parent == kWorld ? 1 : 0;
  if (num_floating == 0) return Support::kHeld;
  if (!robot.loops().empty()) return Support::kCarried;
  if (num_floating == 1 && roots == 1) return Support::kFlying;
  throw ConfigError("virtual loop: " + std::to_string(num_floating) +
                    " floating bodies are not connected by a loop of the robot");
}

}  // namespace

OpenInverse::OpenInverse(const models::Model& robot)
    : robot_(robot),
      floats_(idx(robot.num_v()), false),
      rnea_(robot),
      loops_(robot),
      own_rows_(robot.num_loop_constraints()),
      g_(JointVector::Zero(robot.num_v())),
      cost_(Eigen::VectorXd::Zero(own_rows_)),
      lambda_(cost_),
      X_WL_(robot.loops().size()),
      F_L_(robot.loops().size(), models::Force::zero()) {
  int num_floating = 0;
  for (int i = 0; i < robot.num_bodies(); ++i) {
    const models::Body& b = robot.body(i);
    if (b.joint.type != models::JointType::kFloating) continue;
    ++num_floating;
    for (int k = b.v_index; k < b.v_index + b.nv; ++k) {
      floating_.push_back(k);
      floats_[idx(k)] = true;
    }
  }
  support_ = support_of(robot, num_floating);
  const auto n = static_cast<Eigen::Index>(floating_.size());
  A_ = Eigen::MatrixXd::Zero(n, n);
  x_ = Eigen::VectorXd::Zero(n);
}

bool OpenInverse::floats(int dof) const noexcept {
  return dof >= 0 && dof < robot_.num_v() && floats_[idx(dof)];
}

// A x = x in place, A symmetric: Cholesky
bool OpenInverse::solve() noexcept {
  const Eigen::Index n = x_.size();
  for (Eigen::Index j = 0; j < n; ++j) {
    double pivot = A_(j, j);
    for (Eigen::Index k = 0; k < j; ++k) pivot -= A_(j, k) * A_(j, k);
    if (!(pivot > kDependent * A_(j, j))) return false;
    A_(j, j) = std::sqrt(pivot);
    for (Eigen::Index i = j + 1; i < n; ++i) {
      double sum = A_(i, j);
      for (Eigen::Index k = 0; k < j; ++k) sum -= A_(i, k) * A_(j, k);
      A_(i, j) = sum / A_(j, j);
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index k = 0; k < i; ++k) x_[i] -= A_(i, k) * x_[k];
    x_[i] /= A_(i, i);
  }
  for (Eigen::Index i = n - 1; i >= 0; --i) {
    for (Eigen::Index k = i + 1; k < n; ++k) x_[i] -= A_(k, i) * x_[k];
    x_[i] /= A_(i, i);
  }
  return true;
}

bool OpenInverse::carry(const models::LoopKinematics& loops) noexcept {
  const auto n = static_cast<int>(floating_.size());
  for (int r = 0; r < own_rows_; ++r) {
    const bool turns = loops.T[idx(r)].moment().squaredNorm() > 0.5;
    cost_[r] = turns ? kSole * kSole : 1.0;  // of W^-1
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k <= i; ++k) {
      double sum = 0.0;
      for (int r = 0; r < own_rows_; ++r) {
        sum += loops.J(r, floating_[idx(i)]) * cost_[r] * loops.J(r, floating_[idx(k)]);
      }
      A_(i, k) = sum;
    }
    x_[i] = g_[floating_[idx(i)]];
  }
  if (!solve()) return false;
  for (int r = 0; r < own_rows_; ++r) {  // (open-2)
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += loops.J(r, floating_[idx(i)]) * x_[i];
    lambda_[r] = cost_[r] * sum;
  }
  for (int k = 0; k < robot_.num_v(); ++k) {  // (open-3)
    for (int r = 0; r < own_rows_; ++r) g_[k] -= loops.J(r, k) * lambda_[r];
  }
  for (int l = 0; l < static_cast<int>(F_L_.size()); ++l) {
    F_L_[idx(l)] = models::Force::zero();
    const int first = loops.first_row[idx(l)];
    for (int r = first; r < first + robot_.loops()[idx(l)].num_constraints; ++r) {
      F_L_[idx(l)] += loops.T[idx(r)] * lambda_[r];
    }
    X_WL_[idx(l)] = models::loop_pose(robot_, loops, l);
  }
  return true;
}

void OpenInverse::fly(const JointVector& q, const JointVector& v, const JointMatrix& H, int rounds,
                      JointVector& vdot) noexcept {
  const auto n = static_cast<int>(floating_.size());
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k <= i; ++k) A_(i, k) = H(floating_[idx(i)], floating_[idx(k)]);
      x_[i] = g_[floating_[idx(i)]];
    }
    if (!solve()) return;                                          // not of a base with mass
    for (int i = 0; i < n; ++i) vdot[floating_[idx(i)]] -= x_[i];  // (open-4)
    models::rnea(robot_, q, v, vdot, rnea_, g_);
  }
}

bool OpenInverse::run(const JointVector& q, const JointVector& v, const JointMatrix& H,
                      const models::LoopKinematics* at_q, JointVector& vdot,
                      JointVector& tau) noexcept {
  models::rnea(robot_, q, v, vdot, rnea_, g_);  // (open-1)
  if (support_ == Support::kFlying) fly(q, v, H, at_q == nullptr ? kRounds : 1, vdot);
  if (support_ == Support::kCarried) {
    if (at_q == nullptr) models::place_loops(robot_, q, loops_);
    if (!carry(at_q == nullptr ? loops_ : *at_q)) return false;
  }
  for (const int k : floating_) g_[k] = 0.0;
  tau = g_;
  return true;
}

models::Force OpenInverse::wrench(int loop) const noexcept {
  return models::Pose{X_WL_[idx(loop)].R, Vec3::Zero()} * F_L_[idx(loop)];
}

}  // namespace kagami::control
