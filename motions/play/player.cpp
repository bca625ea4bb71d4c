#include "motions/play/player.hpp"

#include <algorithm>
#include <limits>

#include "motions/play/interpolate.hpp"
#include "motions/play/play_checks.hpp"
#include "motions/play/player_plan.hpp"

namespace kagami::motions {
namespace {

constexpr std::uint8_t kStreamCode = 0;  // the fastest: the board is there before the next tick

}  // namespace

PlayMode default_mode(const Motion& motion) {
  return motion.has_speed_codes() ? PlayMode::kKeyframe : PlayMode::kStream;
}

void Player::Plan::freeze(const JointArray<double>& q) noexcept {
  is_held = true;
  held = q;
  command_is_due = true;
}

void Player::Plan::evaluate(PlayCommand& command) noexcept {
  if (is_held) {
    point = {held, {}};
  } else if (!is_moving()) {
    point = {poses.back(), {}};
  } else if (is_stored() && stage == Stage::kMotion) {
    program.point(t, point);
  } else if (boards_ramp()) {
    ramp_point(layout, move, t, point);
  } else if (options.mode == PlayMode::kRamp && stage == Stage::kMotion) {
    line_point(layout, move, t, point);
  } else {
    stream_point(layout, move, t, point);
  }
  const double own_rate = is_held ? 0.0 : rate();
  command.q_ref = point.q;
  for (std::size_t j = 0; j < kMaxJoints; ++j) command.qd_ref[j] = own_rate * point.dq_dt[j];
}

void Player::Plan::write_target(PlayCommand& command) noexcept {
  const bool streams =
      !is_held && (scale.is_braking() || (!boards_ramp() && stage != Stage::kDone));
  command.plays_stored = boards_play();
  if (is_held || streams || !boards_ramp() || command.plays_stored) {
    command.target = command.q_ref;
    command.speed_code = kStreamCode;
  } else {
    command.target = move.to;
    command.speed_code = move.code;
  }
  command.target_is_new = streams || command_is_due;
  command_is_due = false;
}

PlayPhase Player::Plan::phase() const noexcept {
  if (is_held) return PlayPhase::kHeld;
  if (scale.is_braking()) return PlayPhase::kStopping;
  switch (stage) {
    case Stage::kMotion:
      return PlayPhase::kPlaying;
    case Stage::kSettling:
      return PlayPhase::kSettling;
    case Stage::kDone:
      return PlayPhase::kDone;
    default:
      return PlayPhase::kLeadIn;
  }
}

double Player::Plan::motion_time() const noexcept {
  return stage == Stage::kMotion ? leg_start + t : leg_start;
}

double Player::Plan::progress() const noexcept {
  if (options.loop) return std::min(1.0, motion_time() / (duration + timing[0].duration));
  const bool is_lead_in = stage < Stage::kMotion;
  const double settled = stage == Stage::kDone       ? options.settle
                         : stage == Stage::kSettling ? std::min(t, options.settle)
                                                     : 0.0;
  const double done = lead_in_done + (is_lead_in ? t : 0.0) + motion_time() + settled;
  return std::min(1.0, done / (lead_in + duration + options.settle));
}

Player::Player(const Motion& motion, const RobotWiring& wiring, const PlayOptions& options) {
  check_motion(motion, wiring, options.mode);
  check_options(motion, options);
  plan_ = std::make_unique<Plan>(motion, wiring, options);
}

Player::~Player() = default;
Player::Player(Player&&) noexcept = default;
Player& Player::operator=(Player&&) noexcept = default;

void Player::start(const JointArray<double>& present) noexcept {
  plan_->start(present);
}

void Player::step(double dt, PlayCommand& command) noexcept {
  plan_->evaluate(command);
  command.phase = plan_->phase();
  command.motion_time = plan_->motion_time();
  command.progress = plan_->progress();
  plan_->write_target(command);
  plan_->advance(dt);
}

void Player::set_speed(double factor) noexcept {
  plan_->scale.set(factor);
}

void Player::set_paused(bool paused) noexcept {
  plan_->pause.set(paused);
}

void Player::advance_paused(double length) noexcept {
  if (!plan_->boards_ramp()) plan_->pause.step(length, plan_->scale.goal());
}

void Player::set_reversed(bool reversed) noexcept {
  if (!plan_->boards_ramp()) plan_->is_reversed = reversed;
}

void Player::set_loop(bool loop) noexcept {
  plan_->options.loop = loop;
}

void Player::slow_down(double within) noexcept {
  if (plan_->is_held) return;
  if (!(within > 0.0) || !plan_->is_moving()) {
    hold_now();
  } else {
    plan_->scale.brake(within);
  }
}

void Player::hold_now() noexcept {
  if (!plan_->is_held) plan_->freeze(plan_->point.q);
}

double Player::total_duration() const noexcept {
  const Plan& plan = *plan_;
  if (plan.options.loop) return std::numeric_limits<double>::infinity();
  double total = plan.lead_in + plan.options.settle;
  if (plan.is_stored()) return total + plan.duration;
  for (std::size_t p = 1; p < plan.poses.size(); ++p) {
    double factor = plan.scale.goal();
    if (plan.is_keyframe()) {
      const double travel = largest_travel_deg(plan.layout, plan.poses[p - 1], plan.poses[p]);
      const double fastest = plan.timing[p].duration / plan.layout.speed.duration(0, travel);
      factor = std::min(factor, fastest);
    }
    total += plan.timing[p].duration / factor;
  }
  return total;
}

}  // namespace kagami::motions
