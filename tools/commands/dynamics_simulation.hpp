/// `kagami dynamics --simulate`: a trajectory as rows, and how it ended.
#pragma once

#include <string>

#include "tools/commands/dynamics_input.hpp"
#include "tools/commands/dynamics_results.hpp"
#include "tools/trace/algorithms_ran.hpp"
#include "tools/trace/trace.hpp"

namespace kagami::tools {

/// How a simulation went.
struct SimulationEnd {
  long steps = 0;
  long rejected = 0;  ///< steps that rkf45 took back
  AlgorithmsRan ran;
  std::string problem;  ///< why and when it stopped; empty where it reached its end
};

/// Rows from t = 0 to the end, one per opt.dt; where the simulation cannot go on or a joint
/// leaves the limits of the model (unless opt.ignore_limits), those up to there. The last step is
/// shorter where dt does not divide the duration. Throws ConfigError for impossible times.
Trace trajectory(const DynamicsOptions& opt, const DynamicsInput& input, Chosen& chosen,
                 SimulationEnd& end);

}  // namespace kagami::tools
