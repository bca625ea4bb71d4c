/// How a joint answers at one frequency, in proportion to its model.
#pragma once

#include <vector>

#include "tools/analysis/reading_pairs.hpp"

namespace kagami::tools {

struct ResponsePoint {
  double frequency = 0.0;  ///< Hz
  double gain = 1.0;       ///< amplitude of the robot in proportion to the model's
  double phase = 0.0;      ///< rad, negative = the robot is later; -pi..pi
  double coherence = 0.0;  ///< 0..1, share of the readings that a linear relation explains
  double amplitude = 0.0;  ///< rad, of the model
};

/// At frequencies from 0.25 Hz in steps of half an octave, where the motion excites them: an
/// amplitude of the model of at least 0.5 deg, a coherence of at least 0.9. Cross-spectra of
/// overlapping segments with a Hann window (Welch 1967), taken at the readings' own times, so that
/// both curves are sampled alike.
std::vector<ResponsePoint> frequency_response(const ReadingPairs& pairs);

}  // namespace kagami::tools
