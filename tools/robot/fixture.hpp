/// Home and trim from readings in poses whose joint angles are known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "motions/file/motion.hpp"
#include "tools/robot/calibration_file.hpp"
#include "tools/robot/trim.hpp"

namespace kagami::tools {

/// A pose into which the robot is put, and the joints that it holds.
struct FixturePose {
  std::string label;                             ///< what to do
  std::vector<std::optional<double>> angle_deg;  ///< model order; empty: not held
};

/// Standing straight, arms hanging: every joint at 0 deg.
FixturePose straight_pose(const RobotWiring& wiring);
/// The poses of a motion file: a joint is held where its angle is given, not where it is null.
/// Throws ConfigError for a joint that the robot does not have.
std::vector<FixturePose> fixture_poses(const motions::Motion& motion, const RobotWiring& wiring);
/// Leaves these joints alone.
void keep_joints(const std::vector<std::string>& joints, const RobotWiring& wiring,
                 std::vector<FixturePose>& poses);

/// What the difference is put into.
enum class CalibrateAs {
  kHome,  ///< home of robot.json: the boards stay as they are
  kTrim,  ///< trim of the boards, and of robot.json
};

struct CalibrationRules {
  CalibrateAs as = CalibrateAs::kHome;
  int most_deg = 20;   ///< a larger difference is a wrong pose, not a calibration
  int spread_deg = 3;  ///< between the differences of one joint in several poses
};

/// One reading of the whole robot for each pose; per joint its count, or nothing when skipped.
using PoseCounts = std::vector<std::vector<std::optional<int>>>;

/// The version that follows from the readings. With kTrim `trims` are those of the boards. Throws
/// ConfigError that lists every joint whose readings contradict each other or lead out of range.
CalibrationVersion calibrate(const RobotWiring& wiring, const CalibrationVersion& present,
                             const std::vector<FixturePose>& poses, const PoseCounts& counts,
                             const BoardTrims& trims, const CalibrationRules& rules);

}  // namespace kagami::tools
