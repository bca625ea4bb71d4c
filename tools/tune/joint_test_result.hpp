/// What a test of one joint showed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "control/core/controller.hpp"
#include "control/core/joint_signal.hpp"
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

/// The readings on the cycles' times of `response`, straight from one to the next: holding them
/// would add lag. The reference is that of `response`. Throws nothing; requires two readings.
Response readings_on_cycles(const ReadingCurve& readings, const Response& response);

/// {"kind", "joint", "size_deg", "seconds", "status", "metrics", "measured", "curves"}; curves at
/// 5 ms, degrees.
nlohmann::json joint_test_json(const JointTestResult& result, bool with_curves);

}  // namespace kagami::tools
