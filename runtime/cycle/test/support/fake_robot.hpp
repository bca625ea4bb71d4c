/// A deterministic robot for tests of the cycle: the twin itself as plant, behind a line that takes
/// its time and boards that answer in whole degrees. No bytes, no threads, no clock of its own.
#pragma once

#include <array>
#include <cstdint>

#include "drivers/link/samples.hpp"
#include "drivers/rcb1/calibration.hpp"
#include "models/actuator/servo_driven_robot.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/play/stored_program.hpp"

namespace kagami::test {

struct FakeRobotOptions {
  std::int64_t round_ns = 6'000'000;
  std::int64_t first_round_ns = 300'000;  ///< rounds and ticks do not coincide
  std::int64_t publish_delay_ns = 0;      ///< added to every sample's way to the cycle
  int readings_late_rounds = 0;  ///< readings, but not commands, arrive so much later; 0..15
  bool whole_degrees = true;     ///< else the readings are exact
  JointArray<double> start{};    ///< rad
};

class FakeRobot {
 public:
  FakeRobot(const models::RobotDescription& robot, const FakeRobotOptions& options);

  /// Boards and plant up to `now_ns`. The round that begins then takes `targets`.
  void advance(std::int64_t now_ns, const drivers::ServoTargets& targets) noexcept;
  /// True once per sample that has arrived by now.
  [[nodiscard]] bool fetch(drivers::ServoSample& sample) noexcept;
  [[nodiscard]] const JointArray<double>& q() const noexcept { return plant_.q(); }

  bool is_silent = false;  ///< both boards do not answer; rounds go on
  bool is_gone = false;    ///< the port
  bool confirms_sleep = true;
  motions::StoredPlayback stored;  ///< what its boards play from their memories
  std::uint32_t commands_received = 0;

 private:
  void do_step(int step) noexcept;
  void read(int board) noexcept;
  void command(int board) noexcept;
  void move_plant(std::int64_t to_ns) noexcept;

  FakeRobotOptions options_;
  drivers::rcb1::Calibration calibration_;
  models::ServoDrivenRobot plant_;
  std::int64_t round_start_ns_ = 0;
  int step_ = 0;  ///< of the present round
  drivers::ServoTargets targets_;
  drivers::ServoTargets taken_;  ///< at the start of the round
  drivers::ServoSample working_;
  std::array<drivers::ServoSample, 16> past_{};  ///< by round number
  drivers::ServoSample published_;
  bool has_news_ = false;
};

}  // namespace kagami::test
