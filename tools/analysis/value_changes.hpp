/// What one set of a controller's values differs in from the one before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/channels/cycle_types.hpp"

namespace kagami::tools {

/// The values of a set, as many as it has.
std::vector<double> values_of(const runtime::Tuning& set);

/// One value that a set changed. Where its name is not known, its number from 1.
struct ValueDifference {
  std::string name;
  std::optional<double> from;  ///< empty: not known
  double to = 0.0;
};
std::vector<ValueDifference> differences(const std::vector<std::string>& names,
                                         const std::vector<double>& before,
                                         const std::vector<double>& now);
/// "pid/left_knee/kp 0.2 -> 0.7, ..."
std::string differences_text(const std::vector<ValueDifference>& all);

}  // namespace kagami::tools
