/// A checked convex polyhedron: vertices, outward faces, volume, mass properties.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/base/types.hpp"
#include "models/robot/builder.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// Largest mesh; a convex polyhedron of V vertices has at most 2 V - 4 faces.
inline constexpr int kMaxMeshVertices = 64;
inline constexpr int kMaxMeshFaces = 2 * kMaxMeshVertices - 4;

/// One flat face; corners counter-clockwise seen from outside. n . x = offset on it.
struct MeshFace {
  std::vector<int> corners;
  Vec3 n = Vec3::Zero();  ///< outward, unit
  double offset = 0.0;    ///< m
};

/// Immutable. Coordinates (m) in the frame that the maker chose, usually the body's.
class ConvexMesh {
 public:
  /// Checks that there are 4 .. kMaxMeshVertices finite, different vertices, all in use, every edge
  /// is shared by two faces that run it in opposite directions (closed, outward), faces are flat,
  /// every vertex lies on or below every face (convex) and the volume is above 0. Throws
  /// ConfigError "<name>: ..." that names the vertex, edge or face.
  ConvexMesh(std::string name, std::vector<Vec3> vertices, std::vector<std::vector<int>> faces);
  /// Prism over the triangle (0, 0), (size.x, 0), (0, size.z) of the x-z plane, from y = -size.y/2
  /// to size.y/2 of frame S: a ramp that falls along +x. Edge lengths in m, > 0.
  static ConvexMesh wedge(const std::string& name, const Vec3& size, const Pose& X_BS = {});
  /// Box of the given edge lengths (m, > 0) about the origin of frame S; X_BS puts S into the frame
  /// of the result.
  static ConvexMesh box(const std::string& name, const Vec3& size, const Pose& X_BS = {});

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::vector<Vec3>& vertices() const noexcept { return vertices_; }
  [[nodiscard]] const std::vector<MeshFace>& faces() const noexcept { return faces_; }
  /// Every edge once, lower vertex first, in order.
  [[nodiscard]] std::vector<std::pair<int, int>> edges() const;
  [[nodiscard]] double volume() const noexcept { return volume_; }  ///< m^3
  /// Distance of the farthest vertex from the frame's origin (m).
  [[nodiscard]] double reach() const noexcept { return reach_; }
  /// Of a homogeneous body of that mass (kg).
  [[nodiscard]] MassProperties mass_properties(double mass) const;
  /// The same polyhedron in frame A.
  [[nodiscard]] ConvexMesh moved(const Pose& X_AB) const;

 private:
  std::string name_;
  std::vector<Vec3> vertices_;
  std::vector<MeshFace> faces_;
  double volume_ = 0.0;
  double reach_ = 0.0;
};

}  // namespace kagami::models
