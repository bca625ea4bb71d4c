// kagami-bench-dart: DART's forward and inverse dynamics, mass matrix, Jacobian, and its step of
// the four-bar. not dart/dart.hpp: that one requires packages that libdart-dev does not bring
#include <dart/config.hpp>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "tools/bench/measure.hpp"
#include "tools/bench/peers/contact_rows.hpp"
#include "tools/bench/peers/dart_model.hpp"
#include "tools/bench/shipped.hpp"

namespace kagami::bench {
namespace {

namespace dd = dart::dynamics;

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

  void forward_dynamics(int i) {
    set(i);
    skeleton->computeForwardDynamics();
  }

  /// The numbers that are torques elsewhere serve as accelerations; the base has none.
  void inverse_dynamics(int i) {
    set_positions(i);
    skeleton->setVelocities(v_[static_cast<std::size_t>(i)]);
    skeleton->setAccelerations(tau_[static_cast<std::size_t>(i)]);
    skeleton->computeInverseDynamics();
  }

  /// Over the states, of the joints' entries of each row that rows(i) returns.
  template <class Rows>
  double checksum(Rows rows) {
    Checksum sum;
    std::vector<double> joints(index_.size());
    for (int i = 0; i < kStates; ++i) {
      const Eigen::MatrixXd matrix = rows(i);
      for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
        for (std::size_t k = 0; k < index_.size(); ++k) joints[k] = matrix(r, index_[k]);
        sum.add(joints.data(), static_cast<int>(joints.size()));
      }
    }
    return sum.value();
  }

  /// Rows of the joints in our order.
  Eigen::MatrixXd joint_rows(const Eigen::MatrixXd& all) const {
    Eigen::MatrixXd rows(static_cast<Eigen::Index>(index_.size()), all.cols());
    for (std::size_t k = 0; k < index_.size(); ++k)
      rows.row(static_cast<Eigen::Index>(k)) = all.row(index_[k]);
    return rows;
  }

  dd::SkeletonPtr skeleton;

 private:
  void add_state(const ModelDef& model, const StateDef& s) {
    const auto size = static_cast<Eigen::Index>(skeleton->getNumDofs());
    Eigen::VectorXd q = Eigen::VectorXd::Zero(size);
    Eigen::VectorXd v = q;
    Eigen::VectorXd tau = q;
    // a free joint's velocity is (angular, linear) in the body's frame; the base is at identity
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

void add_forward(const ModelDef& def) {
  add_row(def.name + "/forward_dynamics", [def](benchmark::State& state) {
    Subject s(def);
    state.counters["checksum"] = s.checksum([&](int i) -> Eigen::MatrixXd {
      s.forward_dynamics(i);
      return s.skeleton->getAccelerations().transpose();
    });
    measure(state, [&](int i) { s.forward_dynamics(i); });
  });
}

void add_dynamics(const ModelDef& def) {
  add_forward(def);
  add_row(def.name + "/inverse_dynamics", [def](benchmark::State& state) {
    Subject s(def);
    state.counters["checksum"] = s.checksum([&](int i) -> Eigen::MatrixXd {
      s.inverse_dynamics(i);
      return s.skeleton->getForces().transpose();
    });
    measure(state, [&](int i) { s.inverse_dynamics(i); });
  });
}

void add_matrices(const ModelDef& def) {
  add_row(def.name + "/mass_matrix", [def](benchmark::State& state) {
    Subject s(def);
    state.counters["checksum"] = s.checksum([&](int i) {
      s.set_positions(i);
      return s.joint_rows(s.skeleton->getMassMatrix());
    });
    measure(state, [&](int i) {
      s.set_positions(i);
      benchmark::DoNotOptimize(s.skeleton->getMassMatrix().data());
    });
  });
  add_row(def.name + "/com_jacobian", [def](benchmark::State& state) {
    Subject s(def);
    state.counters["checksum"] = s.checksum([&](int i) -> Eigen::MatrixXd {
      s.set_positions(i);
      return s.skeleton->getCOMJacobian().bottomRows<3>();  // angular rows stand above
    });
    measure(state, [&](int i) {
      s.set_positions(i);
      const Eigen::MatrixXd J = s.skeleton->getCOMJacobian();
      benchmark::DoNotOptimize(J.data());
    });
  });
}

/// The general four-bar in a world of its own, closed by a ball joint's constraint.
struct FourBarWorld {
  explicit FourBarWorld(const FourBar& bar)
      : skeleton(skeleton_of(bar.tree())),
        tip(bar.dx(2), 0, bar.dz(2)),
        pivot(bar.pivots[3][0], 0, 0) {
    world->setGravity(Eigen::Vector3d(0, 0, -9.81));
    world->setTimeStep(1e-3);
    world->addSkeleton(skeleton);
    last = skeleton->getBodyNode("l2");
    world->getConstraintSolver()->addConstraint(
        std::make_shared<dart::constraint::BallJointConstraint>(last, pivot));
  }

  double energy() const {
    double sum = skeleton->computeKineticEnergy();
    for (const dd::BodyNode* body : skeleton->getBodyNodes())
      sum += body->getMass() * 9.81 * body->getCOM().z();
    return sum;
  }
  double gap() const { return (last->getWorldTransform() * tip - pivot).norm(); }

  dart::simulation::WorldPtr world = dart::simulation::World::create();
  dd::SkeletonPtr skeleton;
  dd::BodyNode* last = nullptr;
  Eigen::Vector3d tip, pivot;
};

/// DART steps semi-implicitly, and in no other way.
void add_four_bar() {
  add_row("four_bar/semi_implicit", [](benchmark::State& state) {
    const FourBar bar;
    FourBarWorld checked(bar);
    watch_four_bar(
        state, [&] { checked.world->step(); }, [&] { return checked.gap(); },
        [&] { return checked.energy(); });
    FourBarWorld timed(bar);
    measure(state, [&](int) { timed.world->step(); });
  });
}

}  // namespace
}  // namespace kagami::bench

int main(int argc, char** argv) {
  using namespace kagami::bench;
  for (const ModelDef& model : compared_models()) {
    add_dynamics(model);
    add_matrices(model);
  }
  for (const ModelDef& robot : shipped_models())
    if (!robot.has_rotors()) add_forward(robot);  // DART has no place for them
  add_four_bar();
  add_contact_rows();
  return run_rows(argc, argv, "dart " DART_VERSION);
}
