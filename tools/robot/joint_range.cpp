#include "tools/robot/joint_range.hpp"

#include <algorithm>
#include <cstdlib>

namespace kagami::tools {
namespace {

constexpr int kTravelDeg = 180;

}  // namespace

JointRange range_with_trim(const JointWiring& joint, int trim_deg) {
  JointRange range;
  range.lowest_count = std::max(0, -trim_deg);
  range.highest_count = std::min(kTravelDeg, kTravelDeg - trim_deg);
  const int a = joint.sign * (range.lowest_count - joint.home_deg);
  const int b = joint.sign * (range.highest_count - joint.home_deg);
  range.lowest_deg = std::min(a, b);
  range.highest_deg = std::max(a, b);
  range.lost_deg = kTravelDeg - (range.highest_count - range.lowest_count);
  range.has_home = joint.home_deg >= range.lowest_count && joint.home_deg <= range.highest_count;
  return range;
}

std::string loss_text(const JointWiring& joint, int trim_deg) {
  if (trim_deg == 0) return "-";
  // a positive trim takes counts at 180, which are the joint's upper end with a positive sign
  const bool is_upper = (trim_deg > 0) == (joint.sign > 0);
  return std::to_string(std::abs(trim_deg)) + " deg at the " + (is_upper ? "upper" : "lower") +
         " end" + (range_with_trim(joint, trim_deg).has_home ? "" : ", 0 deg cannot be reached");
}

}  // namespace kagami::tools
