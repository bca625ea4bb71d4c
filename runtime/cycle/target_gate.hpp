/// The last step before the line: each target through the safety gate, numbered and kept.
#pragma once

#include <cstdint>

#include "control/safety/safety_gate.hpp"
#include "drivers/link/samples.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/event_list.hpp"
#include "runtime/cycle/run_machine.hpp"

namespace kagami::runtime {

/// Built at set-up; everything else is cycle code.
class TargetGate {
 public:
  /// Throws ConfigError for limits that are no limits.
  TargetGate(const models::RobotDescription& robot, const CycleConfig& config);

  /// What one tick requests.
  struct Request {
    RunState state = RunState::kWaiting;
    const JointArray<double>& target;    ///< rad
    const JointArray<double>& measured;  ///< rad, at the start: the first target must be near it
    bool is_new = false;                 ///< a pose for the boards; of streamed targets the first
    bool streams = false;                ///< a target each tick; else poses
    std::uint8_t speed_code = 0;         ///< of a pose
    double dt = 0.0;                     ///< s since the reference before
    /// `is_new`: the boards begin their stored motion; `target` is where it has them.
    bool plays_stored = false;
  };
  /// A new command gets a new sequence number, a held one keeps its own; in kReleasing the sleep
  /// bit goes out once. False: the target was refused, and the last one that passed stays.
  [[nodiscard]] bool pass(const Request& request, std::int64_t tick, EventList& events) noexcept;

  /// rad, the last target that passed.
  [[nodiscard]] const JointArray<double>& sent() const noexcept { return gate_.safe(); }
  /// A first target passed.
  [[nodiscard]] bool has_begun() const noexcept { return begun_; }
  [[nodiscard]] bool has_released() const noexcept {
    return targets_.mode == drivers::TargetMode::kSleep;
  }
  /// For the line.
  [[nodiscard]] const drivers::ServoTargets& targets() const noexcept { return targets_; }

 private:
  enum class Outcome : std::uint8_t { kKept, kNew, kRefused };
  [[nodiscard]] Outcome pass_stored(const Request& request, EventList& events) noexcept;
  [[nodiscard]] Outcome pass_angles(const Request& request, EventList& events) noexcept;
  void number(std::int64_t tick) noexcept;

  control::SafetyGate gate_;
  double period_;  ///< s between ticks
  bool begun_ = false;
  drivers::ServoTargets targets_;
};

}  // namespace kagami::runtime
