/// One cycle of the run as a pure function: state + input -> output, the same bits every time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "control/factory/factory.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/file/motion.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "runtime/cycle/controller_instance.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/cycle_probe.hpp"

namespace kagami::runtime {

class Obedience;

/// Player, shadow, alignment, controller and safety gate in their order (docs/cycle.md).
/// Built at set-up; `step` is cycle code: no clock, heap, lock, file or socket. One thread.
class CycleCore {
 public:
  /// `motion` must be bound: its joints are the robot's, in model order. Copies what it needs.
  /// `controllers` makes those that config.control names. Throws ConfigError for a configuration
  /// out of range or gain sets that do not fit. `further`: bound likewise, may be chosen in a hold.
  CycleCore(const models::RobotDescription& robot, const motions::Motion& motion,
            const CycleConfig& config,
            const control::ControllerFactory& controllers = control::ControllerFactory(),
            std::span<const motions::Motion> further = {});
  ~CycleCore();
  CycleCore(CycleCore&&) noexcept;

  /// One tick. `in.now_ns` must not fall from call to call. Writes every field of `out`.
  void step(const CycleInput& in, CycleOutput& out) noexcept;
  /// The same; `probe` is called at the end of each part. The output does not depend on it.
  void step(const CycleInput& in, CycleOutput& out, const CycleProbe& probe) noexcept;

  /// Before the step whose input names it in `handover_id`: a controller built elsewhere, taken
  /// over in that step. Cycle code.
  void hand_over(std::unique_ptr<ControllerInstance> unit) noexcept;
  /// After that step: what the new one replaced, or itself where it could not start; null: nothing.
  /// The caller destroys it outside the cycle. Cycle code.
  [[nodiscard]] std::unique_ptr<ControllerInstance> take_back() noexcept;
  /// Controllers can be handed over: config.control names some, or is live.
  [[nodiscard]] bool has_control() const noexcept;
  /// Of the controllers that config.control names, in their order. Set-up.
  [[nodiscard]] std::vector<ControllerDescription> controllers() const;

  /// Where the robot did not do what its boards acknowledged, so far.
  [[nodiscard]] const Obedience& obedience() const noexcept;
  /// This computer did not ask the boards for so long that the robot was made to hold.
  [[nodiscard]] bool was_late() const noexcept;
  /// The boards have confirmed these targets, in stored mode by their readings too.
  [[nodiscard]] bool confirms(const drivers::ServoTargets& targets,
                              const drivers::ServoSample& sample,
                              std::int64_t now_ns) const noexcept;
  /// Index of the board that did not acknowledge the start of its stored motion; -1: none.
  [[nodiscard]] int board_without_start() const noexcept;
  [[nodiscard]] int num_joints() const noexcept;
  /// Seconds from the start to the end of the motion, lead-in included; infinite when looping, 0
  /// before the first reading.
  [[nodiscard]] double total_duration() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kagami::runtime
