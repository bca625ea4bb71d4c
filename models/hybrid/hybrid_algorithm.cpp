#include "models/hybrid/hybrid_algorithm.hpp"

#include <cmath>
#include <utility>

#include "models/base/idx.hpp"

namespace kagami::models {

HybridAlgorithm::HybridAlgorithm(const Model& model, std::unique_ptr<hybrid::OwnerCode> owner)
    : model_(model),
      owner_(std::move(owner)),
      generated_(owner_ != nullptr ? HybridDynamics(model, &owner_->table())
                                   : HybridDynamics(model)),
      chain_(model),
      ada_(model, tip_to_base_order(model)),
      tree_(model),
      carried_(idx(model.num_bodies()), Force::zero()),
      tau_(JointVector::Zero(model.num_v())),
      result_(JointVector::Zero(model.num_v())) {}

// blocks have the rotor inertias in them
bool HybridAlgorithm::has_code_for(const ExternalLoads& extras) const noexcept {
  if (generated_.available()) return true;
  return chain_.available() &&
         (extras.added_inertia == nullptr || *extras.added_inertia == model_.rotor_inertia());
}

// tau, and the forces of the surroundings as forces at the joints
const JointVector& HybridAlgorithm::at_joints(const JointVector& q, const JointVector& tau,
                                              std::span<const Force> F_ext) noexcept {
  if (F_ext.empty()) return tau;
  tau_ = tau;
  place_joints(model_, q, tree_);
  add_joint_loads(model_, tree_, F_ext, carried_, tau_);
  return tau_;
}

DynamicsStatus HybridAlgorithm::run(const JointVector& q, const JointVector& v,
                                    const JointVector& tau, const ExternalLoads& extras,
                                    JointVector& vdot) noexcept {
  ada_ran_ = !has_code_for(extras);
  if (ada_ran_) return ada_.run(q, v, tau, extras, vdot);
  const JointVector& loads = at_joints(q, tau, extras.F_ext);
  if (!generated_.available())
    return chain_.run(q, v, loads, vdot) ? DynamicsStatus::kOk : DynamicsStatus::kSingular;
  if (extras.added_inertia != nullptr)
    generated_.forward(q, v, loads, *extras.added_inertia, result_);
  else
    generated_.forward(q, v, loads, result_);
  if (!std::isfinite(result_.squaredNorm())) return DynamicsStatus::kSingular;
  vdot = result_;
  return DynamicsStatus::kOk;
}

}  // namespace kagami::models
