/// Robot and model while a joint holds still: the simplest gap, trim and sag alone.
#pragma once

#include <cstddef>
#include <optional>

#include "tools/analysis/reading_pairs.hpp"

namespace kagami::tools {

/// Times of at least 0.5 s in which the model's joint stays within half a degree; the first 0.3 s
/// and last 0.1 s of each are left out: the robot may still arrive, the next move may have begun.
struct Holds {
  std::size_t count = 0;
  double seconds = 0.0;  ///< of all together, without what was left out
  double bias = 0.0;     ///< rad, mean over the holds of simulated minus measured
  /// rad, standard deviation between holds in different poses: sag, play and friction. Empty with
  /// fewer than two holds that are 2 deg apart.
  std::optional<double> spread;
};

/// Empty without a hold.
std::optional<Holds> find_holds(const ReadingPairs& pairs);

}  // namespace kagami::tools
