/// The first field in which two rows differ, bit by bit.
#pragma once

#include <optional>
#include <string>

#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

struct FieldDifference {
  std::string field;  ///< "phase", "q_simulated[3]", "event_value[0]"
  std::string first;  ///< value in full digits; doubles with their bits
  std::string second;
};

/// Compares bits, so NaN equals the same NaN and 0 differs from -0. Joint arrays up to `num_joints`
/// (0..kMaxJoints). Allocates only for a difference.
std::optional<FieldDifference> first_difference(const CycleOutput& first, const CycleOutput& second,
                                                int num_joints);

}  // namespace kagami::runtime
