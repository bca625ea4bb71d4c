#include "tools/bench/peers/bullet_model.hpp"

#include <vector>

namespace kagami::bench {
btVector3 vec3(const Triple& t) {
  return {t[0], t[1], t[2]};
}

Principal principal_of(const BodyDef& b) {
  const auto [xy, xz, yz] = b.products;
  Principal p;
  p.moments = vec3(b.inertia);
  if (b.products == Triple{}) return p;
  btMatrix3x3 I(b.inertia[0], xy, xz, xy, b.inertia[1], yz, xz, yz, b.inertia[2]);
  I.diagonalize(p.axes, 1e-16, 100);
  p.moments = btVector3(I[0][0], I[1][1], I[2][2]);
  return p;
}

btQuaternion quaternion_of(const btMatrix3x3& R) {
  btQuaternion q;
  R.getRotation(q);
  return q;
}

namespace {

btVector3 axis_of(const BodyDef& b) {
  return b.joint == 'a' ? vec3(b.axis) : btVector3(b.joint == 'x', b.joint == 'y', b.joint == 'z');
}

}  // namespace

std::unique_ptr<btMultiBody> multibody(const ModelDef& model) {
  const std::size_t base = model.floating() ? 1 : 0;
  const BodyDef& root = model.bodies[0];
  std::vector<Principal> principal;
  for (const BodyDef& b : model.bodies) principal.push_back(principal_of(b));
  auto body = std::make_unique<btMultiBody>(model.num_joints(), base ? root.mass : 1.0,
                                            base ? principal[0].moments : btVector3(1, 1, 1),
                                            base == 0, false);
  for (int k = 0; k < model.num_joints(); ++k) {
    const std::size_t i = static_cast<std::size_t>(k) + base;
    const BodyDef& b = model.bodies[i];
    btVector3 parent_com(0, 0, 0);
    btMatrix3x3 to_parent = btMatrix3x3::getIdentity();  // from the parent's body to its frame
    if (b.parent >= 0) {
      parent_com = vec3(model.bodies[static_cast<std::size_t>(b.parent)].com);
      to_parent = principal[static_cast<std::size_t>(b.parent)].axes.transpose();
    }
    const btMatrix3x3 to_this = principal[i].axes.transpose();
    const btMatrix3x3 turn(btQuaternion(b.turn[1], b.turn[2], b.turn[3], b.turn[0]));
    const btQuaternion parent_to_this =
        quaternion_of(to_this * turn.transpose() * to_parent.transpose());
    body->setupRevolute(k, b.mass, principal[i].moments, b.parent - static_cast<int>(base),
                        parent_to_this, to_this * axis_of(b),
                        to_parent * (vec3(b.origin) - parent_com), to_this * vec3(b.com), true);
  }
  body->finalizeMultiDof();
  body->setLinearDamping(0);
  body->setAngularDamping(0);
  body->useGlobalVelocities(false);
  return body;
}

}  // namespace kagami::bench
