/// Vertices of a convex mesh against half-spaces and static convex meshes.
#pragma once

#include <vector>

#include "models/contact/scene/scene.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// Position of a point relative to a static shape.
struct Nearness {
  double gap = 0.0;  ///< m along the face's normal; negative inside
  int face = 0;      ///< of the mesh; 0: the half-space
};

/// Two unit vectors that complete n to a right-handed frame; the same for the same n. Cycle code.
void tangents_of(const Vec3& n, Vec3& t1, Vec3& t2) noexcept;

/// n, t1, t2 of every face of a shape, or of the half-space: made once.
struct FaceFrame {
  Vec3 n = Vec3::UnitZ();
  Vec3 t1 = Vec3::UnitX();
  Vec3 t2 = Vec3::UnitY();
};
/// Set-up.
std::vector<FaceFrame> face_frames(const StaticShape& shape);

/// True when a point at p_W comes within `margin` (m) of the shape's nearest face: the half-space's
/// plane, or the face of the mesh that the point is least below (or above) and whose foot lies on
/// the mesh. Cycle code.
[[nodiscard]] bool near_shape(const StaticShape& shape, const Vec3& p_W, double margin,
                              Nearness& out) noexcept;

/// False when no point within `reach` (m) of p_W can come within `margin`. Cycle code.
[[nodiscard]] bool may_touch(const StaticShape& shape, const Vec3& p_W, double reach,
                             double margin) noexcept;

}  // namespace kagami::models
