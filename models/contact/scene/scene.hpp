/// What a world is made of: systems that move, shapes that do not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/contact/scene/surface.hpp"
#include "models/contact/shape/convex_mesh.hpp"
#include "models/forward/dynamics_choice.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {

/// Part of a body's outside.
struct BodyShape {
  BodyIndex body = 0;
  ConvexMesh mesh;  ///< in the body's frame
  Surface surface;
};

/// A robot or a free body.
struct SceneSystem {
  std::string name;
  Model model;
  State start;
  std::vector<BodyShape> shapes;
  /// Its shapes meet each other, but those of bodies that a joint ties and what overlaps at the
  /// start.
  bool self_collision = true;
  DynamicsChoice dynamics{};  ///< of its motion without contact; a single free body needs none
};

/// A half-space n . x <= offset, or a convex mesh in W.
struct StaticShape {
  std::string name;
  Vec3 n = Vec3::UnitZ();  ///< outward, unit
  double offset = 0.0;     ///< m
  std::optional<ConvexMesh> mesh;
  Surface surface;
};

/// The level floor at a height (m).
StaticShape floor_at(double height, const Surface& surface);
/// A plane through the origin that falls along +x by `slope` (rad), below -pi/2..pi/2.
StaticShape slope_of(double slope, const Surface& surface);
/// A convex obstacle; the mesh is in W.
StaticShape obstacle(const ConvexMesh& mesh, const Surface& surface);

/// A free body: the mesh as one homogeneous piece of `mass` (kg) with its frame where the mesh has
/// its origin, at pose X_WB with velocity V_WB_B. Throws ModelError for an impossible mass.
SceneSystem free_body(const std::string& name, const ConvexMesh& mesh, double mass,
                      const Surface& surface, const Pose& X_WB,
                      const Motion& V_WB_B = Motion::zero());

struct Scene {
  std::vector<SceneSystem> systems;
  std::vector<StaticShape> statics;
};

}  // namespace kagami::models
