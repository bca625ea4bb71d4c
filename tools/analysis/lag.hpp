/// How much later than the model a joint moves.
#pragma once

#include <optional>
#include <vector>

#include "tools/analysis/series.hpp"

namespace kagami::tools {

/// Largest lag that is looked for, s.
inline constexpr double kLargestLag = 0.3;

struct Lag {
  double seconds = 0.0;  ///< positive = the robot is later
  double sigma = 0.0;    ///< s, one standard deviation: from what the best shift leaves of the
                         ///< difference, five neighbouring readings counted as one
};

/// The shift of the simulated curve (s, positive = the robot is later) with the least mean square
/// difference to the readings after their mean difference is taken out; refined between the steps
/// by a parabola. Where several shifts are nearly as good (a periodic motion), the one nearest to
/// zero. Readings whose shifted time leaves the curve are left out.
///
/// Empty when the joint does not move (simulated range under 3 deg), when no shift explains half of
/// what the readings vary, when the best lies at the end of the search, or when rounding to whole
/// degrees alone makes it uncertain by more than 2 ms.
std::optional<Lag> find_lag(const JointReadings& readings, const std::vector<double>& tick_time,
                            const std::vector<double>& simulated);

}  // namespace kagami::tools
