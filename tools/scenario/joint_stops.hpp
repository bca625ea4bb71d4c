/// Stops at the joint limits of a scene's robots.
#pragma once

#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/contact/world/world.hpp"
#include "models/robot/model.hpp"

namespace kagami::tools {

/// Of one joint that reached a limit.
struct StopReport {
  std::string system;
  std::string joint;
  long steps = 0;  ///< in which a stop acted on it
};

/// Inelastic stops of one system: while a joint of one degree of freedom is or would end a step
/// beyond a limit, a spring taken at the step's end (implicit, as hold_posture) pushes it back. It
/// yields by the force over the spring's stiffness, some 1e-8 rad under gravity, and takes the
/// energy of the impact. Joints of more degrees of freedom have no limits.
class JointStops {
 public:
  /// For steps of h (s). The system starts as the world has it.
  JointStops(const models::World& world, int system, double h);

  /// Whether the model has a limit at all.
  [[nodiscard]] bool any() const noexcept { return !joints_.empty(); }
  /// Adds to the drive of the next step.
  void act(models::World& world);
  /// The joints on which a stop acted.
  void report(const models::World& world, std::vector<StopReport>& reports) const;

 private:
  struct Stop {
    std::string joint;
    int q = 0;  // index of its coordinate
    int v = 0;
    models::DofLimits limits;
    double inertia = 0.0;  // kg m^2, kg: what the spring adds to the step
    long steps = 0;
  };

  int system_;
  double h_;
  std::vector<Stop> joints_;
};

}  // namespace kagami::tools
