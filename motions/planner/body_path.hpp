/// What a planner lays down: where mass centre and feet are at any time, and which feet stand.
#pragma once

#include "motions/planner/leg_ik.hpp"
#include "motions/planner/support.hpp"

namespace kagami::motions {

/// A moment of a path.
struct Instant {
  BodyTargets targets;
  Support support = {true, true};
  Vec2 zmp = Vec2::Zero();  ///< m, W: the wanted zero-moment point; of no meaning in flight
};

/// Immutable; made by a planner.
class BodyPath {
 public:
  virtual ~BodyPath() = default;
  /// "walk", "jump": for messages.
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual double duration() const = 0;  ///< s
  /// At time t (s), clamped to [0, duration].
  [[nodiscard]] virtual Instant at(double t) const = 0;
};

/// What planners need to know of a robot.
struct WalkingRobot {
  models::Model model;               ///< its base floats; zero posture: standing straight
  std::array<std::string, 2> feet;   ///< bodies, left and right
  std::array<std::string, 2> knees;  ///< joints; they bend by positive angles
  Sole sole;                         ///< of both
};

/// Zero posture with the soles at the height of the ground, heading 0, then the knees bent by
/// `bend` (rad), hips and ankles back by half of it: the guess from which the legs are solved, on
/// the side where knees point forward.
models::State standing_guess(const WalkingRobot& robot, double bend);
/// Ankles of the zero posture, soles on the ground.
std::array<Vec3, 2> standing_feet(const WalkingRobot& robot);
/// Mass centre of the zero posture, soles on the ground, feet as in standing_feet (m).
Vec3 standing_com(const WalkingRobot& robot);

}  // namespace kagami::motions
