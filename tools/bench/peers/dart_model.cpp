#include "tools/bench/peers/dart_model.hpp"

#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <vector>

namespace kagami::bench {
namespace {

namespace dd = dart::dynamics;

Eigen::Vector3d vec3(const Triple& t) {
  return {t[0], t[1], t[2]};
}

Eigen::Matrix3d inertia_of(const BodyDef& b) {
  Eigen::Matrix3d I = vec3(b.inertia).asDiagonal();
  I(0, 1) = I(1, 0) = b.products[0];
  I(0, 2) = I(2, 0) = b.products[1];
  I(1, 2) = I(2, 1) = b.products[2];
  return I;
}

Eigen::Vector3d axis_of(const BodyDef& b) {
  return b.joint == 'a' ? vec3(b.axis)
                        : Eigen::Vector3d(b.joint == 'x', b.joint == 'y', b.joint == 'z');
}

}  // namespace

dd::SkeletonPtr skeleton_of(const ModelDef& model) {
  const dd::SkeletonPtr skeleton = dd::Skeleton::create(model.name);
  std::vector<dd::BodyNode*> nodes;
  for (const BodyDef& b : model.bodies) {
    dd::BodyNode::Properties body;
    body.mName = b.name;
    body.mInertia = dd::Inertia(b.mass, vec3(b.com), inertia_of(b));
    dd::BodyNode* parent = b.parent < 0 ? nullptr : nodes[static_cast<std::size_t>(b.parent)];
    if (b.joint == 'f') {
      dd::FreeJoint::Properties joint;
      joint.mName = "j_" + b.name;
      nodes.push_back(
          skeleton->createJointAndBodyNodePair<dd::FreeJoint>(parent, joint, body).second);
    } else {
      dd::RevoluteJoint::Properties joint;
      joint.mName = "j_" + b.name;
      joint.mAxis = axis_of(b);
      joint.mT_ParentBodyToJoint.linear() =
          Eigen::Quaterniond(b.turn[0], b.turn[1], b.turn[2], b.turn[3]).toRotationMatrix();
      joint.mT_ParentBodyToJoint.translation() = vec3(b.origin);
      nodes.push_back(
          skeleton->createJointAndBodyNodePair<dd::RevoluteJoint>(parent, joint, body).second);
    }
  }
  return skeleton;
}

}  // namespace kagami::bench
