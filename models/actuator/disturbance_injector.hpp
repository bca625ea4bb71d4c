/// Disturbances that act on a servo-driven robot, on the stand or on the floor.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/idx.hpp"
#include "models/contact/world/world.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/disturbed.hpp"

namespace kagami::models {

/// Forces, torques and tilts act, payloads change the model, friction changes the world's. One
/// body, one thread; nothing but the constructor allocates.
class DisturbanceInjector {
 public:
  /// `world`: the body is its system 0, the floor its static shape 0; none: on the stand. Both
  /// outlive it. `dynamics`: on the stand. Throws as Disturbed does, and for friction or a tilt on
  /// the stand.
  DisturbanceInjector(const Model& bare, const std::vector<Disturbance>& all, World* world,
                      const DynamicsChoice& dynamics);

  /// The disturbances' time 0 on the clock of the steps; nothing acts before it is set.
  void begin(std::int64_t zero_ns) noexcept;
  /// Before the step of h (s) from `now_ns`: what acts in its middle. Adds to tau, and to the
  /// world's forces or those below.
  void apply(std::int64_t now_ns, double h, const JointVector& q, JointVector& tau) noexcept;

  /// On the stand: forces on the model with what it carries, and its forward dynamics.
  [[nodiscard]] const std::vector<Force>& F_ext() const noexcept { return F_ext_; }
  [[nodiscard]] ForwardDynamics& dynamics() noexcept { return dynamics_[idx(load_)]; }

 private:
  struct Slippery {
    FrictionChange change;
    DisturbanceTime when;
  };
  [[nodiscard]] const Model& model() const noexcept;
  void set_friction(double t) noexcept;

  const Model& bare_;
  World* world_;
  Disturbed disturbed_;
  std::vector<Slippery> frictions_;
  std::vector<ForwardDynamics> dynamics_;  // on the stand: bare, then each load
  std::vector<Force> F_ext_;
  int load_ = 0;       // what it carries now
  int friction_ = -1;  // index of the change that holds now
  bool begun_ = false;
  std::int64_t zero_ns_ = 0;
};

}  // namespace kagami::models
