// Of the loops' independent equations R v = 0, rank rows, Gauss-Jordan elimination with full
// pivoting [GVL, section 3.4.8] solves for as many dependent coordinates (d); the others (i) stay
// free:
//   v_d = -R_di v_i,  N = [1; -R_di],  v = N v_i                               (inverse-1)
//   vdot = N vdot_i + [0; r],  r the right sides, brought along                (inverse-2)
//   g = H vdot + b - sum of external forces, by RNEA                           (inverse-3)
//   N' tau = N' g: the loops' forces J' lambda do no work along N              (inverse-4)
//   J' lambda = g - tau                                                        (inverse-5)
// (inverse-4) over the actuated coordinates by singular values: the smallest tau. Pivots are
// weighed by sqrt(H_kk), so that they have no unit; ours: a coordinate without actuator is made
// dependent first, as long as its pivot is not below kPreferred of the best.
#include "models/closed_chains/loop_inverse.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

constexpr double kPreferred = 1e-2;
constexpr double kStill = 1e-9;  // what a unit of the independent coordinates moves, in their units
constexpr double kActuated = 1e-9;  // least singular value of what the actuators reach

std::vector<bool> all_but_floating(const Model& model) {
  std::vector<bool> actuated(idx(model.num_v()), true);
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    if (b.joint.type != JointType::kFloating) continue;
    std::fill_n(actuated.begin() + b.v_index, b.nv, false);
  }
  return actuated;
}

}  // namespace

LoopInverse::LoopInverse(const Model& model) : LoopInverse(model, all_but_floating(model)) {}

LoopInverse::LoopInverse(const Model& model, std::vector<bool> actuated)
    : model_(model),
      actuated_(std::move(actuated)),
      dynamics_(model),
      rnea_(model),
      svd_(model.num_v(), model.num_v()),
      R_(Eigen::MatrixXd::Zero(std::min(model.num_v(), model.num_loop_constraints()),
                               model.num_v())),
      solve_(Eigen::MatrixXd::Zero(R_.rows(), R_.rows())),
      r_(Eigen::VectorXd::Zero(R_.rows())),
      N_(Eigen::MatrixXd::Zero(model.num_v(), model.num_v())),
      generalized_(Eigen::VectorXd::Zero(model.num_v())),
      part_(generalized_),
      zero_(JointVector::Zero(model.num_v())),
      vdot_(zero_),
      needed_(zero_),
      tau_(zero_),
      dependent_(idx(static_cast<int>(R_.rows())), 0),
      independent_(idx(model.num_v()), 0),
      is_dependent_(idx(model.num_v()), false) {
  if (actuated_.size() != idx(model.num_v())) {
    throw ConfigError("inverse dynamics with loops: " + std::to_string(actuated_.size()) +
                      " entries for actuated degrees of freedom, expected " +
                      std::to_string(model.num_v()) + ", one per degree of freedom");
  }
}

// largest pivot among the columns that are (not) actuated, rows from `from` on
double LoopInverse::pivot(int from, bool actuated, int& row, int& column) const noexcept {
  double best = 0.0;
  for (int k = 0; k < model_.num_v(); ++k) {
    if (is_dependent_[idx(k)] || actuated_[idx(k)] != actuated) continue;
    const double weight = 1.0 / std::sqrt(dynamics_.mass_matrix()(k, k));
    for (int i = from; i < dynamics_.rank(); ++i) {
      if (!(std::abs(R_(i, k)) * weight > best)) continue;
      best = std::abs(R_(i, k)) * weight;
      row = i;
      column = k;
    }
  }
  return best;
}

void LoopInverse::eliminate(int step, int row, int column) noexcept {
  const int rank = dynamics_.rank();
  R_.row(step).swap(R_.row(row));
  solve_.row(step).swap(solve_.row(row));
  const double inverse = 1.0 / R_(step, column);
  R_.row(step) *= inverse;
  solve_.row(step) *= inverse;
  for (int i = 0; i < rank; ++i) {
    if (i == step) continue;
    const double factor = R_(i, column);
    R_.row(i) -= factor * R_.row(step);
    solve_.row(i) -= factor * solve_.row(step);
  }
}

