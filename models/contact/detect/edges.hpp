/// Edges of convex meshes against each other.
#pragma once

#include <span>
#include <vector>

#include "models/contact/shape/convex_mesh.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// An edge and the outward normals of the two faces that share it, all in the mesh's frame.
struct MeshEdge {
  Vec3 p = Vec3::Zero();  ///< m, one end
  Vec3 d = Vec3::Zero();  ///< m, from there to the other
  Vec3 n_left = Vec3::Zero();
  Vec3 n_right = Vec3::Zero();
};

/// Every edge once. Set-up.
std::vector<MeshEdge> mesh_edges(const ConvexMesh& mesh);

/// Two edges, one of each mesh, and how far they hold the meshes apart.
struct EdgePair {
  int edge_a = -1;
  int edge_b = -1;
  double gap = 0.0;        ///< m along n; negative: overlap
  Vec3 n = Vec3::UnitZ();  ///< unit, out of A, in A
  Vec3 p = Vec3::Zero();   ///< m, point of B's edge nearest to A's, in A
};

/// The pair of edges with the greatest gap among those whose cross product can separate the meshes
/// (the arcs of their normals cross on the Gauss map [Gregorius 2013]) and that pass each other
/// between their ends. False when there is none. Cycle code.
bool find_edges(std::span<const MeshEdge> A, std::span<const MeshEdge> B, const Pose& X_AB,
                EdgePair& out) noexcept;

}  // namespace kagami::models
