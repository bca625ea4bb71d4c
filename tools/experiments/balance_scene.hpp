/// The HOAP-2 of ten joints with both feet held to the floor, pushed at its upper body, under a
/// balance strategy: the scene of Takahashi 2012, section 6.3.
#pragma once

#include <vector>

#include "control/balance/balance.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"
#include "tools/experiments/experiment.hpp"

namespace kagami::tools {

/// A robot that stands on both soles, which are held where they are.
struct BalanceScene {
  models::Model model;
  models::State start;
  control::BalanceRobot robot;
  Vec3 middle = Vec3::Zero();  ///< m, between the ankles: where x and y are counted from
};

/// Force at a point of the trunk, in W along x, from `from` to `to`.
struct ShoulderPush {
  double force = 0.0;         ///< N, the largest
  Vec3 point = Vec3::Zero();  ///< m, in the trunk's frame
  double from = 1.0;          ///< s
  double to = 1.1;
  bool smooth = false;  ///< half a sine in place of a rectangle

  [[nodiscard]] double at(double t) const;
};

/// Throws ConfigError or ModelError when the robot is missing or another one.
BalanceScene hoap2_on_both_feet(const DataFolders& data);

/// The thesis's gains of one strategy alone, no choice.
control::BalanceSettings only(control::Strategy strategy);

/// Rows: t; push (N); Lx, Ly, Lz (kg m^2/s, about the mass centre); yaw, pitch (rad, of the upper
/// body); comx, comy, comz, zmpx, zmpy (m, from `middle`); zmp_margin, capture_margin (m inside the
/// soles); q:JOINT, tau:JOINT; feet_gap (m, rad). A step's torques are those of
/// its start. What computed accelerations is added to `ran`. Throws Error where the simulation
/// stops.
Trace push_and_trace(const BalanceScene& scene, const control::BalanceSettings& balance,
                     const ShoulderPush& push, const ExperimentSettings& settings,
                     AlgorithmsRan& ran);

}  // namespace kagami::tools
