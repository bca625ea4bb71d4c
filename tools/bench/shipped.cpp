#include "tools/bench/shipped.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "models/robot/read_model.hpp"

namespace kagami::bench {
namespace {

constexpr const char* kRobots[] = {"khr1", "hoap2"};

Triple triple(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

/// What is left of a product of inertia behind rounding.
Triple products(const Mat3& I) {
  const double smallest = 1e-12 * I.trace();
  Triple p = {I(0, 1), I(0, 2), I(1, 2)};
  for (double& x : p)
    if (std::fabs(x) < smallest) x = 0.0;
  return p;
}

char joint_letter(const models::Body& body) {
  switch (body.joint.type) {
    case models::JointType::kFloating:
      return 'f';
    case models::JointType::kRevolute:
      return 'a';
    case models::JointType::kFixed:
      return 'w';
    default:
      throw std::invalid_argument(body.joint_name + ": the peers' programs know no such joint");
  }
}

}  // namespace

ModelDef def_of(const std::string& name, const models::Model& model) {
  ModelDef def{name, {}};
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) {
    const models::Body& body = model.body(i);
    const Mat3 I = body.inertia.about_com();
    const Eigen::Quaterniond turn(body.X_PJ.R);
    BodyDef b;
    b.name = body.name;
    b.parent = body.parent;
    b.joint = joint_letter(body);
    b.origin = triple(body.X_PJ.p);
    b.mass = body.inertia.mass;
    b.com = triple(body.inertia.com());
    b.inertia = {I(0, 0), I(1, 1), I(2, 2)};
    b.products = products(I);
    b.axis = triple(body.joint.axis);
    b.turn = {turn.w(), turn.x(), turn.y(), turn.z()};
    if (b.joint == 'a') b.rotor = model.rotor_inertia()[body.v_index];
    def.bodies.push_back(b);
  }
  return def;
}

models::Model shipped_model(const std::string& robot) {
  const std::filesystem::path data = std::filesystem::path(KAGAMI_SOURCE_TREE) / "models/data";
  return models::read_model(data / robot, models::BaseKind::kFloating).model;
}

std::vector<ModelDef> shipped_models() {
  std::vector<ModelDef> defs;
  for (const std::string robot : kRobots) {
    defs.push_back(def_of(robot + "_shipped", shipped_model(robot)));
    defs.back().robot = robot;
  }
  return defs;
}

}  // namespace kagami::bench
