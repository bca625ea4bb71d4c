/// The parameters of one joint's servo, fitted to its readings.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/base/servo_parameters.hpp"
#include "tools/identify/fit_parameters.hpp"
#include "tools/identify/joint_problem.hpp"

namespace kagami::tools {

/// A fitted number with what is known about it.
struct FittedValue {
  double before = 0.0;    ///< SI, of the expected model
  double value = 0.0;     ///< SI
  double sigma = 0.0;     ///< SI, one standard deviation
  bool is_known = false;  ///< by the readings: sigma is less than a tenth of what was expected
};

/// Whether a deviation of a parameter (place in fit_parameters) is small enough to call it known.
bool is_small(std::size_t parameter, const FittedValue& value);

/// A combination of parameters that the readings leave open: a row of the Jacobian's singular value
/// decomposition, in units of the expected deviations.
struct OpenDirection {
  double singular_value = 0.0;
  std::vector<std::size_t> parameters;  ///< that have a clear part in it, largest first
};

/// What readings say near the fitted place, in units of the expected deviations.
struct Information {
  using Matrix = std::array<double, kNumFitParameters * kNumFitParameters>;
  Matrix normal{};   ///< product of the Jacobian of the readings with itself
  Matrix scatter{};  ///< the same of its sums over half seconds, times the errors
};

struct ServoFit {
  JointModel servo;
  std::array<FittedValue, kNumFitParameters> values;  ///< in the order of fit_parameters
  std::vector<OpenDirection> open;                    ///< least known first
  Effects has_effect{};                               ///< takes part
  FitMask free{};  ///< what a servo with these effects can have: play or a dead band, not both
  std::size_t readings = 0;
  double noise = 0.0;  ///< rad, of the readings, what the fit leaves
  Information information;
};

/// Fits all records of a joint together: the likeliest parameters within bounds, near those of
/// `expected` where the readings do not say otherwise. An effect that the model lacks takes part
/// where it explains the readings clearly better. The search begins at `start`, of an earlier fit,
/// or at the expected servo. Without the loop, kp and kde stay as expected.
ServoFit fit_servo(const std::vector<JointData>& data, const ServoParameters& expected,
                   const ServoFit* start, bool with_loop);

/// SI, the standard deviations after one more record, whose errors are those of a model that is
/// right.
std::array<double, kNumFitParameters> sigmas_with(const ServoFit& fit, const JointData& more,
                                                  const ServoParameters& expected);

}  // namespace kagami::tools
