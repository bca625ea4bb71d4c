/// Overshoot of a motion: the literature's definition for a step, applied to each of its strokes.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/tune/metrics.hpp"

namespace kagami::tools {

/// A reference on its way from one turn or stop to the next.
struct Stroke {
  std::size_t begin = 0;  ///< index of the reference's last value before it moves
  std::size_t end = 0;    ///< of the first value at which it has come where it turns or stops
  double from = 0.0;      ///< rad
  double to = 0.0;        ///< rad
};

/// A stroke ends where the reference turns back by more than a degree, or rests for 0.1 s.
std::vector<Stroke> strokes_of(const std::vector<double>& reference, double dt);

/// %: of each stroke of at least `least` rad, how far the joint went beyond its end before the next
/// stroke is over (before it begins, when it goes the same way), of that stroke's own length; the
/// largest. Only of strokes that the joint begins within a tenth of their length of where they
/// begin, as a step does: what is left of the stroke before is lag. 0 without such a stroke. Of a
/// single step it is StepMetrics::overshoot.
double stroke_overshoot(const Response& response, double least);

}  // namespace kagami::tools
