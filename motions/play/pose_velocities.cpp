#include "motions/play/pose_velocities.hpp"

#include "motions/play/interpolate.hpp"

namespace kagami::motions {

std::vector<std::vector<double>> pose_velocities(const Motion& motion) {
  const std::vector<Pose>& poses = motion.poses;
  std::vector<std::vector<double>> velocity(poses.size(),
                                            std::vector<double>(motion.joints.size(), 0.0));
  if (motion.easing == Easing::kMinimumJerk) return velocity;
  for (std::size_t p = 1; p + 1 < poses.size(); ++p) {
    for (std::size_t j = 0; j < motion.joints.size(); ++j) {
      const double before = poses[p - 1].angle[j].value_or(0.0);
      const double here = poses[p].angle[j].value_or(0.0);
      const double after = poses[p + 1].angle[j].value_or(0.0);
      velocity[p][j] = pose_velocity((here - before) / poses[p].duration,
                                     (after - here) / poses[p + 1].duration);
    }
  }
  return velocity;
}

}  // namespace kagami::motions
