#include "motions/test/khr1_wiring.hpp"

#include <algorithm>

#include "models/base/angle.hpp"

namespace kagami::test {

RobotWiring khr1_wiring() {
  RobotWiring wiring;
  wiring.boards = {{0, false}, {1, false}};
  const auto add = [&](const char* name, int channel, int sign, int home) {
    const double at_0 = to_rad(sign * (0 - home));
    const double at_180 = to_rad(sign * (180 - home));
    wiring.joints.push_back(
        {name, channel, sign, home, 0, std::min(at_0, at_180), std::max(at_0, at_180)});
  };
  add("head_yaw", 6, -1, 90);
  add("left_shoulder_pitch", 1, -1, 5);
  add("left_shoulder_roll", 2, 1, 0);
  add("left_elbow", 3, 1, 90);
  add("right_shoulder_pitch", 7, 1, 175);
  add("right_shoulder_roll", 8, 1, 180);
  add("right_elbow", 9, 1, 90);
  add("left_hip_roll", 13, -1, 88);
  add("left_hip_pitch", 14, 1, 115);
  add("left_knee", 15, -1, 115);
  add("left_ankle_pitch", 16, -1, 90);
  add("left_ankle_roll", 17, -1, 92);
  add("right_hip_roll", 19, -1, 92);
  add("right_hip_pitch", 20, -1, 65);
  add("right_knee", 21, 1, 65);
  add("right_ankle_pitch", 22, 1, 90);
  add("right_ankle_roll", 23, -1, 88);
  wiring.speed.seconds_per_degree = {0.0028, 0.0030, 0.0032, 0.0034,
                                     0.0036, 0.0038, 0.0086, 0.0178};
  wiring.speed.minimum_travel_deg = 10.0;
  wiring.speed.scaled = true;
  return wiring;
}

}  // namespace kagami::test
