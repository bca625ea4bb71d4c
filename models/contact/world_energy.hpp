/// Energy of a world, step by step: what is stored, what drives and contacts supplied.
#pragma once

#include <vector>

#include "models/contact/world.hpp"
#include "models/dynamics/kinematics.hpp"

namespace kagami::models {

/// J, of one step over all systems.
struct StepEnergy {
  double stored = 0.0;   ///< kinetic and potential energy at its end
  double change = 0.0;   ///< of `stored`
  double drive = 0.0;    ///< work of joint forces, implicit terms included, and of F_ext
  double contact = 0.0;  ///< World::contact_work
  /// What neither supplied: the integrator's own error. Negative for the semi-implicit step in free
  /// fall (m g^2 h^2 / 2 a step).
  [[nodiscard]] double unexplained() const noexcept { return change - drive - contact; }
};

/// Watches a world; optional, costs the kinematics of all systems. The world must outlive it.
class WorldEnergy {
 public:
  /// Takes the present state as the start.
  explicit WorldEnergy(const World& world);
  /// After a step of h (s). A system that is not finite counts nothing. Cycle code.
  StepEnergy after_step(double h) noexcept;
  /// Sum of all positive contact work since construction (J): what compensation of penetration fed
  /// in. 0 in a clean run.
  [[nodiscard]] double contact_gain() const noexcept { return contact_gain_; }

 private:
  struct Watched {
    explicit Watched(const Model& model) : now(model), before(model), v(model.num_v()) {}
    Kinematics now, before;
    JointVector v;  // before
    double stored = 0.0;
  };

  const World& world_;
  std::vector<Watched> watched_;
  double contact_gain_ = 0.0;
};

}  // namespace kagami::models
