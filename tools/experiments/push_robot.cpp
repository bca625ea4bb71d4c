#include "tools/experiments/push_robot.hpp"

#include <Eigen/Geometry>
#include <array>
#include <string_view>

#include "control/balance/balance_gains.hpp"
#include "models/base/errors.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/read_model.hpp"
#include "models/robot/robot_folder.hpp"

namespace kagami::tools {
namespace {

const models::Surface kFloor{0.8, 0.8, 0.0};  // rubber soles
using control::Strategy;

// a sole of the robot: box under a frame, corners for the support polygon
struct Sole {
  const char* frame;
  double front, back, side;  ///< m from the frame
  double below;              ///< m, the sole under the frame
  double height;             ///< m, of the box
};

void add_sole(const models::Model& model, const Sole& sole, models::SceneSystem& system,
              control::BalanceRobot& parts) {
  const models::Frame frame = model.frame(sole.frame);
  models::Pose X_BS = frame.X_BF;
  X_BS.p +=
      frame.X_BF.R * Vec3(0.5 * (sole.front - sole.back), 0.0, 0.5 * sole.height - sole.below);
  const Vec3 size(sole.front + sole.back, 2.0 * sole.side, sole.height);
  system.shapes.push_back({frame.body, models::ConvexMesh::box(sole.frame, size, X_BS), kFloor});
  for (const double x : {-sole.back, sole.front}) {
    for (const double y : {-sole.side, sole.side}) {
      models::Frame corner = frame;
      corner.X_BF.p += frame.X_BF.R * Vec3(x, y, -sole.below);
      parts.sole_corners.push_back(corner);
    }
  }
}

// base raised so that the support foot's frame is `height` above the floor
void put_on_floor(models::SceneSystem& system, const models::Frame& foot, double height) {
  models::Kinematics k(system.model);
  models::forward_kinematics(system.model, system.start.q, system.start.v, k);
  system.start.q[2] += height - models::frame_pose(k, foot).p.z();
}

models::SceneSystem system_of(const std::string& name, models::Model model) {
  models::SceneSystem system;
  system.name = name;
  system.start = models::neutral_state(model);
  system.model = std::move(model);
  return system;
}

control::LegSlots slots(const models::Model& model,
                        const std::array<std::string_view, control::kLegJoints>& names) {
  std::array<double, control::kLegJoints> signs;
  signs.fill(1.0);
  return control::leg_slots(model, names, signs);
}

control::BalanceSettings settings_of(const DataFolders& data, const std::string& gains) {
  return control::read_balance_gain_set(find_gains(data, gains)).settings;
}

PushedRobot finished(PushedRobot robot, models::SceneSystem system) {
  robot.name = system.name;
  robot.scene.systems.push_back(std::move(system));
  robot.scene.statics.push_back(models::floor_at(0.0, kFloor));
  return robot;
}

}  // namespace

PushedRobot pushed_hoap2(const DataFolders& data) {
  models::SceneSystem system = system_of(
      "hoap2",
      models::read_model(find_robot(data, "hoap2_10dof"), models::BaseKind::kFloating).model);
  const models::Model& model = system.model;
  PushedRobot robot;
  robot.parts.legs = slots(model, {"joint1", "joint2", "joint3", "joint4", "joint5", "joint6",
                                   "joint7", "joint8", "joint9", "joint10"});
  robot.parts.trunk = model.frame("upper");
  robot.parts.support_foot = model.frame("link5");
  robot.parts.other_foot = model.frame("link10");
  robot.parts.lumps = control::thesis_lumps();
  for (const char* foot : {"link5", "link10"})  // soles of O12
    add_sole(model, {foot, 0.059, 0.039, 0.0315, 0.04, 0.03}, system, robot.parts);
  put_on_floor(system, robot.parts.support_foot, 0.04);
  robot.settings = settings_of(data, "hoap2_balance_floor");
  robot.thesis = settings_of(data, "hoap2_balance_thesis");
  robot.thesis->strategies[static_cast<std::size_t>(Strategy::kCombined)].return_rate = 2.0;
  robot.strategies = {Strategy::kUpperBodyRotation, Strategy::kCombined, Strategy::kAnkle,
                      Strategy::kHip};
  robot.shoulder = Vec3(-0.05, -0.041, 0.17);  // O12
  robot.hold_kp = 200.0;
  robot.hold_kd = 4.0;
  robot.effort = 9.0;
  return finished(std::move(robot), std::move(system));
}

PushedRobot pushed_khr1(const DataFolders& data) {
  models::SceneSystem system = system_of(
      "khr1",
      models::read_robot_folder(find_robot(data, "khr1"), models::BaseKind::kFloating).model);
  const models::Model& model = system.model;
  PushedRobot robot;
  robot.parts.legs = slots(
      model, {"", "right_hip_roll", "right_hip_pitch", "right_ankle_pitch", "right_ankle_roll", "",
              "left_hip_roll", "left_hip_pitch", "left_ankle_pitch", "left_ankle_roll"});
  robot.parts.trunk = model.frame(model.body(0).name);
  robot.parts.support_foot = model.frame("r_sole");
  robot.parts.other_foot = model.frame("l_sole");
  robot.parts.lumps = control::lumps_of(model, system.start.q, robot.parts.legs, robot.parts.trunk);
  for (const char* foot : {"r_sole", "l_sole"})  // those of khr1_balance.json
    add_sole(model, {foot, 0.0558, 0.0368, 0.0164, 0.0, 0.02}, system, robot.parts);
  put_on_floor(system, robot.parts.support_foot, 0.0);
  robot.settings = settings_of(data, "khr1_balance");
  robot.strategies = {Strategy::kAnkle, Strategy::kHip};
  models::Kinematics k(model);
  models::forward_kinematics(model, system.start.q, system.start.v, k);
  const BodyIndex arm = model.find_joint("right_shoulder_pitch");
  if (arm < 0) throw ModelError("robot khr1 has no joint right_shoulder_pitch");
  robot.shoulder = models::inverse_times(k.X_WB[0], k.X_WB[static_cast<std::size_t>(arm)].p);
  robot.hold_kp = 20.0;
  robot.hold_kd = 0.5;
  robot.effort = 0.853;
  return finished(std::move(robot), std::move(system));
}

}  // namespace kagami::tools
