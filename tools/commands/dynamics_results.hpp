/// What `kagami dynamics` computes: accelerations by a named algorithm and all that goes with them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/closed_chains/closed_chain_dynamics.hpp"
#include "models/dynamics/balance_point.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/model.hpp"
#include "tools/commands/dynamics_input.hpp"
#include "tools/commands/dynamics_loops.hpp"

namespace kagami::tools {

/// Forward dynamics as the options select it.
struct Chosen {
  const models::Model& model;
  models::Algorithm algorithm = models::Algorithm::kAba;
  std::optional<models::ForwardDynamics>
      tree;  ///< empty with loops: a ClosedChainDynamics serves then
};

/// Accelerations of one entry's model, joint forces and forces of the surroundings, its loops
/// closed. Borrows what was chosen and the entry.
class EntrySource final : public models::AccelerationSource {
 public:
  /// Throws ConfigError for an algorithm that does not serve the model's loops.
  EntrySource(Chosen& chosen, const StateEntry& entry);

  [[nodiscard]] bool acceleration(double t, const JointVector& q, const JointVector& v,
                                  JointVector& vdot) noexcept override;
  [[nodiscard]] bool rate(double t, const JointVector& q, JointVector& v,
                          JointVector& vdot) noexcept override;
  [[nodiscard]] bool settle(models::State& state) noexcept override;

  /// F_Bo_B of the entry's external forces on each body at the last q; empty when there are none.
  [[nodiscard]] const std::vector<models::Force>& external() const { return F_ext_; }
  /// Null without loops.
  [[nodiscard]] models::ClosedChainDynamics* loops() { return loops_.get(); }
  /// The algorithm that computed the last acceleration.
  [[nodiscard]] models::Algorithm ran() const { return loops_ ? loops_->ran() : tree_->ran(); }
  /// Why the last call returned false.
  [[nodiscard]] std::string problem() const;

 private:
  void place_external(const JointVector& q, const JointVector& v) noexcept;

  const models::Model& model_;
  const StateEntry& entry_;
  models::Kinematics kinematics_;
  std::vector<models::Force> F_ext_;
  models::ForwardDynamics* tree_ = nullptr;             // without loops
  std::unique_ptr<models::ClosedChainDynamics> loops_;  // with loops
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
struct DynamicsResults {
  models::Algorithm ran = models::Algorithm::kAba;  ///< the algorithm that computed vdot
  JointVector vdot;
  JointVector b;           ///< bias: joint forces at vdot = 0 without external forces
  JointVector Q_external;  ///< external forces seen at the joints
  JointMatrix H;
  JointVector inverse_vdot;
  JointVector inverse_tau;         ///< that give inverse_vdot under the same external forces
  std::vector<Vec6> joint_wrench;  ///< moment and force in W, about the child's origin
  std::vector<models::Pose> X_WB;  ///< per body
  Balance balance;
  models::PowerBalance power;
  models::Jacobian A;  ///< centroidal momentum matrix
  models::BalanceStatus zmp_status = models::BalanceStatus::kNoSupport;
  models::BalancePoint zmp;  ///< on the plane through Wo against gravity
  std::optional<LoopClosure> loops;
};
/// Throws Error, with the entry's place, when there is no acceleration.
DynamicsResults results_of(Chosen& chosen, const StateEntry& entry);

}  // namespace kagami::tools
