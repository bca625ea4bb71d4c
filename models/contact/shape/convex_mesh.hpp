/// A checked convex polyhedron: vertices, outward faces, volume, mass properties.
#pragma once

#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/robot/builder.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// One flat face; corners counter-clockwise seen from outside. n . x = offset on it.
struct MeshFace {
  std::vector<int> corners;
  Vec3 n = Vec3::Zero();  ///< outward, unit
  double offset = 0.0;    ///< m
};

/// Immutable. Coordinates (m) in the frame that the maker chose, usually the body's.
class ConvexMesh {
 public:
  /// Checks that every edge is shared by two faces that run it in opposite directions (closed,
  /// outward), faces are flat, every vertex lies on or below every face (convex) and the volume is
  /// above 0. Throws ConfigError "<name>: ..." that says which vertex, edge or face.
  ConvexMesh(std::string name, std::vector<Vec3> vertices, std::vector<std::vector<int>> faces);
  /// Box of the given edge lengths (m, > 0) about the origin of frame S; X_BS puts S into the frame
  /// of the result.
  static ConvexMesh box(const std::string& name, const Vec3& size, const Pose& X_BS = {});

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::vector<Vec3>& vertices() const noexcept { return vertices_; }
  [[nodiscard]] const std::vector<MeshFace>& faces() const noexcept { return faces_; }
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
