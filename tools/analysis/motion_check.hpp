/// What is known of a motion before it moves a robot: angles, speeds, the first pose.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"
#include "motions/play/player.hpp"

namespace kagami::tools {

/// Green: nothing found; amber: the robot will deviate from the file; red: it must
/// not or cannot play it.
enum class Verdict : std::uint8_t { kGreen, kAmber, kRed };

struct CheckFinding {
  Verdict level = Verdict::kAmber;
  std::string kind;            ///< "file", "angle", "speed", "start", "fall"
  std::string joint{};         ///< empty: none
  std::optional<double> at{};  ///< s of the motion's time
  std::string text;            ///< one sentence
};

/// Range and speed of one joint in the motion, without lead-in and settling.
struct CheckedJoint {
  std::string name;
  double least = 0.0;      ///< rad
  double most = 0.0;       ///< rad
  double soft_min = 0.0;   ///< rad
  double soft_max = 0.0;   ///< rad
  double top_speed = 0.0;  ///< rad/s
};

struct MotionCheck {
  std::string motion;
  std::string file;
  motions::PlayMode mode = motions::PlayMode::kStream;
  double duration = 0.0;     ///< s
  double speed_limit = 0.0;  ///< rad/s, of the boards' fastest speed code
  std::vector<CheckFinding> findings;
  std::vector<CheckedJoint> joints;  ///< model order

  /// The worst finding's.
  [[nodiscard]] Verdict verdict() const noexcept;
};

/// Plays the bound motion tick by tick (1 kHz) without a robot. Angles between the poses may leave
/// the soft limits and speeds may be above what the boards can do, due to the interpolation;
/// a first pose more than 3 deg from `present` (rad, model order) is reached by a lead-in.
/// Throws ConfigError for a motion that this mode cannot play.
MotionCheck check_motion(const motions::Motion& bound, const RobotWiring& wiring,
                         motions::PlayMode mode,
                         const std::optional<JointArray<double>>& present = std::nullopt);

/// kagami.motion_check/1, angles in deg.
nlohmann::json motion_check_json(const MotionCheck& check);

}  // namespace kagami::tools
