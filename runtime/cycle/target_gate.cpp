#include "runtime/cycle/target_gate.hpp"

namespace kagami::runtime {
namespace {

using control::GateStatus;

control::SafetyLimits gate_limits(const models::RobotDescription& robot,
                                  const CycleConfig& config) {
  control::SafetyLimits limits = control::safety_limits(robot.wiring, robot.servos);
  limits.jump_max = config.jump_max;
  if (config.rate_max) limits.rate_max = *config.rate_max;
  return limits;
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

void report_findings(const control::GateReport& report, EventList& events) noexcept {
  for (int k = 0; k < report.count; ++k) {
    const control::GateFinding& finding = report.findings[static_cast<std::size_t>(k)];
    events.add(event_of(finding.kind), finding.value, finding.joint);
  }
}

}  // namespace

TargetGate::TargetGate(const models::RobotDescription& robot, const CycleConfig& config)
    : gate_(gate_limits(robot, config)), period_(static_cast<double>(config.period_ns) * 1e-9) {
  targets_.motion = config.stored_slot;
}

bool TargetGate::pass(const Request& request, std::int64_t tick, EventList& events) noexcept {
  switch (request.state) {
    case RunState::kWaiting:
    case RunState::kRefused:
    case RunState::kReleased:
      return true;
    case RunState::kReleasing:
      if (has_released()) return true;
      targets_.mode = drivers::TargetMode::kSleep;
      targets_.streamed = false;
      number(tick);
      return true;
    default:
      break;
  }
  const bool plays = request.plays_stored && begun_;
  const Outcome outcome = plays ? pass_stored(request, events) : pass_angles(request, events);
  if (outcome == Outcome::kNew) {
    targets_.mode = plays ? drivers::TargetMode::kPlay : drivers::TargetMode::kPositions;
    targets_.angle = gate_.safe();
    number(tick);
  }
  return outcome != Outcome::kRefused;
}

// the poses passed the soft limits before they were stored: the gate follows where the boards are
TargetGate::Outcome TargetGate::pass_stored(const Request& request, EventList& events) noexcept {
  control::GateReport report;
  std::uint8_t speed_code = 0;
  gate_.advance(period_, report);
  targets_.streamed = false;
  const GateStatus status = gate_.pass_pose(request.target, speed_code, report);
  report_findings(report, events);
  if (status == GateStatus::kRefused) return Outcome::kRefused;
  return request.is_new ? Outcome::kNew : Outcome::kKept;
}

TargetGate::Outcome TargetGate::pass_angles(const Request& request, EventList& events) noexcept {
  control::GateReport report;
  GateStatus status = GateStatus::kOk;
  bool is_new = false;
  std::uint8_t speed_code = request.speed_code;
  gate_.advance(period_, report);
  if (!request.streams) targets_.streamed = false;
  if (!begun_) {
    if (!request.is_new || has_stopped(request.state)) return Outcome::kKept;
    status = gate_.begin(request.measured, request.target, report);
    begun_ = is_new = status != GateStatus::kRefused;
  } else if (request.streams) {
    status = gate_.pass_stream(request.target, request.dt, report);
    is_new = gate_.safe() != targets_.angle;
    if (is_new) targets_.streamed = true;
  } else if (request.is_new) {
    status = gate_.pass_pose(request.target, speed_code, report);
    is_new = status != GateStatus::kRefused;
  }
  if (is_new) targets_.speed = speed_code;
  report_findings(report, events);
  if (status == GateStatus::kRefused) return Outcome::kRefused;
  return is_new ? Outcome::kNew : Outcome::kKept;
}

void TargetGate::number(std::int64_t tick) noexcept {
  ++targets_.sequence;
  targets_.cycle = tick;
}

}  // namespace kagami::runtime
