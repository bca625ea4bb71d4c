#include "tools/robot/fixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

/// Differences of one joint, count read minus count expected, over the poses that hold it.
std::vector<double> differences_of(const JointWiring& joint,
                                   const std::vector<FixtureReading>& readings) {
  std::vector<double> differences;
  for (const FixtureReading& r : readings) {
    differences.push_back(r.count - (joint.home_deg + joint.sign * r.angle_deg));
  }
  return differences;
}

// why these readings cannot be used; empty: they can
std::string problem_of(const JointWiring& joint, const std::vector<double>& differences,
                       const CalibrationRules& rules) {
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  if (*most - *least > rules.spread_deg) {
    return fmt::format(
        "{}: the differences of its poses are {:+.0f}..{:+.0f} deg, expected the same within {} "
        "deg: check its sign and channel in robot.json, and the fixture",
        joint.joint, *least, *most, rules.spread_deg);
  }
  const double largest = std::max(std::abs(*least), std::abs(*most));
  if (largest > rules.most_deg) {
    return fmt::format(
        "{}: differs by {:.0f} deg, expected at most {} deg (--most): is the joint in the pose?",
        joint.joint, largest, rules.most_deg);
  }
  return "";
}

/// Puts the offset (deg of count) into home or trim; the reason why not, or empty.
std::string apply_offset(const JointWiring& joint, int offset, CalibrateAs as,
                         CalibratedJoint& result) {
  // at the true zero the board reads home + offset. Either that is the home, or the trim shifts
  // the servo so that the board reads the home there: its shaft stays at count + trim.
  if (as == CalibrateAs::kHome) {
    result.home_deg = joint.home_deg + offset;
    if (result.home_deg >= 0 && result.home_deg <= 180) return "";
    return joint.joint + ": its home would be " + std::to_string(result.home_deg) +
           " deg, expected 0..180: fasten the horn one tooth further";
  }
  result.trim_deg += offset;
  if (result.trim_deg >= -20 && result.trim_deg <= 19) return "";
  return joint.joint + ": its trim would be " + std::to_string(result.trim_deg) +
         " deg, expected -20..19: use --as home, or fasten the horn one tooth further";
}

/// With kTrim the boards' trim is the present one, whatever robot.json states.
void keep_board_trim(int board_trim, CalibratedJoint& result) {
  if (result.trim_deg != board_trim) {
    result.why = fmt::format("robot.json stated the trim {} deg", result.trim_deg);
  }
  result.trim_deg = board_trim;
  result.trim_before_deg = board_trim;
}

std::vector<FixtureReading> readings_of(std::size_t joint, const std::vector<FixturePose>& poses,
                                        const PoseCounts& counts) {
  std::vector<FixtureReading> readings;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    if (!poses[k].angle_deg[joint] || !counts[k][joint]) continue;
    readings.push_back({*poses[k].angle_deg[joint], *counts[k][joint]});
  }
  return readings;
}

}  // namespace

FixturePose straight_pose(const RobotWiring& wiring) {
  return {.label = "the robot stands straight, its arms hang: all joints at 0 deg",
          .angle_deg = std::vector<std::optional<double>>(wiring.joints.size(), 0.0)};
}

std::vector<FixturePose> fixture_poses(const motions::Motion& motion, const RobotWiring& wiring) {
  std::vector<FixturePose> poses;
  for (const motions::Pose& pose : motion.poses) {
    FixturePose fixture{.label = pose.label,
                        .angle_deg = std::vector<std::optional<double>>(wiring.joints.size())};
    for (std::size_t k = 0; k < motion.joints.size(); ++k) {
      const auto found =
          std::find_if(wiring.joints.begin(), wiring.joints.end(),
                       [&](const JointWiring& joint) { return joint.joint == motion.joints[k]; });
      if (found == wiring.joints.end()) {
        throw ConfigError(motion.file + ": the robot has no joint '" + motion.joints[k] + "'");
      }
      if (!pose.angle[k]) continue;
      // a double comes back from radians as 29.999999999999996
      fixture.angle_deg[static_cast<std::size_t>(found - wiring.joints.begin())] =
          std::round(1e6 * to_deg(*pose.angle[k])) / 1e6;
    }
    poses.push_back(std::move(fixture));
  }
  return poses;
}

void keep_joints(const std::vector<std::string>& joints, const RobotWiring& wiring,
                 std::vector<FixturePose>& poses) {
  if (joints.empty()) return;
  for (FixturePose& pose : poses) {
    for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
      const bool is_kept =
          std::find(joints.begin(), joints.end(), wiring.joints[j].joint) != joints.end();
      if (!is_kept) pose.angle_deg[j].reset();
    }
  }
}

CalibrationVersion calibrate(const RobotWiring& wiring, const CalibrationVersion& present,
                             const std::vector<FixturePose>& poses, const PoseCounts& counts,
                             const BoardTrims& trims, const CalibrationRules& rules) {
  CalibrationVersion version = present;
  std::string problems;
  const auto add = [&](const std::string& problem) {
    if (!problem.empty()) problems += "\n  " + problem;
  };
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    const JointWiring& joint = wiring.joints[j];
    CalibratedJoint& result = version.joints[j];
    const int board_trim = trims[idx(joint.board())][idx(joint.slot())];
    if (rules.as == CalibrateAs::kTrim) keep_board_trim(board_trim, result);
    result.readings = readings_of(j, poses, counts);
    if (result.readings.empty()) continue;
    const std::vector<double> differences = differences_of(joint, result.readings);
    const std::string problem = problem_of(joint, differences, rules);
    add(problem);
    if (!problem.empty()) continue;
    double sum = 0.0;
    for (const double difference : differences) sum += difference;
    const int offset = static_cast<int>(std::lround(sum / static_cast<double>(differences.size())));
    if (offset == 0) continue;
    add(apply_offset(joint, offset, rules.as, result));
    if (!result.why.empty()) result.why += "; ";
    result.why += fmt::format("reads {:+} deg beside the fixture in {} {}", offset,
                              differences.size(), differences.size() == 1 ? "pose" : "poses");
  }
  if (!problems.empty()) throw ConfigError("nothing is calibrated:" + problems);
  return version;
}

}  // namespace kagami::tools
