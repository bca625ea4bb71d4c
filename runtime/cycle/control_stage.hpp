/// The controller's part of a cycle: on the robot, on the loop twin or by the reference model;
/// what it finds wrong becomes a hold.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "control/factory/factory.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/file/motion.hpp"
#include "runtime/cycle/apply_values.hpp"
#include "runtime/cycle/closed_loop_twin.hpp"
#include "runtime/cycle/controller_harness.hpp"
#include "runtime/cycle/controller_instance.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/event_list.hpp"
#include "runtime/cycle/reference_model.hpp"
#include "runtime/cycle/run_machine.hpp"

namespace kagami::runtime {

/// Inputs of the stage in one tick.
struct ControlTick {
  const CycleInput& in;
  double dt = 0.0;         ///< s
  const CycleOutput& out;  ///< the shadow's part is written already
  const motions::PlayCommand& reference;
  const JointArray<double>& sent;  ///< rad, the last target that passed the gate
  bool has_begun = false;          ///< a first target passed
  bool streams = false;            ///< a target is sent each tick
  RunState state = RunState::kWaiting;
  JointTestStage test = JointTestStage::kNone;
  bool test_drives = false;  ///< the test sets the targets, a controller waits
};

/// Output of the controller in a tick.
struct ControlDemand {
  std::optional<JointArray<double>> target;  ///< rad; empty: the reference's own
  bool failed = false;                       ///< stop the robot
};

/// Built at set-up with the run's controllers; further ones are built elsewhere and handed over.
/// Everything else is cycle code. A controller is active from the motion's beginning to its end or
/// the end of a stop; before, the lead-in runs as without one; afterwards its last target is held.
class ControlStage {
 public:
  /// Throws ConfigError for gain sets that do not fit, a motion that is not streamed, a run that
  /// does not read its joints.
  ControlStage(const models::RobotDescription& robot, const motions::Motion& motion,
               const CycleConfig& config, const control::ControllerFactory& factory);
  ~ControlStage();

  /// Time 0 of the loop twin's disturbances.
  void disturb_from(std::int64_t zero_ns) noexcept {
    if (twin_) twin_->disturb_from(zero_ns);
  }
  /// Of all controllers, in their order. Set-up.
  [[nodiscard]] std::vector<ControllerDescription> describe_all() const;
  /// The first complete reading.
  void start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept;
  /// Which of the controllers shall lead, or kMotionAlone; exchanged at the next step, without a
  /// bump.
  void choose(int controller) noexcept;
  /// All values of a set to all controllers; false: refused, and nothing has changed.
  [[nodiscard]] bool tune(const Tuning& tuning, RefusedValue& refused) noexcept {
    return apply_values(units(), tuning, refused);
  }
  /// A controller for the place that it names, taken over in the next step. At most one before
  /// each.
  void hand_over(std::unique_ptr<ControllerInstance> unit) noexcept { incoming_ = std::move(unit); }
  /// What was there before, or what could not start; null: nothing.
  [[nodiscard]] std::unique_ptr<ControllerInstance> take_back() noexcept {
    return std::move(outgoing_);
  }
  /// See Tuning::layout.
  [[nodiscard]] std::uint32_t layout() const noexcept { return layout_; }
  /// Between the reference and the arbitration.
  [[nodiscard]] ControlDemand step(const ControlTick& tick, EventList& events) noexcept;
  /// The second curve and the output of the law.
  void write(CycleOutput& out) const noexcept;

 private:
  [[nodiscard]] std::span<const std::unique_ptr<ControllerInstance>> units() const noexcept {
    return {units_.data(), static_cast<std::size_t>(num_units_)};
  }
  [[nodiscard]] ControllerInstance& unit(int place) noexcept {
    return *units_[static_cast<std::size_t>(place)];
  }
  void take_over(const ControlTick& tick, EventList& events) noexcept;
  void leave(const ControlTick& tick, EventList& events) noexcept;
  void fade(const ControlTick& tick, ControlDemand& demand) noexcept;
  void exchange(const ControlTick& tick, ControlDemand& demand, EventList& events) noexcept;
  [[nodiscard]] control::ControlStatus begin(ControllerInstance& unit,
                                             const ControlTick& tick) noexcept;
  [[nodiscard]] control::ControlStatus lead(ControllerInstance& unit,
                                            const ControlTick& tick) noexcept;
  [[nodiscard]] control::ControlStatus drive_model(ControllerInstance& unit,
                                                   const ControlTick& tick) noexcept;
  void drive_twin(const ControlTick& tick, const ControlDemand& demand, EventList& events) noexcept;
  [[nodiscard]] bool lead_twin(ControllerInstance& unit, const ControlTick& tick,
                               EventList& events) noexcept;
  void fail(control::ControlStatus status, const ControlTick& tick, ControlDemand& demand,
            EventList& events) noexcept;

  int num_joints_ = 0;
  ControllerHarness robot_side_;
  ControllerHarness twin_side_;
  ReferenceTrack track_;
  std::optional<ClosedLoopTwin> twin_;  // where any controller sets targets
  std::array<std::unique_ptr<ControllerInstance>, kMaxControllers> units_;
  int num_units_ = 0;
  std::unique_ptr<ControllerInstance> incoming_;
  std::unique_ptr<ControllerInstance> outgoing_;
  std::uint32_t layout_ = 0;
  int chosen_ = 0;
  int leading_ = -1;
  bool started_ = false;
  bool failed_ = false;
  bool stands_ = false;      // `last_` is where a test of a joint went back to
  bool could_lead_ = false;  // in the step before
  bool reference_lost_ = false;
  bool twin_leads_ = false;    // the twin's controller runs
  bool twin_faulted_ = false;  // and that was reported
  JointArray<double> left_{};  // rad, from the motion to the targets of the controller that left
  double left_time_ = -1.0;    // s since then; below 0: faded away
  JointArray<double> last_{};  // rad, the controller's last output
  control::ControlStatus status_ = control::ControlStatus::kOk;
};

}  // namespace kagami::runtime
