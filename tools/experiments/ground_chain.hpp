/// A chain above the ground, stepped by one way to compute contact and one integrator.
#pragma once

#include <memory>
#include <vector>

#include "models/contact/world/world.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/dynamics/kinematics.hpp"
#include "tools/experiments/spring_damper.hpp"
#include "tools/scenario/scenario.hpp"

namespace kagami::tools {

/// proposed and macroscopic: the contact methods; microscopic: springs and dampers.
enum class GroundMethod { kRelaxed, kMultipoint, kSpringDamper };

/// "relaxed", "multipoint", "spring-damper".
const char* name(GroundMethod method);

/// How a chain is stepped.
struct GroundStepping {
  GroundMethod method = GroundMethod::kRelaxed;
  /// kSemiImplicitEuler: as World steps, joint dampers implicit. kRkg: dampers at every stage;
  /// springs at every stage, too; contact methods solve once per step, for the velocity at its end,
  /// and their mean forces act at the touching vertices through all four stages, (12) of
  /// [Wakisaka 2013].
  models::Scheme scheme = models::Scheme::kSemiImplicitEuler;
  double h = 1e-3;  ///< s
};

/// The first robot of `scenario` with `links` links instead of its own, the second repeated; its
/// pivot as many links higher. Throws ConfigError when it is no chain of boxes on hinges.
Scenario chain_of(const Scenario& scenario, int links);

class GroundChain {
 public:
  /// One robot and the floor at z = 0; the scenario must outlive it.
  GroundChain(const Scenario& scenario, const GroundStepping& stepping);
  ~GroundChain();

  /// One step; false when it has no finite answer.
  bool step();

  [[nodiscard]] double energy() const { return energy_; }  ///< J, kinetic and potential
  [[nodiscard]] double damped() const { return damped_; }  ///< J, work of the dampers, <= 0
  [[nodiscard]] double depth() const { return depth_; }    ///< m, of the deepest vertex
  [[nodiscard]] double speed() const;                      ///< rad/s, of the fastest joint
  [[nodiscard]] double cpu() const { return cpu_; }        ///< s, of all steps
  /// N, normal, per vertex of the last link.
  [[nodiscard]] const std::vector<double>& forces() const { return forces_; }

 private:
  class Source;

  bool semi_implicit_step();
  bool gill_step();
  void read_contacts();
  void measure(const JointVector& v_before);

  const Scenario& s_;
  GroundStepping stepping_;
  models::World world_;
  models::Kinematics k_;
  std::unique_ptr<SpringDamper> springs_;
  std::unique_ptr<Source> source_;
  models::Integrator integrator_;
  std::vector<double> forces_;
  double t_ = 0.0, energy_ = 0.0, damped_ = 0.0, depth_ = 0.0, cpu_ = 0.0;
};

}  // namespace kagami::tools
