/// What `kagami dynamics` computes: accelerations by a named algorithm and all that goes with them.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/forward_dynamics.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/model.hpp"
#include "tools/commands/dynamics_input.hpp"

namespace kagami::tools {

/// Accelerations of one entry's model, joint forces and forces of the surroundings, by the given
/// forward dynamics. Borrows it and the entry.
class EntrySource final : public models::AccelerationSource {
 public:
  /// Throws ConfigError for a model with loops.
  EntrySource(models::ForwardDynamics& dynamics, const StateEntry& entry);

  [[nodiscard]] bool acceleration(double t, const JointVector& q, const JointVector& v,
                                  JointVector& vdot) noexcept override;
  /// F_Bo_B of the entry's external forces on each body at the last q; empty when there are none.
  [[nodiscard]] const std::vector<models::Force>& external() const { return F_ext_; }

 private:
  void place_external(const JointVector& q, const JointVector& v) noexcept;

  const models::Model& model_;
  const StateEntry& entry_;
  models::Kinematics kinematics_;
  std::vector<models::Force> F_ext_;
  models::ForwardDynamics& dynamics_;
};

/// Energies (J), mass centre (m), momentum about it (kg m/s, kg m^2/s), in W.
struct Balance {
  double kinetic_energy = 0.0;
  double potential_energy = 0.0;
  Vec3 com = Vec3::Zero();
  Vec3 linear_momentum = Vec3::Zero();
  Vec3 angular_momentum = Vec3::Zero();
};
Balance balance_of(const models::Model& model, const models::State& state,
                   models::Kinematics& kinematics);

/// The answers to one entry; names and frames as in the oracles' files.
struct Figures {
  JointVector vdot;
  JointVector b;           ///< bias: joint forces at vdot = 0 without external forces
  JointVector Q_external;  ///< external forces seen at the joints
  JointMatrix H;
  JointVector inverse_vdot;
  JointVector inverse_tau;         ///< that give inverse_vdot under the same external forces
  std::vector<Vec6> joint_wrench;  ///< moment and force in W, about the child's origin
  std::vector<models::Pose> X_WB;  ///< per body
  Balance balance;
};
/// Throws Error when there is no acceleration.
Figures figures_of(models::ForwardDynamics& dynamics, const StateEntry& entry);

}  // namespace kagami::tools
