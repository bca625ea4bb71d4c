/// A test of one joint on the robot of the run: requested through LiveControl, gathered from its
/// rows.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
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
  /// The rows of a test that ran to its end, or a message with the reason why it did not.
  struct End {
    JointTestRows rows;
    std::string why_not = {};  ///< empty: it did
  };
  using Done = std::function<void(const End&)>;

  /// `period`: s of a cycle.
  RobotExcitation(runtime::LiveControl& live, const models::RobotDescription& robot, double period);
  /// Gives up the test that is under way.
  ~RobotExcitation();
  RobotExcitation(const RobotExcitation&) = delete;
  RobotExcitation& operator=(const RobotExcitation&) = delete;

  /// A row of the run, on the recorder's thread: RunHooks::row and test.
  void row(const runtime::CycleRecord& row);
  /// Asks for the test. `done` is called once: on the thread of `row` with the test's last row, or
  /// when the test is given up. Throws ConfigError with the reason of a refusal.
  void begin(const JointSignal& signal, Done done);

 private:
  struct Test {
    End end;
    Done done;
    bool was_taken = true;     // by the cycle, as far as is known
    std::int64_t end_ns = -1;  // until then, by the run's clock, its rows may still come
  };

  void see_ticket(const runtime::TicketResult& result);
  /// Adds the row; true when it is the test's last.
  [[nodiscard]] bool is_last(Test& test, const runtime::CycleRecord& row) const;
  void give_up(const std::string& why_not);

  runtime::LiveControl& live_;
  const models::RobotDescription& robot_;
  const double period_;
  std::mutex mutex_;
  std::optional<Test> test_;  // null: none
};

}  // namespace kagami::tools
