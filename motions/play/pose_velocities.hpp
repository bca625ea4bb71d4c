/// How fast the joints pass the poses in stream mode.
#pragma once

#include <vector>

#include "motions/file/motion.hpp"

namespace kagami::motions {

/// Velocity of every joint at every pose of a bound motion, rad/s, [pose][joint]; 0 at the first
/// and the last, and everywhere with Easing::kMinimumJerk; docs/math/interpolation.md. Set-up only.
std::vector<std::vector<double>> pose_velocities(const Motion& motion);

}  // namespace kagami::motions
