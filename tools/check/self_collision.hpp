/// How near the links of a robot come to each other, by the boxes of its URDF.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/collision.hpp"
#include "models/robot/robot_folder.hpp"

namespace kagami::tools {

/// m: the largest distance by which one of the 15 axes of two boxes holds them apart; negative:
/// they overlap, by so much along the axis of the shortest way out. Apart it is at most their
/// distance. `half`: half the edge lengths (m); poses of the boxes' middles. [Gregorius 2013]
double box_gap(const Vec3& half_a, const models::Pose& X_WA, const Vec3& half_b,
               const models::Pose& X_WB);

/// m; how far apart two boxes are does not matter beyond.
inline constexpr double kFarApart = 0.02;

/// Two boxes that may meet; indices into RobotDescription::boxes.
struct BoxPair {
  std::size_t a = 0;
  std::size_t b = 0;
};

/// The pairs that may meet: not those of one body, of bodies that a joint connects, nor what
/// overlaps in the zero posture. The robot outlives it.
class SelfCollision {
 public:
  explicit SelfCollision(const models::RobotDescription& robot);

  [[nodiscard]] const std::vector<BoxPair>& pairs() const noexcept { return pairs_; }
  /// box_gap of a pair in a pose of the robot. Beyond kFarApart it may be the distance of the balls
  /// about them, which is less.
  [[nodiscard]] double gap(const BoxPair& pair, const models::Kinematics& pose) const;

 private:
  const models::RobotDescription& robot_;
  std::vector<BoxPair> pairs_;
};

}  // namespace kagami::tools
