/// Curves between key poses: quintic pieces that fit together twice differentiably and never leave
/// the range of the two poses they join; docs/math/interpolation.md.
#pragma once

namespace kagami::motions {

/// s; sums of dt miss whole times by less.
inline constexpr double kTimeSlack = 1e-9;

/// Position, velocity and acceleration of one joint, SI.
struct CurvePoint {
  double q = 0.0;
  double qd = 0.0;
  double qdd = 0.0;
};

/// One joint between two poses: quintic from (q0, v0, 0) to (q1, v1, 0) in T seconds.
struct QuinticPiece {
  double q0 = 0.0;  ///< rad
  double q1 = 0.0;  ///< rad
  double v0 = 0.0;  ///< rad/s
  double v1 = 0.0;  ///< rad/s
  double T = 1.0;   ///< s, > 0

  /// At time t, clamped to [0, T]. Cycle code.
  [[nodiscard]] CurvePoint at(double t) const noexcept;
};

/// Velocity at a pose between two pieces with mean slopes d0, d1 (rad/s): their harmonic mean, 0
/// where the joint turns round or rests. At most twice the smaller slope: both pieces stay
/// monotone. Cycle code.
double pose_velocity(double d0, double d1) noexcept;

/// Time of a rest-to-rest move over `travel` (rad, >= 0) whose peak speed is `speed` (rad/s, > 0):
/// a minimum-jerk move peaks at 15/8 of its mean speed.
double rest_to_rest_time(double travel, double speed) noexcept;

/// Smooth step 3 x^2 - 2 x^3 from 0 to 1, clamped outside.
double smooth_step(double x) noexcept;

}  // namespace kagami::motions
