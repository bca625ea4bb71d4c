/// A value that can be changed during a run, with its description.
#pragma once

#include "control/core/tunable.hpp"

namespace kagami::runtime {

/// As it was last requested.
struct LiveParameter {
  control::Tunable what;  ///< its name with the controller's: "pid/left_knee/kp", "motion/speed"
  double value = 0.0;
};

/// "motion/speed", the one parameter that is of no controller.
control::Tunable speed_tunable();

}  // namespace kagami::runtime
