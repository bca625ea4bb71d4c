#include "drivers/virtual/plant.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

std::vector<double> frictions(const ServoSet& servos) {
  std::vector<double> torques;
  for (const ServoParameters& s : servos.joints) {
    torques.push_back(s.coulomb_friction + s.static_friction + s.load_friction * s.stall_torque);
  }
  return torques;
}

}  // namespace

Plant::Plant(const PlantBody& body, const ServoSet& servos, std::optional<double> floor_friction)
    : body_(body, frictions(servos), floor_friction), parameters_(servos) {
  if (servos.joints.size() != body.link_of_joint.size()) {
    throw ConfigError("plant: " + std::to_string(servos.joints.size()) + " servos for " +
                      std::to_string(body.link_of_joint.size()) + " joints");
  }
  for (const ServoParameters& servo : servos.joints) {
    servos_.push_back({TargetChain(servo, kPlantStep), ServoMotor(servo, kPlantStep)});
  }
  history_.resize(servos_.size() * static_cast<std::size_t>(kHistory));
}

void Plant::place(const std::vector<double>& angles, const Mat3& R_WB) noexcept {
  body_.place(angles, R_WB);
  body_.hold_base(true);
  for (std::size_t j = 0; j < servos_.size(); ++j) {
    servos_[j].chain.settle(angles[j] - parameters_.joints[j].trim);
  }
  for (std::int64_t k = 0; k < kHistory; ++k) {
    std::copy(angles.begin(), angles.end(),
              history_.begin() + static_cast<std::ptrdiff_t>(k * joint_count()));
  }
}

double Plant::supply() const noexcept {
  if (parameters_.supply.sag == 0.0) return 1.0;
  double given = 0.0;
  double most = 0.0;
  for (std::size_t j = 0; j < servos_.size(); ++j) {
    given += std::abs(servos_[j].motor.torque());
    most += parameters_.joints[j].stall_torque;
  }
  // a motor driven backward may give more than its stall torque; the battery does not pay for it
  return 1.0 - parameters_.supply.sag * std::min(1.0, given / most);
}

void Plant::step(const std::vector<ServoCommand>& commands) noexcept {
  const double voltage = supply();
  for (int j = 0; j < joint_count(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    Servo& servo = servos_[at];
    const double q = body_.angle(j);
    const double qd = body_.rate(j);
    // a servo that gets its drive back starts from where it is
    if (commands[at].is_driven && !servo.was_driven) {
      servo.chain.settle(q - parameters_.joints[at].trim);
    }
    servo.was_driven = commands[at].is_driven;
    if (servo.was_driven) {
      body_.hold_base(false);
      const double target = servo.chain.follow(commands[at].target);
      body_.set_row(j, servo.motor.drive(target, q, qd, voltage));
    } else {
      body_.set_row(j, servo.motor.coast(qd));
    }
    if (servo.motor.has_varying_friction()) {
      body_.set_dry_friction(j, servo.motor.dry_friction(qd));
    }
  }
  if (zero_ns_ && !disturbance_.empty()) {
    disturbance_.apply(static_cast<double>(time_ns() - *zero_ns_) * 1e-9 + 0.5 * kPlantStep, body_);
  }
  body_.step();
  for (int j = 0; j < joint_count(); ++j) {
    servos_[static_cast<std::size_t>(j)].motor.finish(body_.rate(j));
  }
  ++steps_;
  remember();
}

void Plant::remember() noexcept {
  const std::int64_t row = steps_ % kHistory * joint_count();
  for (int j = 0; j < joint_count(); ++j) {
    history_[static_cast<std::size_t>(row + j)] = body_.angle(j);
  }
}

double Plant::remembered(int joint, std::int64_t step) const noexcept {
  const std::int64_t kept =
      std::clamp(step, std::max<std::int64_t>(0, steps_ - kHistory + 1), steps_);
  return history_[static_cast<std::size_t>(kept % kHistory * joint_count() + joint)];
}

double Plant::angle(int joint) const noexcept {
  return remembered(joint, steps_);
}

double Plant::torque(int joint) const noexcept {
  return servos_[static_cast<std::size_t>(joint)].motor.torque();
}

double Plant::angle_at(int joint, std::int64_t at_ns) const noexcept {
  if (at_ns <= 0) return remembered(joint, 0);
  const std::int64_t step = at_ns / kPlantStepNs;
  const auto part = static_cast<double>(at_ns % kPlantStepNs) / kPlantStepNs;
  const double before = remembered(joint, step);
  if (step >= steps_) return before + body_.rate(joint) * kPlantStep * part;
  return before + part * (remembered(joint, step + 1) - before);
}

}  // namespace kagami::drivers::virtual_robot
