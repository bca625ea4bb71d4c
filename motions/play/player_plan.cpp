#include "motions/play/player_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/angle.hpp"
#include "motions/file/bind.hpp"
#include "motions/play/interpolate.hpp"
#include "motions/play/pose_velocities.hpp"

namespace kagami::motions {
namespace {

constexpr std::uint8_t kLeadInCode = 7;  // the slowest
constexpr double kMinLeadIn = 0.2;       // s, stream mode
constexpr double kTurnTime = 0.4;        // s, from forwards to backwards
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// the same as arrays
std::vector<JointArray<double>> velocities_of(const Motion& motion) {
  std::vector<JointArray<double>> arrays;
  for (const std::vector<double>& pose : pose_velocities(motion)) {
    JointArray<double>& array = arrays.emplace_back();
    std::copy(pose.begin(), pose.end(), array.begin());
  }
  return arrays;
}

}  // namespace

Player::Plan::Plan(const Motion& motion, const RobotWiring& wiring, const PlayOptions& play_options)
    : options(play_options), layout(board_layout(wiring)), scale(play_options.speed) {
  for (const Pose& pose : motion.poses) {
    JointArray<double> q{};
    for (std::size_t j = 0; j < pose.angle.size(); ++j) {
      const double angle = pose.angle[j].value_or(0.0);
      q[j] = boards_ramp() ? sent_angle(angle) : angle;  // the boards move between whole degrees
    }
    poses.push_back(q);
    timing.push_back({static_cast<std::uint8_t>(pose.speed.value_or(0)), pose.duration});
  }
  velocity = velocities_of(motion);
  if (is_stored()) program = StoredProgram(motion, wiring);
  duration = is_stored() ? program.duration() : motion.duration();
  start(poses[0]);
}

void Player::Plan::start(const JointArray<double>& present) noexcept {
  JointArray<double> from{};
  for (std::size_t j = 0; j < static_cast<std::size_t>(layout.num_joints); ++j) {
    from[j] = std::isfinite(present[j]) ? present[j] : poses[0][j];
  }
  point = {from, {}};
  is_held = false;
  scale.release_brake();
  pause.settle();
  turned = is_reversed ? 1.0 : 0.0;
  t = leg_start = lead_in_done = 0.0;
  goal = 0;
  const double travel = largest_travel_deg(layout, from, poses[0]);
  if (!boards_ramp()) {
    move = Move{};
    move.from = from;
    lead_in = 0.0;
    begin_approach();
    lead_in = move.duration;
    return;
  }
  // command 1: stay where you are
  stage = Stage::kPresent;
  const double wait = layout.speed.duration(kLeadInCode, 0.0);
  move = keyframe_move(layout, from, from, {kLeadInCode, wait}, 1.0);
  lead_in = wait + layout.speed.duration(kLeadInCode, travel);
  command_is_due = true;
}

void Player::Plan::begin_approach() noexcept {
  stage = Stage::kApproach;
  const JointArray<double> from = move.from;
  const double travel_deg = largest_travel_deg(layout, from, poses[0]);
  if (boards_ramp()) {
    const double wait = layout.speed.duration(kLeadInCode, travel_deg);
    move = keyframe_move(layout, from, poses[0], {kLeadInCode, wait}, 1.0);
    command_is_due = true;
    return;
  }
  move = Move{};
  move.from = from;
  move.to = poses[0];
  move.duration =
      std::max(kMinLeadIn, rest_to_rest_time(to_rad(travel_deg), options.lead_in_speed));
}

// the whole motion is one leg: the boards go from pose to pose by themselves
void Player::Plan::begin_stored() noexcept {
  stage = Stage::kMotion;
  goal = poses.size() - 1;
  move.duration = duration;
  command_is_due = true;
}

void Player::Plan::begin_move(std::size_t to) noexcept {
  stage = Stage::kMotion;
  const std::size_t from = to == 0 ? poses.size() - 1 : to - 1;
  goal = to;
  if (is_keyframe()) {
    move = keyframe_move(layout, poses[from], poses[to], timing[to], scale.factor());
    command_is_due = true;
    return;
  }
  move = Move{};
  move.from = poses[from];
  move.to = poses[to];
  move.v_from = velocity[from];
  move.v_to = velocity[to];
  move.duration = timing[to].duration;
  move.max_rate = kNoLimit;
}

// what comes after the present leg; t keeps what the leg left over
void Player::Plan::finish_leg() noexcept {
  t = std::max(0.0, t - move.duration);
  if (stage == Stage::kPresent || stage == Stage::kApproach) {
    lead_in_done += move.duration;
  } else {
    leg_start = goal == 0 ? 0.0 : leg_start + move.duration;
  }
  if (stage == Stage::kPresent) {
    begin_approach();
  } else if (is_stored() && stage == Stage::kApproach) {
    begin_stored();
  } else if (goal + 1 < poses.size()) {
    begin_move(goal + 1);
  } else if (options.loop) {
    begin_move(0);
  } else {
    stage = Stage::kSettling;
  }
}

double Player::Plan::rate() const noexcept {
  if (stage != Stage::kMotion) return scale.brake_factor();
  if (is_stored()) return scale.brake_factor();
  if (is_keyframe()) return std::min(scale.factor(), move.max_rate) * scale.brake_factor();
  if (is_at_beginning()) return 0.0;
  const double follow = std::min(scale.factor(), move.max_rate) * pause.factor();
  return direction() * (follow + pause.step_rate()) * scale.brake_factor();
}

double Player::Plan::direction() const noexcept {
  return 1.0 - 2.0 * smooth_step(turned);
}

bool Player::Plan::is_at_beginning() const noexcept {
  return stage == Stage::kMotion && goal == 1 && t <= 0.0 && turned > 0.5;
}

void Player::Plan::advance(double dt) noexcept {
  if (is_held || !(dt > 0.0) || !std::isfinite(dt)) return;
  pass_time(dt);
  scale.advance(dt);
  if (stage == Stage::kMotion && t < 0.0) go_back();
  if (waits_at_pose()) t = std::min(t, move.duration);
  while (is_moving() && t > move.duration - kTimeSlack && !waits_at_pose()) finish_leg();
  if (stage == Stage::kSettling && t > options.settle - kTimeSlack) stage = Stage::kDone;
  if (scale.has_stopped()) {
    PlayCommand last;
    evaluate(last);
    freeze(last.q_ref);
  }
}

// a piece of a pause takes exactly its length, whatever the ticks are
void Player::Plan::pass_time(double dt) noexcept {
  const double rate_now = rate();
  const bool at_rest = is_at_beginning();
  const double way = at_rest ? 0.0 : direction();
  const double step_rate = way * pause.step_rate();
  const double piece = way * pause.advance(dt);
  const double turn = dt / kTurnTime;
  turned = std::clamp(turned + (is_reversed ? turn : -turn), 0.0, 1.0);
  if (stage != Stage::kMotion || boards_ramp()) {
    t += rate_now * dt;
  } else {
    const double brake = scale.brake_factor();
    t += (rate_now - step_rate * brake) * dt + piece * brake;
  }
}

// into the legs before this one; the motion's beginning ends it
void Player::Plan::go_back() noexcept {
  while (t < 0.0 && goal != 1) {
    const double over = t;
    begin_move(goal == 0 ? poses.size() - 1 : goal - 1);
    leg_start -= move.duration;
    t = over + move.duration;
  }
  t = std::max(t, 0.0);
  if (goal == 1) leg_start = 0.0;
}

// the boards interpolate by themselves: their next pose is held back
bool Player::Plan::waits_at_pose() const noexcept {
  return boards_ramp() && pause.is_set() && !scale.is_braking() && stage != Stage::kPresent &&
         (goal + 1 < poses.size() || options.loop);
}

}  // namespace kagami::motions
