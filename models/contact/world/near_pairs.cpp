#include "models/contact/world/near_pairs.hpp"

namespace kagami::models {

// what may meet, as the start poses have it
NearPairs::NearPairs(std::span<const WorldSystem> systems, double skin, int max_pairs)
    : skin_(skin) {
  std::vector<PlacedShape> placed;
  for (int i = 0; i < static_cast<int>(systems.size()); ++i) {
    const WorldSystem& s = systems[idx(i)];
    for (int k = 0; k < static_cast<int>(s.shapes.size()); ++k) {
      const SystemShape& shape = s.shapes[idx(k)];
      places_.push_back({i, k});
      placed.push_back({.system = i,
                        .body = shape.body,
                        .parent = shape.parent,
                        .mesh = &shape.mesh,
                        .X_WB = s.pose(shape.body),
                        .self_collision = s.self_collision});
    }
  }
  neighbours_ = Neighbours(placed);
  if (!neighbours_.any_pair()) return;
  bounds_.resize(places_.size());
  sweep_ = SweepAndPrune(static_cast<int>(places_.size()), max_pairs);
}

void NearPairs::find(std::span<const WorldSystem> systems) noexcept {
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const WorldSystem& s = systems[idx(places_[i].system)];
    const SystemShape& shape = s.shapes[idx(places_[i].shape)];
    bounds_[i] = bounds_of(shape.box, s.pose(shape.body), shape.way + kSlackOfOne + skin_);
    if (s.status != SystemStatus::kOk) bounds_[i].low.x() = kNaN;  // not finite: no pair
  }
  complete_ = sweep_.find(bounds_);
}

}  // namespace kagami::models
