#include "tools/scenario/scenario_robot.hpp"

#include <Eigen/Geometry>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/collision.hpp"
#include "models/robot/joint_limits.hpp"
#include "models/robot/model_json.hpp"
#include "models/robot/read_model.hpp"
#include "models/spatial/rotation.hpp"
#include "tools/scenario/scenario_parts.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using models::BaseKind;
using models::Model;
using models::SceneSystem;

constexpr Range kCoordinate{-1e4, 1e4, "rad; m"};
constexpr Range kRate{-1e4, 1e4, "rad/s; m/s"};
constexpr Range kStiffness{0.0, 1e6, "N m/rad; N/m"};
constexpr Range kDamping{0.0, 1e6, "N m s/rad; N s/m"};

BaseKind base_under(const ConfigNode& node) {
  constexpr std::array<std::string_view, 2> kBases = {"floating", "fixed"};
  return node.one_of("base", kBases) == "fixed" ? BaseKind::kFixed : BaseKind::kFloating;
}

// the robot's model; `model_text` gets the file's text, `from` its folder, both empty for a model
// in place
Model read_robot_model(const ConfigNode& node, const DataFolders& data, const fs::path& folder,
                       std::string& model_text, fs::path& from, std::vector<std::string>& notices) {
  std::optional<BaseKind> base;
  if (node.has("base")) base = base_under(node);
  if (node.has("model") && node.raw().at("model").is_object())
    return models::read_model_json(node.object("model"), base, notices);
  const std::string name = node.text("model");
  const bool is_path = name.find('/') != std::string::npos || name.find('.') != std::string::npos;
  try {
    from = is_path ? folder / name : find_robot(data, name);
    models::ModelDescription robot = models::read_model(from, base);
    notices.insert(notices.end(), robot.notices.begin(), robot.notices.end());
    model_text = std::move(robot.model_text);
    return std::move(robot.model);
  } catch (const ConfigError& error) {
    node.fail("model", error.what());
  } catch (const ModelError& error) {
    node.fail("model", error.what());
  }
}

// one-degree-of-freedom joints by name; calls set(body, value)
template <class Set>
void read_joints(const ConfigNode& node, std::string_view key, const Model& model, Range range,
                 Set set) {
  const std::optional<ConfigNode> joints = node.find_object(key);
  if (!joints) return;
  for (const std::string& name : joints->keys()) {
    const BodyIndex body = model.find_joint(name);
    if (body < 0 || model.body(body).nv != 1)
      joints->fail(name, "is not a joint of this robot with one degree of freedom");
    set(model.body(body), joints->number(name, range));
  }
}

// the start state: posture and rates by joint, base pose where it floats
void read_start(const ConfigNode& node, SceneSystem& robot) {
  const models::Body& root = robot.model.body(0);
  robot.start = models::neutral_state(robot.model);
  if (root.joint.type == models::JointType::kFloating) {
    const models::Pose X_WB = read_pose(node);
    const Eigen::Quaterniond q = models::quaternion_of(X_WB.R);
    robot.start.q.head<7>() << X_WB.p, q.w(), q.x(), q.y(), q.z();
    robot.start.v.head<6>() = read_velocity(node, X_WB).c;
  } else {
    if (has_pose(node)) robot.model = moved_model(robot.model, read_pose(node));
    for (const char* key : {"velocity", "turn_rate"})
      if (node.has(key)) node.fail(key, "is for a robot with a floating base; this one is fixed");
  }
  read_joints(node, "joints", robot.model, kCoordinate,
              [&](const models::Body& b, double x) { robot.start.q[b.q_index] = x; });
  read_joints(node, "joint_rates", robot.model, kRate,
              [&](const models::Body& b, double x) { robot.start.v[b.v_index] = x; });
  const int passed = models::limit_passed(robot.model, robot.start.q);
  if (passed >= 0)
    node.fail("joints", models::limit_text(robot.model, passed, robot.start.q) +
                            " at the start, beyond the limit of the joint");
}

void read_hold(const ConfigNode& node, const Model& model, PostureHold& hold) {
  hold.kp = JointVector::Zero(model.num_v());
  hold.kd = JointVector::Zero(model.num_v());
  const std::optional<ConfigNode> found = node.find_object("hold");
  if (!found) return;
  const double kp = found->number("kp", kStiffness);
  const double kd = found->number("kd", kDamping);
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& b = model.body(i);
    if (b.joint.type == models::JointType::kFloating) continue;
    hold.kp.segment(b.v_index, b.nv).setConstant(kp);
    hold.kd.segment(b.v_index, b.nv).setConstant(kd);
  }
  if (const std::optional<ConfigNode> joints = found->find_object("joints")) {
    for (const std::string& name : joints->keys()) {
      const BodyIndex body = model.find_joint(name);
      if (body < 0 || model.body(body).nv == 0 ||
          model.body(body).joint.type == models::JointType::kFloating)
        joints->fail(name, "is not a joint of this robot that can be held");
      const ConfigNode own = joints->object(name);
      const models::Body& b = model.body(body);
      hold.kp.segment(b.v_index, b.nv).setConstant(own.number_or("kp", kp, kStiffness));
      hold.kd.segment(b.v_index, b.nv).setConstant(own.number_or("kd", kd, kDamping));
      own.reject_unknown_keys();
    }
  }
  found->reject_unknown_keys();
}

