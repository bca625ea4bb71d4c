#include "motions/file/bind.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/number_text.hpp"
#include "motions/file/problems.hpp"

namespace kagami::motions {
namespace {

constexpr double kLimitSlack = 1e-9;     // rad; a limit in degrees, converted twice, still holds
constexpr double kDurationSlack = 1e-6;  // s

std::string label_of(const Motion& motion, std::size_t pose) {
  const std::string& label = motion.poses[pose].label;
  return "pose " + std::to_string(pose) + (label.empty() ? "" : " (" + label + ")");
}

// index into the motion's joints for each joint of the robot, -1 = not mentioned
std::vector<int> match_joints(const Motion& motion, const RobotWiring& wiring, Problems& problems) {
  std::vector<int> column(wiring.joints.size(), -1);
  std::string names;
  for (const JointWiring& joint : wiring.joints) names += (names.empty() ? "" : ", ") + joint.joint;
  for (std::size_t i = 0; i < motion.joints.size(); ++i) {
    const auto found =
        std::find_if(wiring.joints.begin(), wiring.joints.end(),
                     [&](const JointWiring& joint) { return joint.joint == motion.joints[i]; });
    const std::string place = "joint " + std::to_string(i);
    if (found == wiring.joints.end()) {
      problems.add(place, "'" + motion.joints[i] + "' is unknown, expected one of: " + names);
      continue;
    }
    int& entry = column[static_cast<std::size_t>(found - wiring.joints.begin())];
    if (entry >= 0) problems.add(place, "duplicate joint '" + motion.joints[i] + "'");
    entry = static_cast<int>(i);
  }
  return column;
}

void check_shape(const Motion& motion, Problems& problems) {
  if (motion.poses.empty()) problems.add("poses", "the motion is empty, expected at least 1 pose");
  if (motion.poses.size() > kMaxPoses) {
    problems.add("poses", std::to_string(motion.poses.size()) + " poses, expected at most " +
                              std::to_string(kMaxPoses));
  }
  for (std::size_t p = 0; p < motion.poses.size(); ++p) {
    const Pose& pose = motion.poses[p];
    if (pose.angle.size() != motion.joints.size()) {
      problems.add(label_of(motion, p), std::to_string(pose.angle.size()) + " angles, expected " +
                                            std::to_string(motion.joints.size()));
    }
    if (pose.speed && (*pose.speed < 0 || *pose.speed >= kSpeedCodes)) {
      problems.add(label_of(motion, p), "speed " + std::to_string(*pose.speed) + ", expected 0..7");
    }
    if (!std::isfinite(pose.duration) || pose.duration < 0.0 ||
        (!pose.speed && pose.duration == 0.0)) {
      problems.add(label_of(motion, p), "duration " + number_text(pose.duration) +
                                            " s, expected a speed code or a duration above 0");
    }
  }
}

std::string degrees_text(double angle) {
  return number_text(std::round(to_deg(angle) * 1e3) / 1e3);
}

void check_angle(const JointWiring& joint, double angle, const Motion& motion, std::size_t pose,
                 Problems& problems) {
  const auto place = [&] { return label_of(motion, pose) + ", " + joint.joint; };
  if (!std::isfinite(angle)) return problems.add(place(), "is not a finite angle");
  const int count = count_of(joint, angle);
  if (count < 0 || count > 180) {
    return problems.add(place(), degrees_text(angle) + " deg is count " + std::to_string(count) +
                                     " of channel " + std::to_string(joint.channel) +
                                     ", expected 0..180");
  }
  if (angle < joint.soft_min - kLimitSlack || angle > joint.soft_max + kLimitSlack) {
    problems.add(place(), degrees_text(angle) + " deg is outside [" + degrees_text(joint.soft_min) +
                              ", " + degrees_text(joint.soft_max) + "] deg");
  }
}

Motion with_complete_poses(const Motion& motion, const RobotWiring& wiring, Problems& problems) {
  const std::vector<int> column = match_joints(motion, wiring, problems);
  check_shape(motion, problems);
  problems.throw_if_any();

  Motion bound = motion;
  bound.joints.clear();
  for (const JointWiring& joint : wiring.joints) bound.joints.push_back(joint.joint);
  std::vector<double> present(wiring.joints.size(), 0.0);
  for (std::size_t p = 0; p < motion.poses.size(); ++p) {
    bound.poses[p].angle.assign(wiring.joints.size(), std::nullopt);
    for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
      const int from = column[j];
      const bool is_given =
          from >= 0 && motion.poses[p].angle[static_cast<std::size_t>(from)].has_value();
      if (is_given || p == 0) {
        const double angle =
            is_given ? *motion.poses[p].angle[static_cast<std::size_t>(from)] : 0.0;
        check_angle(wiring.joints[j], angle, motion, p, problems);
        present[j] = angle;
      }
      bound.poses[p].angle[j] = present[j];
    }
  }
  return bound;
}

void fill_durations(const RobotWiring& wiring, Motion& bound, Problems& problems) {
  for (std::size_t p = 0; p < bound.poses.size(); ++p) {
    Pose& pose = bound.poses[p];
    if (!pose.speed) continue;
    // the first pose's own time counts when the motion loops: it is reached from the last
    const Pose& before = bound.poses[p == 0 ? bound.poses.size() - 1 : p - 1];
    const double board_time = wiring.speed.duration(*pose.speed, largest_travel_deg(before, pose));
    if (pose.duration > 0.0 && pose.duration < board_time - kDurationSlack && p > 0) {
      problems.add(label_of(bound, p), "duration_s " + number_text(pose.duration) +
                                           " is shorter than the " + number_text(board_time) +
                                           " s that the boards need at speed " +
                                           std::to_string(*pose.speed));
    }
    pose.duration = std::max(pose.duration, board_time);
  }
}

}  // namespace

int count_of(const JointWiring& joint, double angle) {
  const double offset_deg = std::clamp(to_deg(angle), -1000.0, 1000.0);
  return joint.home_deg + joint.sign * static_cast<int>(std::lround(offset_deg));
}

double angle_of(const JointWiring& joint, int count) {
  return to_rad(joint.sign * (count - joint.home_deg));
}

double sent_angle(double angle) {
  return to_rad(static_cast<double>(std::lround(std::clamp(to_deg(angle), -1000.0, 1000.0))));
}

double largest_travel_deg(const Pose& from, const Pose& to) {
  double travel = 0.0;
  for (std::size_t j = 0; j < std::min(from.angle.size(), to.angle.size()); ++j) {
    const double way =
        to_deg(sent_angle(to.angle[j].value_or(0.0)) - sent_angle(from.angle[j].value_or(0.0)));
    travel = std::max(travel, std::abs(std::round(way)));
  }
  return travel;
}

int nearest_speed_code(const SpeedTable& speed, double travel_deg, double duration) {
  int nearest = 0;
  for (int code = 1; code < kSpeedCodes; ++code) {
    const auto error = [&](int c) { return std::abs(speed.duration(c, travel_deg) - duration); };
    if (error(code) < error(nearest)) nearest = code;
  }
  return nearest;
}

Motion bind_motion(const Motion& motion, const RobotWiring& wiring) {
  Problems problems(motion.file.empty() ? motion.name : motion.file);
  Motion bound = with_complete_poses(motion, wiring, problems);
  problems.throw_if_any();
  fill_durations(wiring, bound, problems);
  problems.throw_if_any();
  return bound;
}

}  // namespace kagami::motions
