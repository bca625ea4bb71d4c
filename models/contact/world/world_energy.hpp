/// Energy of a world, step by step: what is stored, what drives, contacts and the step itself
/// supplied.
#pragma once

#include <algorithm>
#include <vector>

#include "models/contact/world/world.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"

namespace kagami::models {

/// J, of one step over all systems.
struct StepEnergy {
  double stored = 0.0;  ///< kinetic and potential energy at its end
  double change = 0.0;  ///< of `stored`
  /// Work of joint forces, implicit terms included, and of F_ext, at the mean of the velocities
  /// before and after the step.
  double drive = 0.0;
  /// World::contact_work: impulses times the mean of the velocities without and with them. What
  /// the methods promise: not above 0 but for penetration that is taken back.
  double contact = 0.0;
  /// The integrator's own error: what a step along the same motion supplies by moving the pose with
  /// the velocity of its end while gravity and velocity-dependent forces are those of its start.
  /// From states alone; no contact impulse enters. docs/math/contact_checks.md.
  double integrator = 0.0;

  /// What contacts supplied, from the states alone: impulses times the mean of the velocities
  /// before and after the step.
  [[nodiscard]] double added() const noexcept { return change - drive - integrator; }
  /// What contacts fed in: `contact` and `added` differ by whether an impulse acts after the free
  /// motion of the step or along with it, which no step can tell; both must be above 0.
  [[nodiscard]] double gain() const noexcept { return std::max(0.0, std::min(contact, added())); }
};

/// Watches a world; optional, costs the kinematics of all systems three times and inverse dynamics.
/// The world must outlive it. States that are set from outside count as no work: make a new
/// one then.
class WorldEnergy {
 public:
  /// Takes the present state as the start.
  explicit WorldEnergy(const World& world);
  /// After a step of h (s). A system that is not finite counts nothing. Cycle code.
  StepEnergy after_step(double h) noexcept;
  /// Between steps, after World::use_variant: what the masses brought along or took with them (J)
  /// counts as work of the drives. Not for the cycle.
  void masses_changed();
  /// Sum of StepEnergy::gain since construction (J): penetration that is taken back, or restitution
  /// that gives more than it may. 0 in a clean run.
  [[nodiscard]] double contact_gain() const noexcept { return contact_gain_; }
  /// Sums of StepEnergy::drive and StepEnergy::integrator since construction (J).
  [[nodiscard]] double drive() const noexcept { return drive_; }
  [[nodiscard]] double integrator() const noexcept { return integrator_; }
  /// Largest rise of the energy less what drives and integrator supplied above its lowest value so
  /// far (J): the gain, and the share of impulses that drives and weight met within their steps, of
  /// first order in the step.
  [[nodiscard]] double unsupplied() const noexcept { return unsupplied_; }

 private:
  struct Watched {
    Watched(const Model& model, const State& state);
    Kinematics now, before;
    Kinematics flat;  // at the pose before, v_flat
    RneaWorkspace rnea;
    JointVector q, v;        // before
    JointVector v_flat = v;  // after, in the axes and at the pose of the start
    JointVector vdot = v, bias = v;
    double stored = 0.0, potential = 0.0;
  };

  void watch();
  [[nodiscard]] double drive_work(int s, const Watched& w, double h) const noexcept;
  [[nodiscard]] double bias_power(const Model& model, Watched& w) const noexcept;

  const World& world_;
  std::vector<Watched> watched_;
  double contact_gain_ = 0.0;
  double drive_ = 0.0;
  double integrator_ = 0.0;
  double added_ = 0.0, added_lowest_ = 0.0, unsupplied_ = 0.0;
};

}  // namespace kagami::models
