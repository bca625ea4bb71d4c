/// A motion that shows what records have left open.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "motions/file/motion.hpp"
#include "tools/identify/identify.hpp"

namespace kagami::tools {

/// One parameter that the plan is for.
struct PlannedValue {
  std::size_t joint = 0;
  std::size_t parameter = 0;  ///< place in fit_parameters
  double sigma = 0.0;         ///< SI, after the records
  double expected = 0.0;      ///< SI, after a run of the plan too
};

struct ExperimentPlan {
  motions::Motion motion;  ///< bound to the robot; without poses: nothing is open
  std::vector<PlannedValue> values;
  std::vector<std::string> findings;  ///< of `kagami check` on it: links that run into each other
};

/// For the stand. Each joint with an open parameter moves alone while the others are at home,
/// within its soft limits, clear of the other links, and where the robot has been in the records:
/// full strokes at the boards' speed for delay, filters, loop and motor; held ends for trim and
/// stiffness; small slow strokes for play and friction. The motion passes check_motion without a
/// finding. A run of it on the virtual robot with the identified servos gives the expected
/// deviations and the findings. Throws ConfigError for records that cannot be read.
ExperimentPlan plan_experiment(const Identification& found);

}  // namespace kagami::tools
