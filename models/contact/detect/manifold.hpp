/// Narrow phase of two convex meshes: the points at which one touches a face of the other.
#pragma once

#include <array>
#include <span>

#include "models/contact/detect/edges.hpp"
#include "models/contact/shape/convex_mesh.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// A point of one mesh at a face of the other.
struct ManifoldPoint {
  Vec3 p = Vec3::Zero();  ///< m, in W
  double gap = 0.0;       ///< m along the face's normal; negative inside
  int vertex = -1;        ///< of the mesh; -1: where an edge of it crosses a side of the face
  int lines = 0;          ///< what it is made of, unlike for any other point
};

/// No face.
inline constexpr int kTwoEdges = -1;

/// The face that the two come apart by most, and the points of the other mesh over it.
struct Manifold {
  bool face_of_a = false;  ///< the face is A's and the points are B's; else the reverse
  int face = 0;            ///< kTwoEdges: two edges hold them apart, along n
  Vec3 n = Vec3::UnitZ();  ///< with kTwoEdges: unit, out of A, in W; the one point is B's
  int count = 0;
  std::array<ManifoldPoint, 2 * kMaxMeshVertices> points;
};

/// The face (of either mesh) with the greatest distance to the other mesh's deepest vertex carries
/// the contact; A's unless B's is clearly ahead, so that two faces that lie flat on each other do
/// not take turns. The face of the other mesh that lies against it, cut to its sides, gives the
/// points: vertices, and crossings of edges. Those within `margin` (m) are kept. Where the edges
/// of both are given and that face of the other is far from parallel (10 deg), two edges that cross
/// and come apart by clearly more than the faces carry the contact instead. False, and no points,
/// when a face or two edges hold the two farther apart than `margin`. Cycle code.
bool find_manifold(const ConvexMesh& A, const Pose& X_WA, const ConvexMesh& B, const Pose& X_WB,
                   double margin, Manifold& out, std::span<const MeshEdge> edges_A = {},
                   std::span<const MeshEdge> edges_B = {}) noexcept;

}  // namespace kagami::models
