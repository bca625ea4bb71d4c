/// A loop on the twin: our own servo model behind a line whose times are those of the boards.
#pragma once

#include <array>
#include <cstdint>

#include "drivers/rcb1/calibration.hpp"
#include "models/actuator/servo_driven_robot.hpp"
#include "tools/tune/loop_core.hpp"

namespace kagami::tools {

/// When, from the start of a round, commands take effect at the boards and readings are taken; the
/// round ends when the last answer is there. ns.
struct LineTiming {
  std::array<std::int64_t, kMaxBoards> command_ns{};
  std::array<std::int64_t, kMaxBoards> sampled_ns{};
  std::int64_t round_ns = 0;
};
/// Two boards that are commanded, then read, at 115200 baud; `latency` (s): how long each of them
/// takes to answer. The shipped boards' is 1 ms.
LineTiming line_timing(int num_boards, double latency = 1e-3);

/// On the stand; readings and targets in whole degrees, as the boards have them.
class ServoModelLoop final : public LoopPlant {
 public:
  /// Throws as ServoDrivenRobot does. Borrows `robot`, whose own servos do not matter.
  ServoModelLoop(const models::RobotDescription& robot, const ServoSet& servos,
                 const LineTiming& line);

  void run(LoopCore& core, const JointArray<double>& pose, std::int64_t ticks,
           const LoopReference& reference, const LoopVisit& visit) override;

 private:
  void tell(std::int64_t before_ns, std::int64_t now_ns) noexcept;
  void read(std::int64_t before_ns, std::int64_t now_ns) noexcept;

  models::ServoDrivenRobot body_;
  drivers::rcb1::Calibration calibration_;
  LineTiming line_;
  std::int64_t round_begin_ns_ = 0;
  JointArray<double> sent_{};            // rad, of this round
  JointArray<double> commanded_{};       // rad, whole degrees
  JointArray<double> before_{};          // rad, the body one tick ago
  runtime::JointMeasurements reading_;   // on its way
  runtime::JointMeasurements measured_;  // there
};

}  // namespace kagami::tools
