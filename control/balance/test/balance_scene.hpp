/// The HOAP-2 of ten joints with both feet welded to the floor, pushed at its upper body.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "control/balance/balance.hpp"
#include "models/closed_chains/closed_chain_dynamics.hpp"
#include "models/closed_chains/test/loop_models.hpp"
#include "models/dynamics/balance_point.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/read_model.hpp"
#include "models/robot/state.hpp"

namespace kagami::control::test_scene {

inline constexpr std::array<std::string_view, kLegJoints> kNames = {
    "joint1", "joint2", "joint3", "joint4", "joint5",
    "joint6", "joint7", "joint8", "joint9", "joint10"};

inline models::Model hoap2(models::BaseKind base) {
  return models::read_model(KAGAMI_SOURCE_DIR "/models/data/hoap2_10dof", base).model;
}

// root: the right foot, held; the left one is welded where it is
inline models::Model on_both_feet() {
  const models::Model robot = hoap2(models::BaseKind::kFixed);
  const models::State s = models::neutral_state(robot);
  models::Kinematics k(robot);
  models::forward_kinematics(robot, s.q, s.v, k);
  models::ModelBuilder builder(robot);
  const int left = robot.find_body("link10");
  builder.add_loop("left sole", left, {}, kWorld, k.X_WB[static_cast<std::size_t>(left)], {});
  return builder.build();
}

/// `right_ankle`: 1, or -1 for the sign that makes the robot fall.
inline BalanceRobot robot_of(const models::Model& model, double right_ankle = 1.0) {
  std::array<double, kLegJoints> signs;
  signs.fill(1.0);
  signs[kRightAnklePitch] = right_ankle;
  return {leg_slots(model, kNames, signs),
          model.frame("upper"),
          model.frame("link5"),
          thesis_lumps(),
          {},
          {}};
}

/// A robot on both feet. x and y of what comes out are counted from `middle`.
struct Scene {
  models::Model model;
  models::State start;
  BalanceRobot robot;
  Vec3 middle;           ///< between the ankles (m)
  double floor = 0.0;    ///< height of the soles (m)
  double dt = 1e-3;      ///< s
  double seconds = 3.2;  ///< how long it goes
};

inline Scene hoap2_scene(double right_ankle = 1.0) {
  Scene s;
  s.model = on_both_feet();
  s.start = models::neutral_state(s.model);
  s.robot = robot_of(s.model, right_ankle);
  s.middle = Vec3(0.0, 0.039, 0.0);
  s.floor = -0.04;
  for (const char* foot : {"link5", "link10"}) {
    for (const double x : {-0.039, 0.059}) {
      for (const double y : {-0.0315, 0.0315}) {
        models::Frame corner = s.model.frame(foot);
        corner.X_BF.p += Vec3(x, y, -0.04);
        s.robot.sole_corners.push_back(corner);
      }
    }
  }
  s.robot.ground.point = Vec3(0.0, 0.0, s.floor);
  return s;
}

// no hip yaw, knees, arms: what no strategy drives is held
inline Scene khr1_scene() {
  Scene s;
  s.model = test::humanoid_on_both_feet(s.start);
  const std::array<std::string_view, kLegJoints> names = {
      "", "right_hip_roll", "right_hip_pitch", "right_ankle_pitch", "right_ankle_roll",
      "", "left_hip_roll",  "left_hip_pitch",  "left_ankle_pitch",  "left_ankle_roll"};
  std::array<double, kLegJoints> signs;
  signs.fill(1.0);
  s.robot.legs = leg_slots(s.model, names, signs);
  s.robot.trunk = s.model.frame(s.model.body(0).name);
  s.robot.support_foot = s.model.frame("r_sole");
  s.robot.lumps = lumps_of(s.model, s.start.q, s.robot.legs, s.robot.trunk);
  models::Kinematics k(s.model);
  models::forward_kinematics(s.model, s.start.q, s.start.v, k);
  const Vec3 right = models::frame_pose(k, s.robot.support_foot).p;
  s.middle = Vec3(right.x(), 0.0, 0.0);
  s.floor = right.z();
  s.seconds = 2.0;
  return s;
}

/// A force (N, world) at a point of the trunk (m, in its frame) from 0.2 to 0.3 s.
struct Push {
  Vec3 force;
  Vec3 point;
};
// the origin of the HOAP-2's trunk frame is in its right hip
inline const Push kHand{Vec3(-7.0, 0.0, 0.0), Vec3(0.18, 0.139, 0.15)};        // O12
inline const Push kShoulder{Vec3(10.0, 0.0, 0.0), Vec3(-0.05, -0.041, 0.17)};  // O12
inline Push middle(double force) {
  return {Vec3(force, 0.0, 0.0), Vec3(-0.05, 0.039, 0.17)};
}

/// What came of it; x and y from the point between the ankles (m).
struct Outcome {
  bool completed = true;     ///< the integrator went through
  double correlation = 0.0;  ///< of L_y and L_z about the mass centre, for 1 s from the push on
  double yaw = 0.0;          ///< largest, deg
  double pitch = 0.0;
  double com = 0.0;         ///< largest way of the mass centre along x
  double zmp_front = -1.0;  ///< farthest, from `after` the push's end on and before the push
  double zmp_back = 1.0;
  double zmp_side = 0.0;
  double zmp_pushed = -1.0;   ///< farthest forward at all
  double turn_at_end = 0.0;   ///< larger of yaw and pitch, deg
  double least_margin = 1.0;  ///< m, of the capture point
  BalanceReport report;
  Strategy reaction = Strategy::kUpperBodyRotation;  ///< the last one of the reaction
};

inline Outcome push_and_see(const Scene& scene, const BalanceSettings& settings, const Push& push,
                            double after = 0.0,
                            models::Scheme scheme = models::Scheme::kSemiImplicitEuler) {
  constexpr double kDeg = 180.0 / 3.14159265358979323846;
  const models::Model& model = scene.model;
  const double dt = scene.dt;
  const auto at_time = [dt](double seconds) { return std::lround(seconds / dt); };
  Balance balance(model, scene.robot, settings);
  models::LoopTolerances standing;
  standing.crossing = 0.0;
  models::ClosedChainDynamics source(model, models::Algorithm::kCrba, standing);
  models::Integrator integrator(model, scheme);
  models::Kinematics k(model);
  models::CentroidalWorkspace w(model);
  models::State s = scene.start;
  std::vector<models::Force> F(static_cast<std::size_t>(model.num_bodies()), models::Force::zero());
  const std::size_t upper = static_cast<std::size_t>(scene.robot.trunk.body);
  models::GroundPlane floor;
  floor.point = Vec3(0.0, 0.0, scene.floor);
  Outcome o;
  double sums[5] = {};
  double com_start = 0.0;
  JointVector tau;
  JointVector vdot;
  o.completed = balance.start(s.q) == BalanceControlStatus::kOk;
  double t = 0.0;
  for (long step = 0; step <= at_time(scene.seconds) && o.completed; ++step) {
    models::forward_kinematics(model, s.q, s.v, k);
    o.completed = balance.update(s.q, s.v, dt, tau) == BalanceControlStatus::kOk;
    const bool pushed = step >= at_time(0.2) && step < at_time(0.3);
    const Vec3 f = k.X_WB[upper].R.transpose() * push.force;
    const Vec3 at = push.point;
    F[upper] = pushed ? models::Force::from(at.cross(f), f) : models::Force::zero();
    source.set_tau(tau);
    source.set_forces(F);
    o.completed = o.completed && source.acceleration(t, s.q, s.v, vdot);
    models::BalancePoint zmp;
    if (o.completed && models::zero_moment_point(model, s.q, s.v, vdot, F, floor, w, zmp) ==
                           models::BalanceStatus::kOk) {
      const Vec3 p = zmp.point - scene.middle;
      o.zmp_pushed = std::max(o.zmp_pushed, p.x());
      if (step < at_time(0.2) || step >= at_time(0.3 + after)) {
        o.zmp_front = std::max(o.zmp_front, p.x());
        o.zmp_back = std::min(o.zmp_back, p.x());
        o.zmp_side = std::max(o.zmp_side, std::abs(p.y()));
      }
    }
    const Vec3 L = models::momentum_about_com(model, k).moment();
    if (step >= at_time(0.2) && step < at_time(1.2)) {
      const double terms[5] = {L.y(), L.z(), L.y() * L.y(), L.z() * L.z(), L.y() * L.z()};
      for (int i = 0; i < 5; ++i) sums[i] += terms[i] * dt;
    }
    const Vec3 c = models::center_of_mass(model, k);
    if (step == 0) com_start = c.x();
    o.com = std::max(o.com, std::abs(c.x() - com_start));
    const BodyTurn turn = balance.report().turn;
    if (balance.report().phase == BalancePhase::kReaction) o.reaction = balance.report().strategy;
    o.least_margin = std::fmin(o.least_margin, balance.report().capture_margin);
    o.yaw = std::max(o.yaw, kDeg * std::abs(turn.yaw));
    o.pitch = std::max(o.pitch, kDeg * std::abs(turn.pitch));
    o.turn_at_end = kDeg * std::max(std::abs(turn.yaw), std::abs(turn.pitch));
    o.completed = o.completed && integrator.advance(source, dt, t, s) == models::StepStatus::kOk;
  }
  o.report = balance.report();
  o.correlation = (sums[4] - sums[0] * sums[1]) /
                  std::sqrt((sums[2] - sums[0] * sums[0]) * (sums[3] - sums[1] * sums[1]));
  return o;
}

}  // namespace kagami::control::test_scene
