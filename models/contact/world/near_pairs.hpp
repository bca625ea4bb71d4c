/// Pairs of moving shapes that may touch in a step: their boxes, widened by their ways, overlap.
#pragma once

#include <span>
#include <vector>

#include "models/base/idx.hpp"
#include "models/contact/world/world_system.hpp"

namespace kagami::models {

/// m, of each of two shapes: what contacts may change of a step's way beyond its double.
inline constexpr double kSlackOfOne = 0.5e-4;

/// A shape of a system.
struct ShapePlace {
  int system = 0;
  int shape = 0;
};

/// Broad phase over the shapes of all systems. One that was made without systems finds no pair.
class NearPairs {
 public:
  NearPairs() = default;
  /// The systems are begun; `skin` (m): by which patches reach beyond shapes. Set-up.
  NearPairs(std::span<const WorldSystem> systems, double skin, int max_pairs);

  /// The systems are begun. Cycle code.
  void find(std::span<const WorldSystem> systems) noexcept;
  /// Of the last find; never_meet holds for some of them.
  [[nodiscard]] std::span<const BoundsPair> pairs() const noexcept { return sweep_.pairs(); }
  /// False when there were more than fit.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  [[nodiscard]] bool never_meet(const BoundsPair& pair) const noexcept {
    return neighbours_.never_meet(pair.a, pair.b);
  }
  /// Of the shapes of all systems; of a number in a pair.
  [[nodiscard]] std::span<const ShapePlace> places() const noexcept { return places_; }
  [[nodiscard]] const ShapePlace& place(int shape) const noexcept { return places_[idx(shape)]; }

 private:
  std::vector<ShapePlace> places_;  // of the shapes of all systems
  std::vector<Bounds> bounds_;      // none: no pair may meet
  double skin_ = 0.0;
  Neighbours neighbours_;
  SweepAndPrune sweep_{0, 0};
  bool complete_ = true;
};

}  // namespace kagami::models
