/// A test of one joint in the cycle itself: its signal on the reference that the robot holds.
#pragma once

#include <optional>

#include "control/core/joint_signal.hpp"
#include "models/base/angle.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "motions/play/player.hpp"
#include "motions/play/time_scale.hpp"
#include "runtime/channels/joint_test_state.hpp"

namespace kagami::runtime {

/// Where a tested joint's reference, or the target of a relay, may go.
struct TestRange {
  double lowest = 0.0;   ///< rad
  double highest = 0.0;  ///< rad
};

/// Why a signal on a joint at rest at `base` (rad) is refused; nothing: it is accepted.
/// `joint`: of the signal, nullptr where the robot has none such. Cycle code.
std::optional<JointTestReason> why_not(const control::JointSignal& signal, const JointWiring* joint,
                                       double base) noexcept;

/// One test at a time: settling, signal, return. In each tick `step`, then `drive`. Built at
/// set-up; all else is cycle code.
class JointTest {
 public:
  /// s before the signal: the active controller takes out trims and sags. The tests on a twin take
  /// it too.
  static constexpr double kSettleTime = 1.0;
  static constexpr double kMargin = to_rad(2.0);  ///< rad, stays free of the soft limits
  static constexpr double kRelayReach = 0.35;     ///< rad, a relay's target from where it began
  static constexpr double kReturnTime = 0.5;      ///< s, at least
  static constexpr double kReturnSpeed = 1.0;     ///< rad/s, fastest of the return

  /// `base`: the joint's reference before the signal; `held`: the targets that the boards hold
  /// (rad); the signal passed `why_not`.
  void begin(const control::JointSignal& signal, const JointWiring& joint, double base,
             const JointArray<double>& held) noexcept;
  /// Back to the targets that the boards held, from the next tick on; `from`: the targets sent last
  /// (rad).
  void return_to_held(const JointArray<double>& from) noexcept;
  /// Its own time comes to a stop within so many seconds, as after a stop.
  void brake(double within) noexcept { scale_.brake(within); }

  /// Writes the joint's reference and all targets of this tick; `dt` s (> 0) until the next,
  /// `sent`: the targets of the tick before. kNone when nothing of it is left: the boards were sent
  /// back to their earlier targets.
  JointTestStage step(double dt, const JointArray<double>& sent,
                      motions::PlayCommand& command) noexcept;
  /// After the active controller has set the joint's target (rad): a relay's takes its place.
  /// False: the relay is too far away from where it began. `reading`: rad, the joint's newest.
  [[nodiscard]] bool drive(double dt, double reading, double& target) noexcept;
  /// In this tick the test sets the targets; a controller would only wind up.
  [[nodiscard]] bool drives() const noexcept {
    return shown_ == JointTestStage::kReturning ||
           (is_relay() && shown_ == JointTestStage::kRunning);
  }

  [[nodiscard]] JointTestStage stage() const noexcept { return shown_; }
  [[nodiscard]] int joint() const noexcept { return signal_.joint; }
  [[nodiscard]] control::TestKind kind() const noexcept { return signal_.kind; }
  /// s that the signal lasts.
  [[nodiscard]] double seconds() const noexcept { return signal_.seconds; }
  /// Braked to a standstill.
  [[nodiscard]] bool has_stopped() const noexcept { return scale_.has_stopped(); }

 private:
  [[nodiscard]] bool is_relay() const noexcept { return kind() == control::TestKind::kRelay; }
  [[nodiscard]] control::SignalPoint point() const noexcept;
  void advance(double dt, const JointArray<double>& sent) noexcept;

  JointTestStage stage_ = JointTestStage::kNone;  // of the next tick
  JointTestStage shown_ = JointTestStage::kNone;  // of this tick
  control::JointSignal signal_;
  double base_ = 0.0;
  TestRange range_;
  double time_ = 0.0;    // s since the signal's first tick
  double within_ = 0.0;  // s within the stage
  double return_time_ = kReturnTime;
  JointArray<double> held_{};  // rad
  JointArray<double> from_{};  // rad, where the return begins
  motions::TimeScale scale_{1.0};

  bool relay_began_ = false;
  double relay_sign_ = 1.0;
  double relay_target_ = 0.0;  // rad
};

}  // namespace kagami::runtime
