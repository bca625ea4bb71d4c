#include "motions/file/motion.hpp"

#include <algorithm>

namespace kagami::motions {

bool Motion::has_speed_codes() const {
  return std::all_of(poses.begin(), poses.end(),
                     [](const Pose& pose) { return pose.speed.has_value(); });
}

double Motion::duration() const {
  double sum = 0.0;
  for (std::size_t i = 1; i < poses.size(); ++i) sum += poses[i].duration;
  return sum;
}

}  // namespace kagami::motions
