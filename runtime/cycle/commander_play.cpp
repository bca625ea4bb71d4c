// What leads while nobody stops: the player of the chosen motion; and the sitting down after a
// stop.
#include <algorithm>
#include <cmath>

#include "runtime/cycle/commander.hpp"

namespace kagami::runtime {
namespace {

using motions::PlayMode;
using motions::PlayPhase;

Phase phase_of(PlayPhase phase) noexcept {
  switch (phase) {
    case PlayPhase::kLeadIn:
      return Phase::kLeadIn;
    case PlayPhase::kPlaying:
      return Phase::kPlaying;
    case PlayPhase::kSettling:
      return Phase::kSettling;
    case PlayPhase::kDone:
      return Phase::kDone;
    case PlayPhase::kStopping:
      return Phase::kStopping;
    case PlayPhase::kHeld:
      return Phase::kHeld;
  }
  return Phase::kHeld;
}

}  // namespace

double Commander::total_duration() const noexcept {
  return started_ ? players_[static_cast<std::size_t>(motion_)].total_duration() : 0.0;
}

void Commander::start(const JointArray<double>& measured, EventList& events) noexcept {
  measured_ = measured;
  player().start(measured);
  supervisor_.take(RunSignal::kReading);
  started_ = true;
  stage_ = Stage::kFollow;
  phase_ = Phase::kLeadIn;
  events.add(EventCode::kStarted);
}

void Commander::set_speed(double factor) noexcept {
  speed_factor_ = factor;
  player().set_speed(factor);
}

void Commander::set_loop(bool loop) noexcept {
  loop_ = loop;
  player().set_loop(loop);
}

void Commander::set_paused(bool paused, EventList& events) noexcept {
  if (paused == paused_) return;
  paused_ = paused;
  player().set_paused(paused);
  events.add(paused ? EventCode::kPaused : EventCode::kResumed, command_.motion_time);
}

void Commander::set_reversed(bool reversed, EventList& events) noexcept {
  if (reversed == reversed_ || config_.play.mode == PlayMode::kKeyframe) return;
  reversed_ = reversed;
  player().set_reversed(reversed);
  events.add(reversed ? EventCode::kReversed : EventCode::kForwards, command_.motion_time);
}

void Commander::rearm() noexcept {
  if (supervisor_.state() == SupervisorState::kHold) stop_ = StopLevel::kNone;
}

void Commander::play(int motion, StopLevel stop, EventList& events) noexcept {
  const bool is_there = motion >= 0 && motion < static_cast<int>(players_.size());
  if (!is_there || !begun_ || stop != StopLevel::kNone ||
      supervisor_.take(RunSignal::kPlay) != RunAction::kPlay) {
    events.add(EventCode::kPlayRefused, static_cast<double>(supervisor_.state()));
    return;
  }
  motion_ = motion;
  player().set_speed(speed_factor_);
  player().set_loop(loop_);
  player().set_paused(paused_);
  player().set_reversed(reversed_);
  player().start(gate_.safe());  // where the servos were sent, so nothing jumps
  streams_ = config_.play.mode != PlayMode::kKeyframe;
  stage_ = Stage::kFollow;
  phase_ = Phase::kLeadIn;
  events.add(EventCode::kPlayedAgain, motion);
}

void Commander::follow_player(double dt, EventList& events) noexcept {
  player().step(dt, command_);
  const Phase before = phase_;
  const Phase now = phase_of(command_.phase);
  if (now == before) return;
  tell_phase(before, now, events);
  phase_ = now;
  if (now == Phase::kHeld) finish_stop(events);
}

void Commander::tell_phase(Phase before, Phase now, EventList& events) noexcept {
  const bool plays = now == Phase::kPlaying || now == Phase::kSettling || now == Phase::kDone;
  if (before == Phase::kLeadIn && plays) supervisor_.take(RunSignal::kBegan);
  if (now == Phase::kDone) supervisor_.take(RunSignal::kEnded);
  if (before == Phase::kLeadIn && (now == Phase::kPlaying || now == Phase::kSettling)) {
    events.add(EventCode::kMotionBegan);
  }
  if (before == Phase::kPlaying && (now == Phase::kSettling || now == Phase::kDone)) {
    events.add(EventCode::kMotionEnded);
  }
}

void Commander::begin_sit(EventList& events) noexcept {
  stage_ = Stage::kSit;
  phase_ = Phase::kSitting;
  sit_time_ = 0.0;
  sit_from_ = gate_.safe();
  std::array<double, kMaxBoards> travel{};  // rad
  for (std::size_t i = 0; i < static_cast<std::size_t>(num_joints_); ++i) {
    double& largest = travel[static_cast<std::size_t>(board_[i])];
    largest = std::max(largest, std::abs((*config_.sit_pose)[i] - sit_from_[i]));
  }
  for (std::size_t b = 0; b < travel.size(); ++b) {
    sit_duration_[b] = speed_.duration(config_.sit_speed_code, to_deg(travel[b]));
  }
  command_.target = *config_.sit_pose;
  command_.speed_code = config_.sit_speed_code;
  command_.target_is_new = true;
  command_.q_ref = sit_from_;
  streams_ = false;  // the boards interpolate, also after a streamed motion
  events.add(EventCode::kSitting, *std::max_element(sit_duration_.begin(), sit_duration_.end()));
}

void Commander::follow_sit(double dt, EventList& events) noexcept {
  sit_time_ += dt;
  bool arrived = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(num_joints_); ++i) {
    const double duration = sit_duration_[static_cast<std::size_t>(board_[i])];
    const double part = std::min(1.0, sit_time_ / duration);
    const double way = (*config_.sit_pose)[i] - sit_from_[i];
    command_.q_ref[i] = sit_from_[i] + part * way;
    command_.qd_ref[i] = part < 1.0 ? way / duration : 0.0;
    arrived = arrived && part >= 1.0;
  }
  if (arrived) park(events);
}

void Commander::hold_sitting(EventList& events) noexcept {
  // the boards are on their way: tell them to stay where their ramps are
  command_.target = command_.q_ref;
  command_.speed_code = 0;
  command_.target_is_new = true;
  park(events);
}

}  // namespace kagami::runtime
