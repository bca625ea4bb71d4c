/// The loop twin: a second model whose servos obey the same controller, fed with the twin's own
/// readings, as coarse and as late as the robot's. What *it* does is the second curve.
#pragma once

#include <array>
#include <cstdint>

#include "control/safety/safety_gate.hpp"
#include "drivers/link/samples.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/cycle/board_driven_model.hpp"
#include "runtime/cycle/controller_harness.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::runtime {

/// Its line is the robot's: a twin's target reaches its board when the robot's of the same tick
/// reached the real one, and its angles are read when those were read, in whole degrees. Built at
/// set-up; everything else is cycle code.
class ClosedLoopTwin {
 public:
  /// Throws as ServoDrivenRobot and SafetyGate do.
  ClosedLoopTwin(const models::RobotDescription& robot, const CycleConfig& config);

  /// At rest at the measured pose, where the robot is.
  void start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept;
  /// Time 0 of its disturbances: the same as the shadow's.
  void disturb_from(std::int64_t zero_ns) noexcept { model_.disturb_from(zero_ns); }
  /// Takes over the commands that the boards acknowledged, integrates as far as they are known and
  /// reads its angles where the robot's were read.
  /// A restart of the model is an event with joint and speed, and so is its end.
  void advance(std::int64_t now_ns, const drivers::ServoSample& sample, EventList& events) noexcept;
  /// This tick's target (rad) through its own gate; kept until the boards acknowledge the tick.
  void set_target(const JointArray<double>& target, double dt, std::int64_t tick) noexcept;

  [[nodiscard]] const JointMeasurements& measurements() const noexcept { return measured_; }
  [[nodiscard]] const JointArray<double>& q() const noexcept { return model_.body().q(); }
  /// The last target that passed its gate.
  [[nodiscard]] const JointArray<double>& commanded() const noexcept { return gate_.safe(); }

 private:
  void follow(const drivers::ServoSample& sample) noexcept;
  void read(std::int64_t now_ns, const drivers::ServoSample& sample) noexcept;
  void read_board(int board, std::int64_t sampled_ns) noexcept;

  BoardDrivenModel model_;
  control::SafetyGate gate_;
  bool begun_ = false;                                      // a first target passed the gate
  std::array<JointArray<double>, kHistorySize> targets_{};  // by tick
  std::array<std::uint32_t, kMaxBoards> sequence_{};
  JointMeasurements measured_;
};

}  // namespace kagami::runtime
