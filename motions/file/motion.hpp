/// A motion: key poses of named joints in radians, with durations or the boards' speed codes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kagami::motions {

/// Most poses of a motion, whatever its file. A board itself stores at most kMaxStoredPoses.
inline constexpr int kMaxPoses = 200'000;
inline constexpr int kMaxStoredPoses = 100;

/// How `stream` mode passes the key poses; docs/math/interpolation.md.
enum class Easing : std::uint8_t {
  kSpline,       ///< passes through the poses, at rest where a joint turns round or pauses
  kMinimumJerk,  ///< every joint comes to rest at every pose
};

/// How the robot is on the floor before its first pose.
enum class Start : std::uint8_t {
  kStanding,
  kLyingFront,  ///< face down, the joints in the first pose
  kLyingBack,   ///< face up, the joints in the first pose
};

struct Pose {
  std::string label;  ///< may be empty
  /// rad per joint of Motion::joints, zero = factory home; empty = as in the pose before.
  std::vector<std::optional<double>> angle;
  /// Speed code 0 (fastest) .. 7 as in the file; kept so that it can be written back.
  std::optional<int> speed;
  /// s from the previous pose (of the first pose: from the last, when looping). 0 = not given by
  /// the file; `bind_motion` computes it from the speed code. At least one of the two is given.
  double duration = 0.0;
};

struct Motion {
  std::string name;
  std::string note;                 ///< what it is, for people
  std::string source;               ///< provenance, may be empty
  std::vector<std::string> joints;  ///< names; the robot's model order after `bind_motion`
  std::vector<Pose> poses;
  bool loop = false;
  Start start = Start::kStanding;
  Easing easing = Easing::kSpline;
  std::string file;                   ///< where it was read, for messages; not written back
  std::vector<std::string> warnings;  ///< what the reader clipped, skipped or rounded

  /// Every pose has a speed code: the boards can interpolate it themselves.
  [[nodiscard]] bool has_speed_codes() const;
  /// Seconds from the first pose to the last; needs a bound motion.
  [[nodiscard]] double duration() const;
};

}  // namespace kagami::motions
