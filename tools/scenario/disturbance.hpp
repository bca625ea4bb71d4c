/// The disturbances of a scene, looked up in its systems and let act on its world.
#pragma once

#include <memory>
#include <vector>

#include "models/base/disturbance.hpp"
#include "models/contact/scene/scene.hpp"
#include "models/contact/world/world.hpp"
#include "models/robot/disturbed.hpp"

namespace kagami::tools {

/// Disturbances of one scene. One world, made of that scene; one thread.
class SceneDisturbances {
 public:
  /// Looks every name up. Throws ConfigError with the disturbance's place for systems, bodies,
  /// joints or surfaces that the scene has not, for what takes hold of a body that cannot move, and
  /// for a tilt without ground or obstacle.
  SceneDisturbances(const std::vector<Disturbance>& all, const models::Scene& scene);

  [[nodiscard]] bool empty() const noexcept { return !any_; }
  /// Readies a world for the payloads; before its first step.
  void prepare(models::World& world) const;
  /// Before the step whose middle is at t (s): payloads and friction as they are then. Whether
  /// masses changed.
  bool change(double t, models::World& world);
  /// After what holds the postures has written its joint forces: adds what acts. `keeps_tau` per
  /// system: only disturbances write its joint forces, they are zero otherwise.
  void act(double t, const std::vector<bool>& keeps_tau, models::World& world);

 private:
  struct Slippery {
    int system = -1;        // all its shapes, or
    int static_shape = -1;  // this one
    int holds = -1;         // index into `changes` of what holds now
    std::vector<Disturbance> changes;
  };
  Slippery& slippery(const Disturbance& d, const models::Scene& scene);

  bool any_ = false;
  std::vector<models::Disturbed> systems_;
  std::vector<Slippery> slippery_;
};

/// Throws ConfigError for what SceneDisturbances refuses and for what begins after the run's end.
void check_disturbances(const std::vector<Disturbance>& all, const models::Scene& scene,
                        double duration);

}  // namespace kagami::tools
