/// Ground forces on a robot, estimated from the motion of its mass centre.
#pragma once

#include <span>
#include <vector>

#include "models/base/types.hpp"

namespace kagami::tools {

/// A force of the ground and where it acts; world, N, m.
struct Reaction {
  Vec3 point = Vec3::Zero();
  Vec3 force = Vec3::Zero();
};

/// One force as those of two feet: both along it, with its sum, and its moment too where the force
/// has no component along the line between the feet. Each foot bears the more the nearer the force
/// acts, by its place along that line (bal-2 of docs/math/reaction_null_space.md); none pulls. One
/// foot bears all; of three and more points no share is known: the whole, where it acts. `feet`:
/// the middles of what touches.
std::vector<Reaction> shared(const Reaction& whole, std::span<const Vec3> feet);

}  // namespace kagami::tools
