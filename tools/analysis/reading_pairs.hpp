/// Readings of one joint beside the model's angle at each reading's own time.
#pragma once

#include <vector>

#include "tools/analysis/series.hpp"

namespace kagami::tools {

/// All of one length. Readings outside the simulated curve are left out.
struct ReadingPairs {
  std::vector<double> time;        ///< s, rising
  std::vector<double> measured;    ///< rad
  std::vector<double> simulated;   ///< rad, not rounded
  std::vector<double> half_width;  ///< s, of the interval in which the servo was read; 0 = unknown

  [[nodiscard]] std::size_t size() const { return time.size(); }
  /// rad, simulated minus measured.
  [[nodiscard]] double difference(std::size_t i) const { return simulated[i] - measured[i]; }
};

ReadingPairs reading_pairs(const RunSeries& run, std::size_t joint);

}  // namespace kagami::tools
