/// What two convex polyhedra have in common, or one and a half-space: faces know whose they were.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/base/types.hpp"
#include "models/contact/shape/convex_mesh.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// Half-space n . x <= offset; n outward, unit (offset in m).
struct HalfSpace {
  Vec3 n = Vec3::UnitZ();
  double offset = 0.0;
};

/// Whose surface a face of an overlap lies on.
enum class FaceOwner : std::uint8_t { kA, kB };

/// Corners first .. first + count - 1 of the overlap's list, counter-clockwise from outside.
struct OverlapFace {
  int first = 0;
  int count = 0;
  FaceOwner owner = FaceOwner::kA;
};

enum class ClipStatus : std::uint8_t {
  kOk,
  kApart,     ///< nothing in common, or no more than a point, an edge or a face
  kCapacity,  ///< more vertices or faces than there is room for: cannot happen to two checked
              ///< meshes
};

/// "ok", "apart", "capacity".
const char* name(ClipStatus status) noexcept;

/// Cuts a convex polyhedron by half-spaces, one after the other. Vertices are shared between faces
/// and computed once, and every decision is taken once per vertex: so the result is closed whatever
/// the rounding, and a face of B that coincides with one of A (the same way out) stays A's alone.
/// Memory is taken at construction, for two meshes of full size; the calls are cycle code.
class Clipper {
 public:
  Clipper();

  /// Begins with A, in A's frame.
  void start(const ConvexMesh& A) noexcept;
  /// Keeps what lies in the half-space, of which the new face is B's; frame of A. Vertices within
  /// `slack` (m) of the plane count as inside.
  [[nodiscard]] ClipStatus cut(const HalfSpace& B, double slack) noexcept;
  /// Turns and shifts the result into frame W.
  void move(const Pose& X_WA) noexcept;

  [[nodiscard]] std::span<const Vec3> vertices() const noexcept {
    return {now_->vertices.data(), static_cast<std::size_t>(now_->num_vertices)};
  }
  [[nodiscard]] std::span<const OverlapFace> faces() const noexcept {
    return {now_->faces.data(), static_cast<std::size_t>(now_->num_faces)};
  }
  /// Vertex numbers of all faces.
  [[nodiscard]] std::span<const std::uint16_t> corners() const noexcept {
    return {now_->corners.data(), static_cast<std::size_t>(now_->num_corners)};
  }

 private:
  struct Polyhedron {
    std::vector<Vec3> vertices;
    std::vector<OverlapFace> faces;
    std::vector<std::uint16_t> corners;
    int num_vertices = 0;
    int num_faces = 0;
    int num_corners = 0;
  };
  struct Crossing {  // an edge that the plane cuts
    std::uint16_t inside = 0, outside = 0;
    std::uint16_t vertex = 0;  // of the result
    std::uint16_t next = 0;    // along the new face: the crossing that follows
    bool done = false;
  };

  void keep_vertices() noexcept;
  bool cut_face(const OverlapFace& face) noexcept;
  int crossing(std::uint16_t inside, std::uint16_t outside) noexcept;
  bool close() noexcept;

  Polyhedron buffer_[2];
  Polyhedron* now_ = nullptr;
  Polyhedron* next_ = nullptr;
  std::vector<double> height_;          // m above the plane, per vertex of now_
  std::vector<std::uint16_t> renamed_;  // vertex of now_ -> of next_
  std::vector<Crossing> crossings_;
  int num_crossings_ = 0;
  double slack_ = 0.0;
};

/// A and B in common, in the frame of A; the faces of B stand out by `skin` (m). Cycle code.
[[nodiscard]] ClipStatus intersect(const ConvexMesh& A, const ConvexMesh& B, const Pose& X_AB,
                                   Clipper& clipper, double skin = 0.0) noexcept;
/// The same of A and a half-space given in the frame of A.
[[nodiscard]] ClipStatus intersect(const ConvexMesh& A, const HalfSpace& B,
                                   Clipper& clipper) noexcept;

}  // namespace kagami::models
