/// Kinetic and potential energy, and the balance of power that every motion must keep.
#pragma once

#include <span>

#include "models/base/types.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// J, rotor inertias included; after forward_kinematics at the same v. Cycle code.
double kinetic_energy(const Model& model, const JointVector& v, const Kinematics& k) noexcept;
/// J, zero with the mass centre at Wo; after forward_kinematics. Cycle code.
double potential_energy(const Model& model, const Kinematics& k) noexcept;

/// W.
struct PowerBalance {
  double stored = 0.0;    ///< rate of kinetic and potential energy
  double supplied = 0.0;  ///< by the joint forces and the forces of the surroundings
  /// 0 for a motion that obeys the equations; a closed loop's forces do no work.
  [[nodiscard]] double residual() const noexcept { return stored - supplied; }
};

/// The balance of a motion with accelerations vdot under tau and F_ext (F_Bo_B per body, empty =
/// none); k is after forward_kinematics at q, v. Cycle code.
PowerBalance power_balance(const Model& model, const JointVector& q, const JointVector& v,
                           const JointVector& vdot, const JointVector& tau,
                           std::span<const Force> F_ext, const Kinematics& k,
                           RneaWorkspace& w) noexcept;

}  // namespace kagami::models
