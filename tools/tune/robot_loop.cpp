#include "tools/tune/robot_loop.hpp"

#include <utility>

#include "drivers/rcb1/khr1_link.hpp"
#include "drivers/rcb1/probe.hpp"
#include "drivers/virtual/in_memory_port.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "runtime/clock/clock.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

constexpr std::int64_t kRoundBudgetNs = 30'000'000;

/// The cycle, called by the clock while the line waits.
class Cycle final : public runtime::TimedTask {
 public:
  Cycle(LoopCore& core, vr::VirtualRobot& robot, std::int64_t ticks, const LoopReference& reference,
        const LoopVisit& visit)
      : core_(core), robot_(robot), ticks_(ticks), reference_(reference), visit_(visit) {}

  std::int64_t run_at(std::int64_t at_ns) noexcept override {
    robot_.advance_to(at_ns);
    reference_(tick_, command_);
    targets_.angle = core_.step(at_ns, measured_, command_);
    targets_.mode = drivers::TargetMode::kPositions;
    targets_.cycle = tick_;
    ++targets_.sequence;
    if (visit_) {
      const JointArray<double> angle = robot_.plant_angles();
      visit_({tick_, at_ns, command_, angle, measured_, targets_.angle, core_});
    }
    ++tick_;
    return is_done() ? -1 : at_ns + kLoopPeriodNs;
  }
  [[nodiscard]] bool is_done() const noexcept {
    return tick_ >= ticks_ || core_.status() != control::ControlStatus::kOk;
  }
  void set_measurements(const drivers::ServoSample& sample) noexcept {
    measured_ = runtime::measurements_of(sample);
  }
  void start(const JointArray<double>& pose) noexcept { command_.q_ref = pose; }
  [[nodiscard]] const drivers::ServoTargets& targets() const noexcept { return targets_; }

 private:
  LoopCore& core_;
  vr::VirtualRobot& robot_;
  std::int64_t ticks_;
  const LoopReference& reference_;
  const LoopVisit& visit_;
  motions::PlayCommand command_;
  drivers::ServoTargets targets_;
  runtime::JointMeasurements measured_;
  std::int64_t tick_ = 0;
};

}  // namespace

RobotLoop::RobotLoop(const models::RobotDescription& robot, ServoSet servos,
                     const vr::BoardBehaviour& boards)
    : robot_(robot), servos_(std::move(servos)), boards_(boards) {}

void RobotLoop::run(LoopCore& core, const JointArray<double>& pose, std::int64_t ticks,
                    const LoopReference& reference, const LoopVisit& visit) {
  vr::VirtualRobotConfig config;
  config.robot = robot_;
  config.servos = servos_;
  config.behaviour = boards_;
  config.start = vr::VirtualStart{};
  config.start->angle = pose;
  config.disturbances = disturbances_;
  runtime::SimulatedClock clock;
  vr::VirtualRobot robot(config);
  vr::InMemoryPort port(robot, clock);
  drivers::Khr1Link link(port, clock, robot_.wiring);
  drivers::probe(link, "the virtual robot");

  // a first reading, then the cycle begins on the next whole period
  drivers::ServoTargets nothing;
  drivers::ServoSample sample;
  static_cast<void>(link.exchange(nothing, sample, {clock.now_ns() + kRoundBudgetNs}));
  Cycle cycle(core, robot, ticks, reference, visit);
  cycle.set_measurements(sample);
  cycle.start(pose);
  core.reset(sample.angle);
  robot.disturb_from(clock.now_ns());
  clock.add(cycle, (clock.now_ns() / kLoopPeriodNs + 1) * kLoopPeriodNs);
  while (!cycle.is_done()) {
    const drivers::ServoTargets targets = cycle.targets();
    const std::int64_t begin_ns = clock.now_ns();
    static_cast<void>(link.exchange(targets, sample, {begin_ns + kRoundBudgetNs}));
    cycle.set_measurements(sample);
    if (clock.now_ns() == begin_ns) clock.sleep_until(begin_ns + kLoopPeriodNs);
  }
}

}  // namespace kagami::tools
