/// The shadow: a model driven by the very bytes that each board received, compared with each
/// board's reading at the reading's own time. Never corrected by a measurement.
#pragma once

#include <array>
#include <cstdint>

#include "drivers/link/samples.hpp"
#include "drivers/rcb1/calibration.hpp"
#include "models/actuator/servo_driven_robot.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/cycle/alignment.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/event_list.hpp"
#include "runtime/cycle/model_time.hpp"

namespace kagami::runtime {

/// Built at set-up; everything else is cycle code.
class Shadow {
 public:
  Shadow(const models::RobotDescription& robot, const CycleConfig& config);

  /// At rest at the measured pose; commands that the boards got earlier are not repeated.
  void start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept;
  /// Time 0 of its disturbances (CycleConfig::disturbances).
  void disturb_from(std::int64_t zero_ns) noexcept { body_.disturb_from(zero_ns); }
  [[nodiscard]] bool is_running() const noexcept { return running_; }
  /// rad, what the boards have acknowledged last.
  [[nodiscard]] const JointArray<double>& commanded() const noexcept { return commanded_; }
  /// Takes over each command that a board acknowledged since the last call.
  void follow(const drivers::ServoSample& sample) noexcept;
  /// Integrates up to `now_ns`, but no further than the boards' commands are known: a servo answers
  /// a command after its delay, and on a slow line the news of a command takes longer than that.
  /// After a gap it takes steps of one period, at most `substeps_max` of them, and catches up in
  /// the next calls: bits depend on the inputs only.
  void advance(std::int64_t now_ns, const drivers::ServoSample& sample, EventList& events) noexcept;
  /// Compares each board's new reading as soon as the model has reached its time; writes the
  /// simulated angles, the base, the residuals and their flags.
  void compare(std::int64_t now_ns, const drivers::ServoSample& sample, CycleOutput& out) noexcept;

 private:
  /// Restarts at the measured pose, the base where it was last, and gives the boards' last commands
  /// again.
  void restart(const drivers::ServoSample& sample, EventList& events) noexcept;
  void compare_board(int board, std::int64_t now_ns, const drivers::ServoSample& sample) noexcept;

  models::ServoDrivenRobot body_;
  BasePose start_;  ///< where the base is put at the start
  BasePose base_;   ///< where it was last
  drivers::rcb1::Calibration calibration_;
  int num_joints_ = 0;
  int num_boards_ = 0;
  ModelTime time_;
  bool compares_ = true;

  bool running_ = false;
  StateHistory history_;
  JointArray<double> commanded_{};  ///< rad, what the boards were told last
  std::array<drivers::BoardCommand, kMaxBoards> command_{};  ///< taken over last
  std::array<std::int64_t, kMaxBoards> compared_ns_{};       ///< sampled_ns compared last
  std::int64_t restarted_ns_ = 0;
  bool restart_episode_ = false;

  JointArray<double> q_aligned_{};
  JointArray<double> residual_{};
  JointArray<double> residual_naive_{};
  std::array<bool, kMaxBoards> is_new_{};
};

/// The body of a shadow: on the stand or on the floor, disturbed as configured. Set-up; throws as
/// ServoDrivenRobot.
models::ServoDrivenRobot shadow_body(const models::RobotDescription& robot,
                                     const CycleConfig& config);

/// NaN for each joint of the robot, 0 beyond: not known yet.
JointArray<double> unknown_joints(int num_joints) noexcept;

}  // namespace kagami::runtime
