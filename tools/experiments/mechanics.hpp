/// Energy, mass centre and momentum of a state, and how well its accelerations obey Newton and
/// Euler.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/centroidal.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"

namespace kagami::tools {

/// All in world axes.
struct Mechanics {
  double potential_energy = 0.0;         ///< J
  double kinetic_energy = 0.0;           ///< J
  Vec3 com = Vec3::Zero();               ///< m
  Vec3 linear_momentum = Vec3::Zero();   ///< kg m/s
  Vec3 angular_momentum = Vec3::Zero();  ///< about the mass centre, kg m^2/s
  double joint_force = 0.0;  ///< largest |tau| that the inverse dynamics require: 0 in free motion
  double force_gap = 0.0;    ///< N: rate of linear momentum minus all forces from outside
  double moment_gap = 0.0;   ///< N m: the same about the mass centre
};

/// One model. The accelerations come from a forward algorithm; what is held against them (inverse
/// dynamics, the centroidal momentum matrix) shares no line with it.
class MechanicsProbe {
 public:
  explicit MechanicsProbe(const models::Model& model);

  /// `loops`: forces of loop joints on the bodies, F_Bo_B, one per body; empty without loops.
  /// `ground`: what loop joints exert from the ground, among them, about Wo in W.
  const Mechanics& measure(const models::State& state, const JointVector& vdot,
                           std::span<const models::Force> loops = {},
                           const models::Force& ground = models::Force::zero());
  /// After measure: force that a body's joint exerts on it, world axes, about the body's origin.
  [[nodiscard]] models::Force joint_force(BodyIndex body) const;
  /// Poses after measure.
  [[nodiscard]] const models::Kinematics& kinematics() const { return kinematics_; }

 private:
  void measure_balance(const models::State& state, const JointVector& vdot,
                       const models::Force& ground);

  const models::Model& model_;
  models::Kinematics kinematics_;
  models::RneaWorkspace rnea_;
  models::CentroidalWorkspace centroidal_;
  models::Jacobian A_;
  JointVector tau_;
  Mechanics mechanics_;
};

/// Names of what append() adds, in its order.
std::vector<std::string> mechanics_columns();
void append(std::vector<double>& row, const Mechanics& m);

}  // namespace kagami::tools
