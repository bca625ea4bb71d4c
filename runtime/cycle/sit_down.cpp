#include "runtime/cycle/sit_down.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/errors.hpp"

namespace kagami::runtime {
namespace {

void check_sit_pose(const models::RobotDescription& robot, const JointArray<double>& pose) {
  for (std::size_t i = 0; i < robot.wiring.joints.size(); ++i) {
    const JointWiring& joint = robot.wiring.joints[i];
    const double angle = pose[i];
    if (angle >= joint.soft_min && angle <= joint.soft_max) continue;
    throw ConfigError("sit pose: " + joint.joint + ": " + std::to_string(to_deg(angle)) +
                      " is outside [" + std::to_string(to_deg(joint.soft_min)) + ", " +
                      std::to_string(to_deg(joint.soft_max)) + "] deg");
  }
}

}  // namespace

SitDown::SitDown(const models::RobotDescription& robot, const CycleConfig& config)
    : pose_(config.sit_pose),
      speed_code_(config.sit_speed_code),
      speed_(robot.wiring.speed),
      num_joints_(static_cast<int>(robot.wiring.joints.size())) {
  if (pose_) check_sit_pose(robot, *pose_);
  for (std::size_t i = 0; i < robot.wiring.joints.size(); ++i) {
    board_[i] = static_cast<std::int8_t>(robot.wiring.joints[i].board());
  }
}

double SitDown::begin(const JointArray<double>& from, motions::PlayCommand& command) noexcept {
  time_ = 0.0;
  from_ = from;
  std::array<double, kMaxBoards> travel{};  // rad
  for (std::size_t i = 0; i < static_cast<std::size_t>(num_joints_); ++i) {
    double& largest = travel[static_cast<std::size_t>(board_[i])];
    largest = std::max(largest, std::abs((*pose_)[i] - from_[i]));
  }
  for (std::size_t b = 0; b < travel.size(); ++b) {
    duration_[b] = speed_.duration(speed_code_, to_deg(travel[b]));
  }
  command.target = *pose_;
  command.speed_code = speed_code_;
  command.target_is_new = true;
  command.q_ref = from_;
  return *std::max_element(duration_.begin(), duration_.end());
}

bool SitDown::step(double dt, motions::PlayCommand& command) noexcept {
  time_ += dt;
  bool arrived = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(num_joints_); ++i) {
    const double duration = duration_[static_cast<std::size_t>(board_[i])];
    const double part = std::min(1.0, time_ / duration);
    const double travel = (*pose_)[i] - from_[i];
    command.q_ref[i] = part < 1.0 ? from_[i] + part * travel : (*pose_)[i];  // exactly at rest
    command.qd_ref[i] = part < 1.0 ? travel / duration : 0.0;
    arrived = arrived && part >= 1.0;
  }
  return arrived;
}

}  // namespace kagami::runtime
