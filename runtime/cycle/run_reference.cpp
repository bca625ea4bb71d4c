#include "runtime/cycle/run_reference.hpp"

#include <algorithm>

#include "models/base/idx.hpp"
#include "runtime/cycle/shadow.hpp"

namespace kagami::runtime {

RunReference::RunReference(const models::RobotDescription& robot,
                           std::span<const motions::Motion> motions, const CycleConfig& config)
    : config_(config),
      joints_(robot.wiring.joints),
      motions_(robot.wiring, motions, config.play),
      sit_down_(robot, config),
      streams_(!motions_.boards_ramp()) {
  command_.q_ref = unknown_joints(static_cast<int>(joints_.size()));
  command_.qd_ref = command_.q_ref;
}

double RunReference::total_duration() const noexcept {
  return started_ ? motions_.player().total_duration() : 0.0;
}

// ---- signals of the user and of the cycle

void RunReference::start(const JointArray<double>& measured, EventList& events) noexcept {
  measured_ = measured;
  motions_.player().start(measured);
  started_ = true;
  take(RunSignal::kReading, events);
  events.add(EventCode::kStarted);
}

void RunReference::play(int motion, StopLevel stop, EventList& events) noexcept {
  if (!motions_.has(motion) || !has_begun_ || stop != StopLevel::kNone ||
      !take(RunSignal::kPlay, events)) {
    events.add(EventCode::kPlayRefused, static_cast<double>(group_of(state())));
    return;
  }
  motions_.start(motion, sent_);  // where the servos were sent, so nothing jumps
  streams_ = !motions_.boards_ramp();
  events.add(EventCode::kPlayedAgain, motion);
}

void RunReference::set_paused(bool paused, EventList& events) noexcept {
  if (!motions_.set_paused(paused)) return;
  events.add(paused ? EventCode::kPaused : EventCode::kResumed, command_.motion_time);
}

void RunReference::set_reversed(bool reversed, EventList& events) noexcept {
  if (!motions_.set_reversed(reversed)) return;
  events.add(reversed ? EventCode::kReversed : EventCode::kForwards, command_.motion_time);
}

void RunReference::rearm() noexcept {
  if (is_hold(state())) stop_ = StopLevel::kNone;
}

void RunReference::request_stop(StopLevel level, EventList& events) noexcept {
  if (level <= stop_) return;
  stop_ = level;
  events.add(EventCode::kStopRequested, static_cast<double>(level));
  break_test(JointTestReason::kStopped, events);
  take(level == StopLevel::kSlowDown  ? RunSignal::kSlowDown
       : level == StopLevel::kHoldNow ? RunSignal::kHoldNow
                                      : RunSignal::kRelease,
       events);
}

void RunReference::fault(EventList& events) noexcept {
  break_test(JointTestReason::kFault, events);
  take(RunSignal::kFault, events);
}

void RunReference::finish_tick(const Passed& passed, EventList& events) noexcept {
  sent_ = passed.sent;
  has_begun_ = passed.has_begun;
  has_released_ = passed.has_released;
  command_.target_is_new = false;
  if (!passed.is_refused) return;
  break_test(JointTestReason::kTargetRefused, events);
  if (!has_begun_) {
    take(RunSignal::kStartRefused, events);
    return;
  }
  // the reference is broken: the last target that passed is held
  command_.target = command_.q_ref = sent_;
  take(RunSignal::kRefused, events);
}

// ---- actions of the table

bool RunReference::take(RunSignal signal, EventList& events) noexcept {
  const std::optional<RunAction> action = machine_.take(signal);
  if (action) perform(*action, events);
  return action.has_value();
}

void RunReference::perform(RunAction action, EventList& events) noexcept {
  switch (action) {
    case RunAction::kNone:
    case RunAction::kPlay:  // done by `play` and `begin_test`
    case RunAction::kTest:
      break;
    case RunAction::kReportBegan:
      events.add(EventCode::kMotionBegan);
      break;
    case RunAction::kReportEnded:
      events.add(EventCode::kMotionEnded);
      break;
    case RunAction::kSlowDown:
      slow_down(events);
      break;
    case RunAction::kHoldNow:
      hold_now(events);
      break;
    case RunAction::kPark:
      park(events);
      break;
    case RunAction::kHoldRamp:
      // the boards are on their way: they stay where their ramps are
      command_.target = command_.q_ref;
      command_.speed_code = 0;
      command_.target_is_new = true;
      park(events);
      break;
    case RunAction::kFinish:
      finish(events);
      break;
    case RunAction::kSit:
      streams_ = false;  // the boards interpolate, also after a streamed motion
      events.add(EventCode::kSitting, sit_down_.begin(sent_, command_));
      break;
    case RunAction::kRelease:
      release(events);
      break;
  }
}

void RunReference::slow_down(EventList& events) noexcept {
  if (is_test(state())) {
    test_.brake(config_.slow_down_time);
  } else if (has_begun_) {
    motions_.player().slow_down(config_.slow_down_time);
  } else {
    take(RunSignal::kStill, events);
  }
}

void RunReference::hold_now(EventList& events) noexcept {
  if (has_begun_) {
    motions_.player().hold_now();
  } else {
    take(RunSignal::kStill, events);
  }
}

void RunReference::finish(EventList& events) noexcept {
  const bool sits =
      config_.on_stop == OnStop::kSit && stop_ == StopLevel::kSlowDown && sit_down_.has_pose();
  if (sits && take(RunSignal::kSit, events)) return;
  take(RunSignal::kStill, events);
  if (stop_ != StopLevel::kNone && config_.on_stop == OnStop::kRelease) {
    take(RunSignal::kRelease, events);
  }
}

void RunReference::park(EventList& events) noexcept {
  // the command that went out stays, also where the rate limit kept it behind the reference
  if (streams_ && has_begun_) command_.target = command_.q_ref = sent_;
  if (started_) std::fill_n(command_.qd_ref.begin(), joints_.size(), 0.0);
  events.add(EventCode::kHeld);
}

void RunReference::release(EventList& events) noexcept {
  if (started_) std::fill_n(command_.qd_ref.begin(), joints_.size(), 0.0);
  events.add(EventCode::kReleased, 0.0);
}

// ---- the reference, tick by tick

const motions::PlayCommand& RunReference::step(double dt, const drivers::ServoSample& sample,
                                               EventList& events) noexcept {
  // the player evaluates, then advances: this reference is one former dt after the last
  dt_ = next_dt_ > 0.0 ? next_dt_ : dt;
  next_dt_ = dt;
  switch (state()) {
    case RunState::kLeadIn:
    case RunState::kPlaying:
    case RunState::kSettling:
    case RunState::kDone:
    case RunState::kStopping:
    case RunState::kFaultStopping:
      follow_motion(dt, events);
      break;
    case RunState::kTesting:
    case RunState::kTestStopping:
      follow_test(dt, events);
      break;
    case RunState::kSitting:
      if (sit_down_.step(dt, command_)) take(RunSignal::kStill, events);
      break;
    case RunState::kReleasing:
      if (!has_released_ || !sample.sleep_confirmed) break;
      take(RunSignal::kAsleep, events);
      events.add(EventCode::kReleased, 1.0);
      break;
    case RunState::kWaiting:
    case RunState::kHeld:
    case RunState::kFault:
    case RunState::kRefused:
    case RunState::kReleased:
      break;
  }
  return command_;
}

void RunReference::follow_motion(double dt, EventList& events) noexcept {
  motions_.player().step(dt, command_);
  switch (command_.phase) {
    case motions::PlayPhase::kLeadIn:
    case motions::PlayPhase::kStopping:
      break;
    case motions::PlayPhase::kPlaying:
      take(RunSignal::kBegan, events);
      break;
    case motions::PlayPhase::kSettling:
      take(RunSignal::kArrived, events);
      break;
    case motions::PlayPhase::kDone:
      take(RunSignal::kEnded, events);
      break;
    case motions::PlayPhase::kHeld:
      finish(events);
      break;
  }
}

// ---- a test of one joint: under the same gate and the same stops as a motion

std::optional<JointTestReason> RunReference::why_not_tested(const control::JointSignal& signal,
                                                            StopLevel stop) const noexcept {
  if (is_test(state())) return JointTestReason::kUnderWay;
  if (stop != StopLevel::kNone || stop_ != StopLevel::kNone) return JointTestReason::kStopAsked;
  if (!is_hold(state())) return JointTestReason::kNotHolding;
  if (!has_begun_) return JointTestReason::kNothingSent;
  const bool is_there = signal.joint >= 0 && signal.joint < static_cast<int>(joints_.size());
  const std::size_t j = is_there ? idx(signal.joint) : 0;
  return why_not(signal, is_there ? &joints_[j] : nullptr, held_reference()[j]);
}

const JointArray<double>& RunReference::held_reference() const noexcept {
  return state() == RunState::kDone ? command_.q_ref : sent_;
}

void RunReference::begin_test(const control::JointSignal& signal, StopLevel stop,
                              EventList& events) noexcept {
  if (const std::optional<JointTestReason> reason = why_not_tested(signal, stop)) {
    events.add(EventCode::kJointTestRefused, static_cast<double>(*reason), signal.joint);
    return;
  }
  command_.q_ref = held_reference();
  const std::size_t j = idx(signal.joint);
  test_.begin(signal, joints_[j], command_.q_ref[j], sent_);
  test_began_done_ = state() == RunState::kDone;
  test_began_streaming_ = streams_;
  test_is_aborted_ = false;
  streams_ = true;
  take(RunSignal::kTest, events);
}

void RunReference::follow_test(double dt, EventList& events) noexcept {
  const JointTestStage before = test_.stage();
  const JointTestStage now = test_.step(dt, sent_, command_);
  if (state() == RunState::kTestStopping) {
    if (test_.has_stopped() || now == JointTestStage::kNone) finish(events);
  } else if (now == JointTestStage::kNone) {
    // into the hold that it came from: the boards were sent back there
    streams_ = test_began_streaming_;
    command_.target_is_new = false;
    take(test_began_done_ ? RunSignal::kEnded : RunSignal::kStill, events);
  } else if (now == before) {
    return;
  } else if (now == JointTestStage::kRunning) {
    events.add(EventCode::kJointTestBegan, static_cast<double>(test_.kind()), test_.joint());
  } else if (now == JointTestStage::kReturning && !test_is_aborted_) {
    events.add(EventCode::kJointTestEnded, test_.seconds(), test_.joint());
  }
}

void RunReference::apply_relay(double dt, const drivers::ServoSample& sample,
                               JointArray<double>& target, EventList& events) noexcept {
  if (!is_test(state())) return;
  const std::size_t j = idx(test_.joint());
  if (test_.drive(dt, sample.angle[j], target[j])) return;
  break_test(JointTestReason::kRelayAway, events);
  test_.return_to_held(target);
}

void RunReference::break_test(JointTestReason reason, EventList& events) noexcept {
  if (!is_test(state()) || test_is_aborted_) return;
  test_is_aborted_ = true;
  events.add(EventCode::kJointTestBroken, static_cast<double>(reason), test_.joint());
}

}  // namespace kagami::runtime
