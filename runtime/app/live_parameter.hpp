/// A value that can be turned while a run goes on, and its range.
#pragma once

#include <string>

namespace kagami::runtime {

/// A number that may be turned, as it was last asked for.
struct LiveParameter {
  std::string name;  ///< "pid/left_knee/kp", "motion/speed"
  double value = 0.0;
  double min = 0.0;
  double max = 0.0;
  double default_value = 0.0;  ///< of the gain file
  std::string unit;            ///< "1/s"; empty: none
  std::string text;            ///< what it does, for a person
};

struct LiveChange {
  std::string name;
  double value = 0.0;
};

/// What a value of this parameter should be: "0..1000 1/s"; empty: it is in the range.
std::string expected_instead(const LiveParameter& parameter, double value);

/// The motion's speed: "motion/speed", the one parameter that is of no controller.
LiveParameter speed_parameter(double speed);

}  // namespace kagami::runtime
