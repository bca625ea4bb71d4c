/// The curves of one run that are compared: readings of the real joints and the shadow's angles.
#pragma once

#include <string>
#include <vector>

namespace kagami::tools {

/// Readings of one joint. `time` (s, rising) is when the servo was there, not when the
/// answer came; `angle` in rad.
struct JointReadings {
  std::string name;
  int channel = 0;  ///< 1..24, as in the manual
  std::vector<double> time;
  std::vector<double> angle;
  std::vector<float>
      half_width{};  ///< s, of the interval in which the servo was read; may be empty
};

/// The shadow's angles at the ticks, unrounded.
struct SimulatedCurves {
  std::vector<double> time;                ///< s, rising; the same clock as the readings'
  std::vector<std::vector<double>> angle;  ///< rad, one curve per joint, one value per tick
};

/// One run, joints in model order in both parts. Readings from the first pose of the motion on; the
/// curves also before, as far as there are any.
struct RunSeries {
  std::string motion;  ///< name, for titles
  std::vector<JointReadings> joints;
  SimulatedCurves simulated;
};

/// Value of a curve between its ticks, linear; NaN outside them, and where ticks are missing:
/// between neighbours that are further apart than 60 ms and four mean distances. `time` is rising.
double value_at(const std::vector<double>& time, const std::vector<double>& value, double at);

}  // namespace kagami::tools
