#include "models/closed_chains/test/loop_models.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "models/dynamics/kinematics.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/test/support/model_json.hpp"

namespace kagami::test {
namespace {

using models::Joint;
using models::JointType;
using models::MassProperties;
using models::ModelBuilder;
using models::Pose;

const Joint kHinge{JointType::kRevolute, Vec3::UnitY(), Vec3::Zero()};

JointType joint_type(const std::string& name) {
  for (const JointType type :
       {JointType::kFixed, JointType::kRevolute, JointType::kPrismatic, JointType::kUniversal,
        JointType::kSpherical, JointType::kFloating}) {
    if (name == models::joint_type_name(type)) return type;
  }
  throw std::runtime_error("joint type " + name);
}

Joint tree_joint(const nlohmann::json& json) {
  Joint joint{joint_type(json.at("type")), Vec3::Zero(), Vec3::Zero()};
  if (json.contains("axis")) joint.axis = vec3_from_json(json.at("axis")).normalized();
  if (json.contains("axis2")) joint.axis2 = vec3_from_json(json.at("axis2")).normalized();
  return joint;
}

// rotation that takes z to n
Mat3 z_to(const Vec3& n) {
  return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), n).toRotationMatrix();
}

void add_loop(const nlohmann::json& json, const std::string& name, ModelBuilder& builder) {
  Joint joint{joint_type(json.at("type")), Vec3::Zero(), Vec3::Zero()};
  Pose X_AL{Mat3::Identity(), vec3_from_json(json.at("point_a"))};
  Pose X_BJ{Mat3::Identity(), vec3_from_json(json.at("point_b"))};
  if (joint.type == JointType::kFixed) X_BJ.R = mat3_from_json(json.at("R_b_from_a"));
  if (joint.type == JointType::kRevolute) {
    joint.axis = Vec3::UnitZ();
    X_AL.R = z_to(vec3_from_json(json.at("axis_a")).normalized());
    X_BJ.R = z_to(vec3_from_json(json.at("axis_b")).normalized());
  }
  builder.add_loop(name, json.at("body_a"), X_AL, json.at("body_b"), X_BJ, joint);
}

MassProperties rod(double mass, const Vec3& along) {
  const double I = mass * along.squaredNorm() / 12.0;
  return {mass, 0.5 * along, I * Mat3::Identity()};
}

Pose at(const Vec3& p) {
  return {Mat3::Identity(), p};
}

}  // namespace

models::Model loop_model_from_json(const nlohmann::json& c) {
  ModelBuilder builder;
  builder.set_gravity(vec3_from_json(c.at("model").at("gravity")));
  for (const nlohmann::json& body : c.at("model").at("bodies")) {
    const nlohmann::json& joint = body.at("joint");
    Pose X_PJ = at(vec3_from_json(joint.at("xyz")));
    if (joint.contains("R")) X_PJ.R = mat3_from_json(joint.at("R"));
    builder.add_body(
        body.at("name"), body.at("parent"), joint.at("name"), tree_joint(joint), X_PJ,
        {body.at("mass"), vec3_from_json(body.at("com")), mat3_from_json(body.at("inertia"))});
  }
  int l = 0;
  for (const nlohmann::json& loop : c.at("loops")) {
    add_loop(loop, "loop" + std::to_string(l++), builder);
  }
  return builder.build();
}

models::Model four_bar(const std::array<double, 3>& length, const std::array<double, 3>& mass,
                       double ground, JointType loop) {
  ModelBuilder builder;
  double from = 0.0;
  for (int i = 0; i < 3; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const std::string id = std::to_string(i + 1);
    builder.add_body("rod" + id, i - 1, "joint" + id, kHinge, at(Vec3(0.0, 0.0, from)),
                     rod(mass[n], Vec3(0.0, 0.0, length[n])));
    from = length[n];
  }
  const Joint joint{loop, loop == JointType::kRevolute ? Vec3(Vec3::UnitY()) : Vec3(Vec3::Zero()),
                    Vec3::Zero()};
  builder.add_loop("joint4", 2, at(Vec3(0.0, 0.0, from)), kWorld, at(Vec3(ground, 0.0, 0.0)),
                   joint);
  return builder.build();
}

