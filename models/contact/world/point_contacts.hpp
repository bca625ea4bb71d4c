/// Narrow phase of the methods of points: the contacts within reach of a world's step.
#pragma once

#include <span>
#include <vector>

#include "models/contact/detect/manifold.hpp"
#include "models/contact/world/near_pairs.hpp"

namespace kagami::models {

/// A static shape of a world. Set-up.
struct WorldObstacle {
  explicit WorldObstacle(const StaticShape& of);

  StaticShape shape;              ///< its surface as it is now
  Surface bare;                   ///< as it was made
  std::vector<FaceFrame> frames;  ///< of its faces
  std::vector<MeshEdge> edges;    ///< none of a half-space
};

/// Memory is taken at construction; all else is cycle code.
class PointContacts {
 public:
  explicit PointContacts(int capacity);

  /// Finds the contacts of systems that move: vertices of their shapes at half-spaces, and the
  /// points of manifolds. Those of sleepers stay.
  void detect(std::span<const WorldSystem> systems, std::span<const WorldObstacle> obstacles,
              const NearPairs& pairs) noexcept;
  /// By their ids.
  [[nodiscard]] std::span<WorldContact> all() noexcept { return contacts_; }
  [[nodiscard]] std::span<const WorldContact> all() const noexcept { return contacts_; }
  /// Contacts were left out: there is room for the nearest, or not all pairs are known.
  [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }

 private:
  void detect_shape(const WorldSystem& system, const ShapePlace& place,
                    std::span<const WorldObstacle> obstacles) noexcept;
  void detect_mesh(const SystemShape& shape, const Pose& X_WB, const WorldObstacle& obstacle,
                   WorldContact& contact) noexcept;
  void detect_pair(std::span<const WorldSystem> systems, const BoundsPair& pair,
                   const NearPairs& pairs) noexcept;
  void add(WorldContact& contact, std::uint64_t id, const Vec3& p, double gap) noexcept;

  std::size_t capacity_;
  std::vector<WorldContact> contacts_;
  Manifold manifold_;  // scratch
  bool overflowed_ = false;
};

}  // namespace kagami::models
