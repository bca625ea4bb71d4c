/// A motion: key poses of named joints in radians, with durations or the boards' speed codes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/base/wiring.hpp"

namespace kagami::motions {

inline constexpr int kMaxPoses = 10'000;

struct Pose {
  std::string label;
  std::vector<std::optional<double>> angle;  ///< rad per joint of Motion::joints; empty = unchanged
  std::optional<int> speed;                  ///< 0..7, the original code
  double duration = 0.0;  ///< s from the previous pose; computed from the code if absent
};

struct Motion {
  std::string name;
  std::string note;                 ///< provenance
  std::vector<std::string> joints;  ///< names; the robot's model order after `bind`
  std::vector<Pose> poses;
  bool loop = false;
  std::vector<std::string> warnings;  ///< what the reader clipped or skipped

  /// Every pose has a speed code: the boards can interpolate it themselves.
  [[nodiscard]] bool has_speed_codes() const;
  /// Seconds from the first pose to the last.
  [[nodiscard]] double duration() const;
};

}  // namespace kagami::motions
