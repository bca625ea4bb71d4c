#include "tools/experiments/spring_damper.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace kagami::tools {

SpringDamper::SpringDamper(const models::SceneSystem& system, const models::Surface& surface,
                           const SpringDamperSettings& settings)
    : surface_(surface), settings_(settings) {
  for (const models::BodyShape& shape : system.shapes)
    for (const Vec3& vertex : shape.mesh.vertices()) {
      SpringCorner corner;
      corner.body = shape.body;
      corner.p_BQ = vertex;
      corners_.push_back(corner);
    }
}

// in W; the normal force never pulls; the spring across holds up to mu_s f_n, a slipping one drags
// mu_k f_n
Vec3 SpringDamper::force_on(SpringCorner& c, const models::Kinematics& k) const {
  const models::Pose& X_WB = k.X_WB[static_cast<std::size_t>(c.body)];
  const models::Motion& V = k.tree.V[static_cast<std::size_t>(c.body)];  // V_WB_B
  const Vec3 p = X_WB * c.p_BQ;
  const Vec3 v = X_WB.R * (V.linear() + V.angular().cross(c.p_BQ));
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

void SpringDamper::add_forces(const models::Kinematics& k,
                              std::vector<models::Force>& F_ext) const {
  for (SpringCorner c : corners_) {
    const auto body = static_cast<std::size_t>(c.body);
    const Vec3 f = k.X_WB[body].R.transpose() * force_on(c, k);
    F_ext[body] += models::Force::from(c.p_BQ.cross(f), f);
  }
}

void SpringDamper::settle(const models::Kinematics& k) {
  for (SpringCorner& c : corners_) static_cast<void>(force_on(c, k));
}

}  // namespace kagami::tools
