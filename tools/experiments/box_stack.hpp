/// Boxes that fall onto the ground and each other [Zhang 2018], and what is measured of them.
#pragma once

#include <vector>

#include "tools/cli/data_folders.hpp"
#include "tools/scenario/scenario.hpp"

namespace kagami::tools {

/// How a stack is stepped.
struct StackStepping {
  models::MethodName method = models::MethodName::kVolumetric;
  int max_sweeps = models::VolumetricSettings{}.max_sweeps;
  /// m/s^2, models::VolumetricSettings: nearly 0 makes every step take max_sweeps.
  double accuracy = models::VolumetricSettings{}.accuracy;
  double dt = 1e-3;       ///< s
  double duration = 3.0;  ///< s
};

/// The last half second of a run (a sixth of a shorter one).
struct StackRest {
  int lowest = 0;       ///< box that the ground carries most
  double force = 0.0;   ///< N, mean on it
  double spread = 0.0;  ///< its standard deviation over its mean
  int zeros = 0;        ///< steps in which the lowest box carries nothing
  double load = 0.0;    ///< mean force of the ground on all boxes over their weight
  double depth = 0.0;   ///< m, deepest corner below the ground
  double height = 0.0;  ///< m, centre of the lowest box at the end
};

struct StackRun {
  bool stable = true;         ///< finite, no box below 1 m or farther than 10 m
  double cpu = 0.0;           ///< s, of steps alone
  double sweeps = 0.0;        ///< mean per step
  double E_start = 0.0;       ///< J
  double largest_rise = 0.0;  ///< J, of the energy above its lowest value so far
  double gain = 0.0;          ///< J, what contacts fed in
  double deepest = 0.0;       ///< m, of any contact of the run; of a patch its mean thickness
  double weight = 0.0;        ///< N, of all boxes
  double first_touch = 0.0;   ///< s, end of the step in which the ground first pushes; 0: never
  std::vector<double> E;      ///< J, per step
  /// N s, per step: root of the sum of squares of all contacts' impulses.
  std::vector<double> impulse;
  std::vector<std::vector<double>> force;  ///< N, per step and box: of the ground, upward
  StackRest rest;
};

/// The shipped scene's first `count` boxes, mu_s 0.5 and mu_k 0.45 as in [Zhang 2018]. Throws
/// ConfigError when it has fewer bodies or no ground.
Scenario stack_of(const DataFolders& data, const std::string& scene, int count);

/// Steps the stack to its end, or until it is not stable.
StackRun run_stack(const Scenario& stack, const StackStepping& stepping);

}  // namespace kagami::tools
