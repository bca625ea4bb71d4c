/// One controller in a closed loop outside a run: what the cycle does between a reading and a
/// target, by the same parts, for side simulations and tests of a joint.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "control/core/controller.hpp"
#include "control/safety/safety_gate.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/play/player.hpp"
#include "runtime/cycle/controller_harness.hpp"

namespace kagami::tools {

/// Step of every loop of tools/tune: the cycle's nominal period.
inline constexpr std::int64_t kLoopPeriodNs = 1'000'000;
inline constexpr double kLoopPeriod = 1e-3;  ///< s

/// A controller that answers by targets, from the text of a gain set. Throws ConfigError, also for
/// one that drives a reference model.
std::unique_ptr<control::Controller> make_loop_controller(const models::RobotDescription& robot,
                                                          const std::string& gains_text);

/// A relay with hysteresis in the place of one joint's law: its target moves at +-speed, away from
/// the error, and turns when the error of a new reading is beyond the hysteresis.
struct RelaySettings {
  int joint = 0;
  double speed = 1.0;       ///< rad/s, > 0
  double hysteresis = 0.0;  ///< rad, >= 0
};

/// Reference, readings, law, guard and gate of one loop. After construction nothing allocates.
class LoopCore {
 public:
  /// Borrows `controller`, null: the reference itself is the target. Throws as SafetyGate does.
  LoopCore(const models::RobotDescription& robot, control::Controller* controller);

  /// Forgets everything; the servos hold `pose` (rad, model order), which was read at `now_ns`.
  void reset(const JointArray<double>& pose) noexcept;
  /// From the next step on; nothing: the law again.
  void set_relay(const std::optional<RelaySettings>& relay) noexcept;
  /// One cycle. Returns what goes to the boards (rad).
  const JointArray<double>& step(std::int64_t now_ns, const runtime::JointMeasurements& measured,
                                 const motions::PlayCommand& command) noexcept;

  /// Once it is not kOk the targets stand still until a reset.
  [[nodiscard]] control::ControlStatus status() const noexcept { return status_; }
  [[nodiscard]] const control::ControlFinding& finding() const noexcept { return side_.finding(); }
  /// In the last step the law's own limit or the gate held this joint back.
  [[nodiscard]] bool is_saturated(int joint) const noexcept {
    return saturated_[static_cast<std::size_t>(joint)];
  }
  [[nodiscard]] const JointArray<double>& target() const noexcept { return gate_.safe(); }

 private:
  void drive_relay(const runtime::JointMeasurements& measured, JointArray<double>& target) noexcept;

  int num_joints_ = 0;
  control::Controller* controller_;
  runtime::ControllerHarness side_;
  runtime::ReferenceTrack track_;
  control::SafetyGate gate_;
  control::ControlStatus status_ = control::ControlStatus::kOk;
  bool leads_ = false;
  JointArray<bool> saturated_{};

  std::optional<RelaySettings> relay_;
  double relay_target_ = 0.0;  // rad
  double relay_sign_ = 1.0;
};

/// Writes the reference of the tick (from 0) into a command that holds the one before.
using LoopReference = std::function<void(std::int64_t tick, motions::PlayCommand& command)>;

/// What a tick of a loop came to.
struct LoopRow {
  std::int64_t tick = 0;
  std::int64_t now_ns = 0;  ///< of the loop's own clock
  const motions::PlayCommand& command;
  const JointArray<double>& angle;             ///< rad, where the joints are, unrounded
  const runtime::JointMeasurements& measured;  ///< the newest readings
  const JointArray<double>& target;            ///< rad, what goes to the boards
  const LoopCore& core;
};
using LoopVisit = std::function<void(const LoopRow& row)>;

/// Something with joints in front of which a LoopCore can run.
class LoopPlant {
 public:
  virtual ~LoopPlant() = default;
  /// From rest at `pose` (rad, whole degrees for a robot with boards) over `ticks` cycles; `visit`
  /// may be empty. Stops early when the loop's status is not kOk. The same bits every time.
  virtual void run(LoopCore& core, const JointArray<double>& pose, std::int64_t ticks,
                   const LoopReference& reference, const LoopVisit& visit) = 0;
};

}  // namespace kagami::tools
