/// Robots that stand free on a floor and are pushed at the shoulder: held by their joints, or by a
/// balance strategy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/balance/balance.hpp"
#include "models/contact/scene/scene.hpp"
#include "tools/cli/data_folders.hpp"

namespace kagami::tools {

/// The robot. Torques of every strategy and of the hold are cut at `effort`.
struct PushedRobot {
  std::string name;
  models::Scene scene;  ///< the robot is system 0, its soles are shapes, z = 0 is the floor
  control::BalanceRobot parts;
  control::BalanceSettings settings;  ///< chooses by itself; gains for free feet
  /// The thesis's gains, for feet that are held; none: the robot has no others.
  std::optional<control::BalanceSettings> thesis;
  std::vector<control::Strategy> strategies;
  Vec3 shoulder = Vec3::Zero();  ///< m, right shoulder from behind, in the trunk's frame
  double hold_kp = 0.0;          ///< N m/rad, of every joint that is simply held
  double hold_kd = 0.0;          ///< N m s/rad
  double effort = 0.0;           ///< N m
};

/// The HOAP-2 of ten joints by the gain sets hoap2_balance_floor and hoap2_balance_thesis. Servos:
/// 200 N m/rad, 4 N m s/rad, 9 N m, as the HOAP-1's. Throws ConfigError or ModelError.
PushedRobot pushed_hoap2(const DataFolders& data);
/// The KHR-1 by its gain set khr1_balance. Servos: robot.json's 20 N m/rad, 0.5 N m s/rad,
/// 0.853 N m.
PushedRobot pushed_khr1(const DataFolders& data);

/// How the joints are driven.
struct PushDrive {
  bool hold = false;    ///< simply held
  bool choose = false;  ///< balance, strategy by itself
  control::Strategy strategy = control::Strategy::kUpperBodyRotation;  ///< else this one
  bool yaw = true;      ///< false: chosen among ankle and hip alone
  bool thesis = false;  ///< by PushedRobot::thesis
};

/// A push on the shoulder for 0.1 s.
struct FloorPush {
  double force = 0.0;     ///< N
  bool sideways = false;  ///< along +y, to the left; else along +x
  double seconds = 2.0;   ///< the run ends so long after the push began
  double step = 1e-3;     ///< s
};

/// What came of it.
struct PushOutcome {
  bool survived = false;
  /// Of the capture point inside the soles that touched, at the push's end (m): below 0 the robot
  /// counts as lost without a step.
  double margin = 0.0;
  double least_pressure = 0.0;  ///< m, centre of pressure inside the soles, least
  double tilt = 0.0;            ///< rad, largest, of the support foot
  double turn = 0.0;            ///< rad, largest yaw or pitch of the upper body; 0 when held
  double end_speed = 0.0;       ///< m/s, of the mass centre at the end
  /// The last one of the reaction; as set, where none is chosen.
  control::Strategy strategy = control::Strategy::kUpperBodyRotation;
  // criteria for survived, at the end
  double end_height = 0.0;  ///< of the mass centre over that at the start
  double end_tilt = 0.0;    ///< rad, of the support foot
  double end_margin = 0.0;  ///< m, of the capture point
  // where it goes wrong, from the push on
  double yaw = 0.0;           ///< rad, largest of the upper body
  double pitch = 0.0;         ///< rad, likewise
  double edge_time = 0.0;     ///< s that the centre of pressure spent within 1 mm of an edge
  double limited_time = 0.0;  ///< s in which some joint was cut at `effort`
};

/// From rest. Survived: 2 s after the push began the mass centre is above 80 % of its height, the
/// support foot within 10 degrees of level, and the capture point inside the soles. A run ends
/// early where the mass centre has sunk below 70 %. The same call gives the same bits.
PushOutcome push_on_floor(const PushedRobot& robot, const PushDrive& drive, const FloorPush& push);

/// Largest push (N) that survives, by bisection to 2 %, up from what survives; 0 where standing
/// alone does not. Pushes need not be lost in order: what is found is one border.
double largest_push(const PushedRobot& robot, const PushDrive& drive, bool sideways,
                    const FloorPush& how);

/// The same of the robot as one rigid block that rocks over the edges of its soles: rotation, the
/// push at its height, gravity, no bounce; a closed problem of one angle.
double rigid_block_push(const PushedRobot& robot, bool sideways);

}  // namespace kagami::tools
