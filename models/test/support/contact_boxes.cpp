#include "models/test/support/contact_boxes.hpp"

namespace kagami::test {

models::SceneSystem box_at(const std::string& name, const Vec3& p, double mass,
                           const models::Motion& V, const Mat3& R, const models::Surface& surface) {
  return models::free_body(name, models::ConvexMesh::box(name, kBox), mass, surface, {R, p}, V);
}

models::ContactSettings by(models::MethodName method) {
  models::ContactSettings s;
  s.method = method;
  return s;
}

double lift_of(const models::World& world, int system, double h) {
  double sum = 0.0;
  for (const models::WorldContact& c : world.contacts()) {
    if (c.system == system) sum += c.force.impulse.force().z() / h;
    if (c.other_system == system) sum -= c.force.impulse.force().z() / h;
  }
  return sum;
}

double lift_between(const models::World& world, int lower, int upper, double h) {
  double sum = 0.0;
  for (const models::WorldContact& c : world.contacts()) {
    const double z = c.force.impulse.force().z() / h;
    if (c.system == upper && c.other_system == lower) sum += z;
    if (c.system == lower && c.other_system == upper) sum -= z;
  }
  return sum;
}

}  // namespace kagami::test