// whether any joint between the body and the world moves
bool moves(const Model& model, BodyIndex body) {
  for (; body >= 0; body = model.body(body).parent)
    if (model.body(body).nv > 0) return true;
  return false;
}

// the boxes of the URDF's <collision> tags; what else the URDF has there is refused
void take_collision_boxes(const ConfigNode& node, const std::string& model_text,
                          const models::Surface& surface, SceneSystem& robot,
                          std::vector<std::string>& notices) {
  std::vector<std::string> left_out;
  for (const models::CollisionBox& box :
       models::read_collision_boxes(model_text, robot.model, left_out)) {
    if (!moves(robot.model, box.body)) {
      notices.push_back("robot " + robot.name + ": link " + box.link +
                        " does not move, its collision box is left out");
      continue;
    }
    try {
      robot.shapes.push_back({.body = box.body,
                              .mesh = models::ConvexMesh::box(box.link, box.size, box.X_BS),
                              .surface = surface});
    } catch (const ConfigError& error) {
      node.fail("shapes", std::string("collision box of the URDF: ") + error.what());
    }
  }
  if (!left_out.empty())
    node.fail("shapes", "collision shapes of the URDF: " + left_out.front() +
                            "; expected boxes alone, or a list of shapes here");
  if (robot.shapes.empty())
    node.fail("shapes",
              "the model has no collision boxes that move; expected a list of shapes "
              "(an empty one: it touches nothing)");
}

void read_shapes(const ConfigNode& node, const std::string& model_text,
                 const models::Surface& surface, SceneSystem& robot,
                 std::vector<std::string>& notices) {
  if (!node.has("shapes") || node.raw().at("shapes").is_string()) {
    constexpr std::array<std::string_view, 1> kSources = {"collision"};
    if (node.has("shapes")) static_cast<void>(node.one_of("shapes", kSources));
    return take_collision_boxes(node, model_text, surface, robot, notices);
  }
  for (const ConfigNode& entry : node.list("shapes")) {
    const std::string name = entry.text("body");
    models::Frame frame;
    try {
      frame = robot.model.frame(name);
    } catch (const ModelError& error) {
      entry.fail("body", error.what());
    }
    if (frame.body < 0) entry.fail("body", "'" + name + "' does not move");
    robot.shapes.push_back({.body = frame.body,
                            .mesh = read_shape(entry, name, frame.X_BF * read_pose(entry)),
                            .surface = read_surface(entry, surface)});
    entry.reject_unknown_keys();
  }
}

}  // namespace

Model moved_model(const Model& model, const models::Pose& X_WA) {
  models::ModelBuilder builder;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& b = model.body(i);
    models::MassProperties mass;
    mass.mass = b.inertia.mass;
    if (mass.mass > 0.0) {
      mass.com = b.inertia.com();
      mass.I_com = b.inertia.about_com();
    }
    builder.add_body(b.name, b.parent, b.joint_name, b.joint,
                     b.parent == kWorld ? X_WA * b.X_PJ : b.X_PJ, mass);
    if (b.nv != 1) continue;
    builder.set_limits(i, model.limits(b.v_index));
    builder.set_rotor_inertia(i, model.rotor_inertia()[b.v_index]);
  }
  for (const models::Frame& f : model.frames())
    builder.add_frame(f.name, f.body, f.body == kWorld ? X_WA * f.X_BF : f.X_BF);
  for (const models::Loop& l : model.loops())
    builder.add_loop(l.name, l.body_a, l.X_AL, l.body_b,
                     l.body_b == kWorld ? X_WA * l.X_BJ : l.X_BJ, l.joint);
  builder.set_gravity(model.gravity());
  return builder.build();
}

SceneSystem read_scene_robot(const ConfigNode& node, const DataFolders& data,
                             const fs::path& folder, const models::Surface& surface,
                             PostureHold& hold, std::vector<std::string>& notices) {
  SceneSystem robot;
  robot.name = node.text("name");
  std::string model_text;
  robot.model = read_robot_model(node, data, folder, model_text, robot.dynamics.folder, notices);
  read_start(node, robot);
  read_hold(node, robot.model, hold);
  robot.self_collision = node.boolean_or("self_collision", true);
  read_shapes(node, model_text, read_surface(node, surface), robot, notices);
  return robot;
}

}  // namespace kagami::tools
