#include "motions/play/player.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "models/base/angle.hpp"
#include "motions/file/bind.hpp"
#include "motions/play/interpolate.hpp"
#include "motions/play/move.hpp"
#include "motions/play/pause.hpp"
#include "motions/play/play_checks.hpp"
#include "motions/play/pose_velocities.hpp"
#include "motions/play/time_scale.hpp"

namespace kagami::motions {
namespace {

constexpr std::uint8_t kLeadInCode = 7;  // the slowest
constexpr std::uint8_t kStreamCode = 0;  // the fastest: the board is there before the next tick
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

PlayMode default_mode(const Motion& motion) {
  return motion.has_speed_codes() ? PlayMode::kKeyframe : PlayMode::kStream;
}

struct Player::Plan {
  enum class Stage : std::uint8_t { kPresent, kApproach, kMotion, kSettling, kDone };

  Plan(const Motion& motion, const RobotWiring& wiring, const PlayOptions& play_options);

  void start(const JointArray<double>& present) noexcept;
  void begin_approach() noexcept;
  void begin_move(std::size_t goal) noexcept;
  void finish_leg() noexcept;
  void advance(double dt) noexcept;
  void pass_time(double dt) noexcept;
  void go_back() noexcept;
  [[nodiscard]] double direction() const noexcept;
  [[nodiscard]] bool is_at_beginning() const noexcept;
  [[nodiscard]] bool waits_at_pose() const noexcept;
  void freeze(const JointArray<double>& q) noexcept;
  [[nodiscard]] bool is_moving() const noexcept { return stage <= Stage::kMotion; }
  [[nodiscard]] bool is_keyframe() const noexcept { return options.mode == PlayMode::kKeyframe; }
  [[nodiscard]] double rate() const noexcept;
  void evaluate(PlayCommand& command) noexcept;
  void write_target(PlayCommand& command) noexcept;
  [[nodiscard]] PlayPhase phase() const noexcept;
  [[nodiscard]] double motion_time() const noexcept;
  [[nodiscard]] double progress() const noexcept;

  // set-up
  PlayOptions options;
  BoardLayout layout;
  std::vector<JointArray<double>> poses;     // rad
  std::vector<JointArray<double>> velocity;  // rad/s, stream mode
  std::vector<PoseTiming> timing;
  double duration = 0.0;  // s, first pose to last

  // state
  Stage stage = Stage::kPresent;
  Move move;
  double t = 0.0;             // s, own time within the leg; time while settling
  std::size_t goal = 0;       // pose that the leg leads to
  double leg_start = 0.0;     // s, motion time at the start of the leg
  double lead_in = 0.0;       // s, planned
  double lead_in_done = 0.0;  // s, before this leg
  TimeScale scale;
  Pause pause;
  bool is_reversed = false;
  double turned = 0.0;  // 0: forwards .. 1: backwards
  bool command_is_due = false;
  bool is_held = false;
  JointArray<double> held{};  // rad
  MovePoint point;            // where the last step was
};

Player::Plan::Plan(const Motion& motion, const RobotWiring& wiring, const PlayOptions& play_options)
    : options(play_options), layout(board_layout(wiring)), scale(play_options.speed) {
  for (const Pose& pose : motion.poses) {
    JointArray<double> q{};
    for (std::size_t j = 0; j < pose.angle.size(); ++j) {
      const double angle = pose.angle[j].value_or(0.0);
      q[j] = is_keyframe() ? sent_angle(angle) : angle;  // the boards move between whole degrees
    }
    poses.push_back(q);
    timing.push_back({static_cast<std::uint8_t>(pose.speed.value_or(0)), pose.duration});
  }
  velocity = velocities_of(motion);
  duration = motion.duration();
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
  if (!is_keyframe()) {
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
  if (is_keyframe()) {
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
  if (stage != Stage::kMotion || is_keyframe()) {
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
  return is_keyframe() && pause.is_set() && !scale.is_braking() && stage != Stage::kPresent &&
         (goal + 1 < poses.size() || options.loop);
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
  } else if (is_keyframe()) {
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
      !is_held && (scale.is_braking() || (!is_keyframe() && stage != Stage::kDone));
  if (is_held || streams || !is_keyframe()) {
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
  if (!plan_->is_keyframe()) plan_->pause.step(length, plan_->scale.goal());
}

void Player::set_reversed(bool reversed) noexcept {
  if (!plan_->is_keyframe()) plan_->is_reversed = reversed;
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
  if (plan.options.loop) return kNoLimit;
  double total = plan.lead_in + plan.options.settle;
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
