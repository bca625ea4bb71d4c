/// The simulated robot's links as frames for viewers that show the robot from its URDF.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/base/base_pose.hpp"
#include "models/base/types.hpp"
#include "models/robot/model.hpp"
#include "runtime/record/viewer_json.hpp"

namespace kagami::runtime {

/// Sized at construction; the model must outlive it.
class BodyFrames {
 public:
  explicit BodyFrames(const models::Model& model);

  /// Every link in its parent, the root and what the world holds in "world", links that are fixed
  /// to another in that one. `angle`: rad, actuated joints in model order; a floating root is where
  /// `base`; all other joints are at zero. Holds until the next call.
  std::span<const FrameTransformView> place(const JointArray<double>& angle,
                                            const BasePose& base) noexcept;

 private:
  const models::Model& model_;
  std::vector<FrameTransformView> frames_;  // bodies in model order, then what is fixed to them
};

}  // namespace kagami::runtime
