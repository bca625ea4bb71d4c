/// The stage of a joint test, and why a test was refused or ended early. Sent between threads.
#pragma once

#include <cstdint>

namespace kagami::runtime {

enum class JointTestStage : std::uint8_t {
  kNone,
  kSettling,   ///< the reference is at rest, the active controller removes trims and sags
  kRunning,    ///< the signal is added to the joint's reference
  kReturning,  ///< back to where it was
};

/// Why a test was refused or ended early.
enum class JointTestReason : std::uint8_t {
  kNotHolding,     ///< only a robot that holds without a fault is tested
  kUnderWay,       ///< another test is running
  kStopAsked,      ///< a stop is requested
  kNothingSent,    ///< no target has passed the gate yet
  kNoJoint,        ///< the robot has no such joint
  kSignal,         ///< a number of the signal is out of its range
  kRange,          ///< the signal leaves the joint's range
  kStopped,        ///< the robot was stopped
  kFault,          ///< the robot holds by a fault
  kTargetRefused,  ///< the safety gate refused a target
  kRelayAway,      ///< the relay drove the joint too far from where it began
};
inline constexpr int kNumJointTestReasons = 11;
/// "the robot does not hold", ...; "?" for a reason that does not exist.
const char* name(JointTestReason reason) noexcept;

}  // namespace kagami::runtime
