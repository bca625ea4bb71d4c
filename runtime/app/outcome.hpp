/// The summary of a run as one value, and the robot's faults behind it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kagami::runtime {

class Obedience;
struct RunResult;

/// docs/commands.md lists the exit code of each.
enum class Outcome : std::uint8_t {
  kCompleted,            ///< the motion was played to its end, the robot followed
  kCompletedWithFaults,  ///< played to its end, but the robot or its model was faulty or fell
  kStopped,              ///< a stop was requested
  kFault,                ///< the run ended itself: line lost, safety stop, readings not reliable
};
/// "completed", "completed_with_faults", "stopped", "fault".
const char* name(Outcome outcome) noexcept;

/// All episodes of one fault at one joint or board.
struct RobotFaultResult {
  std::string fault;  ///< name(RobotFault)
  std::string joint;  ///< empty = none
  std::optional<int> board;
  int count = 0;           ///< episodes
  double seconds = 0.0;    ///< all together, until the run's end
  double worst_deg = 0.0;  ///< largest difference
  bool is_active = false;  ///< at the run's end
  bool holds = false;      ///< it makes the run hold the robot
};

/// What the cycle found, in the order of RobotFault; without the fall of the robot. `joint_names`
/// in model order.
std::vector<RobotFaultResult> robot_faults(const Obedience& obedience,
                                           const std::vector<std::string>& joint_names);
/// The virtual robot is not upright at the end; measured in the plant, not by a sensor.
RobotFaultResult robot_fell();
/// "left_knee: frozen", "board 0: board_frozen"; nothing when none of the active ones holds.
std::optional<std::string> holding_fault(const std::vector<RobotFaultResult>& faults);
nlohmann::json robot_faults_json(const std::vector<RobotFaultResult>& faults);

/// From how the run ended and what its faults were: the only place that decides it.
Outcome outcome_of(const RunResult& result) noexcept;

}  // namespace kagami::runtime
