/// Whole runs of a chain that swings down onto the ground, and how long their steps may be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/experiments/ground_chain.hpp"
#include "tools/scenario/scenario.hpp"

namespace kagami::tools {

/// What one run showed. Unstable: not finite, more than 0.125 J gained, more than 10 mm deep, a
/// joint above 60 rad/s; the run ends there.
struct GroundRun {
  bool stable = true;
  long steps = 0;
  double cpu = 0.0;           ///< s, of steps alone
  double E_start = 0.0;       ///< J
  double largest_rise = 0.0;  ///< J, of energy less the dampers' work; springs' energy left out
  double deepest = 0.0;       ///< m
  double deepest_late = 0.0;  ///< m, in the last fifth
  double fastest_late = 0.0;  ///< rad/s, in the last fifth
  /// Per row: normal forces (N) of the last link's vertices, mean over the row's time.
  std::vector<std::vector<double>> forces;
  std::vector<double> E;  ///< J, per row
};

/// Steps the scenario (one robot) for its duration: a row each `row` seconds, `substeps` steps
/// each.
GroundRun run_on_ground(const Scenario& scenario, GroundMethod method, models::Scheme scheme,
                        double row, int substeps);

/// The largest of 10, 5, 2, 1, 0.5, ... 0.01 ms at which the run is stable and comes to lie (below
/// 1 rad/s in its last fifth), and that run; none.
struct LargestStep {
  double h = 0.0;  ///< s
  GroundRun run;
};
std::optional<LargestStep> largest_stable_step(const Scenario& scenario, GroundMethod method,
                                               models::Scheme scheme);

}  // namespace kagami::tools
