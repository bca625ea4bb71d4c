/// A test of one joint during a run.
#pragma once

#include <cstdint>
#include <optional>

#include "control/core/joint_signal.hpp"
#include "runtime/app/live_answer.hpp"
#include "runtime/app/live_shared.hpp"
#include "runtime/app/live_status.hpp"
#include "runtime/app/live_tuning.hpp"

namespace kagami::runtime {

/// Any thread, at any time.
class LiveExcitation {
 public:
  LiveExcitation(LiveShared& shared, LiveTuning& tuning) : shared_(shared), tuning_(tuning) {}

  /// Adds the signal to the reference that the robot holds, after a second of settling, and returns
  /// back; under the same gate, guards and stops as a motion, whichever controller is chosen
  /// leads. Refused unless the robot holds without a fault, without a request to stop, and the
  /// signal stays 2 deg inside the joint's soft limits. The ticket is acknowledged when the test
  /// was begun; rows say by `out.test` how far it is.
  LiveAnswer begin(const control::JointSignal& signal);

  // --- LiveControl, with the mutex of LiveShared held
  void describe(LiveStatus& status) const { status.testing = is_under_way(); }

 private:
  [[nodiscard]] bool is_under_way() const noexcept {
    return shared_.seen.testing || ticket_ > shared_.seen.version;
  }
  [[nodiscard]] std::optional<LiveRefusal> why_not(const control::JointSignal& signal) const;

  LiveShared& shared_;
  LiveTuning& tuning_;
  std::uint64_t ticket_ = 0;  // of the newest test
};

}  // namespace kagami::runtime
