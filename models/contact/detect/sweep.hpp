/// Broad phase: which axis-aligned boxes overlap.
#pragma once

#include <span>
#include <vector>

#include "models/base/types.hpp"

namespace kagami::models {

/// Axis-aligned box in W (m).
struct Bounds {
  Vec3 low = Vec3::Zero();
  Vec3 high = Vec3::Zero();
};

/// Two boxes by number, a < b.
struct BoundsPair {
  int a = 0;
  int b = 0;
  double overlap = 0.0;  ///< m, least of the three axes
};

/// Sweep and prune along x: the order along x is kept from call to call and corrected by insertion,
/// so a scene that moves little costs little. Memory is taken at construction.
class SweepAndPrune {
 public:
  /// For `boxes` boxes and at most `pairs` pairs.
  SweepAndPrune(int boxes, int pairs);
  /// All pairs that overlap or touch, ordered by a, then b; the same for the same boxes, whatever
  /// came before. A box that is not finite is in no pair. False when there were more than fit: then
  /// those that overlap deepest. Cycle code.
  bool find(std::span<const Bounds> boxes) noexcept;
  [[nodiscard]] std::span<const BoundsPair> pairs() const noexcept { return pairs_; }

 private:
  void keep(const BoundsPair& pair, bool& all) noexcept;

  std::vector<int> order_;     // by low.x, then number; boxes that are not finite last
  std::vector<double> start_;  // low.x of each box, infinity where it is not finite
  std::vector<BoundsPair> pairs_;
};

}  // namespace kagami::models
