/// The same robot hung from another of its bodies.
#pragma once

#include "models/robot/model.hpp"

namespace kagami::models {

/// `root` becomes body 0, held where X_WR puts it; what held the robot so far is gone. Bodies,
/// frames and joints keep their names, joints their angles and limits: a hinge on the way from the
/// old root to the new one is walked the other way about the opposite axis. Bodies on that way but
/// the new root have another frame than before, on the joint that now carries them; the order of
/// the joints differs. Throws ModelError for a model with loops, a root that it has not, and a
/// joint on the way that is neither fixed nor of one degree of freedom. Set-up.
Model rerooted(const Model& model, BodyIndex root, const Pose& X_WR);

}  // namespace kagami::models
