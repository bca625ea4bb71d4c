/// Simulated against measured joint angles of a run: one table row of errors per joint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/analysis/series.hpp"

namespace kagami::tools {

/// Errors of one joint; empty = unknown from this run. Differences are simulated
/// (unrounded, at the reading's own time) minus measured.
struct JointComparison {
  std::string name;
  int channel = 0;
  std::size_t samples = 0;
  std::optional<double> rms_deg;
  std::optional<double> max_deg;  ///< largest absolute difference
  std::optional<double> bias_deg;
  std::optional<double> lag_ms;     ///< positive = the robot is later than the model; see lag.hpp
  std::optional<double> floor_deg;  ///< RMS that rounding to whole degrees alone would show; empty
                                    ///< at rest (simulated range under 2 deg)
  std::optional<double> gate_shortfall_deg;  ///< the most that the safety gate cut off; the run's
                                             ///< own result has it, a record alone does not
};

struct Comparison {
  std::string motion;
  std::vector<JointComparison> joints;  ///< model order
  std::size_t samples = 0;              ///< over all joints
  std::optional<double> rms_deg;        ///< over all samples of all joints
};

/// Readings outside the simulated curve are left out.
Comparison compare(const RunSeries& run);

/// What changed from a baseline to a run, joint by joint of the run; empty where one lacks it.
struct JointChange {
  std::string name;
  std::optional<double> rms_deg;
  std::optional<double> max_deg;
  std::optional<double> bias_deg;
  std::optional<double> lag_ms;
};
std::vector<JointChange> changes(const Comparison& run, const Comparison& baseline);

}  // namespace kagami::tools
