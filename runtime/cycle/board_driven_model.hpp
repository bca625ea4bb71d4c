/// A model of the robot behind its boards: what shadow model and loop twin have in common. Commands
/// move it, it restarts where it leaves its bounds, and it keeps the last half second.
#pragma once

#include <array>
#include <cstdint>

#include "drivers/link/samples.hpp"
#include "drivers/rcb1/calibration.hpp"
#include "models/actuator/servo_driven_robot.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/cycle/alignment.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/model_time.hpp"

namespace kagami::runtime {

/// Built at set-up; everything else is cycle code.
class BoardDrivenModel {
 public:
  /// On the stand or on the floor, disturbed as configured. Throws as ServoDrivenRobot.
  BoardDrivenModel(const models::RobotDescription& robot, const CycleConfig& config);

  /// At rest at the measured pose.
  void start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept;
  /// Time 0 of its disturbances (CycleConfig::disturbances).
  void disturb_from(std::int64_t zero_ns) noexcept { body_.disturb_from(zero_ns); }
  /// A command in the boards' bytes, as `board` received it: positions, sleep, or the start of the
  /// stored motion (CycleConfig::stored), whose poses follow by themselves.
  void command(int board, const drivers::BoardCommand& command) noexcept;

  /// What became of the model's bounds (all finite, |qd| below 100 rad/s) in a tick.
  struct Bounds {
    bool left = false;   ///< restarted, for the first time in this episode
    bool kept = false;   ///< stayed inside for a second after a restart
    int joint = -1;      ///< the fastest, where it left them
    double speed = 0.0;  ///< rad/s, of that joint
  };
  /// Integrates up to `now_ns`, but no further than the boards' commands are known: a servo answers
  /// a command after its delay, and on a slow line the news of a command takes longer than that.
  /// After a gap it takes steps of one period, at most `substeps_max` of them, and catches up in
  /// the next calls: bits depend on the inputs only. Out of its bounds it restarts at the measured
  /// pose, the base where it was last, and gets the boards' last commands again.
  Bounds advance(std::int64_t now_ns, const drivers::ServoSample& sample) noexcept;
  /// A reading of that time can be compared: the model has come there, or it lies in the future.
  [[nodiscard]] bool has_reached(std::int64_t sampled_ns, std::int64_t now_ns) const noexcept {
    return sampled_ns <= body_.time_ns() || sampled_ns > now_ns;
  }

  [[nodiscard]] const models::ServoDrivenRobot& body() const noexcept { return body_; }
  [[nodiscard]] const StateHistory& history() const noexcept { return history_; }
  [[nodiscard]] const drivers::rcb1::Calibration& calibration() const noexcept {
    return calibration_;
  }
  [[nodiscard]] int num_boards() const noexcept { return calibration_.num_boards(); }
  /// rad, the last command of its boards.
  [[nodiscard]] const JointArray<double>& commanded() const noexcept { return commanded_; }

 private:
  void apply(int board, std::int64_t effective_ns) noexcept;
  /// The poses of stored motions that begin before `to_ns`.
  void play_until(std::int64_t to_ns) noexcept;
  void restart(const drivers::ServoSample& sample, Bounds& bounds) noexcept;

  models::ServoDrivenRobot body_;
  drivers::rcb1::Calibration calibration_;
  ModelTime time_;
  StateHistory history_;
  BasePose start_;  ///< where the base is put at the start
  BasePose base_;   ///< where it was last inside the bounds
  JointArray<double> commanded_{};
  std::array<drivers::BoardCommand, kMaxBoards> last_{};  ///< commands, to be given again
  motions::StoredPlayback stored_;
  bool restart_episode_ = false;
  std::int64_t restarted_ns_ = 0;
};

}  // namespace kagami::runtime
