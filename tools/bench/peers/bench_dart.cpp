// kagami-bench-dart: DART's forward and inverse dynamics, mass matrix and Jacobian.
// not dart/dart.hpp: that one asks for packages that libdart-dev does not bring
#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "tools/bench/measure.hpp"

namespace kagami::bench {
namespace {

namespace dd = dart::dynamics;

Eigen::Vector3d vec3(const Triple& t) {
  return {t[0], t[1], t[2]};
}

dd::SkeletonPtr skeleton_of(const ModelDef& model) {
  const dd::SkeletonPtr skeleton = dd::Skeleton::create(model.name);
  std::vector<dd::BodyNode*> nodes;
  for (const BodyDef& b : model.bodies) {
    dd::BodyNode::Properties body;
    body.mName = b.name;
    const Eigen::Matrix3d inertia = vec3(b.inertia).asDiagonal().toDenseMatrix();
    body.mInertia = dd::Inertia(b.mass, vec3(b.com), inertia);
    dd::BodyNode* parent = b.parent < 0 ? nullptr : nodes[static_cast<std::size_t>(b.parent)];
    if (b.joint == 'f') {
      dd::FreeJoint::Properties joint;
      joint.mName = "j_" + b.name;
      nodes.push_back(
          skeleton->createJointAndBodyNodePair<dd::FreeJoint>(parent, joint, body).second);
    } else {
      dd::RevoluteJoint::Properties joint;
      joint.mName = "j_" + b.name;
      joint.mAxis = Eigen::Vector3d(b.joint == 'x', b.joint == 'y', b.joint == 'z');
      joint.mT_ParentBodyToJoint.translation() = vec3(b.origin);
      nodes.push_back(
          skeleton->createJointAndBodyNodePair<dd::RevoluteJoint>(parent, joint, body).second);
    }
  }
  return skeleton;
}

class Subject {
 public:
  explicit Subject(const ModelDef& model) : skeleton(skeleton_of(model)) {
    world_->setGravity(Eigen::Vector3d(0, 0, -9.81));
    world_->addSkeleton(skeleton);
    for (const BodyDef& b : model.bodies)
      if (b.joint != 'f')
        index_.push_back(static_cast<Eigen::Index>(
            skeleton->getBodyNode(b.name)->getParentJoint()->getDof(0)->getIndexInSkeleton()));
    for (const StateDef& s : bench_states(model)) add_state(model, s);
  }

  void set_positions(int i) { skeleton->setPositions(q_[static_cast<std::size_t>(i)]); }

  void set(int i) {
    set_positions(i);
    skeleton->setVelocities(v_[static_cast<std::size_t>(i)]);
    skeleton->setForces(tau_[static_cast<std::size_t>(i)]);
  }

  double checksum() {
    Checksum sum;
    for (int i = 0; i < kStates; ++i) {
      set(i);
      skeleton->computeForwardDynamics();
      const Eigen::VectorXd all = skeleton->getAccelerations();
      std::vector<double> joints;
      for (const Eigen::Index at : index_) joints.push_back(all[at]);
      sum.add(joints.data(), static_cast<int>(joints.size()));
    }
    return sum.value();
  }

  dd::SkeletonPtr skeleton;

 private:
  void add_state(const ModelDef& model, const StateDef& s) {
    const auto size = static_cast<Eigen::Index>(skeleton->getNumDofs());
    Eigen::VectorXd q = Eigen::VectorXd::Zero(size);
    Eigen::VectorXd v = q;
    Eigen::VectorXd tau = q;
    // a free joint's velocity is (angular, linear) in the body's frame; the base stands at identity
    if (model.floating())
      for (int k = 0; k < 3; ++k) {
        v[k] = s.twist[static_cast<std::size_t>(k + 3)];
        v[k + 3] = s.twist[static_cast<std::size_t>(k)];
      }
    for (std::size_t k = 0; k < index_.size(); ++k) {
      q[index_[k]] = s.q[k];
      v[index_[k]] = s.v[k];
      tau[index_[k]] = s.tau[k];
    }
    q_.push_back(q);
    v_.push_back(v);
    tau_.push_back(tau);
  }

  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
  std::vector<Eigen::Index> index_;  // of our joints in DART's order
  std::vector<Eigen::VectorXd> q_, v_, tau_;
};

void add_model(const ModelDef& def) {
  add_row(def.name + "/forward_dynamics", [def](benchmark::State& state) {
    Subject s(def);
    state.counters["checksum"] = s.checksum();
    measure(state, [&](int i) {
      s.set(i);
      s.skeleton->computeForwardDynamics();
    });
  });
  add_row(def.name + "/inverse_dynamics", [def](benchmark::State& state) {
    Subject s(def);
    measure(state, [&](int i) {
      s.set(i);
      s.skeleton->computeInverseDynamics();
    });
  });
  add_row(def.name + "/mass_matrix", [def](benchmark::State& state) {
    Subject s(def);
    measure(state, [&](int i) {
      s.set_positions(i);
      benchmark::DoNotOptimize(s.skeleton->getMassMatrix().data());
    });
  });
  add_row(def.name + "/com_jacobian", [def](benchmark::State& state) {
    Subject s(def);
    measure(state, [&](int i) {
      s.set_positions(i);
      const Eigen::MatrixXd J = s.skeleton->getCOMJacobian();
      benchmark::DoNotOptimize(J.data());
    });
  });
}

}  // namespace
}  // namespace kagami::bench

int main(int argc, char** argv) {
  using namespace kagami::bench;
  for (const ModelDef& model : compared_models()) add_model(model);
  return run_rows(argc, argv, "dart " DART_VERSION);
}
