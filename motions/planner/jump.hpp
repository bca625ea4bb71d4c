/// A jump on the spot: crouch, stretch to a given take-off speed, flight, landing on bent knees.
#pragma once

#include "motions/planner/body_path.hpp"
#include "motions/planner/spline5.hpp"

namespace kagami::motions {

/// Heights are of the mass centre below that of the zero posture; defaults are the HOAP-1's.
struct JumpSettings {
  double take_off_speed = 0.25;  ///< v (m/s, > 0), upward
  double stand = 0.02;           ///< m, >= 0: at the start and at the end
  double crouch = 0.067;         ///< m, > take_off
  double take_off = 0.055;       ///< m, >= 0: where the soles leave, and where they land
  double landed = 0.068;         ///< m, > take_off: deepest after landing
  double lift = 0.003;           ///< m, > 0: of the soles above the ground, at the top
  double lead = 0.5;             ///< s, > 0: standing before
  double crouch_time = 0.8;      ///< s, > 0
  double stretch_time = 0.12;    ///< s, > 0
  double landing_time = 0.12;    ///< s, > 0
  double rise_time = 0.8;        ///< s, > 0: back to `stand`
  double tail = 1.0;             ///< s, > 0: and standing after
};

/// Throws ConfigError for settings outside their ranges, and for a stretch in which the ground
/// would have to pull. While it stretches and lands the trunk pitches, so that it leaves the ground
/// without angular momentum about y.
class Jump final : public BodyPath {
 public:
  Jump(const WalkingRobot& robot, const JumpSettings& settings);
  [[nodiscard]] const char* name() const override { return "jump"; }
  [[nodiscard]] double duration() const override { return end_; }
  [[nodiscard]] Instant at(double t) const override;
  [[nodiscard]] double take_off() const { return leave_; }         ///< s
  [[nodiscard]] double pitch_rate() const { return pitch_rate_; }  ///< rad/s, at take-off
  [[nodiscard]] double touch_down() const { return land_; }        ///< s, take-off plus 2 v / g

 private:
  [[nodiscard]] PathPoint height(double t) const;
  [[nodiscard]] PathPoint foot_lift(double t) const;
  [[nodiscard]] PathPoint pitch(double t) const;
  // about y and the mass centre, in the moment of take-off (kg m^2/s)
  [[nodiscard]] double leaving_momentum(const WalkingRobot& robot) const;

  JumpSettings s_;
  Vec3 com_ = Vec3::Zero();  // of the zero posture, above the middle of the soles
  std::array<Vec3, 2> feet_;
  double g_ = 9.81;
  double pitch_rate_ = 0.0;  // rad/s, at take-off
  double crouched_ = 0.0, leave_ = 0.0, land_ = 0.0, settled_ = 0.0, end_ = 0.0;
};

}  // namespace kagami::motions
