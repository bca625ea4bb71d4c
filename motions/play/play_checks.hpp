/// What a player refuses at its set-up.
#pragma once

#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"
#include "motions/play/player.hpp"

namespace kagami::motions {

/// Throws ConfigError for a motion that is empty, not bound to this robot, or without the speed
/// codes that keyframe mode needs, or not fit for stored mode.
void check_motion(const Motion& motion, const RobotWiring& wiring, PlayMode mode);
/// Throws ConfigError for options out of range; the motion is named.
void check_options(const Motion& motion, const PlayOptions& options);

}  // namespace kagami::motions
