#include "models/loops/loop_source.hpp"

#include <algorithm>
#include <string>

#include "models/base/errors.hpp"
#include "models/loops/loop_stepper.hpp"

namespace kagami::models {
namespace {

constexpr int kProjectionRounds = 3;

std::unique_ptr<LoopAssembly> assembly_for(const Model& model, Algorithm algorithm) {
  if (algorithm == Algorithm::kAda) return std::make_unique<LoopAssembly>(model);
  if (algorithm == Algorithm::kCrba) return nullptr;
  throw ConfigError(std::string("algorithm \"") + name(algorithm) +
                    "\" does not close loops; expected crba (multipliers on the mass matrix) or "
                    "ada (multi-handle assembly)");
}

}  // namespace

LoopSource::LoopSource(const Model& model, Algorithm algorithm, const LoopTolerances& tolerances)
    : model_(model),
      dynamics_(model, tolerances),
      assembly_(assembly_for(model, algorithm)),
      residual_(model),
      F_all_(static_cast<std::size_t>(model.num_bodies()), Force::zero()),
      by_assembly_(assembly_ != nullptr),
      tau_(JointVector::Zero(model.num_v())) {}

// handles hold inverse inertias: next to a light link the digits of a heavy one go
bool LoopSource::assemble(const JointVector& q, const JointVector& v, JointVector& vdot) noexcept {
  if (assembly_->run(q, v, tau_, {F_ext_, nullptr}, assembled_) != LoopStatus::kOk) return false;
  std::fill(F_all_.begin(), F_all_.end(), Force::zero());
  std::copy(F_ext_.begin(), F_ext_.end(), F_all_.begin());
  assembly_->add_forces(F_all_);
  if (residual_.largest(q, v, tau_, {F_all_, nullptr}, assembled_) > kLargestResidual) return false;
  vdot = assembled_;
  return true;
}

bool LoopSource::accelerate(const JointVector& q, const JointVector& v,
                            JointVector& vdot) noexcept {
  by_assembly_ = assembly_ != nullptr && assemble(q, v, vdot);
  status_ = by_assembly_ ? LoopStatus::kOk
                         : dynamics_.accelerate(q, v, tau_, Extras{F_ext_, nullptr}, vdot);
  return status_ == LoopStatus::kOk;
}

bool LoopSource::acceleration(double /*t*/, const JointVector& q, const JointVector& v,
                              JointVector& vdot) noexcept {
  status_ = dynamics_.factor(q);
  return status_ == LoopStatus::kOk && accelerate(q, v, vdot);
}

bool LoopSource::rate(double /*t*/, const JointVector& q, JointVector& v,
                      JointVector& vdot) noexcept {
  if (step_starts_) limit_rank(LoopDynamics::kAnyRank);
  status_ = dynamics_.factor(q);
  if (status_ == LoopStatus::kOk) {
    if (step_starts_) limit_rank(dynamics_.rank());
    step_starts_ = false;
    dynamics_.project_velocity(v, true);
    if (accelerate(q, v, vdot)) return true;
  }
  step_starts_ = true;
  return false;
}

// A linkage such as Bennett's is over-constrained only where it closes. The stages of a step are
// off that by the step's error, where equations that say nothing seem to be independent: they would
// stop what moves. So a step keeps the rank of its start.
void LoopSource::limit_rank(int most) noexcept {
  dynamics_.limit_rank(most);
  if (assembly_) assembly_->limit_rank(most);
}

bool LoopSource::straight_rate(double t, const JointVector& q, JointVector& v,
                               JointVector& vdot) noexcept {
  if (!rate(t, q, v, vdot)) return false;
  dynamics_.straighten(q, v, vdot);
  return true;
}

bool LoopSource::settle(State& state) noexcept {
  step_starts_ = true;
  status_ = dynamics_.project_position(kProjectionRounds, state.q);
  if (status_ == LoopStatus::kOk && dynamics_.gap() > kOpenGap) status_ = LoopStatus::kOpen;
  if (status_ == LoopStatus::kOk) dynamics_.project_velocity(state.v, true);
  limit_rank(LoopDynamics::kAnyRank);
  return status_ == LoopStatus::kOk;
}

Force LoopSource::wrench(int loop) const noexcept {
  return by_assembly_ ? assembly_->wrench(loop) : dynamics_.wrench(loop);
}

void LoopSource::add_forces(std::span<Force> F_ext) const noexcept {
  return by_assembly_ ? assembly_->add_forces(F_ext) : dynamics_.add_forces(F_ext);
}

int LoopSource::rank() const noexcept {
  return by_assembly_ ? assembly_->rank() : dynamics_.rank();
}

}  // namespace kagami::models
