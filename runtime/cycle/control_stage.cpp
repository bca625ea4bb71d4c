#include "runtime/cycle/control_stage.hpp"

#include <algorithm>
#include <limits>

#include "models/base/errors.hpp"
#include "runtime/cycle/shadow.hpp"

namespace kagami::runtime {
namespace {

using control::ControlDrive;
using control::ControlStatus;

control::ControlPlace place_of(const models::RobotDescription& robot, const motions::Motion& motion,
                               const CycleConfig& config) {
  control::ControlPlace place;
  place.model = &robot.model;
  place.robot = robot.name;
  place.joint_names = robot.joint_names;
  place.period = static_cast<double>(config.period_ns) * 1e-9;
  for (std::size_t j = 0; j < robot.servos.joints.size(); ++j) {
    place.servo_stiffness[j] = robot.servos.joints[j].kp;
  }
  if (motion.poses.empty()) return place;
  const std::vector<std::optional<double>>& first = motion.poses.front().angle;
  for (std::size_t j = 0; j < first.size(); ++j) place.q_start[j] = first[j].value_or(0.0);
  return place;
}

JointArray<double> stall_torques(const ServoSet& servos) {
  JointArray<double> torque{};
  for (std::size_t j = 0; j < servos.joints.size(); ++j) torque[j] = servos.joints[j].stall_torque;
  return torque;
}

EventCode event_of(ControlStatus status) noexcept {
  switch (status) {
    case ControlStatus::kNotFinite:
      return EventCode::kControlNotFinite;
    case ControlStatus::kOld:
      return EventCode::kControlOld;
    case ControlStatus::kBadOutput:
      return EventCode::kControlBadOutput;
    case ControlStatus::kSaturated:
      return EventCode::kControlSaturated;
    case ControlStatus::kLoopOpen:
      return EventCode::kControlLoopOpen;
    case ControlStatus::kFootInAir:
      return EventCode::kControlFootInAir;
    case ControlStatus::kOk:
    case ControlStatus::kBadStep:
    case ControlStatus::kNotPossible:
      break;
  }
  return EventCode::kControlFailed;
}

}  // namespace

/// One controller of the run with what it needs beside itself.
struct ControlStage::Unit {
  std::unique_ptr<control::Controller> robot;
  std::unique_ptr<control::Controller> twin;  // the same again, for the twin's own readings
  std::unique_ptr<ReferenceModel> reference;  // of torques
};

ControlStage::ControlStage(const models::RobotDescription& robot, const motions::Motion& motion,
                           const CycleConfig& config, const control::ControllerFactory& factory)
    : num_joints_(static_cast<int>(robot.wiring.joints.size())),
      robot_side_(robot.wiring, config.control.limits),
      twin_side_(robot.wiring, config.control.limits) {
  if (config.play.mode == motions::PlayMode::kKeyframe) {
    throw ConfigError(
        "controller: it needs a target in every cycle; expected --mode stream or ramp");
  }
  if (config.read_every == 0) {
    throw ConfigError("controller: it needs readings; expected --read every:N");
  }
  const control::ControlPlace place = place_of(robot, motion, config);
  for (std::size_t k = 0; k < config.control.gains.size(); ++k) {
    const ConfigDocument gains =
        ConfigDocument::parse(config.control.gains[k], "gains " + std::to_string(k + 1));
    auto unit = std::make_unique<Unit>();
    unit->robot = factory.make(gains, place);
    if (unit->robot->drive() == ControlDrive::kTorque) {
      unit->reference =
          std::make_unique<ReferenceModel>(*unit->robot, robot.wiring, stall_torques(robot.servos));
    } else {
      unit->twin = factory.make(gains, place);
      if (!twin_) twin_.emplace(robot, config);
    }
    units_.push_back(std::move(unit));
  }
}
ControlStage::~ControlStage() = default;

void ControlStage::start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept {
  track_.clear();
  if (twin_) twin_->start(sample, now_ns);
  started_ = true;
}

void ControlStage::choose(int controller) noexcept {
  if (controller >= 0 && controller < static_cast<int>(units_.size())) chosen_ = controller;
}

void ControlStage::step(const ControlTick& tick, Commander& commander, EventList& events) noexcept {
  if (!started_) return;
  track_.push(tick.in.now_ns, commander.command());
  robot_side_.see(tick.in.now_ns, tick.dt, seen_by(tick.in.sample), track_, commander.command(),
                  commander.safe());
  robot_side_.input().q_shadow = tick.out.q_simulated;
  robot_side_.input().base = tick.out.base;
  if (twin_) twin_->advance(tick.in.now_ns, tick.in.sample);

  const bool may_lead = commander.may_control() && !failed_;
  if (may_lead) exchange(tick, commander, events);
  if (may_lead && !failed_ && leading_ >= 0) {
    const ControlStatus status = lead(*units_[static_cast<std::size_t>(leading_)], tick, commander);
    if (status != ControlStatus::kOk) fail(status, commander, events);
  } else if (leading_ >= 0 && commander.is_done()) {
    commander.set_target(last_);
  }
  if (!commander.may_control() && !commander.is_done()) leading_ = -1;
  drive_twin(tick, commander);
}

// a controller takes over: the first one, or another one that was chosen meanwhile
void ControlStage::exchange(const ControlTick& tick, Commander& commander,
                            EventList& events) noexcept {
  if (leading_ == chosen_) return;
  const ControlStatus status = begin(*units_[static_cast<std::size_t>(chosen_)], tick, commander);
  if (status == ControlStatus::kOk) {
    leading_ = chosen_;
    twin_leads_ = false;
    events.add(EventCode::kControlBegan, leading_);
  } else if (leading_ < 0) {
    fail(status, commander, events);
  } else {
    events.add(EventCode::kSwitchRefused, chosen_);
    chosen_ = leading_;
  }
}

ControlStatus ControlStage::begin(Unit& unit, const ControlTick& tick,
                                  const Commander& commander) noexcept {
  if (unit.reference) {
    if (!unit.reference->start(commander.safe(), tick.in.now_ns)) return ControlStatus::kLoopOpen;
    robot_side_.input().q = unit.reference->state().q;
    robot_side_.input().v = unit.reference->state().v;
  }
  return robot_side_.reset(*unit.robot);
}

ControlStatus ControlStage::lead(Unit& unit, const ControlTick& tick,
                                 Commander& commander) noexcept {
  if (unit.reference) {
    robot_side_.input().q = unit.reference->state().q;
    robot_side_.input().v = unit.reference->state().v;
  }
  ControlStatus status = robot_side_.update(*unit.robot);
  if (status != ControlStatus::kOk) return status;
  if (unit.reference) unit.reference->limit(robot_side_.output());
  status = robot_side_.check(*unit.robot);
  if (status == ControlStatus::kOk && unit.reference) status = drive_model(unit, tick);
  if (status != ControlStatus::kOk) return status;
  last_ = unit.reference ? unit.reference->joints() : robot_side_.output().q_target;
  commander.set_target(last_);
  return status;
}

ControlStatus ControlStage::drive_model(Unit& unit, const ControlTick& tick) noexcept {
  unit.reference->observe(seen_by(tick.in.sample));
  if (unit.reference->advance(robot_side_.output().tau, tick.dt, tick.in.now_ns)) {
    return ControlStatus::kOk;
  }
  reference_lost_ = true;
  return ControlStatus::kNotPossible;
}

// the twin runs the same law on its own readings; without one it is told what the robot is told
void ControlStage::drive_twin(const ControlTick& tick, const Commander& commander) noexcept {
  if (!twin_ || !commander.has_begun()) return;
  JointArray<double> target = commander.command().target;
  const bool law = leading_ >= 0 && units_[static_cast<std::size_t>(leading_)]->twin != nullptr;
  if (law && !commander.is_done()) {
    control::Controller& controller = *units_[static_cast<std::size_t>(leading_)]->twin;
    twin_side_.see(tick.in.now_ns, tick.dt, twin_->seen(), track_, commander.command(),
                   twin_->told());
    ControlStatus status = ControlStatus::kOk;
    if (!twin_leads_) status = twin_side_.reset(controller);
    if (status == ControlStatus::kOk) status = twin_side_.update(controller);
    if (status == ControlStatus::kOk) status = twin_side_.check(controller);
    twin_leads_ = status == ControlStatus::kOk;
    target = twin_leads_ ? twin_side_.output().q_target : twin_->told();
  } else if (twin_leads_) {
    target = twin_->told();  // it holds, as the robot does
  }
  twin_->tell(target, tick.dt, tick.in.tick);
}

void ControlStage::fail(ControlStatus status, Commander& commander, EventList& events) noexcept {
  const control::ControlFinding& finding = robot_side_.finding();
  const EventCode code = reference_lost_ ? EventCode::kReferenceLost : event_of(status);
  const double value =
      code == EventCode::kControlFailed ? static_cast<double>(status) : finding.value;
  events.add(code, reference_lost_ ? 0.0 : value, reference_lost_ ? -1 : finding.joint);
  status_ = status;
  failed_ = true;
  leading_ = -1;
  commander.set_target(commander.safe());
  commander.hold(events);
}

void ControlStage::write(CycleOutput& out) const noexcept {
  out.q_loop = unknown_joints(num_joints_);
  out.control = out.q_loop;
  out.control_status = status_;
  out.controller = leading_;
  const auto joints = static_cast<std::size_t>(num_joints_);
  if (leading_ >= 0) {
    const Unit& unit = *units_[static_cast<std::size_t>(leading_)];
    const control::ControlOutput& said = robot_side_.output();
    std::copy_n(said.u.begin(), joints, out.control.begin());
    out.saturated = robot_side_.saturated();
    if (unit.reference) std::copy_n(unit.reference->joints().begin(), joints, out.q_loop.begin());
  }
  const bool torque = leading_ >= 0 && units_[static_cast<std::size_t>(leading_)]->reference;
  if (started_ && twin_ && !torque) std::copy_n(twin_->q().begin(), joints, out.q_loop.begin());
}

}  // namespace kagami::runtime
