/// Where a robot's root link is, as it crosses layers and is recorded.
#pragma once

#include <array>

namespace kagami {

/// The root link B in the world W; z up, the floor at 0.
struct BasePose {
  double x = 0.0;        ///< m
  double y = 0.0;        ///< m
  double z = 0.0;        ///< m
  double heading = 0.0;  ///< rad, about z: where B's x axis points
  double tilt = 0.0;     ///< rad, 0..pi: between B's z axis and W's
  std::array<double, 4> turn{1.0, 0.0, 0.0,
                             0.0};  ///< R_WB whole: unit quaternion w, x, y, z; w >= 0
};

}  // namespace kagami
