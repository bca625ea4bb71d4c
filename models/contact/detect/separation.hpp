/// Narrow phase: whether a face of one of two convex meshes holds them apart.
#pragma once

#include "models/contact/shape/convex_mesh.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// No face separates.
inline constexpr int kNoFace = -1;

/// Number of a face whose plane has the other mesh wholly on its outer side or on it: a face of A,
/// or (A's number of faces + k) for face k of B; kNoFace when there is none (they overlap, or only
/// two edges separate them: then the overlap itself comes out empty). `hint`, an earlier answer, is
/// tried first. Cycle code.
[[nodiscard]] int separating_face(const ConvexMesh& A, const ConvexMesh& B, const Pose& X_AB,
                                  int hint) noexcept;

}  // namespace kagami::models
