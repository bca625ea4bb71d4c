/// The shadow: a model driven by the very bytes that each board received, compared with each
/// board's reading at the reading's own time. Never corrected by a measurement.
#pragma once

#include <array>
#include <cstdint>

#include "drivers/link/samples.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/cycle/board_driven_model.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::runtime {

/// Built at set-up; everything else is cycle code.
class Shadow {
 public:
  Shadow(const models::RobotDescription& robot, const CycleConfig& config);

  /// At rest at the measured pose; commands that the boards got earlier are not repeated.
  void start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept;
  /// Time 0 of its disturbances (CycleConfig::disturbances).
  void disturb_from(std::int64_t zero_ns) noexcept { model_.disturb_from(zero_ns); }
  [[nodiscard]] bool is_running() const noexcept { return running_; }
  /// rad, what the boards have acknowledged last.
  [[nodiscard]] const JointArray<double>& commanded() const noexcept { return model_.commanded(); }
  /// Takes over each command that a board acknowledged since the last call.
  void follow(const drivers::ServoSample& sample) noexcept;
  /// BoardDrivenModel::advance; a restart and its end are events.
  void advance(std::int64_t now_ns, const drivers::ServoSample& sample, EventList& events) noexcept;
  /// Compares each board's new reading as soon as the model has reached its time; writes the
  /// simulated angles, the base, the residuals and their flags.
  void compare(std::int64_t now_ns, const drivers::ServoSample& sample, CycleOutput& out) noexcept;

 private:
  void compare_board(int board, std::int64_t now_ns, const drivers::ServoSample& sample) noexcept;

  BoardDrivenModel model_;
  int num_joints_ = 0;
  bool compares_ = true;
  bool running_ = false;
  std::array<drivers::BoardCommand, kMaxBoards> command_{};  ///< taken over last
  std::array<std::int64_t, kMaxBoards> compared_ns_{};       ///< sampled_ns compared last

  JointArray<double> reading_gain_{};  ///< share
  JointArray<double> q_aligned_{};
  JointArray<double> residual_{};
  JointArray<double> residual_naive_{};
  std::array<bool, kMaxBoards> is_new_{};
};

/// NaN for each joint of the robot, 0 beyond: not known yet.
JointArray<double> unknown_joints(int num_joints) noexcept;

}  // namespace kagami::runtime
