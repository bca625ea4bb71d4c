/// Sitting down after a stop: one pose that the boards interpolate, and the ramp that they follow.
#pragma once

#include <array>
#include <optional>

#include "models/base/types.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/play/player.hpp"
#include "runtime/cycle/cycle_config.hpp"

namespace kagami::runtime {

/// Built at set-up; everything else is cycle code.
class SitDown {
 public:
  /// Throws ConfigError for a pose outside the soft limits.
  SitDown(const models::RobotDescription& robot, const CycleConfig& config);

  [[nodiscard]] bool has_pose() const noexcept { return pose_.has_value(); }
  /// Writes the pose for the boards, which stand at `from` (rad). Returns the s that it takes.
  double begin(const JointArray<double>& from, motions::PlayCommand& command) noexcept;
  /// Writes the reference `dt` s later: where the boards' ramps are. True: the pose is reached.
  [[nodiscard]] bool step(double dt, motions::PlayCommand& command) noexcept;

 private:
  std::optional<JointArray<double>> pose_;  ///< rad
  std::uint8_t speed_code_ = 0;
  SpeedTable speed_;
  int num_joints_ = 0;
  JointArray<std::int8_t> board_{};
  JointArray<double> from_{};                  ///< rad
  std::array<double, kMaxBoards> duration_{};  ///< s
  double time_ = 0.0;                          ///< s since the pose was sent
};

}  // namespace kagami::runtime
