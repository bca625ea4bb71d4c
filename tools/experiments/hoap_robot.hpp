/// The HOAP-1 as the experiments with ground use it: soles, boxes, servos, scene.
#pragma once

#include <string>

#include "models/contact/scene/scene.hpp"
#include "motions/planner/body_path.hpp"
#include "tools/cli/data_folders.hpp"

namespace kagami::tools {

/// Gains of every joint's servo: tau = kp (q_ref - q) + kd (v_ref - v), cut at the servo's torque.
/// Fujitsu's are not public; these are ours: the stiffness carries the robot on one leg with an
/// error of 0.7 deg, the damping settles a leg held by its hip without overshoot.
struct HoapServos {
  double kp = 200.0;  ///< N m/rad
  double kd = 4.0;    ///< N m s/rad
};

/// The shipped model, floating. Throws ConfigError or ModelError when it is missing or another one.
motions::WalkingRobot hoap1(const DataFolders& data);

/// It at `start` on the level floor, with boxes on feet (systems' shapes 0 and 1), trunk, head,
/// arms and legs. Sizes of the HOAP-2's parts (models/data/hoap2), lengths of the HOAP-1's.
models::Scene hoap_scene(const motions::WalkingRobot& robot, const models::State& start,
                         const models::Surface& surface);

}  // namespace kagami::tools