models::Model peers_four_bar(bool parallelogram) {
  const double s = std::sqrt(0.5);
  const std::array<Vec3, 4> P =
      parallelogram
          ? std::array<Vec3, 4>{Vec3(0, 0, 0), Vec3(s, 0, -s), Vec3(1 + s, 0, -s), Vec3(1, 0, 0)}
          : std::array<Vec3, 4>{Vec3(0, 0, 0), Vec3(0.4, 0, -0.693), Vec3(1.45, 0, -0.95),
                                Vec3(1.3, 0, 0)};
  ModelBuilder builder;
  for (int i = 0; i < 3; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const std::string id = std::to_string(i + 1);
    builder.add_body("rod" + id, i - 1, "joint" + id, kHinge,
                     at(i == 0 ? P[0] : Vec3(P[n] - P[n - 1])), rod(1.0, P[n + 1] - P[n]));
  }
  builder.add_loop("joint4", 2, at(P[3] - P[2]), kWorld, at(P[3]), kHinge);
  return builder.build();
}

models::Model slider_crank() {
  ModelBuilder builder;
  builder.add_body("crank", kWorld, "crank", kHinge, at(Vec3::Zero()), rod(1.0, Vec3(0.3, 0, 0)));
  builder.add_body("rod", 0, "rod", kHinge, at(Vec3(0.3, 0, 0)), rod(0.8, Vec3(0.8, 0, 0)));
  builder.add_body("slider", kWorld, "slide", {JointType::kPrismatic, Vec3::UnitX(), Vec3::Zero()},
                   at(Vec3(1.1, 0, 0)), {0.5, Vec3::Zero(), 1e-3 * Mat3::Identity()});
  builder.add_loop("pin", 1, at(Vec3(0.8, 0, 0)), 2, at(Vec3::Zero()), kHinge);
  return builder.build();
}

models::Model double_loop() {
  ModelBuilder builder;
  builder.add_body("left", kWorld, "j1", kHinge, at(Vec3::Zero()), rod(1.0, Vec3(0.1, 0, 1.0)));
  builder.add_body("coupler", 0, "j2", kHinge, at(Vec3(0.1, 0, 1.0)), rod(1.2, Vec3(1.1, 0, 0.2)));
  builder.add_body("middle", 1, "j3", kHinge, at(Vec3(1.1, 0, 0.2)), rod(0.9, Vec3(-0.1, 0, -1.2)));
  builder.add_body("second", 1, "j4", kHinge, at(Vec3(1.1, 0, 0.2)), rod(0.7, Vec3(0.9, 0, -0.1)));
  builder.add_body("right", 3, "j5", kHinge, at(Vec3(0.9, 0, -0.1)), rod(1.1, Vec3(0.2, 0, -1.1)));
  builder.add_loop("ground1", 2, at(Vec3(-0.1, 0, -1.2)), kWorld, at(Vec3(1.1, 0, 0.0)), kHinge);
  builder.add_loop("ground2", 4, at(Vec3(0.2, 0, -1.1)), kWorld, at(Vec3(2.3, 0, 0.0)), kHinge);
  return builder.build();
}

models::Model humanoid_on_both_feet(models::State& state) {
  const models::Model robot =
      models::read_robot_folder(std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1",
                                models::BaseKind::kFloating)
          .model;
  state = models::neutral_state(robot);
  models::Kinematics k(robot);
  models::forward_kinematics(robot, state.q, state.v, k);
  ModelBuilder builder(robot);
  for (const char* sole : {"l_sole", "r_sole"}) {
    const models::Frame frame = robot.frame(sole);
    builder.add_loop(sole, frame.body, frame.X_BF, kWorld, models::frame_pose(k, frame), Joint{});
  }
  return builder.build();
}

}  // namespace kagami::test
