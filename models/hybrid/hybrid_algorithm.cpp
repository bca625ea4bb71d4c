#include "models/hybrid/hybrid_algorithm.hpp"

#include <cmath>
#include <utility>

namespace kagami::models {

HybridAlgorithm::HybridAlgorithm(const Model& model, std::unique_ptr<hybrid::OwnerCode> owner)
    : owner_(std::move(owner)),
      generated_(owner_ != nullptr ? HybridDynamics(model, &owner_->table())
                                   : HybridDynamics(model)),
      chain_(model),
      ada_(model, tip_to_base_order(model)) {}

DynamicsStatus HybridAlgorithm::run(const JointVector& q, const JointVector& v,
                                    const JointVector& tau, const ExternalLoads& extras,
                                    JointVector& vdot) noexcept {
  ada_ran_ = !available() || !extras.F_ext.empty() || extras.added_inertia != nullptr;
  if (ada_ran_) return ada_.run(q, v, tau, extras, vdot);
  if (!generated_.available())
    return chain_.run(q, v, tau, vdot) ? DynamicsStatus::kOk : DynamicsStatus::kSingular;
  generated_.forward(q, v, tau, result_);
  if (!std::isfinite(result_.squaredNorm())) return DynamicsStatus::kSingular;
  vdot = result_;
  return DynamicsStatus::kOk;
}

}  // namespace kagami::models
