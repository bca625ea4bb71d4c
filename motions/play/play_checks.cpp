#include "motions/play/play_checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "motions/play/stored_program.hpp"
#include "motions/play/time_scale.hpp"

namespace kagami::motions {
namespace {

void check(bool is_right, const Motion& motion, const std::string& problem) {
  if (!is_right)
    throw ConfigError((motion.file.empty() ? motion.name : motion.file) + ": " + problem);
}

}  // namespace

void check_motion(const Motion& motion, const RobotWiring& wiring, PlayMode mode) {
  check(!motion.poses.empty(), motion, "the motion is empty, expected at least 1 pose");
  check(motion.joints.size() == wiring.joints.size() && wiring.joints.size() <= kMaxJoints, motion,
        "the motion is not bound to this robot");
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    check(motion.joints[j] == wiring.joints[j].joint, motion,
          "the motion is not bound to this robot");
  }
  for (const Pose& pose : motion.poses) {
    check(pose.angle.size() == motion.joints.size() && pose.duration > 0.0 &&
              std::all_of(pose.angle.begin(), pose.angle.end(),
                          [](const std::optional<double>& q) { return q && std::isfinite(*q); }),
          motion, "the motion is not bound to this robot");
  }
  check(mode != PlayMode::kKeyframe || motion.has_speed_codes(), motion,
        "not every pose has a speed code, expected stream mode or ramp mode");
  if (mode == PlayMode::kStored) check_stored(motion, wiring);
}

void check_options(const Motion& motion, const PlayOptions& options) {
  const auto in = [](double value, double least, double most) {
    return value >= least && value <= most;
  };
  check(in(options.speed, TimeScale::kMin, TimeScale::kMax), motion,
        "speed " + number_text(options.speed) + " is outside [0.1, 2]");
  check(in(options.lead_in_speed, 0.01, 10.0), motion,
        "lead-in speed " + number_text(options.lead_in_speed) + " is outside [0.01, 10] rad/s");
  check(in(options.settle, 0.0, 60.0), motion,
        "settling time " + number_text(options.settle) + " is outside [0, 60] s");
}

}  // namespace kagami::motions
