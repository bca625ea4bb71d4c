/// Where the gap between robot and model comes from, joint by joint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/gap/cause.hpp"
#include "tools/gap/drive_history.hpp"

namespace kagami::tools {

/// A cause that was found, with what it takes away from the joint's mean square gap.
struct FoundCause {
  Cause cause = Cause::kTrim;
  double amount = 0.0;       ///< SI, added to the model's own; see cause_scale
  double uncertainty = 0.0;  ///< SI, one standard deviation; 0 = none known
  double square = 0.0;       ///< rad^2
  /// Another one that explains nearly as much: the motion does not distinguish them.
  std::optional<Cause> or_else{};
  int other_joint = -1;  ///< with which its channel is swapped
};

/// Of one joint. The squares add up: mean_square = sum of the causes + resolution + unexplained.
struct JointExplanation {
  std::string joint;
  std::size_t readings = 0;
  double tracking = 0.0;     ///< rad^2, mean square of measured minus reference
  double mean_square = 0.0;  ///< rad^2, measured minus simulated
  double resolution = 0.0;   ///< rad^2, what reading in steps alone would leave, at most the rest
  double unexplained = 0.0;  ///< rad^2
  std::vector<FoundCause> causes;       ///< in the order in which they were found
  std::vector<Cause> not_identifiable;  ///< a usual amount would change nothing that can be read
  ServoParameters fitted;               ///< the model's servo with the causes in
};

/// Every joint. Causes are searched in at most a minute of the run, where the joint moves most;
/// what they explain is then counted over all of it. A joint without readings has none.
std::vector<JointExplanation> explain_gap(const DriveHistory& history);

}  // namespace kagami::tools
