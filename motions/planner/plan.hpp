/// A path as joint angles, held against the robot's limits.
#pragma once

#include <string>
#include <vector>

#include "motions/planner/body_path.hpp"

namespace kagami::motions {

/// Largest demands of a plan on the robot.
struct PlanMetrics {
  double speed = 0.0;        ///< rad/s
  std::string speed_joint;   ///< where
  double torque = 0.0;       ///< N m, by inverse dynamics
  std::string torque_joint;  ///< where
  double zmp_margin = 0.0;   ///< m: least distance of the zero-moment point from the area's edge
  double zmp_error = 0.0;    ///< m: largest distance of the zero-moment point from the wanted
  double base_gap = 0.0;     ///< N, N m: what ground and gravity leave over at the base; standing
  double least_force = 0.0;  ///< N: least normal force of the ground, standing
};

/// Samples at 0, dt, 2 dt, ..., the path's end.
struct Plan {
  double dt = 0.0;  ///< s
  std::vector<PlanSample> samples;
  std::vector<Instant> instants;
  std::vector<Vec2> zmp;             ///< m, W: of the whole robot's planned motion; NaN in flight
  std::vector<Eigen::VectorXd> tau;  ///< N m; the base's six are 0
  PlanMetrics metrics;

  /// Index of the sample at t (s), the last one beyond the end.
  [[nodiscard]] std::size_t index(double t) const;
};

/// Solves the legs along a path, and the joint forces by inverse dynamics under the ground's
/// forces, which two standing feet share so that the zero-moment point is kept. Throws ConfigError
/// that names path, time and joint where a foot is out of reach, a joint beyond its angle, speed or
/// torque, where the ground would have to pull, or the zero-moment point would leave the area.
Plan make_plan(const WalkingRobot& robot, const BodyPath& path, double dt);

/// Zero-moment points of a path at 0, dt, ...; NaN in flight. Throws as make_plan does for feet out
/// of reach; checks nothing else.
std::vector<Vec2> zero_moment_points(const WalkingRobot& robot, const BodyPath& path, double dt);

}  // namespace kagami::motions
