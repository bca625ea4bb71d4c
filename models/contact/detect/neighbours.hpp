/// What the broad phase needs to know of moving shapes: their boxes, and which never meet.
#pragma once

#include <cstdint>
#include <vector>

#include "models/contact/detect/sweep.hpp"
#include "models/contact/shape/convex_mesh.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// A box that a shape never leaves, in its body's frame (m).
struct LocalBox {
  Vec3 centre = Vec3::Zero();
  Vec3 half = Vec3::Zero();
};

/// Set-up.
LocalBox box_of(const ConvexMesh& mesh);
/// The box about it in W, `margin` (m) wider on every side. Cycle code.
[[nodiscard]] Bounds bounds_of(const LocalBox& box, const Pose& X_WB, double margin = 0.0) noexcept;

/// A moving shape at the start.
struct PlacedShape {
  int system = 0;
  int body = 0;     ///< touching body of the system
  int parent = -1;  ///< touching body that a joint ties it to, or -1
  const ConvexMesh* mesh = nullptr;
  Pose X_WB;                   ///< of the body
  bool self_collision = true;  ///< of the system
};

/// Pairs of shapes that never meet: of one body, of bodies that a joint ties together, what
/// overlaps within one system at the start, and all within a system without self-collision.
class Neighbours {
 public:
  Neighbours() = default;
  /// Set-up; every mesh is only read here.
  explicit Neighbours(const std::vector<PlacedShape>& shapes);
  /// Of two shapes by their place in the list. Cycle code.
  [[nodiscard]] bool never_meet(int a, int b) const noexcept;
  /// True when some pair may meet.
  [[nodiscard]] bool any_pair() const noexcept { return any_pair_; }

 private:
  std::vector<int> system_;                     // of each shape
  std::vector<std::vector<std::uint8_t>> row_;  // [a][b - a], as far as one system goes
  bool any_pair_ = false;
};

}  // namespace kagami::models
