/// A test of one joint while the others hold: on the virtual robot or on the twin.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "control/core/joint_signal.hpp"
#include "runtime/cycle/joint_excitation.hpp"
#include "tools/tune/loop_core.hpp"
#include "tools/tune/metrics.hpp"

namespace kagami::tools {

using control::JointSignal;
using control::SignalPoint;
using control::TestKind;

/// The readings of a joint as they were taken.
struct ReadingCurve {
  std::vector<double> time;   ///< s from the test's start, rising
  std::vector<double> angle;  ///< rad, whole degrees
};

struct JointTestResult {
  JointSignal signal;
  std::string joint;
  /// Every cycle from the start of the test: the reference, the joint angle, the command of the
  /// boards (rad).
  Response response;
  std::vector<double> target;
  ReadingCurve readings;
  ResponseMetrics metrics;   ///< of `response`: the joint itself, unrounded
  ResponseMetrics measured;  ///< of the readings: what a robot's boards would show of it
  control::ControlStatus status = control::ControlStatus::kOk;  ///< else the test ended early
};

/// Before a test the loop rests at the pose for so long, s: trims and sags are taken out.
inline constexpr double kSettleTime = runtime::JointTest::kSettleTime;

/// The loop holds `pose` (rad) for kSettleTime, then the signal comes on top of the joint's.
/// `controller` null: the targets alone. Throws ConfigError for a signal out of range, a joint that
/// is not there or a controller that fails before the test begins.
JointTestResult test_joint(const models::RobotDescription& robot, LoopPlant& plant,
                           control::Controller* controller, const JointArray<double>& pose,
                           const JointSignal& signal);

/// The readings on the cycles' times of `response`, straight from one to the next: holding them
/// would add lag. The reference is that of `response`. Throws nothing; requires two readings.
Response readings_on_cycles(const ReadingCurve& readings, const Response& response);

/// A joint by its name. Throws ConfigError that lists the joints.
int joint_index(const models::RobotDescription& robot, const std::string& name);

/// {"kind", "joint", "size_deg", "seconds", "status", "metrics", "measured", "curves"}; curves at
/// 5 ms, degrees.
nlohmann::json joint_test_json(const JointTestResult& result, bool with_curves);

}  // namespace kagami::tools
