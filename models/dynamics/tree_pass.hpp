/// The outward pass that every algorithm starts with: joint poses, subspaces, velocities.
#pragma once

#include <span>
#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/kernel/tree.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/pose.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// What may act besides the joint forces.
struct ExternalLoads {
  /// F_Bo_B of the surroundings on each body (N m, N), gravity not included; empty = none.
  std::span<const Force> F_ext;
  /// Added to the diagonal of the mass matrix in place of the model's rotor inertias (kg m^2), one
  /// per degree of freedom: rotor inertia plus implicit actuator terms (docs/math/servo.md).
  const JointVector* added_inertia = nullptr;
};

/// Per body, its own frame B, parent P: sized once, then overwritten.
struct TreePass {
  explicit TreePass(const Model& model);

  std::vector<Pose> X_PB;
  std::vector<Motion> S;  ///< columns, one per degree of freedom, in B
  std::vector<Motion> V;  ///< V_WB_B
  std::vector<Motion> c;  ///< velocity product: V x S v plus the joint's own bias
};

/// Whether q and v have the model's sizes. The algorithms that return no status answer other sizes
/// with NaN. Cycle code.
bool sizes_fit(const Model& model, const JointVector& q, const JointVector& v) noexcept;
/// The same, with x (one number per degree of freedom) and the extras. Cycle code.
bool sizes_fit(const Model& model, const JointVector& q, const JointVector& v, const JointVector& x,
               const ExternalLoads& extras) noexcept;

/// x: NaN for every degree of freedom. Cycle code.
void no_number(const Model& model, JointVector& x) noexcept;

/// X_PB and S from q.
void place_joints(const Model& model, const JointVector& q, TreePass& w) noexcept;
/// V and c from v; after place_joints.
void move_joints(const Model& model, const JointVector& q, const JointVector& v,
                 TreePass& w) noexcept;
/// S v of one body.
Motion joint_velocity(const Model& model, const TreePass& w, BodyIndex i,
                      const JointVector& v) noexcept;
/// Adds S' F of the outer forces to tau: what they do to the acceleration, seen at the joints.
/// After place_joints; `carried` is scratch, one per body. Cycle code.
void add_joint_loads(const Model& model, const TreePass& w, std::span<const Force> F_ext,
                     std::vector<Force>& carried, JointVector& tau) noexcept;
/// Hands the outer forces, if any, to the kernels. Cycle code.
void load_forces(const kernel::Tree& tree, const ExternalLoads& extras,
                 kernel::JointValues& j) noexcept;

}  // namespace kagami::models
