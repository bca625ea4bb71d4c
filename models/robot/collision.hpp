/// The boxes of a robot's outside, as its URDF gives them.
#pragma once

#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// One box that rides on a body.
struct CollisionBox {
  std::string link;          ///< of the URDF; a merged link is not the body's own
  BodyIndex body = 0;        ///< of the model
  Pose X_BS;                 ///< the box's frame S, in its middle, on the body
  Vec3 size = Vec3::Zero();  ///< edge lengths along the axes of S (m)
};

/// Boxes of the <collision> tags in the order of the document's links; none for a model JSON.
/// Other shapes than boxes are left out, one sentence each in `notices`. `text` is one that
/// read_urdf has accepted for `model`. Set-up; not from two threads at once (urdfdom).
std::vector<CollisionBox> read_collision_boxes(const std::string& text, const Model& model,
                                               std::vector<std::string>& notices);

/// The corners of a box in its body's frame (m), x fastest, then y, then z. Set-up.
std::vector<Vec3> corners(const CollisionBox& box);

}  // namespace kagami::models
