/// *Try on twin*: what a change of gains would do from here on, on several twins that differ as
/// robots may, faster than real time and without a robot.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "motions/file/motion.hpp"
#include "tools/tune/gain_changes.hpp"
#include "tools/tune/loop_core.hpp"
#include "tools/tune/servo_model_loop.hpp"

namespace kagami::tools {

/// Present state of a run.
struct PresentState {
  /// The bound motion that is played; empty: the robot holds `pose`.
  std::optional<motions::Motion> motion;
  motions::PlayMode mode = motions::PlayMode::kStream;
  double motion_time = 0.0;   ///< s into the motion
  double speed = 1.0;         ///< of the motion
  JointArray<double> pose{};  ///< rad, measured; with a motion it is not needed
  std::string gains;          ///< text of the loaded gain set
  std::vector<control::TunableValue> changed_gains;  ///< changes since it was loaded
};

struct ForecastSettings {
  double seconds = 2.0;    ///< 0.1..20
  int twins = 5;           ///< 1..32, as enclosing_twins gives them
  std::uint64_t seed = 1;  ///< of those
  /// A joint whose error on its worst twin grows by more than this (rad RMS) is a reason not to
  /// promote.
  double worse = 0.0175;
};

/// Of one joint, at the times of Forecast::t: what the twins did, those at both ends of the ranges
/// among them.
struct PredictedBand {
  std::vector<double> low;   ///< rad
  std::vector<double> mean;  ///< rad
  std::vector<double> high;  ///< rad
};

struct Forecast {
  std::vector<double> t;                       ///< s from now, every 10 ms
  std::vector<std::vector<double>> reference;  ///< rad, by joint
  std::vector<PredictedBand> joints;           ///< model order
  std::vector<double> rms_before;              ///< rad, by joint: without the change, worst twin
  std::vector<double> rms_after;               ///< rad, with it
  bool ok = false;
  std::string why;  ///< one sentence
};

/// The twins run the last 3 s before now with the present gains, so that what moves is moving;
/// then they take the change, without a bump, as the cycle would. Deterministic. Throws ConfigError
/// for changes that cannot be made (`apply_gains`), settings out of range, a motion that is not the
/// robot's.
Forecast forecast(const models::RobotDescription& robot, const PresentState& now,
                  std::span<const control::TunableValue> changes,
                  const ForecastSettings& settings = {});

/// {"t", "predicted": {joint: {"low", "mean", "high"}}, "reference", "rms_deg", "ok", "why"}, rad.
nlohmann::json side_run_json(const Forecast& run, std::span<const std::string> joint_names);

}  // namespace kagami::tools
