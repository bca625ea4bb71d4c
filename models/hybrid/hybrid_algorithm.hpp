/// Algorithm "hybrid" among those that forward dynamics knows by name.
#pragma once

#include <memory>

#include "models/dynamics/ada.hpp"
#include "models/dynamics/forward_algorithm.hpp"
#include "models/hybrid/chain_dynamics.hpp"
#include "models/hybrid/hybrid_dynamics.hpp"
#include "models/hybrid/owner_code.hpp"

namespace kagami::models {

/// Generated code, the whole tree's or blocks of a chain, where it is of exactly this model and the
/// call asks for nothing that it lacks (forces of the surroundings, another diagonal); ada
/// otherwise. The model must outlive it.
class HybridAlgorithm final : public ForwardAlgorithm {
 public:
  /// By an owner's code, null: by the code we ship.
  explicit HybridAlgorithm(const Model& model, std::unique_ptr<hybrid::OwnerCode> owner = nullptr);

  [[nodiscard]] DynamicsStatus run(const JointVector& q, const JointVector& v,
                                   const JointVector& tau, const ExternalLoads& extras,
                                   JointVector& vdot) noexcept override;
  [[nodiscard]] std::optional<Algorithm> substitute() const noexcept override {
    return ada_ran_ ? std::optional(Algorithm::kAda) : std::nullopt;
  }
  /// Whether there is generated code for this model.
  [[nodiscard]] bool available() const noexcept {
    return generated_.available() || chain_.available();
  }

 private:
  std::unique_ptr<hybrid::OwnerCode> owner_;  // stays loaded while generated_ calls it
  HybridDynamics generated_;
  ChainDynamics chain_;  // where the whole tree is too long to be one program
  Ada ada_;
  JointVector result_;
  bool ada_ran_ = false;
};

}  // namespace kagami::models
