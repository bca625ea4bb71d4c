#include "models/closed_chains/test/random_loops.hpp"

#include <Eigen/Geometry>
#include <string>

#include "models/base/errors.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/state.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::test {
namespace {

using models::BaseKind;
using models::Joint;
using models::JointType;
using models::Kinematics;
using models::Model;
using models::ModelBuilder;
using models::Pose;
using models::rotation_about;
using models::State;

Joint random_loop_joint(Random& random) {
  Joint joint;
  const JointType kTypes[] = {JointType::kFixed, JointType::kRevolute, JointType::kPrismatic,
                              JointType::kUniversal, JointType::kSpherical};
  joint.type = kTypes[random.index(5)];
  joint.axis = random.vec3().normalized();
  if (joint.type == JointType::kUniversal) joint.axis2 = joint.axis.unitOrthogonal();
  return joint;
}

// a pose that the joint allows
Pose random_joint_pose(Random& random, const Joint& joint) {
  double q[7];
  neutral_joint(joint, q);
  double v[6];
  for (double& x : v) x = random.signed_unit();
  integrate_joint(joint, v, 1.0, q);
  return joint_pose(joint, q);
}

// the same tree with loops that are closed at q
Model close_at(Random& random, const Model& tree, const JointVector& q, int loops) {
  ModelBuilder builder(tree);
  Kinematics k(tree);
  forward_kinematics(tree, q, JointVector::Zero(tree.num_v()), k);
  for (int l = 0; l < loops;) {
    const int a = random.index(tree.num_bodies());
    const int b = random.index(tree.num_bodies() + 1) - 1;
    const Joint joint = random_loop_joint(random);
    const Pose X_AL{rotation_about(random.vec3().normalized(), random.signed_unit()),
                    random.vec3()};
    const Pose X_WJ =
        k.X_WB[static_cast<std::size_t>(a)] * X_AL * inverse(random_joint_pose(random, joint));
    const Pose X_BJ = b == kWorld ? X_WJ : inverse(k.X_WB[static_cast<std::size_t>(b)]) * X_WJ;
    try {
      builder.add_loop("loop" + std::to_string(l), a, X_AL, b, X_BJ, joint);
      ++l;
    } catch (const ModelError&) {
      // bodies that cannot move against each other
    }
  }
  return builder.build();
}

}  // namespace

RandomChain::RandomChain(Random& random, int bodies, BaseKind base, int loops) {
  const Model tree = random_mixed_tree(random, bodies, base);
  const State s = random_state(random, tree);
  q = s.q;
  v = s.v;
  model = close_at(random, tree, q, loops);
}

}  // namespace kagami::test
