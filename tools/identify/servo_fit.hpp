/// The parameters of one joint's servo, fitted to its readings.
#pragma once

#include <array>
#include <vector>

#include "models/base/servo_parameters.hpp"
#include "tools/gap/drive_history.hpp"

namespace kagami::tools {

/// One number of a servo that is fitted.
struct FitParameter {
  const char* key = "";   ///< in a servo file
  double per_unit = 1.0;  ///< the file's value of 1 in SI units
  double ServoParameters::*member = nullptr;
  double expected = 0.0;  ///< SI: so near the model's value it is expected (standard deviation)
  double relative = 0.0;  ///< the same as a share of the model's value; one of the two is 0
  double least = 0.0;     ///< SI, bounds
  double most = 0.0;
};
inline constexpr std::size_t kNumFitParameters = 10;
using FitParameters = std::array<FitParameter, kNumFitParameters>;
/// For a model whose servo is `expected`: its play is that of the gear, or a dead band where it has
/// one.
FitParameters fit_parameters(const ServoParameters& expected);

/// A fitted number with what is known about it.
struct FittedValue {
  double value = 0.0;     ///< SI
  double sigma = 0.0;     ///< SI, one standard deviation
  bool is_known = false;  ///< by the readings: sigma is less than a tenth of what was expected
};

struct ServoFit {
  ServoParameters servo;
  std::array<FittedValue, kNumFitParameters> values;  ///< in the order of fit_parameters
  std::size_t readings = 0;
};

/// One joint in one record.
struct JointData {
  const JointDrive* drive = nullptr;
  const AlignedReadings* readings = nullptr;
  double step = 0.0;  ///< s
};

/// Fits all records of a joint together, by least squares with bounds. Parameters stay near those
/// of `expected` where the readings do not say otherwise. The search begins at the drives' own
/// servo.
ServoFit fit_servo(const std::vector<JointData>& data, const ServoParameters& expected);

}  // namespace kagami::tools
