/// The controller's part of a cycle: on the robot, on the loop twin or by the reference model;
/// what it finds wrong becomes a hold.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "control/core/factory.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/file/motion.hpp"
#include "runtime/cycle/commander.hpp"
#include "runtime/cycle/control_side.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/event_list.hpp"
#include "runtime/cycle/loop_twin.hpp"
#include "runtime/cycle/reference_model.hpp"

namespace kagami::runtime {

/// One tick as the stage sees it.
struct ControlTick {
  const CycleInput& in;
  double dt = 0.0;         ///< s
  const CycleOutput& out;  ///< the shadow's part is written already
};

/// Built at set-up with every controller of the run; everything else is cycle code. A controller
/// leads from the motion's beginning to its end or the end of a stop; before, the lead-in goes as
/// without one, after, its last target stands.
class ControlStage {
 public:
  /// Throws ConfigError for gain sets that do not fit, a motion that is not streamed, a run that
  /// does not read its joints.
  ControlStage(const models::RobotDescription& robot, const motions::Motion& motion,
               const CycleConfig& config, const control::ControllerFactory& factory);
  ~ControlStage();

  /// Time 0 of what befalls the loop twin.
  void disturb_from(std::int64_t zero_ns) noexcept {
    if (twin_) twin_->disturb_from(zero_ns);
  }
  /// The first complete reading.
  void start(const drivers::ServoSample& sample, std::int64_t now_ns) noexcept;
  /// Which of the controllers shall lead; exchanged at the next step, without a bump.
  void choose(int controller) noexcept;
  /// Between the player and the safety gate. A fault is a hold from this tick on.
  void step(const ControlTick& tick, Commander& commander, EventList& events) noexcept;
  /// The second curve and what the law said.
  void write(CycleOutput& out) const noexcept;

 private:
  struct Unit;

  void exchange(const ControlTick& tick, Commander& commander, EventList& events) noexcept;
  [[nodiscard]] control::ControlStatus begin(Unit& unit, const ControlTick& tick,
                                             const Commander& commander) noexcept;
  [[nodiscard]] control::ControlStatus lead(Unit& unit, const ControlTick& tick,
                                            Commander& commander) noexcept;
  [[nodiscard]] control::ControlStatus drive_model(Unit& unit, const ControlTick& tick) noexcept;
  void drive_twin(const ControlTick& tick, const Commander& commander) noexcept;
  void fail(control::ControlStatus status, Commander& commander, EventList& events) noexcept;

  int num_joints_ = 0;
  ControlSide robot_side_;
  ControlSide twin_side_;
  ReferenceTrack track_;
  std::optional<LoopTwin> twin_;  // where any controller says targets
  std::vector<std::unique_ptr<Unit>> units_;
  int chosen_ = 0;
  int leading_ = -1;
  bool started_ = false;
  bool failed_ = false;
  bool reference_lost_ = false;
  bool twin_leads_ = false;    // the twin's controller runs
  JointArray<double> last_{};  // rad, what the controller said last
  control::ControlStatus status_ = control::ControlStatus::kOk;
};

}  // namespace kagami::runtime
