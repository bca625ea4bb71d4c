/// Algorithm "hybrid" among those that forward dynamics selects by name.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/dynamics/ada.hpp"
#include "models/dynamics/forward_algorithm.hpp"
#include "models/hybrid/chain_dynamics.hpp"
#include "models/hybrid/hybrid_dynamics.hpp"
#include "models/hybrid/owner_code.hpp"

namespace kagami::models {

/// Generated code, the whole tree's or blocks of a chain, where it is of exactly this model; forces
/// of the surroundings are brought to the joints first. Ada otherwise, and where blocks are
/// requested for another diagonal than the rotor inertias. The model must outlive it.
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
  [[nodiscard]] bool available() const noexcept override {
    return generated_.available() || chain_.available();
  }

 private:
  [[nodiscard]] bool has_code_for(const ExternalLoads& extras) const noexcept;
  const JointVector& at_joints(const JointVector& q, const JointVector& tau,
                               std::span<const Force> F_ext) noexcept;

  const Model& model_;
  std::unique_ptr<hybrid::OwnerCode> owner_;  // stays loaded while generated_ calls it
  HybridDynamics generated_;
  ChainDynamics chain_;  // where the whole tree is too long to be one program
  Ada ada_;
  TreePass tree_;  // of the forces of the surroundings, this and the next two
  std::vector<Force> carried_;
  JointVector tau_;
  JointVector result_;
  bool ada_ran_ = false;
};

}  // namespace kagami::models
