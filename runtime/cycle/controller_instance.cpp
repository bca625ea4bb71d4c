#include "runtime/cycle/controller_instance.hpp"

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/time.hpp"

namespace kagami::runtime {
namespace {

control::ControlPlace place_of(const models::RobotDescription& robot, const motions::Motion& motion,
                               const CycleConfig& config) {
  control::ControlPlace place;
  place.model = &robot.model;
  place.robot = robot.name;
  place.joint_names = robot.joint_names;
  place.period = seconds(config.period_ns);
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

}  // namespace

std::unique_ptr<ControllerInstance> make_control_unit(
    const models::RobotDescription& robot, const motions::Motion& motion, const CycleConfig& config,
    const std::string& gains, const std::string& where, const control::ControllerFactory& factory) {
  const control::ControlPlace place = place_of(robot, motion, config);
  const ConfigDocument document = ConfigDocument::parse(gains, where);
  auto unit = std::make_unique<ControllerInstance>();
  unit->robot = factory.make(document, place);
  if (unit->robot->drive() == control::ControlDrive::kTorque) {
    unit->reference = std::make_unique<ReferenceModel>(
        *unit->robot, robot.wiring, stall_torques(robot.servos), config.dynamics);
  } else {
    unit->twin = factory.make(document, place);
  }
  return unit;
}

ControllerDescription describe(const control::Controller& controller) {
  ControllerDescription d{.name = std::string(controller.name()), .tunables = {}, .values = {}};
  const auto tunables = controller.tunables();
  d.tunables.assign(tunables.begin(), tunables.end());
  for (std::size_t k = 0; k < tunables.size(); ++k) {
    d.values.push_back(controller.tunable(static_cast<int>(k)));
    d.tunables[k].default_value = d.values.back();
  }
  return d;
}

ControllerHandover::~ControllerHandover() {
  const std::unique_ptr<ControllerInstance> waiting(offered_.exchange(nullptr));
  collect();
}

bool ControllerHandover::offer(std::unique_ptr<ControllerInstance>& unit) noexcept {
  ControllerInstance* none = nullptr;
  // release: the cycle reads the complete object
  if (!offered_.compare_exchange_strong(none, unit.get(), std::memory_order_release,
                                        std::memory_order_relaxed)) {
    return false;
  }
  static_cast<void>(unit.release());
  return true;
}

void ControllerHandover::collect() noexcept {
  const std::unique_ptr<ControllerInstance> old(
      returned_.exchange(nullptr, std::memory_order_acquire));
}

std::unique_ptr<ControllerInstance> ControllerHandover::take() noexcept {
  if (offered_.load(std::memory_order_relaxed) == nullptr) return nullptr;
  if (returned_.load(std::memory_order_relaxed) != nullptr) return nullptr;
  return std::unique_ptr<ControllerInstance>(offered_.exchange(nullptr, std::memory_order_acquire));
}

void ControllerHandover::give_back(std::unique_ptr<ControllerInstance> unit) noexcept {
  returned_.store(unit.release(), std::memory_order_release);
}

}  // namespace kagami::runtime
