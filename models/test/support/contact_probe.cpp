#include "models/test/support/contact_probe.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "models/dynamics/kinematics.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/robot_folder.hpp"

namespace kagami::test {
namespace {

using namespace models;

// touching bodies of a system are its shapes' bodies, each once
BodyIndex body_of(const SceneSystem& system, int touching) {
  std::vector<BodyIndex> bodies;
  for (const BodyShape& shape : system.shapes) {
    if (std::find(bodies.begin(), bodies.end(), shape.body) == bodies.end())
      bodies.push_back(shape.body);
  }
  return bodies.at(static_cast<std::size_t>(touching));
}

int touching_bodies(const SceneSystem& system) {
  int count = 0;
  std::vector<BodyIndex> bodies;
  for (const BodyShape& shape : system.shapes) {
    if (std::find(bodies.begin(), bodies.end(), shape.body) != bodies.end()) continue;
    bodies.push_back(shape.body);
    ++count;
  }
  return count;
}

// of touching body `k`, counted through all systems
BodyIndex body_in_scene(const Scene& scene, int k) {
  for (const SceneSystem& system : scene.systems) {
    const int count = touching_bodies(system);
    if (k < count) return body_of(system, k);
    k -= count;
  }
  return -1;
}

void add_joint_hold(Drive& drive, const Model& model, int k, double kp, double kd, double off,
                    double v, double h) {
  drive.tau[k] = -kp * (off + h * v) - kd * v;
  drive.added_inertia[k] = model.rotor_inertia()[k] + h * kd + h * h * kp;
}

}  // namespace

std::vector<Push> pushes(const World& world, const Scene& scene) {
  std::vector<Push> all;
  for (const WorldContact& c : world.contacts()) {
    Push& p = all.emplace_back();
    p.system = c.system;
    p.other = c.other_system;
    p.body = body_of(scene.systems[static_cast<std::size_t>(c.system)], c.body);
    if (p.other != kStaticBody)
      p.other_body = body_of(scene.systems[static_cast<std::size_t>(p.other)], c.other_body);
    p.p = c.point.p;
    p.n = c.point.n;
    p.impulse = c.force.impulse;
    p.normal = c.force.local[0];
    p.depth = -c.point.gap;
  }
  for (int i = 0; i < world.num_patches(); ++i) {
    const WorldPatch c = world.patch(i);
    Push& p = all.emplace_back();
    p.system = c.system;
    p.other = c.other;
    p.body = body_in_scene(scene, c.patch.a);
    if (p.other != kStaticBody) p.other_body = body_in_scene(scene, c.patch.b);
    p.p = c.patch.patch.centroid;
    p.n = c.patch.patch.n;
    p.impulse = c.force.impulse;
    p.normal = c.force.local[5];
    const double area = c.patch.patch.sum_A.norm();
    p.depth = area > 0.0 ? c.patch.patch.volume / area : 0.0;
  }
  return all;
}

double carried(const World& world, const Scene& scene, double h) {
  double sum = 0.0;
  for (const Push& p : pushes(world, scene)) {
    if (p.other == kStaticBody) sum += p.normal / h;
  }
  return sum;
}

double deepest(const World& world, const Scene& scene) {
  double depth = 0.0;
  for (const Push& p : pushes(world, scene)) depth = std::max(depth, p.depth);
  return depth;
}

SceneSystem biped(double height) {
  ModelBuilder builder;
  Joint free;
  free.type = JointType::kFloating;
  const auto block = [](const Vec3& size, double mass, const Vec3& centre) {
    return ConvexMesh::box("block", size, {Mat3::Identity(), centre}).mass_properties(mass);
  };
  builder.add_body("trunk", kWorld, "root", free, Pose{},
                   block(Vec3(0.06, 0.08, 0.12), 0.6, Vec3(0.0, 0.0, 0.04)));
  SceneSystem robot{.name = "biped", .model = {}, .start = {}, .shapes = {}};
  Joint pitch;
  pitch.type = JointType::kRevolute;
  pitch.axis = Vec3::UnitY();
  const ConvexMesh sole =
      ConvexMesh::box("sole", Vec3(0.08, 0.045, 0.02), {Mat3::Identity(), Vec3(0.0, 0.0, -0.023)});
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0.0 ? "left_" : "right_";
    const int hip = builder.add_body(s + "thigh", 0, s + "hip", pitch,
                                     {Mat3::Identity(), Vec3(0.0, side * 0.03, -0.045)},
                                     block(Vec3(0.03, 0.03, 0.06), 0.12, Vec3(0.0, 0.0, -0.03)));
    const int knee = builder.add_body(s + "shank", hip, s + "knee", pitch,
                                      {Mat3::Identity(), Vec3(0.0, 0.0, -0.065)},
                                      block(Vec3(0.03, 0.03, 0.06), 0.1, Vec3(0.0, 0.0, -0.03)));
    const int foot =
        builder.add_body(s + "foot", knee, s + "ankle", pitch,
                         {Mat3::Identity(), Vec3(0.0, 0.0, -0.065)}, sole.mass_properties(0.08));
    robot.shapes.push_back({.body = foot, .mesh = sole, .surface = {}});
  }
  robot.model = builder.build();
  robot.start = neutral_state(robot.model);
  robot.start.q[2] = 0.045 + 0.065 + 0.065 + 0.033 + height;
  return robot;
}

void hold_biped(World& world, int system, double h, double crouch) {
  Drive& drive = world.drive(system);
  const State& s = world.state(system);
  for (int k = 6; k < world.model(system).num_v(); ++k) {
    const double target = (k - 6) % 3 == 1 ? 2.0 * crouch : -crouch;
    add_joint_hold(drive, world.model(system), k, 5.0, 0.02, s.q[k + 1] - target, s.v[k], h);
  }
}

SceneSystem khr1(double height, const Surface& surface, bool all_links) {
  const RobotDescription robot =
      read_robot_folder(std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1", BaseKind::kFloating);
  SceneSystem system{.name = "khr1", .model = robot.model, .start = {}, .shapes = {}};
  for (const CollisionBox& box : robot.boxes) {
    if (!all_links && box.link != "left_foot" && box.link != "right_foot") continue;
    system.shapes.push_back({.body = box.body,
                             .mesh = ConvexMesh::box(box.link, box.size, box.X_BS),
                             .surface = surface});
  }
  system.start = neutral_state(system.model);
  Kinematics k(system.model);
  forward_kinematics(system.model, system.start.q, system.start.v, k);
  double lowest = 1.0;
  for (const BodyShape& shape : system.shapes) {
    for (const Vec3& v : shape.mesh.vertices())
      lowest = std::min(lowest, (k.X_WB[static_cast<std::size_t>(shape.body)] * v).z());
  }
  system.start.q[2] += height - lowest;
  return system;
}

void hold_khr1(World& world, int system, double h) {
  Drive& drive = world.drive(system);
  const State& s = world.state(system);
  for (int k = 6; k < world.model(system).num_v(); ++k)
    add_joint_hold(drive, world.model(system), k, 20.0, 0.5, s.q[k + 1], s.v[k], h);
}

}  // namespace kagami::test
