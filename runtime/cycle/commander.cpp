#include "runtime/cycle/commander.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "models/base/errors.hpp"
#include "runtime/cycle/shadow.hpp"

namespace kagami::runtime {
namespace {

using motions::PlayMode;

control::SafetyLimits gate_limits(const models::RobotDescription& robot,
                                  const CycleConfig& config) {
  control::SafetyLimits limits = control::safety_limits(robot.wiring, robot.servos);
  limits.jump_max = config.jump_max;
  if (config.rate_max) limits.rate_max = *config.rate_max;
  return limits;
}

void check_sit_pose(const models::RobotDescription& robot, const CycleConfig& config) {
  if (!config.sit_pose) return;
  for (std::size_t i = 0; i < robot.wiring.joints.size(); ++i) {
    const JointWiring& joint = robot.wiring.joints[i];
    const double angle = (*config.sit_pose)[i];
    if (angle >= joint.soft_min && angle <= joint.soft_max) continue;
    throw ConfigError("sit pose: " + joint.joint + ": " + std::to_string(to_deg(angle)) +
                      " is outside [" + std::to_string(to_deg(joint.soft_min)) + ", " +
                      std::to_string(to_deg(joint.soft_max)) + "] deg");
  }
}

EventCode event_of(control::GateFindingKind kind) noexcept {
  using control::GateFindingKind;
  switch (kind) {
    case GateFindingKind::kLimit:
      return EventCode::kLimitClamped;
    case GateFindingKind::kLimitCleared:
      return EventCode::kLimitCleared;
    case GateFindingKind::kRate:
      return EventCode::kRateClamped;
    case GateFindingKind::kRateCleared:
      return EventCode::kRateCleared;
    case GateFindingKind::kNotFinite:
      return EventCode::kTargetRefused;
    case GateFindingKind::kFinite:
      return EventCode::kTargetBack;
    case GateFindingKind::kJump:
      return EventCode::kJumpRefused;
  }
  return EventCode::kNone;
}

}  // namespace

Commander::Commander(const models::RobotDescription& robot,
                     std::span<const motions::Motion> motions, const CycleConfig& config)
    : config_(config),
      speed_(robot.wiring.speed),
      num_joints_(static_cast<int>(robot.wiring.joints.size())),
      streams_(config.play.mode != PlayMode::kKeyframe),
      joints_(robot.wiring.joints),
      speed_factor_(config.play.speed),
      loop_(config.play.loop),
      gate_(gate_limits(robot, config)) {
  check_sit_pose(robot, config);
  if (motions.empty()) throw ConfigError("cycle: no motion, expected at least 1");
  players_.reserve(motions.size());
  for (const motions::Motion& motion : motions) {
    players_.emplace_back(motion, robot.wiring, config.play);
  }
  for (std::size_t i = 0; i < robot.wiring.joints.size(); ++i) {
    board_[i] = static_cast<std::int8_t>(robot.wiring.joints[i].board());
  }
  command_.q_ref = unknown_joints(num_joints_);
  command_.qd_ref = command_.q_ref;
}

void Commander::request_stop(StopLevel level, EventList& events) noexcept {
  if (level <= stop_) return;
  stop_ = level;
  events.add(EventCode::kStopRequested, static_cast<double>(level));
  const RunSignal signal = level == StopLevel::kSlowDown  ? RunSignal::kSlowDown
                           : level == StopLevel::kHoldNow ? RunSignal::kHoldNow
                                                          : RunSignal::kRelease;
  break_test(JointTestReason::kStopped, events);
  perform(supervisor_.take(signal), events);
}

void Commander::perform(RunAction action, EventList& events) noexcept {
  switch (action) {
    case RunAction::kNone:
    case RunAction::kPlay:  // see play and begin_test: the signals that ask for it
    case RunAction::kTest:
      break;
    case RunAction::kRelease:
      begin_sleep(events);
      break;
    case RunAction::kFinish:
      if (supervisor_.state() == SupervisorState::kFault) {
        if (config_.on_stop == OnStop::kRelease)
          perform(supervisor_.take(RunSignal::kRelease), events);
        break;
      }
      // a slow stop in a hold, whatever led to that: it stands already
      if (phase_ == Phase::kDone || supervisor_.state() == SupervisorState::kSoftStop) {
        finish_stop(events);
      }
      break;
    case RunAction::kSlowDown:
      if (stage_ == Stage::kTest) {
        test_.brake(config_.slow_down_time);
      } else if (begun_) {
        player().slow_down(config_.slow_down_time);
      } else {
        park(events);
      }
      break;
    case RunAction::kHoldNow:
      hold_now(events);
      break;
  }
}

void Commander::hold_now(EventList& events) noexcept {
  switch (stage_) {
    case Stage::kFollow:
      if (begun_) {
        player().hold_now();
      } else {
        park(events);
      }
      break;
    case Stage::kSit:
      hold_sitting(events);
      break;
    case Stage::kWaiting:
    case Stage::kTest:
      park(events);
      break;
    case Stage::kParked:
    case Stage::kSleep:
    case Stage::kRefused:
      break;
  }
}

void Commander::hold(EventList& events) noexcept {
  faulted_ = true;
  break_test(JointTestReason::kFault, events);
  perform(supervisor_.take(RunSignal::kFault), events);
}

void Commander::update_reference(double dt, const drivers::ServoSample& sample,
                                 EventList& events) noexcept {
  // the player evaluates, then advances: what it says now is one former dt after what it said last
  reference_dt_ = next_reference_dt_ > 0.0 ? next_reference_dt_ : dt;
  next_reference_dt_ = dt;
  switch (stage_) {
    case Stage::kFollow:
      follow_player(dt, events);
      break;
    case Stage::kSit:
      follow_sit(dt, events);
      break;
    case Stage::kTest:
      follow_test(dt, events);
      break;
    case Stage::kSleep:
      follow_sleep(sample, events);
      break;
    case Stage::kWaiting:
    case Stage::kParked:
    case Stage::kRefused:
      break;
  }
}

void Commander::finish_stop(EventList& events) noexcept {
  const bool asked = stop_ != StopLevel::kNone;
  if (asked && !faulted_ && config_.on_stop == OnStop::kSit && stop_ == StopLevel::kSlowDown &&
      config_.sit_pose) {
    begin_sit(events);
  } else {
    park(events);
    if (asked && config_.on_stop == OnStop::kRelease) {
      perform(supervisor_.take(RunSignal::kRelease), events);
    }
  }
}

void Commander::park(EventList& events) noexcept {
  supervisor_.take(RunSignal::kStill);
  stage_ = Stage::kParked;
  phase_ = Phase::kHeld;
  if (streams_ && begun_) {
    // the command that went out stands, also where the rate limit kept it behind the reference
    command_.target = gate_.safe();
    command_.q_ref = gate_.safe();
  }
  if (started_) std::fill_n(command_.qd_ref.begin(), num_joints_, 0.0);
  events.add(EventCode::kHeld);
}

void Commander::begin_sleep(EventList& events) noexcept {
  stage_ = Stage::kSleep;
  phase_ = Phase::kReleasing;
  sleep_pending_ = true;
  if (started_) std::fill_n(command_.qd_ref.begin(), num_joints_, 0.0);
  events.add(EventCode::kReleased, 0.0);
}

void Commander::follow_sleep(const drivers::ServoSample& sample, EventList& events) noexcept {
  if (sleep_pending_ || phase_ != Phase::kReleasing || !sample.sleep_confirmed) return;
  phase_ = Phase::kReleased;
  events.add(EventCode::kReleased, 1.0);
}

void Commander::issue_targets(std::int64_t tick, EventList& events) noexcept {
  if (stage_ == Stage::kSleep) {
    if (!sleep_pending_) return;
    sleep_pending_ = false;
    targets_.mode = drivers::TargetMode::kSleep;
    targets_.streamed = false;
  } else if (pass_gate(events)) {
    targets_.mode = drivers::TargetMode::kPositions;
    targets_.angle = gate_.safe();
  } else {
    return;
  }
  ++targets_.sequence;
  targets_.cycle = tick;
}

bool Commander::pass_gate(EventList& events) noexcept {
  if (stage_ == Stage::kWaiting || stage_ == Stage::kRefused) return false;
  control::GateReport report;
  control::GateStatus status = control::GateStatus::kOk;
  bool is_new = false;
  std::uint8_t speed_code = command_.speed_code;
  if (!streams_) targets_.streamed = false;
  if (!begun_) {
    if (!command_.target_is_new || stage_ == Stage::kParked) return false;
    status = gate_.begin(measured_, command_.target, report);
    begun_ = is_new = status != control::GateStatus::kRefused;
  } else if (streams_) {
    status = gate_.pass_stream(command_.target, reference_dt_, report);
    is_new = gate_.safe() != targets_.angle;
    if (is_new) targets_.streamed = true;
  } else if (command_.target_is_new) {
    status = gate_.pass_pose(command_.target, speed_code, report);
    is_new = status != control::GateStatus::kRefused;
  }
  command_.target_is_new = false;
  if (is_new) targets_.speed = speed_code;
  for (int k = 0; k < report.count; ++k) {
    const control::GateFinding& finding = report.findings[static_cast<std::size_t>(k)];
    events.add(event_of(finding.kind), finding.value, finding.joint);
  }
  if (status == control::GateStatus::kRefused) refuse(events);
  return is_new;
}

void Commander::refuse(EventList& events) noexcept {
  break_test(JointTestReason::kTargetRefused, events);
  supervisor_.take(RunSignal::kRefused);
  if (!begun_) {
    stage_ = Stage::kRefused;
    phase_ = Phase::kRefused;
  } else if (stage_ != Stage::kParked) {
    // the reference is broken: the last safe target stands for good
    command_.target = gate_.safe();
    command_.q_ref = gate_.safe();
    park(events);
  }
}

}  // namespace kagami::runtime