void LoopInverse::choose() noexcept {
  solve_.setIdentity();
  std::fill(is_dependent_.begin(), is_dependent_.end(), false);
  for (int step = 0; step < dynamics_.rank(); ++step) {
    int row = 0;
    int column = 0;
    int other_row = 0;
    int other_column = 0;
    const double with = pivot(step, true, row, column);
    const double without = pivot(step, false, other_row, other_column);
    if (without > kPreferred * with) {
      row = other_row;
      column = other_column;
    }
    eliminate(step, row, column);
    dependent_[idx(step)] = column;
    is_dependent_[idx(column)] = true;
  }
  num_independent_ = 0;
  N_.setZero();
  for (int k = 0; k < model_.num_v(); ++k) {
    if (is_dependent_[idx(k)]) continue;
    N_(k, num_independent_) = 1.0;  // (inverse-1)
    for (int step = 0; step < dynamics_.rank(); ++step) {
      N_(dependent_[idx(step)], num_independent_) = -R_(step, k);
    }
    independent_[idx(num_independent_++)] = k;
  }
}

LoopStatus LoopInverse::factor(const JointVector& q) noexcept {
  const LoopStatus status = dynamics_.factor(q);
  if (status != LoopStatus::kOk) return status;
  dynamics_.equations(R_);
  choose();
  return LoopStatus::kOk;
}

std::span<const int> LoopInverse::independent() const noexcept {
  return {independent_.data(), idx(num_independent_)};
}

bool LoopInverse::is_held(int dof) const noexcept {
  for (int j = 0; j < num_independent_; ++j) {
    if (std::abs(N_(dof, j)) > kStill) return false;
  }
  return true;
}

void LoopInverse::velocities(const JointVector& v_independent, JointVector& v) const noexcept {
  v.setZero(model_.num_v());
  for (int j = 0; j < num_independent_; ++j) v += N_.col(j) * v_independent[j];
}

LoopStatus LoopInverse::accelerations(const JointVector& q, const JointVector& v,
                                      const JointVector& vdot_independent,
                                      JointVector& vdot) noexcept {
  if (!vdot_independent.allFinite()) return LoopStatus::kNotFinite;
  LoopStatus status = dynamics_.right_sides(q, v, r_);
  if (status != LoopStatus::kOk) return status;
  velocities(vdot_independent, vdot);
  for (int step = 0; step < dynamics_.rank(); ++step) {  // (inverse-2)
    double right = 0.0;
    for (int i = 0; i < dynamics_.rank(); ++i) right += solve_(step, i) * r_[i];
    vdot[dependent_[idx(step)]] += right;
  }
  return LoopStatus::kOk;
}

// (inverse-4); false where the actuated coordinates do not reach it
bool LoopInverse::distribute(const JointVector& needed, JointVector& tau) noexcept {
  const int n = model_.num_v();
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) svd_.U(k, j) = actuated_[idx(k)] ? N_(k, j) : 0.0;
  }
  svd_.factor();
  for (int j = 0; j < n; ++j) generalized_[j] = j < num_independent_ ? N_.col(j).dot(needed) : 0.0;
  for (int i = 0; i < n; ++i) part_[i] = svd_.V.col(i).dot(generalized_);
  const double size = generalized_.norm();
  tau.setZero(n);
  for (int i = 0; i < n; ++i) {
    if (svd_.sigma[i] > kActuated * svd_.sigma[0]) {
      tau += svd_.U.col(i) * (part_[i] / svd_.sigma[i]);
    } else if (!(std::abs(part_[i]) <= kActuated * (1.0 + size))) {
      return false;
    }
  }
  return true;
}

LoopStatus LoopInverse::run(const JointVector& q, const JointVector& v,
                            const JointVector& vdot_independent, const ExternalLoads& extras,
                            JointVector& vdot, JointVector& tau) noexcept {
  const LoopStatus status = accelerations(q, v, vdot_independent, vdot_);
  if (status != LoopStatus::kOk) return status;
  rnea(model_, q, v, vdot_, extras, rnea_, needed_);  // (inverse-3)
  if (!needed_.allFinite()) return LoopStatus::kNotFinite;
  if (!distribute(needed_, tau_)) return LoopStatus::kUnderActuated;
  needed_ -= tau_;
  if (!dynamics_.carry(needed_)) return LoopStatus::kUnderActuated;  // (inverse-5)
  vdot = vdot_;
  tau = tau_;
  return LoopStatus::kOk;
}

}  // namespace kagami::models
