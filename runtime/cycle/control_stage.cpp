#include "runtime/cycle/control_stage.hpp"

#include <algorithm>
#include <limits>

#include "models/base/errors.hpp"
#include "motions/play/interpolate.hpp"
#include "runtime/cycle/shadow.hpp"

namespace kagami::runtime {
namespace {

using control::ControlDrive;
using control::ControlStatus;

constexpr double kFadeTime = 0.5;  // s, until the part of a removed controller is zero

// a controller may lead: the motion plays or slows down, or a joint is tested
bool may_control(const ControlTick& tick) noexcept {
  if (is_test(tick.state)) return true;
  const bool moves = tick.state == RunState::kPlaying || tick.state == RunState::kSettling ||
                     tick.state == RunState::kStopping;
  return moves && tick.has_begun && tick.streams;
}

// the events of a controller's fault
struct FaultEvents {
  EventCode robot;
  EventCode twin;
};

FaultEvents events_of(ControlStatus status) noexcept {
  switch (status) {
    case ControlStatus::kNotFinite:
      return {EventCode::kControlNotFinite, EventCode::kTwinNotFinite};
    case ControlStatus::kOld:
      return {EventCode::kControlOld, EventCode::kTwinOld};
    case ControlStatus::kBadOutput:
      return {EventCode::kControlBadOutput, EventCode::kTwinBadOutput};
    case ControlStatus::kSaturated:
      return {EventCode::kControlSaturated, EventCode::kTwinSaturated};
    case ControlStatus::kLoopOpen:
      return {EventCode::kControlLoopOpen, EventCode::kTwinFailed};
    case ControlStatus::kFootInAir:
      return {EventCode::kControlFootInAir, EventCode::kTwinFailed};
    case ControlStatus::kOk:
    case ControlStatus::kBadStep:
    case ControlStatus::kNotPossible:
      break;
  }
  return {EventCode::kControlFailed, EventCode::kTwinFailed};
}

}  // namespace

ControlStage::ControlStage(const models::RobotDescription& robot, const motions::Motion& motion,
                           const CycleConfig& config, const control::ControllerFactory& factory)
    : num_joints_(static_cast<int>(robot.wiring.joints.size())),
      robot_side_(robot.wiring, config.control.limits),
      twin_side_(robot.wiring, config.control.limits) {
  if (config.play.mode == motions::PlayMode::kKeyframe ||
      config.play.mode == motions::PlayMode::kStored) {
    throw ConfigError(
        "controller: it needs a target in every cycle; expected --mode stream or ramp");
  }
  if (config.read_every == 0) {
    throw ConfigError("controller: it needs readings; expected --read every:N");
  }
  if (config.control.gains.size() > kMaxControllers) {
    throw ConfigError("controller: " + std::to_string(config.control.gains.size()) +
                      " gain sets, expected at most " + std::to_string(kMaxControllers));
  }
  std::size_t tunables = 0;
  for (const std::string& gains : config.control.gains) {
    const auto k = static_cast<std::size_t>(num_units_);
    const std::string where = k < config.control.gains_files.size()
                                  ? config.control.gains_files[k]
                                  : "gains " + std::to_string(k + 1);
    auto made = make_control_unit(robot, motion, config, gains, where, factory);
    made->place = num_units_;
    tunables += made->robot->tunables().size();
    if (made->twin && !twin_) twin_.emplace(robot, config);
    units_[static_cast<std::size_t>(num_units_++)] = std::move(made);
  }
  if (tunables > kMaxTunables) {
    throw ConfigError("controller: the gain sets have " + std::to_string(tunables) +
                      " tunables together, expected at most " + std::to_string(kMaxTunables));
  }
  if (config.control.live && !twin_) twin_.emplace(robot, config);  // one may come that needs it
  if (num_units_ == 0) chosen_ = kMotionAlone;
}
ControlStage::~ControlStage() = default;

std::vector<ControllerDescription> ControlStage::describe_all() const {
  std::vector<ControllerDescription> all;
  for (const auto& unit : units()) all.push_back(describe(*unit->robot));
  return all;
}

void ControlStage::start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept {
  track_.clear();
  if (twin_) twin_->start(sample, now_ns);
  started_ = true;
}

void ControlStage::choose(int controller) noexcept {
  if (controller >= kMotionAlone && controller < num_units_) chosen_ = controller;
}

ControlDemand ControlStage::step(const ControlTick& tick, EventList& events) noexcept {
  ControlDemand demand;
  if (!started_) {
    if (incoming_) take_over(tick, events);
    return demand;
  }
  track_.push(tick.in.now_ns, tick.reference);
  robot_side_.set_measurements(tick.in.now_ns, tick.dt, measurements_of(tick.in.sample), track_,
                               tick.reference, tick.sent);
  robot_side_.input().q_shadow = tick.out.q_simulated;
  robot_side_.input().base = tick.out.base;
  if (twin_) twin_->advance(tick.in.now_ns, tick.in.sample, events);
  if (incoming_) take_over(tick, events);

  const bool is_done = tick.state == RunState::kDone;
  const bool rests = tick.test_drives;
  const bool may_lead = may_control(tick) && !failed_ && !rests;
  // after a hold it restarts from the position of the servos
  if (may_lead && !could_lead_ && chosen_ != kMotionAlone) leading_ = -1;
  could_lead_ = may_lead;
  if (may_lead) exchange(tick, demand, events);
  if (may_lead && !failed_ && leading_ >= 0) {
    const ControlStatus status = lead(unit(leading_), tick);
    if (status == ControlStatus::kOk) {
      demand.target = last_;
    } else {
      fail(status, tick, demand, events);
    }
  } else if (rests && tick.test == JointTestStage::kReturning) {
    last_ = tick.reference.target;
    stands_ = true;
  } else if ((leading_ >= 0 || stands_) && (rests || is_done)) {
    demand.target = last_;
  }
  if (!may_control(tick) && !is_done) {
    leading_ = -1;
    stands_ = false;
  }
  if (leading_ < 0 && !demand.failed) fade(tick, demand);
  drive_twin(tick, demand, events);
  return demand;
}

// in the place of another one, also of the one that leads, or behind the last
void ControlStage::take_over(const ControlTick& tick, EventList& events) noexcept {
  const int place = incoming_->place;
  const bool leads = started_ && place == leading_ && may_control(tick);
  const bool fits = place >= 0 && place <= num_units_ && place < kMaxControllers;
  if (!fits || (leads && begin(*incoming_, tick) != ControlStatus::kOk)) {
    events.add(EventCode::kSwitchRefused, place);
    outgoing_ = std::move(incoming_);
    return;
  }
  num_units_ = std::max(num_units_, place + 1);
  outgoing_ = std::move(units_[static_cast<std::size_t>(place)]);
  units_[static_cast<std::size_t>(place)] = std::move(incoming_);
  ++layout_;
  if (place == leading_) twin_leads_ = false;
  events.add(EventCode::kControlTaken, place);
}

// the motion alone continues from the targets of the controller that was active
void ControlStage::leave(const ControlTick& tick, EventList& events) noexcept {
  for (std::size_t j = 0; j < static_cast<std::size_t>(num_joints_); ++j) {
    left_[j] = tick.sent[j] - tick.reference.target[j];
  }
  left_time_ = 0.0;
  leading_ = -1;
  events.add(EventCode::kMotionAlone);
}

void ControlStage::fade(const ControlTick& tick, ControlDemand& demand) noexcept {
  if (left_time_ < 0.0) return;
  left_time_ += tick.dt;
  if (left_time_ >= kFadeTime || !(may_control(tick) || tick.state == RunState::kDone)) {
    left_time_ = -1.0;
    return;
  }
  const double left = 1.0 - motions::smooth_step(left_time_ / kFadeTime);
  JointArray<double> target = demand.target.value_or(tick.reference.target);
  for (std::size_t j = 0; j < static_cast<std::size_t>(num_joints_); ++j) {
    target[j] += left * left_[j];
  }
  demand.target = target;
}

// a controller takes over: the first one, or another one that was chosen meanwhile
void ControlStage::exchange(const ControlTick& tick, ControlDemand& demand,
                            EventList& events) noexcept {
  if (leading_ == chosen_) return;
  if (chosen_ == kMotionAlone) return leave(tick, events);
  const ControlStatus status = begin(unit(chosen_), tick);
  if (status == ControlStatus::kOk) {
    leading_ = chosen_;
    twin_leads_ = false;
    left_time_ = -1.0;
    events.add(EventCode::kControlBegan, leading_);
  } else if (leading_ < 0) {
    fail(status, tick, demand, events);
  } else {
    events.add(EventCode::kSwitchRefused, chosen_);
    chosen_ = leading_;
  }
}

ControlStatus ControlStage::begin(ControllerInstance& unit, const ControlTick& tick) noexcept {
  robot_side_.forget_finding();
  if (unit.reference) {
    if (!unit.reference->start(tick.sent, tick.in.now_ns)) return ControlStatus::kLoopOpen;
    robot_side_.input().q = unit.reference->state().q;
    robot_side_.input().v = unit.reference->state().v;
  }
  return robot_side_.reset(*unit.robot);
}

ControlStatus ControlStage::lead(ControllerInstance& unit, const ControlTick& tick) noexcept {
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
  return status;
}

ControlStatus ControlStage::drive_model(ControllerInstance& unit,
                                        const ControlTick& tick) noexcept {
  unit.reference->observe(measurements_of(tick.in.sample));
  if (unit.reference->advance(robot_side_.output().tau, tick.dt, tick.in.now_ns)) {
    return ControlStatus::kOk;
  }
  reference_lost_ = true;
  return ControlStatus::kNotPossible;
}

// the twin runs the same law on its own readings; without one it gets the commands of the robot
void ControlStage::drive_twin(const ControlTick& tick, const ControlDemand& demand,
                              EventList& events) noexcept {
  if (!twin_ || !tick.has_begun) return;
  const bool is_done = tick.state == RunState::kDone;
  JointArray<double> target = demand.target.value_or(tick.reference.target);
  const bool law = leading_ >= 0 && unit(leading_).twin != nullptr && !tick.test_drives;
  if (law && !is_done) {
    twin_leads_ = lead_twin(unit(leading_), tick, events);
    target = twin_leads_ ? twin_side_.output().q_target : twin_->commanded();
  } else if (!failed_ && (may_control(tick) || tick.state == RunState::kLeadIn)) {
    twin_leads_ = false;  // the motion alone leads both, from the twin's own target
  } else if (twin_leads_) {
    target = twin_->commanded();  // it holds, as the robot does
  }
  twin_->set_target(target, tick.dt, tick.in.tick);
}

// its own fault: reported once with cause, joint and value; its last target is held, the robot goes
// on, and it tries again from there with every tick
bool ControlStage::lead_twin(ControllerInstance& unit, const ControlTick& tick,
                             EventList& events) noexcept {
  control::Controller& controller = *unit.twin;
  twin_side_.set_measurements(tick.in.now_ns, tick.dt, twin_->measurements(), track_,
                              tick.reference, twin_->commanded());
  ControlStatus status = ControlStatus::kOk;
  if (!twin_leads_) status = twin_side_.reset(controller);
  if (status == ControlStatus::kOk) status = twin_side_.update(controller);
  if (status == ControlStatus::kOk) status = twin_side_.check(controller);
  const bool good = status == ControlStatus::kOk;
  if (good == twin_faulted_) {
    const EventCode code = good ? EventCode::kTwinBack : events_of(status).twin;
    const control::ControlFinding& finding = twin_side_.finding();
    const double value =
        code == EventCode::kTwinFailed ? static_cast<double>(status) : finding.value;
    events.add(code, good ? 0.0 : value, good ? -1 : finding.joint);
    twin_faulted_ = !good;
  }
  return good;
}

void ControlStage::fail(ControlStatus status, const ControlTick& tick, ControlDemand& demand,
                        EventList& events) noexcept {
  control::ControlFinding finding = robot_side_.finding();
  EventCode code = events_of(status).robot;
  if (code == EventCode::kControlFailed) finding.value = static_cast<double>(status);
  if (reference_lost_) {
    finding = unit(leading_).reference->finding();
    code = finding.joint < 0 ? EventCode::kReferenceLost : EventCode::kReferenceBounds;
  }
  events.add(code, finding.value, finding.joint);
  status_ = status;
  failed_ = true;
  leading_ = -1;
  demand = {.target = tick.sent, .failed = true};
}

void ControlStage::write(CycleOutput& out) const noexcept {
  out.q_loop = unknown_joints(num_joints_);
  out.control = out.q_loop;
  out.control_status = status_;
  out.controller = leading_;
  out.tuning_layout = layout_;
  const auto joints = static_cast<std::size_t>(num_joints_);
  if (leading_ >= 0) {
    const ControllerInstance& unit = *units_[static_cast<std::size_t>(leading_)];
    const control::ControlOutput& output = robot_side_.output();
    std::copy_n(output.u.begin(), joints, out.control.begin());
    out.saturated = robot_side_.saturated();
    if (unit.reference) std::copy_n(unit.reference->joints().begin(), joints, out.q_loop.begin());
  }
  const bool torque = leading_ >= 0 && units_[static_cast<std::size_t>(leading_)]->reference;
  if (started_ && twin_ && !torque) std::copy_n(twin_->q().begin(), joints, out.q_loop.begin());
}

}  // namespace kagami::runtime
