/// The cycle against the fake robot on one simulated time line.
#pragma once

#include <string>
#include <vector>

#include "runtime/cycle/cycle_core.hpp"
#include "runtime/cycle/test/support/fake_robot.hpp"

namespace kagami::test {

/// The shipped KHR-1 on the stand, read once.
const models::RobotDescription& khr1();
/// The same on the floor.
const models::RobotDescription& khr1_on_floor();

/// Plays a stream.
runtime::CycleConfig stream_config();
/// The same with controllers of these gain sets (texts), after `settle` s.
runtime::CycleConfig controlled_config(std::vector<std::string> gains, double settle = 1.0);
/// Text of a shipped gain set.
std::string shipped_gains(const std::string& file);

/// One step of a motion: seconds from the previous pose, and joint angles in degrees by name.
struct TestPose {
  double duration = 1.0;
  std::vector<std::pair<std::string, double>> deg;
  int speed = 3;
};
/// Bound to `robot`; joints that are not named stay at 0.
motions::Motion make_motion(const models::RobotDescription& robot,
                            const std::vector<TestPose>& poses);
/// Waves the left arm and bends both knees, about two seconds.
motions::Motion small_motion(const models::RobotDescription& robot);
/// The same without the waits, which the boards' memories do not hold.
motions::Motion stored_motion(const models::RobotDescription& robot);

int joint_index(const models::RobotDescription& robot, const std::string& name);

/// Core, robot and every row that passed between them.
class ClosedLoop {
 public:
  ClosedLoop(const models::RobotDescription& robot, const motions::Motion& motion,
             const runtime::CycleConfig& config, const FakeRobotOptions& options = {});
  /// The same on another plant than the model, and with controllers of the test's own.
  ClosedLoop(const models::RobotDescription& plant, const models::RobotDescription& robot,
             const motions::Motion& motion, const runtime::CycleConfig& config,
             const control::ControllerFactory& factory = control::ControllerFactory(),
             const FakeRobotOptions& options = {});

  /// One tick, `gap_ns` after the last.
  const runtime::CycleOutput& tick(std::int64_t gap_ns = 1'000'000);
  /// Ticks until `phase` or `limit`; true when the phase was reached.
  bool run_until(runtime::Phase phase, int limit = 30'000);
  void run(int ticks) {
    for (int k = 0; k < ticks; ++k) tick();
  }

  [[nodiscard]] const std::vector<runtime::CycleRecord>& rows() const { return rows_; }
  [[nodiscard]] const runtime::CycleOutput& out() const { return rows_.back().out; }
  /// All events of this code so far.
  [[nodiscard]] std::vector<runtime::Event> events(runtime::EventCode code) const;
  [[nodiscard]] std::int64_t now_ns() const { return now_ns_; }

  FakeRobot robot;
  runtime::CycleCore core;
  runtime::StopLevel stop = runtime::StopLevel::kNone;
  runtime::Tuning tuning;  ///< goes in when its version differs from the last
  /// Changes an input before the core reads it.
  void (*spoil)(runtime::CycleInput&) = nullptr;

 private:
  std::int64_t now_ns_ = 0;
  std::int64_t tick_ = -1;
  runtime::CycleOutput out_;
  std::uint64_t tuning_version_ = 0;
  std::vector<runtime::CycleRecord> rows_;
};

}  // namespace kagami::test
