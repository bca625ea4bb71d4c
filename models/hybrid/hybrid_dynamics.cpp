#include "models/hybrid/hybrid_dynamics.hpp"

#include "models/hybrid/model_hash.hpp"

namespace kagami::models {

HybridDynamics::HybridDynamics(const Model& model) noexcept
    : HybridDynamics(model, hybrid::find_generated(hybrid::model_hash(model))) {}

HybridDynamics::HybridDynamics(const Model& model, const hybrid::GeneratedTable* table) noexcept
    : num_v_(model.num_v()) {
  if (table == nullptr || table->version != hybrid::kGeneratorVersion ||
      table->model_hash != hybrid::model_hash(model) || table->num_v != model.num_v() ||
      table->num_q != model.num_q())
    return;
  forward_ = hybrid::best_form(table->forward_dynamics);
  inverse_ = hybrid::best_form(table->inverse_dynamics);
  driven_ = hybrid::best_form(table->driven_dynamics);
}

void HybridDynamics::forward(const JointVector& q, const JointVector& v, const JointVector& tau,
                             JointVector& vdot) const noexcept {
  vdot.resize(num_v_);
  forward_(q.data(), v.data(), tau.data(), vdot.data());
}

void HybridDynamics::forward(const JointVector& q, const JointVector& v, const JointVector& tau,
                             const JointVector& J, JointVector& vdot) const noexcept {
  vdot.resize(num_v_);
  driven_(q.data(), v.data(), tau.data(), J.data(), vdot.data());
}

void HybridDynamics::inverse(const JointVector& q, const JointVector& v, const JointVector& vdot,
                             JointVector& tau) const noexcept {
  tau.resize(num_v_);
  inverse_(q.data(), v.data(), vdot.data(), tau.data());
}

}  // namespace kagami::models
