/// What a trim costs: the part of a joint's travel that cannot be reached any more.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/wiring.hpp"

namespace kagami::tools {

/// A board adds the trim to the count, and the servo has 0..180 degrees. With a trim t the counts
/// max(0, -t)..min(180, 180 - t) can be reached.
struct JointRange {
  int lowest_count = 0;
  int highest_count = 180;
  int lowest_deg = 0;    ///< joint angle
  int highest_deg = 0;   ///< joint angle
  int lost_deg = 0;      ///< of 180
  bool has_home = true;  ///< joint angle 0 can be reached
};

JointRange range_with_trim(const JointWiring& joint, int trim_deg);
/// "3 deg at the upper end"; "-" when nothing is lost.
std::string loss_text(const JointWiring& joint, int trim_deg);

}  // namespace kagami::tools
