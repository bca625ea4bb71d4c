#include "models/closed_chains/closed_chain_dynamics.hpp"

#include <algorithm>
#include <string>

#include "models/base/errors.hpp"

namespace kagami::models {
namespace {

constexpr int kProjectionRounds = 3;
// Next to a crossing of branches. Parts of the largest singular value: below the first one
// multipliers are interpolated, between neighbours above the second one.
constexpr double kAtCrossing = 1e-3;
constexpr double kClearOfCrossing = 3e-3;
constexpr double kApart = 0.02;                     // rad or m, from neighbour to neighbour
constexpr double kPasses = 0.02;                    // rad/s or m/s: what is slower is at rest there
constexpr double kNeighbourGap = 1e-9;              // rad or m, largest
constexpr double kAlongBranch = 1e-3;               // of the velocity
constexpr double kWeights[3] = {0.75, -0.3, 0.05};  // of both neighbours; exact to order 5

std::unique_ptr<LoopAssembly> assembly_for(const Model& model, Algorithm algorithm) {
  if (algorithm == Algorithm::kAda) return std::make_unique<LoopAssembly>(model);
  if (algorithm == Algorithm::kCrba) return nullptr;
  throw ConfigError(std::string("algorithm \"") + name(algorithm) +
                    "\" does not close loops; expected crba (multipliers on the mass matrix) or "
                    "ada (multi-handle assembly)");
}

}  // namespace

ClosedChainDynamics::ClosedChainDynamics(const Model& model, Algorithm algorithm,
                                         const LoopTolerances& tolerances)
    : model_(model),
      dynamics_(model, tolerances),
      assembly_(assembly_for(model, algorithm)),
      residual_(model),
      F_all_(static_cast<std::size_t>(model.num_bodies()), Force::zero()),
      ran_(algorithm),
      v_sum_(JointVector::Zero(model.num_v())),
      multipliers_sum_(Eigen::VectorXd::Zero(model.num_loop_constraints())),
      near_(neutral_state(model)),
      vdot_near_(v_sum_),
      tau_(v_sum_) {}

// handles hold inverse inertias: next to a light link the digits of a heavy one go
bool ClosedChainDynamics::assemble(const JointVector& q, const JointVector& v,
                                   JointVector& vdot) noexcept {
  if (assembly_->run(q, v, tau_, {F_ext_, nullptr}, assembled_) != LoopStatus::kOk) return false;
  std::fill(F_all_.begin(), F_all_.end(), Force::zero());
  std::copy(F_ext_.begin(), F_ext_.end(), F_all_.begin());
  assembly_->add_forces(F_all_);
  if (residual_.largest(q, v, tau_, {F_all_, nullptr}, assembled_) > kLargestResidual) return false;
  vdot = assembled_;
  return true;
}

bool ClosedChainDynamics::accelerate_at(const JointVector& q, const JointVector& v,
                                        JointVector& vdot) noexcept {
  forces_of_assembly_ = assembly_ != nullptr && assemble(q, v, vdot);
  ran_ = forces_of_assembly_ ? Algorithm::kAda : Algorithm::kCrba;
  status_ = forces_of_assembly_
                ? LoopStatus::kOk
                : dynamics_.accelerate(q, v, tau_, ExternalLoads{F_ext_, nullptr}, vdot);
  return status_ == LoopStatus::kOk;
}

// Where branches cross, an acceleration is the quotient of two numbers that vanish there: at
// distance s, a place that is off its branch by x makes an error of v^2 x / s^2. Along the branch
// it is continuous, and so are the multipliers: what passes has those that lie between those of its
// neighbours on the branch, three before and three after it. They do no work along the branch.
bool ClosedChainDynamics::accelerate(const JointVector& q, const JointVector& v,
                                     JointVector& vdot) noexcept {
  rank_near_ = 0;
  if (!at_crossing() || !(v.cwiseAbs().maxCoeff() >= kPasses)) return accelerate_at(q, v, vdot);
  const bool interpolated = interpolate(q, v);
  status_ = dynamics_.factor(q);
  if (status_ != LoopStatus::kOk) return false;
  if (!interpolated) {
    rank_near_ = 0;
    return accelerate_at(q, v, vdot);
  }
  forces_of_assembly_ = false;
  const ExternalLoads extras{F_ext_, nullptr};
  status_ = dynamics_.accelerate_under(multipliers_sum_, q, v, tau_, extras, vdot);
  return status_ == LoopStatus::kOk;
}

bool ClosedChainDynamics::at_crossing() const noexcept {
  return dynamics_.smallest_part() < kAtCrossing ||
         dynamics_.rank() < std::min(most_, dynamics_.most_independent());
}

bool ClosedChainDynamics::interpolate(const JointVector& q, const JointVector& v) noexcept {
  const double apart = kApart / v.cwiseAbs().maxCoeff();
  v_sum_.setZero();
  multipliers_sum_.setZero();
  for (int k = 0; k < 3; ++k) {
    for (const double sign : {1.0, -1.0}) {
      if (!add_neighbour(q, v, sign * (k + 1) * apart, kWeights[k])) return false;
    }
  }
  // else v is along none of the branches
  return (v_sum_ - v).cwiseAbs().maxCoeff() <= kAlongBranch * v.cwiseAbs().maxCoeff();
}

// false: there is none, or the neighbour is itself next to a crossing
bool ClosedChainDynamics::add_neighbour(const JointVector& q, const JointVector& v, double seconds,
                                        double weight) noexcept {
  near_.q = q;
  near_.v = v;
  integrate(model_, v, seconds, near_.q);
  if (dynamics_.project_position(kProjectionRounds + 1, near_.q) != LoopStatus::kOk) return false;
  const int rank = dynamics_.rank();
  if (!(dynamics_.gap() <= kNeighbourGap) || dynamics_.smallest_part() < kClearOfCrossing ||
      (rank_near_ != 0 && rank != rank_near_))
    return false;
  rank_near_ = rank;
  dynamics_.project_velocity(near_.v, false);
  if (!accelerate_at(near_.q, near_.v, vdot_near_)) return false;
  v_sum_ += weight * near_.v;
  multipliers_sum_ +=
      weight * (forces_of_assembly_ ? assembly_->multipliers() : dynamics_.multipliers());
  return true;
}

bool ClosedChainDynamics::acceleration(double /*t*/, const JointVector& q, const JointVector& v,
                                       JointVector& vdot) noexcept {
  status_ = dynamics_.factor(q);
  return status_ == LoopStatus::kOk && accelerate(q, v, vdot);
}

bool ClosedChainDynamics::rate(double /*t*/, const JointVector& q, JointVector& v,
                               JointVector& vdot) noexcept {
  const bool starts = step_starts_;
  if (starts) limit_rank(LoopDynamics::kAnyRank);
  status_ = dynamics_.factor(q);
  if (status_ == LoopStatus::kOk) {
    const int rank = dynamics_.rank();
    step_starts_ = false;
    dynamics_.project_velocity(v, true);
    if (accelerate(q, v, vdot)) {
      if (starts) start_step(rank);
      return true;
    }
  }
  step_starts_ = true;
  return false;
}

// A linkage such as Bennett's is over-constrained only where it closes. The stages of a step are
// off that by the step's error, where equations that say nothing seem to be independent: they would
// stop what moves. So a step keeps the rank of its start; where the start is a crossing of
// branches, whose rank is lower, it keeps the rank of the branch.
void ClosedChainDynamics::start_step(int rank) noexcept {
  limit_rank(std::max({rank, rank_before_, rank_near_}));
  rank_before_ = rank;
}

void ClosedChainDynamics::limit_rank(int most) noexcept {
  most_ = most;
  dynamics_.limit_rank(most);
  if (assembly_) assembly_->limit_rank(most);
}

bool ClosedChainDynamics::straight_rate(double t, const JointVector& q, JointVector& v,
                                        JointVector& vdot) noexcept {
  if (!rate(t, q, v, vdot)) return false;
  dynamics_.straighten(q, v, vdot);
  return true;
}

bool ClosedChainDynamics::settle(State& state) noexcept {
  step_starts_ = true;
  status_ = dynamics_.project_position(kProjectionRounds, state.q);
  if (status_ == LoopStatus::kOk && dynamics_.gap() > kOpenGap) status_ = LoopStatus::kOpen;
  if (status_ == LoopStatus::kOk) dynamics_.project_velocity(state.v, true);
  limit_rank(LoopDynamics::kAnyRank);
  return status_ == LoopStatus::kOk;
}

Force ClosedChainDynamics::wrench(int loop) const noexcept {
  return forces_of_assembly_ ? assembly_->wrench(loop) : dynamics_.wrench(loop);
}

void ClosedChainDynamics::add_forces(std::span<Force> F_ext) const noexcept {
  return forces_of_assembly_ ? assembly_->add_forces(F_ext) : dynamics_.add_forces(F_ext);
}

int ClosedChainDynamics::rank() const noexcept {
  return forces_of_assembly_ ? assembly_->rank() : dynamics_.rank();
}

}  // namespace kagami::models
