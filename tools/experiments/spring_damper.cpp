#include "tools/experiments/spring_damper.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace kagami::tools {

SpringDamper::SpringDamper(const models::SceneSystem& system, const models::Surface& surface,
                           const SpringDamperSettings& settings)
    : surface_(surface), settings_(settings), k_(system.model) {
  for (const models::BodyShape& shape : system.shapes)
    for (const Vec3& vertex : shape.mesh.vertices()) {
      SpringCorner corner;
      corner.body = shape.body;
      corner.p_BQ = vertex;
      corners_.push_back(corner);
    }
}

// the normal force never pulls; the spring across holds up to mu_s f_n, a slipping one drags mu_k
// f_n
Vec3 SpringDamper::force_on(SpringCorner& c, const Vec3& p, const Vec3& v) const {
  c.depth = std::max(0.0, -p.z());
  c.normal = c.depth > 0.0
                 ? std::max(0.0, settings_.stiffness * c.depth - settings_.damping * v.z())
                 : 0.0;
  if (c.normal <= 0.0) {
    c.touches = c.slides = false;
    return Vec3::Zero();
  }
  const Vec3 ground(p.x(), p.y(), 0.0);
  if (!c.touches) c.anchor = ground;
  c.touches = true;
  Vec3 f = -settings_.stiffness * (ground - c.anchor) - settings_.damping * Vec3(v.x(), v.y(), 0.0);
  const double limit = (c.slides ? surface_.mu_kinetic : surface_.mu_static) * c.normal;
  c.slides = f.norm() > limit;
  if (c.slides) {
    f *= surface_.mu_kinetic * c.normal / f.norm();
    c.anchor = ground + f / settings_.stiffness;
  }
  f.z() = c.normal;
  return f;
}

void SpringDamper::drive(models::World& world) {
  const models::Model& model = world.model(0);
  const models::State& s = world.state(0);
  models::forward_kinematics(model, s.q, s.v, k_);
  std::vector<models::Force>& F_ext = world.drive(0).F_ext;
  F_ext.assign(static_cast<std::size_t>(model.num_bodies()), models::Force::zero());
  for (SpringCorner& c : corners_) {
    const auto body = static_cast<std::size_t>(c.body);
    const models::Pose& X_WB = k_.X_WB[body];
    const models::Motion& V = k_.tree.V[body];  // V_WB_B
    const Vec3 v = X_WB.R * (V.linear() + V.angular().cross(c.p_BQ));
    const Vec3 f = X_WB.R.transpose() * force_on(c, X_WB * c.p_BQ, v);
    F_ext[body] += models::Force::from(c.p_BQ.cross(f), f);
  }
}

}  // namespace kagami::tools
