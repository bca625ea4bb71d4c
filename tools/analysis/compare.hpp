/// Simulated against measured joint angles of a run: one table row of errors per joint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/analysis/holds.hpp"
#include "tools/analysis/noise.hpp"
#include "tools/analysis/response.hpp"
#include "tools/analysis/series.hpp"

namespace kagami::tools {

/// Errors of one joint; empty = unknown from this run. Differences are simulated
/// (unrounded, at the reading's own time) minus measured.
struct JointComparison {
  std::string name;
  int channel = 0;
  std::size_t samples = 0;
  std::optional<double> rms_deg;
  std::optional<double> mean_abs_deg;
  std::optional<double> max_deg;  ///< largest absolute difference
  std::optional<double> bias_deg;
  std::optional<double> lag_ms;  ///< positive = the robot is later than the model; see lag.hpp
  std::optional<double> lag_sigma_ms;  ///< its standard deviation
  std::optional<double> floor_deg;  ///< RMS that rounding to whole degrees alone would show; empty
                                    ///< at rest (simulated range under 2 deg)
  /// Share of the readings whose difference is at most half a degree, which rounding alone can
  /// make.
  std::optional<double> share_within_resolution;
  std::optional<double> noise_deg;         ///< RMS of the noise band, see noise.hpp
  std::optional<double> beyond_noise_deg;  ///< RMS without the noise: sqrt(rms^2 - noise^2), or 0
  std::optional<Holds> holds;
  std::vector<ResponsePoint> response;       ///< robot in proportion to model
  std::optional<double> gate_shortfall_deg;  ///< the most that the safety gate cut off; the run's
                                             ///< own result has it, a record alone does not
};

struct Comparison {
  std::string motion;
  std::vector<JointComparison> joints;  ///< model order
  std::size_t samples = 0;              ///< over all joints, as all below
  std::optional<double> rms_deg;
  std::optional<double> mean_abs_deg;
  std::optional<double> max_deg;
  std::optional<double> bias_deg;
  std::optional<double> noise_deg;
  std::optional<double> share_within_resolution;
};

/// Readings outside the simulated curve are left out. `repeats`: further runs of the same motion
/// by the same robot; what differs between them is noise.
Comparison compare(const RunSeries& run, const std::vector<RunSeries>& repeats = {});

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
