/// Where a robot's root link is, and when a robot counts as fallen.
#pragma once

#include <vector>

#include "models/base/base_pose.hpp"
#include "models/robot/collision.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// Cycle code.
BasePose base_pose_of(const Pose& X_WB) noexcept;

/// Farther from upright than this is fallen (rad).
inline constexpr double kFallenTilt = 0.78539816339744831;  // 45 deg
/// Lower than this share of the standing height is fallen.
inline constexpr double kFallenHeight = 0.5;

/// Not standing: tilted by more than kFallenTilt, or lower than kFallenHeight of `standing` (m, the
/// base's height when it stands in the zero posture). NaN is fallen. Cycle code.
bool has_fallen(const BasePose& base, double standing) noexcept;

/// z of the boxes' lowest corner in the zero posture of a model, with the base's frame at the
/// world's (m). 0 without boxes. Set-up.
double lowest_corner(const Model& model, const std::vector<CollisionBox>& boxes);

}  // namespace kagami::models
