#include "runtime/channels/joint_test_state.hpp"

#include <array>
#include <cstddef>

namespace kagami::runtime {

const char* name(JointTestReason reason) noexcept {
  constexpr std::array<const char*, kNumJointTestReasons> kNames{
      "the robot does not hold",
      "another test is under way",
      "a stop is requested",
      "nothing was sent to the boards yet",
      "the robot has no such joint",
      "a number of the signal is out of its range",
      "the signal leaves the joint's range",
      "a stop",
      "a fault",
      "the safety gate refused a target",
      "the relay drove the joint too far away"};
  const auto index = static_cast<std::size_t>(reason);
  return index < kNames.size() ? kNames[index] : "?";
}

}  // namespace kagami::runtime
