/// Forward and inverse dynamics by generated code, where there is some for the model.
#pragma once

#include "models/base/types.hpp"
#include "models/hybrid/generated.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Looks for shipped code of exactly this model. Without it available() is false and the caller
/// takes a run-time algorithm. Immutable after construction.
class HybridDynamics {
 public:
  explicit HybridDynamics(const Model& model) noexcept;
  /// Code that the caller loaded and checked; null or of another model: not available.
  HybridDynamics(const Model& model, const hybrid::GeneratedTable* table) noexcept;

  [[nodiscard]] bool available() const noexcept { return forward_ != nullptr; }
  /// vdot from q, v, tau as by aba(). Only when available(). Cycle code.
  void forward(const JointVector& q, const JointVector& v, const JointVector& tau,
               JointVector& vdot) const noexcept;
  /// The same with J (one per degree of freedom) on the diagonal in place of the model's rotor
  /// inertias, as ExternalLoads::added_inertia. Only when available(). Cycle code.
  void forward(const JointVector& q, const JointVector& v, const JointVector& tau,
               const JointVector& J, JointVector& vdot) const noexcept;
  /// tau from q, v, vdot as by rnea(). Only when available(). Cycle code.
  void inverse(const JointVector& q, const JointVector& v, const JointVector& vdot,
               JointVector& tau) const noexcept;

 private:
  int num_v_ = 0;
  hybrid::GeneratedFunction forward_ = nullptr;
  hybrid::GeneratedFunction inverse_ = nullptr;
  hybrid::DrivenFunction driven_ = nullptr;
};

}  // namespace kagami::models
