/// A loop on the virtual robot: its boards, byte for byte, and the engine's body behind them.
#pragma once

#include <utility>
#include <vector>

#include "drivers/virtual/board_behaviour.hpp"
#include "models/base/disturbance.hpp"
#include "tools/tune/loop_core.hpp"

namespace kagami::tools {

/// On the stand, in simulated time. What it differs by from a twin's loop: the wire, the boards and
/// the plant are those of `kagami replay`.
class RobotLoop final : public LoopPlant {
 public:
  /// `servos`: the plant's. Borrows `robot`, which has a fixed base.
  RobotLoop(const models::RobotDescription& robot, ServoSet servos,
            const drivers::virtual_robot::BoardBehaviour& boards =
                drivers::virtual_robot::board_preset("fast"));

  /// Disturbances of the robot in every run from now on, from its first cycle.
  void set_disturbances(std::vector<Disturbance> disturbances) {
    disturbances_ = std::move(disturbances);
  }

  /// Throws as VirtualRobot and drivers::probe do.
  void run(LoopCore& core, const JointArray<double>& pose, std::int64_t ticks,
           const LoopReference& reference, const LoopVisit& visit) override;

 private:
  const models::RobotDescription& robot_;
  ServoSet servos_;
  drivers::virtual_robot::BoardBehaviour boards_;
  std::vector<Disturbance> disturbances_;
};

}  // namespace kagami::tools
