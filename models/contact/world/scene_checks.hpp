/// What a world refuses to start with: bad numbers, names that occur twice, bodies inside each
/// other. Set-up.
#pragma once

#include <span>

#include "models/contact/world/world_system.hpp"

namespace kagami::models {

/// Throws ConfigError for too many systems or shapes, names that occur twice and bad surfaces or
/// planes, ModelError for bad start states.
void check_scene(const Scene& scene);
/// Begins all systems. Throws ConfigError when a shape starts deeper in a static shape than half
/// its own size, wholly inside one of another system, or when two have their middles in each other;
/// ModelError when an acceleration is not finite.
void check_start(std::span<const WorldSystem> systems, std::span<const StaticShape> statics);

}  // namespace kagami::models
