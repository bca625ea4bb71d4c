#include "models/test/support/contact_boxes.hpp"

#include "models/robot/builder.hpp"
#include "models/robot/state.hpp"

namespace kagami::test {

using namespace models;

SceneSystem box_at(const std::string& name, const Vec3& p, double mass, const Motion& V,
                   const Mat3& R, const Surface& surface) {
  return free_body(name, ConvexMesh::box(name, kBox), mass, surface, {R, p}, V);
}

SceneSystem folding_robot() {
  ModelBuilder builder;
  const ConvexMesh trunk = ConvexMesh::box("trunk", Vec3(0.1, 0.1, 0.2));
  const ConvexMesh link =
      ConvexMesh::box("link", Vec3(0.03, 0.03, 0.09), {Mat3::Identity(), Vec3(0, 0, -0.05)});
  Joint floating;
  floating.type = JointType::kFloating;
  const BodyIndex root =
      builder.add_body("trunk", kWorld, "root", floating, {}, trunk.mass_properties(1.0));
  Joint hinge;
  hinge.type = JointType::kRevolute;
  hinge.axis = Vec3::UnitX();
  const BodyIndex upper =
      builder.add_body("upper", root, "shoulder", hinge, {Mat3::Identity(), Vec3(0, 0.1, 0.09)},
                       link.mass_properties(0.1));
  builder.add_body("lower", upper, "elbow", hinge, {Mat3::Identity(), Vec3(0, 0, -0.1)},
                   link.mass_properties(0.1));
  SceneSystem s{.name = "robot", .model = builder.build(), .start = {}, .shapes = {}};
  s.start = neutral_state(s.model);
  s.shapes.push_back({.body = 0, .mesh = trunk, .surface = kRough});
  s.shapes.push_back({.body = 1, .mesh = link, .surface = kRough});
  s.shapes.push_back({.body = 2, .mesh = link, .surface = kRough});
  return s;
}

ContactSettings by(MethodName method) {
  ContactSettings s;
  s.method = method;
  return s;
}

double lift_of(const World& world, int system, double h) {
  double sum = 0.0;
  for (const WorldContact& c : world.contacts()) {
    if (c.system == system) sum += c.force.impulse.force().z() / h;
    if (c.other_system == system) sum -= c.force.impulse.force().z() / h;
  }
  return sum;
}

double lift_between(const World& world, int lower, int upper, double h) {
  double sum = 0.0;
  for (const WorldContact& c : world.contacts()) {
    const double z = c.force.impulse.force().z() / h;
    if (c.system == upper && c.other_system == lower) sum += z;
    if (c.system == lower && c.other_system == upper) sum -= z;
  }
  return sum;
}

}  // namespace kagami::test
