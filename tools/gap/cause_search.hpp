/// Finds the causes of one joint's gap, the one that explains most first.
#pragma once

#include <vector>

#include "tools/gap/explain.hpp"
#include "tools/gap/joint_fit.hpp"

namespace kagami::tools {

/// Adds causes while one explains a part of the gap that counts, and fits all of them again after
/// each. `resolution` (rad^2): what no cause can explain.
std::vector<FoundCause> search_causes(JointFit& fit, double resolution);

/// Those of which a usual amount changes nothing that can be read.
std::vector<Cause> not_identifiable_causes(JointFit& fit);

}  // namespace kagami::tools
