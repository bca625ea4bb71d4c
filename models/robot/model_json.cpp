#include "models/robot/model_json.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/robot/builder.hpp"

namespace kagami::models {
namespace {

constexpr Range kAny{-1e12, 1e12, ""};
constexpr Range kMetres{-1e6, 1e6, "m"};
constexpr double kRodInertia = 1e-3;    // kg m^2, what a thin rod gets about its own axis
constexpr double kZeroInertia = 1e-12;  // of the largest principal value

constexpr std::array<std::string_view, 6> kTypes = {"fixed",     "revolute",  "prismatic",
                                                    "universal", "spherical", "floating"};

// gives messages of the builder the place in the file
template <class Call>
auto at_place(const ConfigNode& node, Call call) {
  try {
    return call();
  } catch (const ModelError& e) {
    throw ModelError(node.where() + ": " + e.what());
  }
}

Vec3 vec3_of(const ConfigNode& node, std::string_view key, Range range) {
  const std::vector<double> x = node.numbers(key, 3, range);
  return {x[0], x[1], x[2]};
}

Mat3 mat3_of(const ConfigNode& node, std::string_view key, Range range) {
  const std::vector<double> x = node.matrix(key, 3, 3, range);
  Mat3 m;
  m << x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8];
  return m;
}

Mat3 rotation_or_identity(const ConfigNode& node, std::string_view key) {
  return node.has(key) ? mat3_of(node, key, {-2.0, 2.0, ""}) : Mat3(Mat3::Identity());
}

Vec3 axis_of(const ConfigNode& node, std::string_view key) {
  const Vec3 axis = vec3_of(node, key, kAny);
  const double length = axis.norm();
  if (!(length >= kMinAxis)) {
    node.fail(key, "is of length " + number_text(length) + ", expected a direction");
  }
  return axis / length;
}

JointType type_of(const ConfigNode& node) {
  const std::string name = node.one_of("type", kTypes);
  return static_cast<JointType>(std::find(kTypes.begin(), kTypes.end(), name) - kTypes.begin());
}

// a rod of the textbooks has no inertia about its own axis; then no inverse exists
bool fatten_rod(MassProperties& mass) {
  if (!(mass.mass > 0.0)) return false;
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(mass.I_com);
  const Vec3& principal = solver.eigenvalues();
  const double zero = kZeroInertia * principal[2];
  if (!(std::abs(principal[0]) <= zero) || !(principal[1] > zero)) return false;
  const Vec3 axis = solver.eigenvectors().col(0);
  mass.I_com += std::min(kRodInertia, principal[2]) * axis * axis.transpose();
  return true;
}

MassProperties mass_of(const ConfigNode& body, std::string& rods) {
  MassProperties mass;
  mass.mass = body.number("mass", {0.0, 1e9, "kg"});
  mass.com = vec3_of(body, "com", kMetres);
  mass.I_com = mat3_of(body, "inertia", kAny);
  if (fatten_rod(mass)) rods += (rods.empty() ? "" : ", ") + body.text("name");
  return mass;
}

void set_joint_extras(const ConfigNode& joint, BodyIndex body, ModelBuilder& builder) {
  if (joint.has("rotor_inertia")) {
    const double J = joint.number("rotor_inertia", {0.0, 1e6, "kg m^2"});
    at_place(joint, [&] { builder.set_rotor_inertia(body, J); });
  }
  const std::optional<ConfigNode> node = joint.find_object("limits");
  if (!node) return;
  DofLimits limits;
  limits.q_min = node->number_or("lower", limits.q_min, kAny);
  limits.q_max = node->number_or("upper", limits.q_max, kAny);
  limits.speed = node->number_or("velocity", limits.speed, {0.0, 1e12, ""});
  limits.effort = node->number_or("effort", limits.effort, {0.0, 1e12, ""});
  node->reject_unknown_keys();
  at_place(*node, [&] { builder.set_limits(body, limits); });
}

JointType root_type(const ConfigNode& joint, JointType type, BaseKind base) {
  if (base == BaseKind::kFixed) return type == JointType::kFloating ? JointType::kFixed : type;
  if (type == JointType::kFixed || type == JointType::kFloating) return JointType::kFloating;
  joint.fail("type", std::string(joint_type_name(type)) + ": a floating base was requested");
}

void add_body(const ConfigNode& node, int index, std::optional<BaseKind> base,
              ModelBuilder& builder, std::string& rods) {
  const std::string name = node.text("name");
  const double last = index - 1;
  const auto parent = static_cast<BodyIndex>(node.integer("parent", {-1.0, last, ""}));
  const MassProperties mass = mass_of(node, rods);
  static_cast<void>(node.text_or("note", ""));
  if (node.has("size")) static_cast<void>(vec3_of(node, "size", kMetres));

  const ConfigNode joint_node = node.object("joint");
  Joint joint = read_joint(joint_node);
  if (index == 0 && base) joint.type = root_type(joint_node, joint.type, *base);
  const Pose X_PJ{rotation_or_identity(joint_node, "R"), vec3_of(joint_node, "xyz", kMetres)};
  const BodyIndex body = at_place(node, [&] {
    return builder.add_body(name, parent, joint_node.text("name"), joint, X_PJ, mass);
  });
  set_joint_extras(joint_node, body, builder);
  joint_node.reject_unknown_keys();
  node.reject_unknown_keys();
}

Model read_tree(const ConfigNode& node, std::optional<BaseKind> base,
                std::vector<std::string>& notices) {
  ModelBuilder builder;
  static_cast<void>(node.text_or("name", ""));
  static_cast<void>(node.text_or("note", ""));
  if (node.has("gravity")) builder.set_gravity(vec3_of(node, "gravity", {-1e6, 1e6, "m/s^2"}));
  std::string rods;
  int index = 0;
  for (const ConfigNode& body : node.list("bodies")) add_body(body, index++, base, builder, rods);
  if (!rods.empty()) {
    notices.push_back(node.where() + ": no inertia about the own axis, " +
                      number_text(kRodInertia) + " kg m^2 serves in its place: " + rods);
  }
  return at_place(node, [&] { return builder.build(); });
}

// a rotation whose column `k` is `axis`
Mat3 rotation_with(const Vec3& axis, int k) {
  int smallest = 0;
  axis.cwiseAbs().minCoeff(&smallest);
  const Vec3 next = Vec3::Unit(smallest).cross(axis).normalized();
  Mat3 R;
  R.col(k) = axis;
  R.col((k + 1) % 3) = next;
  R.col((k + 2) % 3) = axis.cross(next);
  return R;
}

// the body that carries a loop's end, and the frame's place on it
Frame end_of(const ConfigNode& loop, std::string_view key, const Model& model) {
  if (!loop.has(key) && key == "body_b") return {};
  if (loop.has(key) && loop.raw().at(std::string(key)).is_string()) {
    const std::string name = loop.text(key);
    if (name == "world") return {};
    try {
      return model.frame(name);
    } catch (const ModelError& e) {
      loop.fail(key, e.what());
    }
  }
  const auto index =
      static_cast<BodyIndex>(loop.integer(key, {-1.0, model.num_bodies() - 1.0, ""}));
  return {"", index, Pose{}};
}

void add_loop(const ConfigNode& node, const std::string& fallback_name, const Model& model,
              ModelBuilder& builder) {
  const Frame a = end_of(node, "body_a", model);
  const Frame b = end_of(node, "body_b", model);
  Joint joint{type_of(node), Vec3::Zero(), Vec3::Zero()};
  Pose X_AL{Mat3::Identity(), vec3_of(node, "point_a", kMetres)};
  Pose X_BJ{Mat3::Identity(), vec3_of(node, "point_b", kMetres)};
  switch (joint.type) {
    case JointType::kRevolute:
      joint.axis = Vec3::UnitZ();
      X_AL.R = rotation_with(axis_of(node, "axis_a"), 2);
      X_BJ.R = rotation_with(axis_of(node, "axis_b"), 2);
      break;
    case JointType::kUniversal:
      joint.axis = Vec3::UnitZ();
      joint.axis2 = Vec3::UnitY();
      X_AL.R = rotation_with(axis_of(node, "axis_a"), 1);
      X_BJ.R = rotation_with(axis_of(node, "axis_b"), 2);
      break;
    case JointType::kPrismatic:
      joint.axis = axis_of(node, "axis_b");
      X_AL.R = rotation_or_identity(node, "R_b_from_a").transpose();
      break;
    case JointType::kFixed:
      X_BJ.R = rotation_or_identity(node, "R_b_from_a");
      break;
    case JointType::kSpherical:
    case JointType::kFloating:
      break;
  }
  const std::string name = node.text_or("name", fallback_name);
  static_cast<void>(node.text_or("note", ""));
  node.reject_unknown_keys();
  at_place(node,
           [&] { builder.add_loop(name, a.body, a.X_BF * X_AL, b.body, b.X_BF * X_BJ, joint); });
}

}  // namespace

Joint read_joint(const ConfigNode& node, std::optional<Vec3> axis) {
  Joint joint{type_of(node), Vec3::Zero(), Vec3::Zero()};
  const bool one = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic;
  if (one || joint.type == JointType::kUniversal) {
    joint.axis = axis && !node.has("axis") ? *axis : axis_of(node, "axis");
  }
  if (joint.type == JointType::kUniversal) joint.axis2 = axis_of(node, "axis2");
  return joint;
}

Model with_loops(Model model, const ConfigNode& owner) {
  if (!owner.has("loops")) return model;
  const std::vector<ConfigNode> loops = owner.list("loops");
  ModelBuilder builder(model);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    add_loop(loops[i], "loop" + std::to_string(i), model, builder);
  }
  return builder.build();
}

Model read_model_json(const ConfigNode& node, std::optional<BaseKind> base,
                      std::vector<std::string>& notices) {
  if (!node.has("bodies") && node.has("model")) {
    return with_loops(read_model_json(node.object("model"), base, notices), node);
  }
  Model model = with_loops(read_tree(node, base, notices), node);
  node.reject_unknown_keys();
  return model;
}

}  // namespace kagami::models
