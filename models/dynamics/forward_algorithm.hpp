/// What every algorithm of forward dynamics does.
#pragma once

#include <optional>

#include "models/base/types.hpp"
#include "models/dynamics/algorithm.hpp"
#include "models/dynamics/joint_assembly.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// What an algorithm does; sized for one model, no call allocates.
class ForwardAlgorithm {
 public:
  virtual ~ForwardAlgorithm() = default;
  /// vdot from q, v, tau (units in aba.hpp). vdot is untouched unless kOk. Inputs are checked by
  /// the caller: finite and of the model's sizes. Cycle code.
  [[nodiscard]] virtual DynamicsStatus run(const JointVector& q, const JointVector& v,
                                           const JointVector& tau, const ExternalLoads& extras,
                                           JointVector& vdot) noexcept = 0;
  /// F_Bo_B that the joint of a body exerts on it, after run; NaN where the algorithm has none.
  [[nodiscard]] virtual Force joint_force(BodyIndex body) const noexcept;
  /// Whether joint_force gives numbers.
  [[nodiscard]] virtual bool has_joint_forces() const noexcept { return false; }
  /// Whether it can run on its model; otherwise another takes its place.
  [[nodiscard]] virtual bool available() const noexcept { return true; }
  /// The algorithm that computed the last vdot, where it was not the selected one.
  [[nodiscard]] virtual std::optional<Algorithm> substitute() const noexcept {
    return std::nullopt;
  }
};

}  // namespace kagami::models
