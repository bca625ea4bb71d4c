/// Coordinates by Euler angles z-y-z in place of quaternions, an option for a floating
/// base or a spherical joint. Near its singularity the chart reports it; the engine itself moves
/// quaternions and has none.
#pragma once

#include "models/base/types.hpp"
#include "models/robot/euler_zyz.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Numbers of q_zyz: as q, with three angles (rad) where q has the four numbers of a quaternion.
int num_q_zyz(const Model& model) noexcept;

/// q_zyz of q, which has the model's size. Returns the smallest |sin q2| of all quaternions (1
/// where there is none): below kEulerSingular one of them has no unique angles (its q3 is then 0)
/// and no rates. Cycle code.
double q_to_zyz(const Model& model, const JointVector& q, JointVector& q_zyz) noexcept;
/// q of q_zyz, which has num_q_zyz numbers, quaternions of unit length. Cycle code.
void zyz_to_q(const Model& model, const JointVector& q_zyz, JointVector& q) noexcept;
/// d q_zyz / dt of v. False, and `rates` untouched, where an angle has no rate: at the singularity.
/// Cycle code.
[[nodiscard]] bool zyz_rates(const Model& model, const JointVector& q_zyz, const JointVector& v,
                             JointVector& rates) noexcept;

}  // namespace kagami::models
