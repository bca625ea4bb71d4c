/// How large a difference between robot and model may be without meaning anything.
#pragma once

#include <optional>
#include <vector>

#include "tools/analysis/reading_pairs.hpp"

namespace kagami::tools {

/// Parts of the noise of one joint, rad RMS.
struct Noise {
  /// What rounding the model's angle to whole degrees would make. At rest, where that depends on
  /// the angle alone, half a degree: an equal model can be so far away.
  double resolution = 0.0;
  double timing = 0.0;               ///< speed times the uncertainty of the time of reading
  std::optional<double> repetition;  ///< how far runs of the same motion differ; empty = not known

  /// Of all together. Runs that differ contain the other two.
  [[nodiscard]] double rms() const;
};

Noise noise_of(const ReadingPairs& pairs);

/// rad RMS: standard deviation, between runs of the same motion, of the difference from the model.
/// Compared at the same time since each run's first reading; empty with fewer than 20 such times.
std::optional<double> repetition_noise(const ReadingPairs& run,
                                       const std::vector<ReadingPairs>& repeats);

}  // namespace kagami::tools
