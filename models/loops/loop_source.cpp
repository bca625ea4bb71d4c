#include "models/loops/loop_source.hpp"

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
      tau_(JointVector::Zero(model.num_v())) {}

bool LoopSource::accelerate(const JointVector& q, const JointVector& v,
                            JointVector& vdot) noexcept {
  const Extras extras{F_ext_, nullptr};
  status_ = assembly_ ? assembly_->run(q, v, tau_, extras, vdot)
                      : dynamics_.accelerate(q, v, tau_, extras, vdot);
  return status_ == LoopStatus::kOk;
}

bool LoopSource::acceleration(double /*t*/, const JointVector& q, const JointVector& v,
                              JointVector& vdot) noexcept {
  status_ = dynamics_.factor(q);
  return status_ == LoopStatus::kOk && accelerate(q, v, vdot);
}

bool LoopSource::rate(double /*t*/, const JointVector& q, JointVector& v,
                      JointVector& vdot) noexcept {
  status_ = dynamics_.factor(q);
  if (status_ != LoopStatus::kOk) return false;
  dynamics_.project_velocity(v, true);
  return accelerate(q, v, vdot);
}

bool LoopSource::straight_rate(double t, const JointVector& q, JointVector& v,
                               JointVector& vdot) noexcept {
  if (!rate(t, q, v, vdot)) return false;
  dynamics_.straighten(q, v, vdot);
  return true;
}

bool LoopSource::settle(State& state) noexcept {
  status_ = dynamics_.project_position(kProjectionRounds, state.q);
  if (status_ == LoopStatus::kOk && dynamics_.gap() > kOpenGap) status_ = LoopStatus::kOpen;
  if (status_ != LoopStatus::kOk) return false;
  dynamics_.project_velocity(state.v, true);
  return true;
}

Force LoopSource::wrench(int loop) const noexcept {
  return assembly_ ? assembly_->wrench(loop) : dynamics_.wrench(loop);
}

void LoopSource::add_forces(std::span<Force> F_ext) const noexcept {
  return assembly_ ? assembly_->add_forces(F_ext) : dynamics_.add_forces(F_ext);
}

int LoopSource::rank() const noexcept {
  return assembly_ ? assembly_->rank() : dynamics_.rank();
}

}  // namespace kagami::models
