#include "tools/tune/loop_core.hpp"

#include <cmath>
#include <utility>

#include "control/factory/factory.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::tools {

using control::ControlStatus;

std::unique_ptr<control::Controller> make_loop_controller(const models::RobotDescription& robot,
                                                          const std::string& gains_text) {
  control::ControlPlace place;
  place.model = &robot.model;
  place.robot = robot.name;
  place.joint_names = robot.joint_names;
  place.period = kLoopPeriod;
  for (std::size_t j = 0; j < robot.servos.joints.size(); ++j) {
    place.servo_stiffness[j] = robot.servos.joints[j].kp;
  }
  std::unique_ptr<control::Controller> controller =
      control::ControllerFactory().make(ConfigDocument::parse(gains_text, "gains"), place);
  if (controller->drive() != control::ControlDrive::kTarget) {
    throw ConfigError("tune: the controller '" + std::string(controller->name()) +
                      "' drives a reference model; expected one that sets targets (pid)");
  }
  return controller;
}

LoopCore::LoopCore(const models::RobotDescription& robot, control::Controller* controller)
    : num_joints_(static_cast<int>(robot.joint_names.size())),
      controller_(controller),
      side_(robot.wiring, control::ControlLimits{}),
      gate_(control::safety_limits(robot.wiring, robot.servos)) {}

void LoopCore::reset(const JointArray<double>& pose) noexcept {
  track_.clear();
  control::GateReport report;
  static_cast<void>(gate_.begin(pose, pose, report));
  status_ = ControlStatus::kOk;
  leads_ = false;
  saturated_.fill(false);
  relay_.reset();
}

void LoopCore::set_relay(const std::optional<RelaySettings>& relay) noexcept {
  relay_ = relay;
  if (relay_) relay_target_ = gate_.safe()[static_cast<std::size_t>(relay_->joint)];
  relay_sign_ = 1.0;
}

void LoopCore::drive_relay(const runtime::JointMeasurements& measured,
                           JointArray<double>& target) noexcept {
  const auto j = static_cast<std::size_t>(relay_->joint);
  const double e = side_.input().q_ref_then[j] - measured.angle[j];
  if (relay_sign_ * e < -relay_->hysteresis) relay_sign_ = -relay_sign_;
  relay_target_ += relay_sign_ * relay_->speed * kLoopPeriod;
  target[j] = relay_target_;
}

const JointArray<double>& LoopCore::step(std::int64_t now_ns,
                                         const runtime::JointMeasurements& measured,
                                         const motions::PlayCommand& command) noexcept {
  if (status_ != ControlStatus::kOk) return gate_.safe();
  track_.push(now_ns, command);
  side_.set_measurements(now_ns, kLoopPeriod, measured, track_, command, gate_.safe());
  JointArray<double> target = command.q_ref;
  saturated_.fill(false);
  if (controller_ != nullptr) {
    if (!leads_) status_ = side_.reset(*controller_);
    if (status_ == ControlStatus::kOk) status_ = side_.update(*controller_);
    if (status_ == ControlStatus::kOk) status_ = side_.check(*controller_);
    if (status_ != ControlStatus::kOk) return gate_.safe();
    leads_ = true;
    target = side_.output().q_target;
    saturated_ = side_.output().is_saturated;
  }
  if (relay_) drive_relay(measured, target);
  control::GateReport report;
  static_cast<void>(gate_.pass_stream(target, kLoopPeriod, report));
  for (int j = 0; j < num_joints_; ++j) {
    const auto i = static_cast<std::size_t>(j);
    if (gate_.safe()[i] != target[i]) saturated_[i] = true;
  }
  return gate_.safe();
}

}  // namespace kagami::tools
