/// A test of one joint while the others hold: on the virtual robot or on the twin.
#pragma once

#include <string>

#include "runtime/cycle/joint_excitation.hpp"
#include "tools/tune/joint_test_result.hpp"
#include "tools/tune/loop_core.hpp"

namespace kagami::tools {

/// Before a test the loop rests at the pose for so long, s: trims and sags are taken out.
inline constexpr double kSettleTime = runtime::JointTest::kSettleTime;

/// The loop holds `pose` (rad) for kSettleTime, then the signal comes on top of the joint's.
/// `controller` null: the targets alone. Throws ConfigError for a signal out of range, a joint that
/// is not there or a controller that fails before the test begins.
JointTestResult test_joint(const models::RobotDescription& robot, LoopPlant& plant,
                           control::Controller* controller, const JointArray<double>& pose,
                           const JointSignal& signal);

/// A joint by its name. Throws ConfigError that lists the joints.
int joint_index(const models::RobotDescription& robot, const std::string& name);

}  // namespace kagami::tools
