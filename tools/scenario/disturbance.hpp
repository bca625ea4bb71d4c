/// Pushes of a scenario: a force on a body over an interval.
#pragma once

#include <vector>

#include "models/base/config.hpp"
#include "models/base/types.hpp"
#include "models/contact/scene.hpp"
#include "models/contact/world.hpp"

namespace kagami::tools {

/// Most of one scenario.
inline constexpr int kMaxDisturbances = 1000;

struct Disturbance {
  int system = 0;
  int body = 0;               ///< of the system's model
  Vec3 force = Vec3::Zero();  ///< N, world axes, at the body's mass centre
  double from = 0.0;          ///< s
  double until = 0.0;         ///< s
};

/// Reads "disturbances" and marks its keys; none when it is absent. Throws ConfigError that names
/// file, key, value and what was expected.
std::vector<Disturbance> read_disturbances(const ConfigNode& root, const models::Scene& scene);

/// Writes what acts in the step whose middle is at `t` (s) into the drives; what acts on one body
/// adds up. Systems that no entry names keep their drives.
void disturb(const std::vector<Disturbance>& all, double t, models::World& world);

}  // namespace kagami::tools
