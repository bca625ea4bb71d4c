#include "tools/experiments/ground_pendulum.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::tools {
namespace {

constexpr double kMostGain = 0.125;  // J; the bounds that the benchmarks' peers are held to
constexpr double kMostDepth = 10e-3;
constexpr double kMostSpeed = 60.0;
constexpr double kRestSpeed = 1.0;  // rad/s, of what does not chatter
constexpr double kSteps[] = {10e-3,  5e-3,   2e-3,    1e-3,    0.5e-3,
                             0.2e-3, 0.1e-3, 0.05e-3, 0.02e-3, 0.01e-3};

// one step of a run; false when it is not stable
bool watched_step(GroundChain& chain, GroundRun& run, double& lowest) {
  if (!chain.step()) return false;
  ++run.steps;
  const double E = chain.energy() - chain.damped();
  lowest = std::min(lowest, E);
  run.largest_rise = std::max(run.largest_rise, E - lowest);
  run.deepest = std::max(run.deepest, chain.depth());
  run.cpu = chain.cpu();
  return chain.energy() - run.E_start < kMostGain && chain.depth() < kMostDepth &&
         chain.speed() < kMostSpeed;
}

}  // namespace

GroundRun run_on_ground(const Scenario& scenario, GroundMethod method, models::Scheme scheme,
                        double row, int substeps) {
  const long rows = std::lround(scenario.duration / row);
  GroundChain chain(scenario, {method, scheme, row / substeps});
  GroundRun run;
  run.E_start = chain.energy();
  double lowest = run.E_start;
  for (long r = 0; r < rows; ++r) {
    std::vector<double> mean(chain.forces().size(), 0.0);
    for (int k = 0; k < substeps; ++k) {
      run.stable = watched_step(chain, run, lowest);
      if (!run.stable) return run;
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += chain.forces()[i] / substeps;
      if (r < rows - rows / 5) continue;
      run.deepest_late = std::max(run.deepest_late, chain.depth());
      run.fastest_late = std::max(run.fastest_late, chain.speed());
    }
    run.forces.push_back(mean);
    run.E.push_back(chain.energy());
  }
  return run;
}

std::optional<LargestStep> largest_stable_step(const Scenario& scenario, GroundMethod method,
                                               models::Scheme scheme) {
  for (const double h : kSteps) {
    LargestStep found{h, run_on_ground(scenario, method, scheme, h, 1)};
    if (found.run.stable && found.run.fastest_late < kRestSpeed) return found;
  }
  return std::nullopt;
}

}  // namespace kagami::tools
