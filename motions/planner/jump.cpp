// Heights of the mass centre: pieces of fifth order that meet in position and speed:
//   stand -> crouch (at rest) -> take-off (v, 0) -> flight z + v t - g t^2 / 2 -> touch-down
//   (-v, 0) -> landed (at rest) -> stand
// The acceleration jumps from 0 to -g at take-off and back at touch-down: the ground carries the
// weight to the last moment. A stretch that fades out to -g instead is faster before take-off than
// at it, which the servos would have to give, and leaves the zero-moment point to a vanishing
// force.
#include "motions/planner/jump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/dynamics/kinematics.hpp"

namespace kagami::motions {
namespace {

constexpr int kStretchChecks = 200;
constexpr int kPitchPasses = 3;
constexpr double kPitchProbe = 0.01;  // rad/s
constexpr double kKneeGuess = 1.2;    // rad
constexpr double kRounding = 1e-9;    // s, of the times at which the flight begins and ends

void check(const JumpSettings& s) {
  // written so that NaN fails
  const auto need = [](bool fine, const char* name, double value, const char* range) {
    if (!fine) throw ConfigError(fmt::format("jump: {} {:g}, expected {}", name, value, range));
  };
  need(s.take_off_speed > 0.0, "take-off speed", s.take_off_speed, "above 0 m/s");
  need(s.stand >= 0.0, "stand", s.stand, "not below 0 m");
  need(s.take_off >= 0.0, "take-off", s.take_off, "not below 0 m");
  need(s.crouch > s.take_off, "crouch", s.crouch, "deeper than take-off");
  need(s.landed > s.take_off, "landed", s.landed, "deeper than take-off");
  need(s.lift > 0.0, "lift", s.lift, "above 0 m");
  for (const auto& [name, value] : {std::pair{"lead", s.lead},
                                    {"crouch time", s.crouch_time},
                                    {"stretch time", s.stretch_time},
                                    {"landing time", s.landing_time},
                                    {"rise time", s.rise_time},
                                    {"tail", s.tail}})
    need(value > 0.0, name, value, "above 0 s");
}

PathPoint rest(double p) {
  return {p, 0.0, 0.0};
}

}  // namespace

Jump::Jump(const WalkingRobot& robot, const JumpSettings& settings)
    : s_(settings),
      com_(standing_com(robot)),
      feet_(standing_feet(robot)),
      g_(-robot.model.gravity().z()) {
  check(s_);
  // above the middle of the soles, wherever the zero posture has it
  com_.x() = feet_[0].x() + 0.5 * (robot.sole.x_min + robot.sole.x_max);
  com_.y() = 0.5 * (feet_[0].y() + feet_[1].y());
  crouched_ = s_.lead + s_.crouch_time;
  leave_ = crouched_ + s_.stretch_time;
  land_ = leave_ + 2.0 * s_.take_off_speed / g_;
  settled_ = land_ + s_.landing_time;
  end_ = settled_ + s_.rise_time + s_.tail;
  for (int i = 0; i < kStretchChecks; ++i) {
    const double t = crouched_ + s_.stretch_time * i / kStretchChecks;
    const double a = height(t).a;
    if (!(a > -g_))
      throw ConfigError(
          fmt::format("jump: {:.3f} s before take-off the ground would have to pull "
                      "({:.3g} m/s^2 downward); stretch longer or faster",
                      leave_ - t, -a));
  }  // the momentum is linear in the trunk's rate, but for the pitch that comes with it
  for (int pass = 0; pass < kPitchPasses; ++pass) {
    const double L = leaving_momentum(robot);
    const double rate = pitch_rate_;
    pitch_rate_ += kPitchProbe;
    const double slope = (leaving_momentum(robot) - L) / kPitchProbe;
    pitch_rate_ = rate - L / slope;
  }
}

double Jump::leaving_momentum(const WalkingRobot& robot) const {
  models::State state = standing_guess(robot, kKneeGuess);
  const PlanSample sample = LegIk(robot.model, robot.feet).solve(at(leave_).targets, state);
  models::Kinematics k(robot.model);
  models::forward_kinematics(robot.model, sample.q, sample.v, k);
  return models::momentum_about_com(robot.model, k).c[1];
}

// at rest -> rate w at take-off -> -w at touch-down -> at rest, upright again
PathPoint Jump::pitch(double t) const {
  const double w = pitch_rate_;
  const double leaning = 0.5 * w * s_.stretch_time;
  if (t <= crouched_ || t >= settled_) return rest(0.0);
  if (t <= leave_ + kRounding)
    return Spline5{rest(0.0), {leaning, w, 0.0}, s_.stretch_time}.at(t - crouched_);
  if (t < land_ - kRounding)
    return Spline5{{leaning, w, 0.0}, {leaning, -w, 0.0}, land_ - leave_}.at(t - leave_);
  return Spline5{{leaning, -w, 0.0}, rest(0.0), s_.landing_time}.at(t - land_);
}

PathPoint Jump::height(double t) const {
  const double z0 = com_.z();
  const double v = s_.take_off_speed;
  if (t < crouched_)
    return Spline5{rest(z0 - s_.stand), rest(z0 - s_.crouch), s_.crouch_time}.at(t - s_.lead);
  if (t <= leave_ + kRounding)
    return Spline5{rest(z0 - s_.crouch), {z0 - s_.take_off, v, 0.0}, s_.stretch_time}.at(t -
                                                                                         crouched_);
  if (t < land_ - kRounding) {
    const double s = t - leave_;
    return {z0 - s_.take_off + s * (v - 0.5 * g_ * s), v - g_ * s, -g_};
  }
  if (t < settled_)
    return Spline5{{z0 - s_.take_off, -v, 0.0}, rest(z0 - s_.landed), s_.landing_time}.at(t -
                                                                                          land_);
  return Spline5{rest(z0 - s_.landed), rest(z0 - s_.stand), s_.rise_time}.at(t - settled_);
}

PathPoint Jump::foot_lift(double t) const {
  if (t <= leave_ + kRounding || t >= land_ - kRounding) return rest(0.0);
  const double half = 0.5 * (land_ - leave_);
  if (t < leave_ + half) return Spline5{rest(0.0), rest(s_.lift), half}.at(t - leave_);
  return Spline5{rest(s_.lift), rest(0.0), half}.at(t - leave_ - half);
}

Instant Jump::at(double time) const {
  const double t = std::clamp(time, 0.0, end_);
  const PathPoint z = height(t);
  const PathPoint lift = foot_lift(t);
  Instant now;
  now.targets.pitch = pitch(t);
  now.targets.com = {{com_.x(), com_.y(), z.p}, {0.0, 0.0, z.v}, {0.0, 0.0, z.a}};
  for (std::size_t side = 0; side < 2; ++side)
    now.targets.foot[side] = {
        feet_[side] + Vec3(0.0, 0.0, lift.p), {0.0, 0.0, lift.v}, {0.0, 0.0, lift.a}};
  now.support[0] = now.support[1] = t <= leave_ + kRounding || t >= land_ - kRounding;
  now.zmp = com_.head<2>();
  return now;
}

}  // namespace kagami::motions
