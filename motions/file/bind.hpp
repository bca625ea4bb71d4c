/// Puts a motion into a robot's joint order, completes and checks it.
#pragma once

#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"

namespace kagami::motions {

/// The motion as this robot plays it: joints in model order, every angle of every pose present
/// (unchanged ones carried over, joints never mentioned at 0 = home), every duration known. Angles
/// keep the file's digits: they are rounded to the boards' whole degrees when they are sent. From a
/// speed code the duration is that of the slower board; a duration that the file gives beside a
/// code must not be shorter. Throws ConfigError that lists unknown joints, wrong counts, angles
/// outside the soft limits or counts outside 0..180 by pose and joint. Set-up only.
Motion bind_motion(const Motion& motion, const RobotWiring& wiring);

/// Largest change of a channel between two complete poses of a bound motion as the boards make it,
/// whole degrees.
double largest_travel_deg(const Pose& from, const Pose& to);

/// The speed code whose time for this travel is nearest to `duration` s.
int nearest_speed_code(const SpeedTable& speed, double travel_deg, double duration);

/// Count 0..180 of a joint at this angle (rad), rounded; may lie outside for a wrong angle.
int count_of(const JointWiring& joint, double angle);
/// The nearest angle that a board can be sent, rad: whole degrees.
double sent_angle(double angle);
/// Joint angle at this count, rad.
double angle_of(const JointWiring& joint, int count);

}  // namespace kagami::motions
