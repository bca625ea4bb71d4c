/// Bullet models from ours.
#pragma once

#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <memory>

#include "tools/bench/bench_models.hpp"

namespace kagami::bench {

btVector3 vec3(const Triple& t);
btQuaternion quaternion_of(const btMatrix3x3& R);

/// A tensor without products of inertia in a turned frame: Bullet takes no other. The columns of
/// `axes` are the frame's axes in the body.
struct Principal {
  btMatrix3x3 axes = btMatrix3x3::getIdentity();
  btVector3 moments;
};

Principal principal_of(const BodyDef& b);

/// Link i of the btMultiBody is body i, behind the base if there is one.
std::unique_ptr<btMultiBody> multibody(const ModelDef& model);

}  // namespace kagami::bench
