/// The numbers of a hobby servo. The twin's servo model and the virtual robot's plant read the same
/// form, from different files, and compute with them independently.
#pragma once

#include <string>
#include <vector>

#include "models/base/config_fwd.hpp"

namespace kagami {

/// One joint. The chain: board ramp, delay, two first-order filters, P loop, motor line, joint.
struct ServoParameters {
  double delay = 0.016;           ///< s, pulse period between board and servo
  double filter_1 = 0.10;         ///< s, time constant of the first target filter
  double filter_2 = 0.10;         ///< s, of the second
  double kp = 20.0;               ///< N m/rad, position loop
  double kde = 0.5;               ///< N m s/rad, damping by the control, while not saturated
  double stall_torque = 0.853;    ///< N m at nominal supply
  double free_speed = 6.16;       ///< rad/s at no load; the motor line's slope is stall/free
  double rotor_inertia = 0.001;   ///< kg m^2, seen at the joint
  double coulomb_friction = 0.0;  ///< N m, 0 = off
  double dead_band = 0.0;         ///< rad, full width without drive
  double backlash = 0.0;          ///< rad, full width of gear play
  double trim = 0.0;              ///< rad, constant error of the servo's centre
  double viscous_friction = 0.0;  ///< N m s/rad, with and without drive
  double static_friction = 0.0;   ///< N m, added to the Coulomb friction at rest (Stribeck)
  double stribeck_speed = 0.1;    ///< rad/s, where 1/e of that is left
  double load_friction = 0.0;     ///< share of the torque that the gear transmits
  double reading_gain = 0.0;      ///< share: the reading is (1 + gain) times the joint's angle
  /// Mass and inertia of the link behind the joint are this times those in the robot's folder.
  double link_mass_scale = 1.0;
};

/// A battery that sags: voltage ratio = 1 - sag * (sum of |torque| / sum of stall torques).
struct SupplyParameters {
  double sag = 0.0;  ///< no unit, 0 = stiff supply, 0..0.9
};

/// All servos of a robot, in the order of the names given to the reader.
struct ServoSet {
  std::vector<ServoParameters> joints;
  SupplyParameters supply;
};

/// Reads {"default": {...}, "joints": {"left_knee": {...}}, "supply": {...}}; a joint's entry
/// overrides single keys of the default. Throws ConfigError for unknown joints or keys, values out
/// of range, dead band and backlash both set.
ServoSet read_servo_set(const ConfigNode& node, const std::vector<std::string>& joint_names);

/// Reads a file of the same form with "schema": "kagami.servos/1"; "note" and "uncertainty", which
/// 'kagami identify' writes, are for people.
ServoSet read_servo_file(const ConfigDocument& document,
                         const std::vector<std::string>& joint_names);

}  // namespace kagami
