/// How two motions differ.
#pragma once

#include <string>
#include <vector>

#include "motions/file/motion.hpp"

namespace kagami::motions {

struct JointDifference {
  std::string joint;
  double rms = 0.0;   ///< rad, over the longer motion's duration
  double most = 0.0;  ///< rad, second minus first where it is largest
  double at = 0.0;    ///< s, there
};

struct MotionDifference {
  int poses_1 = 0, poses_2 = 0;
  double duration_1 = 0.0, duration_2 = 0.0;  ///< s
  std::vector<JointDifference> joints;        ///< all, in model order
  /// A sentence per difference that is not an angle: loop, start, easing, labels, speed codes.
  std::vector<std::string> others;

  [[nodiscard]] bool is_equal() const;
  [[nodiscard]] double largest() const;  ///< rad, of all joints, without sign
};

/// Both bound to the same robot; straight lines between the poses, the shorter motion holds its
/// last pose.
MotionDifference difference(const Motion& first, const Motion& second);

}  // namespace kagami::motions
