/// The open arm of the thesis's chapter 7, its two virtual mechanisms and their feedback.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "control/virtual/virtual_loop.hpp"
#include "models/robot/read_model.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::control::test_arm {

using models::Model;
using models::Pose;

inline constexpr double kPi = 3.14159265358979323846;

inline Model arm() {
  return models::read_model(KAGAMI_SOURCE_DIR "/models/data/planar_arm_4r").model;
}

inline models::Loop link_end(const std::string& name, int a, const Pose& X_AL, int b,
                             const Pose& X_BJ, models::JointType type, const Vec3& axis) {
  models::Loop l;
  l.name = name;
  l.body_a = a;
  l.body_b = b;
  l.X_AL = X_AL;
  l.X_BJ = X_BJ;
  l.joint.type = type;
  l.joint.axis = axis;
  return l;
}

// link 4 is at rest on the ground and hangs from (1, 0, 0)
inline Model four_bar(const Model& robot) {
  const Pose X_WJ{models::rotation_about(Vec3::UnitY(), kPi), Vec3(1.0, 0.0, 0.0)};
  const std::vector<models::Loop> loops{
      link_end("coupler", 3, Pose{}, kWorld, X_WJ, models::JointType::kFixed, Vec3::Zero())};
  return virtual_mechanism(robot, loops);
}

// links 2 and 3 are one rod; link 4 hangs and slides along x with its joint at height 0
inline Model slider_crank(const Model& robot) {
  const Pose half_turn{models::rotation_about(Vec3::UnitY(), kPi), Vec3::Zero()};
  const std::vector<models::Loop> loops{
      link_end("rod", 2, Pose{}, 1, Pose{Mat3::Identity(), Vec3(0.0, 0.0, 1.0)},
               models::JointType::kFixed, Vec3::Zero()),
      link_end("guide", 3, half_turn, kWorld, Pose{}, models::JointType::kPrismatic,
               Vec3::UnitX())};
  return virtual_mechanism(robot, loops);
}

inline JointFeedback on_joint(const Model& robot, int dof, double kp, double kd, double target) {
  JointFeedback f = no_joint_feedback(robot);
  f.kp[dof] = kp;
  f.kd[dof] = kd;
  f.target[dof] = target;
  return f;
}

// the arm's end, 0.5 m along link 4, drawn along x
inline FrameFeedback on_end(double kp, double kd, double x) {
  FrameFeedback f;
  f.frame = {"end", 3, Pose{Mat3::Identity(), Vec3(0.0, 0.0, 0.5)}};
  f.kp[3] = kp;
  f.kd[3] = kd;
  f.target.p.x() = x;
  return f;
}

inline JointVector columns(const nlohmann::json& row, int first) {
  JointVector x(4);
  for (int i = 0; i < 4; ++i) x[i] = row.at(static_cast<std::size_t>(first + i)).get<double>();
  return x;
}

}  // namespace kagami::control::test_arm
