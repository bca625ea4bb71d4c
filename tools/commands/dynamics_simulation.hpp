/// `kagami dynamics --simulate`: a trajectory as rows, and how it ended.
#pragma once

#include <string>
#include <vector>

#include "models/dynamics/forward_dynamics.hpp"
#include "tools/cli/console.hpp"
#include "tools/commands/dynamics_figures.hpp"
#include "tools/commands/dynamics_input.hpp"
#include "tools/experiments/trace.hpp"

namespace kagami::tools {

/// The algorithms that computed the accelerations of an answer, in the order of their first use.
class AlgorithmsRan {
 public:
  void add(models::Algorithm algorithm);
  /// Their names, separated by commas.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::vector<models::Algorithm>& list() const noexcept { return ran_; }

 private:
  std::vector<models::Algorithm> ran_;
};

/// Warns of every algorithm that took the place of the one that was asked for.
void report_substitutes(const AlgorithmsRan& ran, models::Algorithm asked, Console& io);

/// How a simulation went.
struct SimulationEnd {
  long steps = 0;
  long rejected = 0;  ///< steps that rkf45 took back
  AlgorithmsRan ran;
  std::string problem;  ///< why and when it stopped; empty where it reached its end
};

/// Rows from t = 0 to the end, one per words.dt; where the simulation cannot go on or a joint
/// leaves the limits of the model (unless words.ignore_limits), those up to there. The last step is
/// shorter where dt does not divide the duration. Throws ConfigError for impossible times.
Trace trajectory(const DynamicsWords& words, const DynamicsInput& input, Chosen& chosen,
                 SimulationEnd& end);

}  // namespace kagami::tools
