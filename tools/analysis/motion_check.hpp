/// What is known of a motion before it moves a robot: angles, speeds, the first pose, and what the
/// twin did with it.
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
  std::string kind;            ///< "angle", "speed", ...: docs/check.md lists them
  std::string joint{};         ///< empty: none
  std::optional<double> at{};  ///< s of the motion's time; negative: before its first pose
  std::string text;            ///< one sentence
};

/// What the servo of one joint gave on the twin, lead-in and settling included.
struct JointLoad {
  double stall_torque = 0.0;      ///< N m
  double top_torque = 0.0;        ///< N m
  double top_torque_at = 0.0;     ///< s
  double rms_torque = 0.0;        ///< N m
  double heat = 0.0;              ///< W, mean loss in the winding
  double longest_at_limit = 0.0;  ///< s
};

/// Range and speed of one joint in the motion, without lead-in and settling.
struct CheckedJoint {
  std::string name;
  double least = 0.0;               ///< rad
  double most = 0.0;                ///< rad
  double soft_min = 0.0;            ///< rad
  double soft_max = 0.0;            ///< rad
  double top_speed = 0.0;           ///< rad/s
  double top_speed_at = 0.0;        ///< s
  std::optional<JointLoad> load{};  ///< empty: not played on the twin
};

/// The serial line while the motion was played.
struct LineBudget {
  double bytes_per_round = 0.0;  ///< in both directions, over all boards
  double round = 0.0;            ///< s, of one command to every board and its answer
  double byte_share = 0.0;       ///< of that time, on the wire
  double shortest_pose = 0.0;    ///< s, at the played speed; 0: a single pose
};

/// The motion as twin and virtual robot played it. Empty: not known, or nothing to find.
struct TwinPlay {
  std::optional<bool> fell_robot;
  std::optional<bool> fell_shadow;
  std::optional<double> rms_deg;  ///< of both
  double line_cycle_hz = 0.0;
  LineBudget line;
  std::optional<double> least_margin;     ///< m
  std::optional<double> least_margin_at;  ///< s
  std::optional<double> outside_share;    ///< of the time with support, at a negative margin
  std::optional<double> longest_slip;     ///< m
  std::optional<double> nearest_links;    ///< m, 0.02 at most; negative: they overlap
  std::string nearest_link_a{};           ///< empty: all links are farther apart than that
  std::string nearest_link_b{};
};

struct MotionCheck {
  std::string motion;
  std::string file;
  motions::PlayMode mode = motions::PlayMode::kStream;
  double duration = 0.0;     ///< s
  double speed_limit = 0.0;  ///< rad/s, of the boards' fastest speed code
  std::vector<CheckFinding> findings;
  std::vector<CheckedJoint> joints;  ///< model order
  std::optional<TwinPlay> twin{};    ///< empty: not played

  /// The worst finding's.
  [[nodiscard]] Verdict verdict() const noexcept;
};

/// "green", "amber", "red".
const char* name(Verdict verdict) noexcept;

/// Plays the bound motion tick by tick (1 kHz) without a robot, at `speed` times its own. Angles
/// between the poses may leave the soft limits and speeds may be above what the boards can do, due
/// to the interpolation; a first pose more than 3 deg from `present` (rad, model order) is reached
/// by a lead-in. Throws ConfigError for a motion that this mode cannot play.
MotionCheck check_motion(const motions::Motion& bound, const RobotWiring& wiring,
                         motions::PlayMode mode,
                         const std::optional<JointArray<double>>& present = std::nullopt,
                         double speed = 1.0);

/// A finding of the kind "speed": a joint that would have to turn faster than `limit` (rad/s),
/// which `whose` reaches; red beyond twice the limit.
CheckFinding speed_finding(const CheckedJoint& joint, double limit, const std::string& whose);

/// kagami.motion_check/1, angles in deg.
nlohmann::json motion_check_json(const MotionCheck& check);

}  // namespace kagami::tools
