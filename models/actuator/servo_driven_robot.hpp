/// A body driven by hobby servos, on the stand or on the floor: the model behind the shadow,
/// stepped once per cycle.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/disturbance.hpp"
#include "models/base/servo_parameters.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "models/contact/method/contact_method.hpp"
#include "models/contact/scene/surface.hpp"
#include "models/forward/dynamics_choice.hpp"
#include "models/robot/base_pose.hpp"
#include "models/robot/collision.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// The level floor at z = 0 under a robot.
struct FloorOptions {
  Surface surface;           ///< of the pair: floor and robot have the same
  ContactSettings settings;  ///< which method and how
};

/// Board ramps, delays, filters, P loops and motor lines (docs/math/servo.md) in front of forward
/// dynamics; semi-implicit, fixed step. After construction nothing allocates.
class ServoDrivenRobot {
 public:
  /// Keeps copies. Throws ModelError when servos, wiring and model differ in their joints,
  /// ConfigError for a choice of dynamics that this model has no code for. With a payload, hybrid
  /// leaves the model that it has code for, and ada runs.
  ServoDrivenRobot(const Model& model, const ServoSet& servos, const RobotWiring& wiring,
                   const DynamicsChoice& dynamics = {});
  /// The same on the floor: the model's base floats, its boxes touch the floor, not each other.
  /// The choice computes the motion without contact (make_contact_bodies).
  /// Throws ModelError also for a base that does not float or a robot without boxes, ConfigError
  /// for impossible boxes, surfaces or settings.
  ServoDrivenRobot(const Model& model, const ServoSet& servos, const RobotWiring& wiring,
                   const std::vector<CollisionBox>& boxes, const FloorOptions& floor,
                   const DynamicsChoice& dynamics = {});
  ~ServoDrivenRobot();
  ServoDrivenRobot(ServoDrivenRobot&&) noexcept;

  /// Disturbances that will act on it, given once; none acts before disturb_from sets time 0. A
  /// payload comes with the velocity of its place and leaves with it. On the stand the base cannot
  /// be pushed. Set-up; throws ConfigError with the disturbance's place for names that the robot
  /// has not, what takes hold of a body that cannot move, friction or a tilt on the stand.
  void disturb(const std::vector<Disturbance>& all);
  /// The disturbances' time 0 is `zero_ns` on the clock of the steps. Cycle code.
  void disturb_from(std::int64_t zero_ns) noexcept;

  /// At rest at q (rad), all ramps and filters settled where they hold it (trim taken off), time =
  /// at_ns. On the floor: base upright above the origin, heading 0, lowest corner on the floor.
  void reset(const JointArray<double>& q, std::int64_t at_ns) noexcept;
  /// The same with the base above x, y of `base` and turned as it is, lying for instance; its
  /// height is where the lowest corner touches the floor. On the stand it stays as it is.
  void reset(const JointArray<double>& q, const BasePose& base, std::int64_t at_ns) noexcept;
  /// The pose command that `board` (index) received: angles in rad, model order; joints of other
  /// boards are ignored. Takes effect at `effective_ns`, which may lie in the past by up to the
  /// servo delay.
  void command(int board, const JointArray<double>& angle, int speed_code,
               std::int64_t effective_ns) noexcept;
  /// Sleep bit: the board's servos give no drive from `effective_ns` on, until its next command.
  void release(int board, std::int64_t effective_ns) noexcept;
  /// During the next step alone a force pushes the base at its mass centre with force_W (N, world
  /// axes). On the floor; a stand gives no way.
  void push(const Vec3& force_W) noexcept;
  /// Integrates by dt_ns (> 0; otherwise nothing happens).
  void step(std::int64_t dt_ns) noexcept;

  [[nodiscard]] std::int64_t time_ns() const noexcept;
  [[nodiscard]] const JointArray<double>& q() const noexcept;   ///< rad
  [[nodiscard]] const JointArray<double>& qd() const noexcept;  ///< rad/s
  [[nodiscard]] const JointArray<double>& torque()
      const noexcept;  ///< N m on the joint, after gear and rotor
  /// Of the base; all 0 on the stand.
  [[nodiscard]] BasePose base() const noexcept;
  /// Tilted or low (has_fallen); never on the stand.
  [[nodiscard]] bool fell() const noexcept;
  /// All finite and |qd| below 100 rad/s.
  [[nodiscard]] bool is_valid() const noexcept;

 private:
  struct Floor;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kagami::models
