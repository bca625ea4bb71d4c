/// The run of one servo, repeated with other parameters while the rest of the robot moves as the
/// shadow model did.
#pragma once

#include <vector>

#include "tools/gap/drive_history.hpp"

namespace kagami::tools {

/// Grid points, the last one not included.
struct GridRange {
  std::size_t first = 0;
  std::size_t last = 0;
  [[nodiscard]] std::size_t size() const { return last - first; }
};

/// Angles (rad) on that part of the grid, from rest at the shadow model's angle. J a = tau(servo,
/// ramp) - load_scale * load, semi-implicit; what the change does to the other joints and back is
/// left out. With the drive's own servo it follows the shadow model but for the longer step.
void replay_joint(const JointDrive& drive, const ServoParameters& servo, double load_scale,
                  GridRange range, double step, std::vector<double>& angle);

}  // namespace kagami::tools
