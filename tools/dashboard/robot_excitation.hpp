/// A test of one joint on the robot of the run: asked of LiveControl, gathered from its rows.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "models/robot/robot_folder.hpp"
#include "runtime/app/live_control.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "tools/tune/joint_test_rows.hpp"

namespace kagami::tools {

/// One test at a time. `live` and `robot` outlive it.
class RobotExcitation {
 public:
  /// `period`: s of a cycle.
  RobotExcitation(runtime::LiveControl& live, const models::RobotDescription& robot, double period);

  /// A row of the run, on the recorder's thread: RunHooks::row and test.
  void row(const runtime::CycleRecord& row);
  /// Asks for the test and waits for its end on the calling thread, or until `ends`. The answer is
  /// that of a test on the twin, from what the boards read, with "tick_from" and "tick_to". Throws
  /// ConfigError that says why it was refused, broken off or given up.
  nlohmann::json run(const JointSignal& signal, const std::atomic<bool>& ends);

 private:
  struct Gathered {
    JointTestRows rows;
    bool has_ended = false;
    std::string broken = {};  ///< a sentence; empty: it was not
  };

  runtime::LiveControl& live_;
  const models::RobotDescription& robot_;
  const double period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Gathered> test_;  // null: none
};

}  // namespace kagami::tools
