/// Contact by a spring and a damper at every vertex: the microscopic method, for comparison alone.
#pragma once

#include <vector>

#include "models/contact/scene/scene.hpp"
#include "models/dynamics/kinematics.hpp"

namespace kagami::tools {

/// Of every vertex.
struct SpringDamperSettings {
  double stiffness = 1e6;  ///< N/m, along the normal and across
  double damping = 150.0;  ///< N s/m
};

/// A vertex of the system's shapes.
struct SpringCorner {
  BodyIndex body = 0;
  Vec3 p_BQ = Vec3::Zero();  ///< m
  double depth = 0.0;        ///< m, below the floor
  double normal = 0.0;       ///< N
  bool touches = false;
  bool slides = false;
  Vec3 anchor = Vec3::Zero();  ///< m, in W: where the spring across holds
};

/// A system on the level floor at z = 0. Explicit integration of its forces must be short against
/// the springs.
class SpringDamper {
 public:
  /// The surface is that of the pair system and floor.
  SpringDamper(const models::SceneSystem& system, const models::Surface& surface,
               const SpringDamperSettings& settings);
  /// Adds the forces of a state (after forward_kinematics) to F_ext, F_Bo_B per body. Corners stay
  /// as they were left by settle: where springs hold, what slides.
  void add_forces(const models::Kinematics& k, std::vector<models::Force>& F_ext) const;
  /// Brings the corners to this state: once per step.
  void settle(const models::Kinematics& k);
  /// In the order of the system's shapes and their vertices.
  [[nodiscard]] const std::vector<SpringCorner>& corners() const { return corners_; }

 private:
  [[nodiscard]] Vec3 force_on(SpringCorner& corner, const models::Kinematics& k) const;

  models::Surface surface_;
  SpringDamperSettings settings_;
  std::vector<SpringCorner> corners_;
};

}  // namespace kagami::tools
