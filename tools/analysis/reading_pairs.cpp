#include "tools/analysis/reading_pairs.hpp"

#include <cmath>

namespace kagami::tools {

ReadingPairs reading_pairs(const RunSeries& run, std::size_t joint) {
  const JointReadings& readings = run.joints[joint];
  ReadingPairs pairs;
  for (std::size_t i = 0; i < readings.time.size(); ++i) {
    const double simulated =
        value_at(run.simulated.time, run.simulated.angle[joint], readings.time[i]);
    if (!std::isfinite(simulated) || !std::isfinite(readings.angle[i])) continue;
    pairs.time.push_back(readings.time[i]);
    pairs.measured.push_back(readings.angle[i]);
    pairs.simulated.push_back(simulated);
    pairs.half_width.push_back(i < readings.half_width.size() ? readings.half_width[i] : 0.0);
  }
  return pairs;
}

}  // namespace kagami::tools
