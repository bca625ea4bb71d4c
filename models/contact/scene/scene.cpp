#include "models/contact/scene/scene.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "models/base/trig.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::models {

StaticShape floor_at(double height, const Surface& surface) {
  return {.name = "floor", .n = Vec3::UnitZ(), .offset = height, .mesh = {}, .surface = surface};
}

StaticShape slope_of(double slope, const Surface& surface) {
  return {.name = "slope",
          .n = Vec3(trig::sin(slope), 0.0, trig::cos(slope)),
          .offset = 0.0,
          .mesh = {},
          .surface = surface};
}

StaticShape obstacle(const ConvexMesh& mesh, const Surface& surface) {
  return {.name = mesh.name(), .n = Vec3::UnitZ(), .offset = 0.0, .mesh = mesh, .surface = surface};
}

SceneSystem free_body(const std::string& name, const ConvexMesh& mesh, double mass,
                      const Surface& surface, const Pose& X_WB, const Motion& V_WB_B) {
  ModelBuilder builder;
  Joint joint;
  joint.type = JointType::kFloating;
  builder.add_body(name, kWorld, name + "_root", joint, Pose{}, mesh.mass_properties(mass));
  SceneSystem system{.name = name, .model = builder.build(), .start = {}, .shapes = {}};
  system.start = neutral_state(system.model);
  const Eigen::Quaterniond q = quaternion_of(X_WB.R);
  system.start.q << X_WB.p, q.w(), q.x(), q.y(), q.z();
  system.start.v = V_WB_B.c;
  system.shapes.push_back({.body = 0, .mesh = mesh, .surface = surface});
  return system;
}

}  // namespace kagami::models
