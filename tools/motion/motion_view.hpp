/// A motion as a table for people.
#pragma once

#include <string>
#include <vector>

#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"

namespace kagami::tools {

/// Indices of the joints that do not keep one angle throughout.
std::vector<std::size_t> moving_joints(const motions::Motion& motion);

/// A bound motion: one line per pose, a column per moving joint, headed by its channel to stay
/// narrow.
std::string motion_text(const motions::Motion& bound, const RobotWiring& wiring, int width);

/// A motion of another robot, with its channels as columns.
std::string channels_text(const motions::Motion& own, int width);

}  // namespace kagami::tools
