/// The run of one servo, repeated with other parameters while the rest of the robot moves as the
/// shadow model did.
#pragma once

#include <span>
#include <vector>

#include "tools/gap/drive_history.hpp"

namespace kagami::tools {

/// Grid points, the last one not included.
struct GridRange {
  std::size_t first = 0;
  std::size_t last = 0;
  [[nodiscard]] std::size_t size() const { return last - first; }
};

/// A servo with the load that acts on its joint: a share of the shadow model's, and a share of
/// another one (N m, on the whole grid).
struct JointModel : ServoParameters {
  double load_scale = 1.0;
  const std::vector<float>* more_load = nullptr;
  double more_load_scale = 0.0;

  [[nodiscard]] double load(const JointDrive& drive, std::size_t k) const {
    const double load = load_scale * drive.load[k];
    return more_load == nullptr ? load : load + more_load_scale * (*more_load)[k];
  }
};

/// Angles (rad) on that part of the grid, of each model from rest at the shadow model's angle.
/// J a = tau(servo, ramp) - load, semi-implicit; what the change does to the other
/// joints and back is left out. With the drive's own servo it follows the shadow model but for the
/// longer step. Several models at once take a third of the time.
void replay_joint(const JointDrive& drive, std::span<const JointModel> models, GridRange range,
                  double step, std::vector<std::vector<double>>& angles);

}  // namespace kagami::tools
