/// One controller on one robot, real or twin: its inputs are assembled, checked, its output
/// computed, guarded again.
#pragma once

#include <array>
#include <cstdint>

#include "control/core/controller.hpp"
#include "control/core/guard.hpp"
#include "drivers/link/samples.hpp"
#include "models/base/wiring.hpp"
#include "motions/play/player.hpp"
#include "runtime/cycle/alignment.hpp"

namespace kagami::runtime {

/// The motion's recent past: a reading is judged by the reference of its own time. Cycle code.
class ReferenceTrack {
 public:
  void clear() noexcept;
  void push(std::int64_t time_ns, const motions::PlayCommand& command) noexcept;
  /// q_ref and qd_ref of the joints of that time, the newest where it is too old or in the future.
  void at(std::int64_t time_ns, JointArray<double>& q, JointArray<double>& qd) const noexcept;

 private:
  StateHistory q_;
  StateHistory qd_;
  JointArray<double> q_now_{};
  JointArray<double> qd_now_{};
};

/// Newest readings and when each board's were taken.
struct JointMeasurements {
  JointArray<double> angle{};                         ///< rad
  std::array<std::int64_t, kMaxBoards> sampled_ns{};  ///< below 0: never
};
JointMeasurements measurements_of(const drivers::ServoSample& sample) noexcept;

/// Never allocates after construction; all else is cycle code.
class ControllerHarness {
 public:
  ControllerHarness(const RobotWiring& wiring, const control::ControlLimits& limits);

  /// Puts the input together; `q_target`: the last command of the servos.
  void set_measurements(std::int64_t now_ns, double dt, const JointMeasurements& measured,
                        const ReferenceTrack& track, const motions::PlayCommand& command,
                        const JointArray<double>& q_target) noexcept;
  /// The input may be completed by the caller: shadow, reference model.
  [[nodiscard]] control::ControlInput& input() noexcept { return in_; }
  [[nodiscard]] control::ControlStatus reset(control::Controller& controller) noexcept;
  [[nodiscard]] control::ControlStatus update(control::Controller& controller) noexcept;
  [[nodiscard]] control::ControlOutput& output() noexcept { return out_; }
  [[nodiscard]] const control::ControlOutput& output() const noexcept { return out_; }
  /// The controller's own limits are known after update; further ones are marked before check.
  [[nodiscard]] control::ControlStatus check(const control::Controller& controller) noexcept;
  /// Of the last status that was not kOk.
  [[nodiscard]] const control::ControlFinding& finding() const noexcept { return finding_; }
  void forget_finding() noexcept { finding_ = {}; }
  [[nodiscard]] int saturated() const noexcept;

 private:
  void set_board(int board, std::int64_t now_ns, const JointMeasurements& measured,
                 const ReferenceTrack& track) noexcept;

  int num_joints_ = 0;
  int num_boards_ = 0;
  JointArray<std::int8_t> board_{};
  control::ControlGuard guard_;
  control::ControlInput in_;
  control::ControlOutput out_;
  control::ControlFinding finding_;
  std::array<std::int64_t, kMaxBoards> last_ns_{};
};

}  // namespace kagami::runtime
