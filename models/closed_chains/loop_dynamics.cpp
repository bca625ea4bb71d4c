// Closed chains by multipliers, [RBDA] = Featherstone 2008, section 8.5, solved in the metric of H:
//   H = L L',  Y = L^-1 J' = U Sigma V'                                   (closed-1)
//   z_f = L^-1 (tau - b)                  acceleration of the open tree   (closed-2)
//   y_i = -(V_i' k) / sigma_i - U_i' z_f                                  (closed-3)
//   z   = z_f + U y,  vdot = L^-T z,  lambda = V (y / sigma)              (closed-4)
// over the sigma_i that count, so that lambda is the smallest that does it and redundant equations
// share the load. What is left of k in the directions that do not count must vanish, or the
// equations contradict each other (at a singular pose: v is along no branch).
// Projection: the same with e or J v for k (Gauss-Newton; smallest in the metric of H, so that it
// takes no kinetic energy but that of the motion that opened the loops).
#include "models/closed_chains/loop_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "models/robot/state.hpp"

namespace kagami::models {
namespace {

// next to a crossing of branches, at distance s ~ sigma, a correction x turns the normal by x / s,
constexpr double kCareful = 0.1;
// and a step is too curved for its middle to say more than its start
constexpr double kTooCurved = 3e-3;
constexpr double kProjectionTolerance = 1e-5;
constexpr double kClosed = 1e-12;
// what the loops cannot carry, against the whole force, both in the metric of H
constexpr double kCarried = 1e-7;
constexpr int kCloseRounds = 200;
constexpr double kLookAround = 0.1;  // rad or m

// a correction that might lead from one branch to the other; part: its singular value's of the
// largest, known to be below LoopTolerances::crossing
bool too_large(double part, double correction, double size) noexcept {
  return part < kProjectionTolerance || correction > kCareful * part * size;
}

}  // namespace

const char* name(LoopStatus status) noexcept {
  constexpr const char* kNames[] = {"ok",   "not finite",       "no inertia",
                                    "open", "over-constrained", "under-actuated"};
  return kNames[static_cast<int>(status)];
}

LoopDynamics::LoopDynamics(const Model& model, const LoopTolerances& tolerances)
    : model_(model),
      tolerances_(tolerances),
      loops_(model),
      crba_(model),
      rnea_(model),
      svd_(model.num_v(), model.num_loop_constraints()),
      H_(JointMatrix::Zero(model.num_v(), model.num_v())),
      L_(H_),
      zero_(JointVector::Zero(model.num_v())),
      b_(zero_),
      step_(zero_),
      q_next_(JointVector::Zero(model.num_q())),
      q_before_(q_next_),
      z_(Eigen::VectorXd::Zero(model.num_v())),
      y_(Eigen::VectorXd::Zero(model.num_loop_constraints())),
      d_(y_),
      lambda_(y_) {}

bool LoopDynamics::factor_mass() noexcept {
  const int n = model_.num_v();
  for (int j = 0; j < n; ++j) {
    double pivot = H_(j, j);
    for (int k = 0; k < j; ++k) pivot -= L_(j, k) * L_(j, k);
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    L_(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      double sum = H_(i, j);
      for (int k = 0; k < j; ++k) sum -= L_(i, k) * L_(j, k);
      L_(i, j) = sum / L_(j, j);
    }
  }
  return true;
}

void LoopDynamics::to_metric(Eigen::VectorXd& z) const noexcept {
  for (int i = 0; i < model_.num_v(); ++i) {
    for (int k = 0; k < i; ++k) z[i] -= L_(i, k) * z[k];
    z[i] /= L_(i, i);
  }
}

void LoopDynamics::from_metric(Eigen::VectorXd& z) const noexcept {
  for (int i = model_.num_v() - 1; i >= 0; --i) {
    for (int k = i + 1; k < model_.num_v(); ++k) z[i] -= L_(k, i) * z[k];
    z[i] /= L_(i, i);
  }
}

// v' H v; Eigen would allocate for the product
double LoopDynamics::twice_energy(const JointVector& v) const noexcept {
  double sum = 0.0;
  for (int i = 0; i < model_.num_v(); ++i) {
    for (int j = 0; j < model_.num_v(); ++j) sum += v[i] * H_(i, j) * v[j];
  }
  return sum;
}

LoopStatus LoopDynamics::factor(const JointVector& q, const JointVector* added) noexcept {
  if (q.size() != model_.num_q() || !q.allFinite() || !has_orientations(model_, q))
    return LoopStatus::kNotFinite;
  if (added != nullptr && added->size() != model_.num_v()) return LoopStatus::kNotFinite;
  crba(model_, q, crba_, H_);
  if (added != nullptr) H_.diagonal() += *added - model_.rotor_inertia();
  if (!factor_mass()) return LoopStatus::kNoInertia;
  place_loops(model_, q, loops_);
  for (int row = 0; row < svd_.U.cols(); ++row) {
    z_ = loops_.J.row(row).transpose();
    to_metric(z_);
    svd_.U.col(row) = z_;
  }
  svd_.factor();  // (closed-1)
  rank_ = 0;
  while (rank_ < most_ && rank_ < std::min(svd_.U.rows(), svd_.U.cols()) &&
         svd_.sigma[rank_] > tolerances_.rank * svd_.sigma[0]) {
    ++rank_;
  }
  if (rank_ > independent_) best_ = 0.0;
  independent_ = std::max(independent_, rank_);
  best_ = std::max(best_, smallest_singular_value());
  return LoopStatus::kOk;
}

LoopStatus LoopDynamics::factor(const JointVector& q) noexcept {
  return factor(q, nullptr);
}

// d = V' k; false where a direction that does not count has some of it left
bool LoopDynamics::split_rate(const JointVector& v) noexcept {
  d_.noalias() = svd_.V.transpose() * loops_.k;
  const double terms = svd_.sigma.size() == 0 ? 0.0 : svd_.sigma[0] * twice_energy(v);
  for (int i = rank_; i < d_.size(); ++i) {
    if (std::abs(d_[i]) > tolerances_.contradiction * (loops_.k.norm() + terms) + 1e-9)
      return false;
  }
  return true;
}

LoopStatus LoopDynamics::accelerate(const JointVector& q, const JointVector& v,
                                    const JointVector& tau, const ExternalLoads& extras,
                                    JointVector& vdot) noexcept {
  if (!sizes_fit(model_, q, v, tau, extras)) return LoopStatus::kNotFinite;
  move_loops(model_, q, v, loops_);
  rnea(model_, q, v, zero_, extras, rnea_, b_);
  if (!b_.allFinite() || !tau.allFinite()) return LoopStatus::kNotFinite;
  z_ = tau - b_;
  to_metric(z_);  // (closed-2)
  if (!split_rate(v)) return LoopStatus::kOverConstrained;
  y_.setZero();
  for (int i = 0; i < rank_; ++i) {
    y_[i] = -d_[i] / svd_.sigma[i] - svd_.U.col(i).dot(z_);  // (closed-3)
  }
  for (int i = 0; i < rank_; ++i) {
    z_ += svd_.U.col(i) * y_[i];
    y_[i] /= svd_.sigma[i];
  }
  lambda_.noalias() = svd_.V * y_;
  from_metric(z_);  // (closed-4)
  vdot = z_;
  return LoopStatus::kOk;
}

LoopStatus LoopDynamics::accelerate_under(const Eigen::VectorXd& multipliers, const JointVector& q,
                                          const JointVector& v, const JointVector& tau,
                                          const ExternalLoads& extras, JointVector& vdot) noexcept {
  if (!sizes_fit(model_, q, v, tau, extras) || multipliers.size() != lambda_.size())
    return LoopStatus::kNotFinite;
  move_loops(model_, q, v, loops_);
  rnea(model_, q, v, zero_, extras, rnea_, b_);
  lambda_ = multipliers;
  z_ = tau - b_;
  z_.noalias() += loops_.J.transpose() * lambda_;
  if (!z_.allFinite()) return LoopStatus::kNotFinite;
  to_metric(z_);
  from_metric(z_);
  vdot = z_;
  return LoopStatus::kOk;
}

// J vdot = -k / 2 in place of -k: H^-1 J' times what makes the difference
void LoopDynamics::straighten(const JointVector& q, const JointVector& v,
                              JointVector& vdot) noexcept {
  move_loops(model_, q, v, loops_);
  d_.noalias() = svd_.V.transpose() * loops_.k;
  z_.setZero();
  for (int i = 0; i < rank_ && svd_.sigma[i] > kTooCurved * svd_.sigma[0]; ++i) {
    z_ += svd_.U.col(i) * (0.5 * d_[i] / svd_.sigma[i]);
  }
  from_metric(z_);
  vdot += z_;
}

LoopStatus LoopDynamics::run(const JointVector& q, const JointVector& v, const JointVector& tau,
                             const ExternalLoads& extras, JointVector& vdot) noexcept {
  const LoopStatus status = factor(q, extras.added_inertia);
  return status == LoopStatus::kOk ? accelerate(q, v, tau, extras, vdot) : status;
}

// from (closed-1): J = V Sigma U' L', so that the rows of U' L' span those of J
void LoopDynamics::equations(Eigen::MatrixXd& R) const noexcept {
  for (int i = 0; i < rank_; ++i) {
    for (int k = 0; k < model_.num_v(); ++k) {
      double sum = 0.0;
      for (int j = 0; j <= k; ++j) sum += L_(k, j) * svd_.U(j, i);
      R(i, k) = sum;
    }
  }
}

LoopStatus LoopDynamics::right_sides(const JointVector& q, const JointVector& v,
                                     Eigen::VectorXd& r) noexcept {
  if (!v.allFinite()) return LoopStatus::kNotFinite;
  move_loops(model_, q, v, loops_);
  if (!split_rate(v)) return LoopStatus::kOverConstrained;
  for (int i = 0; i < rank_; ++i) r[i] = -d_[i] / svd_.sigma[i];
  return LoopStatus::kOk;
}

// L^-1 force = Y lambda
bool LoopDynamics::carry(const JointVector& force) noexcept {
  z_ = force;
  to_metric(z_);
  const double size = z_.norm();
  y_.setZero();
  for (int i = 0; i < rank_; ++i) {
    const double part = svd_.U.col(i).dot(z_);
    z_ -= svd_.U.col(i) * part;
    y_[i] = part / svd_.sigma[i];
  }
  lambda_.noalias() = svd_.V * y_;
  return z_.norm() <= kCarried * (1.0 + size);
}

void LoopDynamics::project_velocity(JointVector& v, bool careful) noexcept {
  const double size = v.norm();
  d_.noalias() = loops_.J * v;
  y_.noalias() = svd_.V.transpose() * d_;
  for (int i = 0; i < rank_; ++i) {
    z_ = svd_.U.col(i) * (-y_[i] / svd_.sigma[i]);
    from_metric(z_);
    const double part = svd_.sigma[i] / svd_.sigma[0];
    if (careful && part <= tolerances_.crossing && too_large(part, z_.norm(), size)) continue;
    v += z_;
  }
}

// one round: q moves by -Y^+ e, damped (Levenberg) or careful
LoopStatus LoopDynamics::correct(double damping, bool careful, JointVector& q) noexcept {
  y_.noalias() = svd_.V.transpose() * loops_.e;
  step_.setZero();
  for (int i = 0; i < rank_; ++i) {
    const double s = svd_.sigma[i];
    z_ = svd_.U.col(i) * (-y_[i] * s / (s * s + damping));
    from_metric(z_);
    const double part = s / svd_.sigma[0];
    if (careful && part <= tolerances_.crossing && too_large(part, z_.norm(), 1.0)) continue;
    step_ += z_;
  }
  integrate(model_, step_, 1.0, q);
  return LoopStatus::kOk;
}

LoopStatus LoopDynamics::project_position(int rounds, JointVector& q) noexcept {
  for (int round = 0; round < rounds; ++round) {
    const LoopStatus status = factor(q);
    if (status != LoopStatus::kOk) return status;
    if (gap() < kClosed) break;
    correct(0.0, true, q);
  }
  return LoopStatus::kOk;
}

LoopStatus LoopDynamics::close(JointVector& q) noexcept {
  q_next_ = q;
  double damping = 1e-3;
  LoopStatus status = factor(q_next_);
  if (status != LoopStatus::kOk) return status;
  double best = loops_.e.norm();
  for (int round = 0; round < kCloseRounds && best > kClosed; ++round) {
    q_before_ = q_next_;
    const double s = svd_.sigma.size() == 0 ? 0.0 : svd_.sigma[0];
    correct(damping * s * s, false, q_next_);
    status = factor(q_next_);
    if (status == LoopStatus::kOk && loops_.e.norm() < best) {
      best = loops_.e.norm();
      damping = damping < 1e-14 ? 0.0 : damping * 0.1;
      continue;
    }
    // worse: back, more carefully
    q_next_ = q_before_;
    status = factor(q_next_);
    if (status != LoopStatus::kOk) return status;
    damping = std::max(damping * 10.0, 1e-12);
    if (damping > 1e12) break;
  }
  if (!(best <= kClosed * 1e3)) return LoopStatus::kOpen;
  q = q_next_;
  return LoopStatus::kOk;
}

LoopStatus LoopDynamics::look_around(const JointVector& q) {
  for (int k = 0; k < model_.num_v(); ++k) {
    const LoopStatus status = factor(q);
    if (status != LoopStatus::kOk) return status;
    JointVector step = kLookAround * JointVector::Unit(model_.num_v(), k);
    project_velocity(step, false);
    JointVector nearby = q;
    integrate(model_, step, 1.0, nearby);
    // close has counted the rank of wherever it came to
    static_cast<void>(close(nearby));
  }
  return factor(q);
}

double LoopDynamics::gap() const noexcept {
  return loops_.e.size() == 0 ? 0.0 : loops_.e.cwiseAbs().maxCoeff();
}

std::span<const double> LoopDynamics::singular_values() const noexcept {
  return {svd_.sigma.data(), static_cast<std::size_t>(svd_.sigma.size())};
}

double LoopDynamics::smallest_singular_value() const noexcept {
  return independent_ == 0 ? 0.0 : svd_.sigma[independent_ - 1];
}

double LoopDynamics::distance() const noexcept {
  return best_ > 0.0 ? smallest_singular_value() / best_ : 1.0;
}

Force LoopDynamics::force_in_L(int loop) const noexcept {
  const auto l = static_cast<std::size_t>(loop);
  Force F = Force::zero();
  for (int i = 0; i < model_.loops()[l].num_constraints; ++i) {
    const int row = loops_.first_row[l] + i;
    F += loops_.T[static_cast<std::size_t>(row)] * lambda_[row];
  }
  return F;
}

Force LoopDynamics::wrench(int loop) const noexcept {
  return Pose{loop_pose(model_, loops_, loop).R, Vec3::Zero()} * force_in_L(loop);
}

void LoopDynamics::add_forces(std::span<Force> F_ext) const noexcept {
  for (int l = 0; l < static_cast<int>(model_.loops().size()); ++l) {
    add_loop_force(model_, loops_, l, force_in_L(l), F_ext);
  }
}

}  // namespace kagami::models
