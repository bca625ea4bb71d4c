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
/// its own size, ModelError when an acceleration is not finite.
void check_start(std::span<const WorldSystem> systems, std::span<const StaticShape> statics);
/// The systems are begun. Throws ConfigError when a shape starts wholly inside one of another
/// system, or two have their middles in each other.
void check_apart(std::span<const WorldSystem> systems);

}  // namespace kagami::models
