// Scenes of contact in DART, with its own collision detector and its default solver (Dantzig).
#include <cmath>
#include <dart/collision/CollisionObject.hpp>
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>
#include <map>

#include "tools/bench/contact/free_scenes.hpp"
#include "tools/bench/contact/robot_scene.hpp"
#include "tools/bench/peers/contact_rows.hpp"
#include "tools/bench/peers/dart_model.hpp"

namespace kagami::bench {
namespace {

namespace dyn = dart::dynamics;

dart::simulation::WorldPtr make_world(double dt, double friction) {
  auto world = dart::simulation::World::create();
  world->setGravity(Eigen::Vector3d(0, 0, -kGravity));
  world->setTimeStep(dt);
  world->getConstraintSolver()->setCollisionDetector(
      dart::collision::DARTCollisionDetector::create());
  auto ground = dyn::Skeleton::create("ground");
  dyn::BodyNode* body = ground->createJointAndBodyNodePair<dyn::WeldJoint>().second;
  auto* node = body->createShapeNodeWith<dyn::CollisionAspect, dyn::DynamicsAspect>(
      std::make_shared<dyn::BoxShape>(Eigen::Vector3d(10, 10, 1)));
  node->setRelativeTranslation(Eigen::Vector3d(0, 0, -.5));
  node->getDynamicsAspect()->setFrictionCoeff(friction);
  world->addSkeleton(ground);
  return world;
}

void add_box(dyn::BodyNode* body, const Triple& size, double z, double friction) {
  auto* node = body->createShapeNodeWith<dyn::CollisionAspect, dyn::DynamicsAspect>(
      std::make_shared<dyn::BoxShape>(Eigen::Vector3d(size[0], size[1], size[2])));
  node->setRelativeTranslation(Eigen::Vector3d(0, 0, z));
  node->getDynamicsAspect()->setFrictionCoeff(friction);
}

/// visit(body, force) for every contact with the ground.
template <class Visit>
void ground_forces(dart::simulation::World& world, Visit visit) {
  for (const dart::collision::Contact& c : world.getLastCollisionResult().getContacts()) {
    const auto node = [](const dart::collision::CollisionObject* object) {
      return const_cast<dart::collision::CollisionObject*>(object)->getShapeFrame()->asShapeNode();
    };
    const auto* a = node(c.collisionObject1);
    const auto* b = node(c.collisionObject2);
    const bool ground_a = a->getSkeleton()->getName() == "ground";
    const bool ground_b = b->getSkeleton()->getName() == "ground";
    if (ground_a != ground_b)
      visit((ground_a ? b : a)->getBodyNodePtr().get(), std::fabs(c.force.z()));
  }
}

double energy(const dyn::Skeleton& skeleton) {
  double sum = skeleton.computeKineticEnergy();
  for (const dyn::BodyNode* b : skeleton.getBodyNodes())
    sum += b->getMass() * kGravity * b->getCOM().z();
  return sum;
}

double depth(const Eigen::Isometry3d& X, double z, const Triple& size) {
  const Eigen::Vector3d p = X * Eigen::Vector3d(0, 0, z);
  const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R = X.linear();
  return depth_of(p.data(), R.data(), size);
}

class DartRobot : public RobotSim {
 public:
  DartRobot() : def_(khr1_standing()), servo_(def_) {}

  void reset(double drop) override {
    world_ = make_world(kRobotStep, kRobotFriction);
    robot_ = skeleton_of(def_);
    world_->addSkeleton(robot_);
    Eigen::VectorXd q = robot_->getPositions();
    q[5] = kRobotHeight + drop;
    robot_->setPositions(q);
    for (const int foot : feet(def_)) add_box(body(foot), kSole, kSoleZ, kRobotFriction);
    dofs_.clear();
    for (int i = 1; i < static_cast<int>(def_.bodies.size()); ++i)
      dofs_.push_back(
          static_cast<Eigen::Index>(body(i)->getParentJoint()->getDof(0)->getIndexInSkeleton()));
    tau_ = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(robot_->getNumDofs()));
  }

  void step(double a) override {
    const Eigen::VectorXd q = robot_->getPositions();
    const Eigen::VectorXd v = robot_->getVelocities();
    for (std::size_t k = 0; k < dofs_.size(); ++k)
      tau_[dofs_[k]] = servo_.tau(static_cast<int>(k), a, q[dofs_[k]], v[dofs_[k]]);
    robot_->setForces(tau_);
    world_->step();
  }

  RobotView view() override {
    RobotView view;
    std::size_t corner = 0;
    std::size_t axis = 0;
    for (const int foot : feet(def_)) {
      const Eigen::Isometry3d X = body(foot)->getWorldTransform();
      for (const double x : {-.5, .5})
        for (const double y : {-.5, .5})
          view.corner_z[corner++] =
              (X * Eigen::Vector3d(x * kSole[0], y * kSole[1], kSoleZ - .5 * kSole[2])).z();
      const Eigen::Vector3d centre = X * Eigen::Vector3d(0, 0, kSoleZ);
      view.sole_xy[axis++] = centre.x();
      view.sole_xy[axis++] = centre.y();
    }
    ground_forces(*world_, [&](const dyn::BodyNode*, double force) {
      view.force += force;
      view.carrying += force > 0.0 ? 1 : 0;
    });
    view.energy = energy(*robot_);
    return view;
  }

 private:
  [[nodiscard]] dyn::BodyNode* body(int i) const {
    return robot_->getBodyNode(def_.bodies[static_cast<std::size_t>(i)].name);
  }

  ModelDef def_;
  SquatServo servo_;
  dart::simulation::WorldPtr world_;
  dyn::SkeletonPtr robot_;
  std::vector<Eigen::Index> dofs_;
  Eigen::VectorXd tau_;
};

class DartPendulum : public PendulumSim {
 public:
  explicit DartPendulum(double dt)
      : world_(make_world(dt, kLinkFriction)), chain_(skeleton_of(ground_pendulum())) {
    world_->addSkeleton(chain_);
    for (dyn::BodyNode* b : chain_->getBodyNodes()) add_box(b, kLink, kLinkZ, kLinkFriction);
    chain_->disableSelfCollisionCheck();
    Eigen::VectorXd q = chain_->getPositions();
    q[0] = kFirstAngle;
    chain_->setPositions(q);
  }

  void step() override { world_->step(); }

  PendulumView view() override {
    PendulumView view;
    view.energy = energy(*chain_);
    view.depth = -1.0;
    for (const dyn::BodyNode* b : chain_->getBodyNodes())
      view.depth = std::max(view.depth, depth(b->getWorldTransform(), kLinkZ, kLink));
    view.speed = chain_->getVelocities().cwiseAbs().maxCoeff();
    ground_forces(*world_, [&](const dyn::BodyNode*, double force) { view.force += force; });
    return view;
  }

 private:
  dart::simulation::WorldPtr world_;
  dyn::SkeletonPtr chain_;
};

class DartStack : public StackSimulation {
 public:
  DartStack(int boxes, double dt) : world_(make_world(dt, kBoxFriction)) {
    const Triple I = box_inertia(kBoxMass, kBox);
    for (const BoxPose& box : falling_boxes(boxes)) {
      auto skeleton = dyn::Skeleton::create("box" + std::to_string(bodies_.size()));
      dyn::BodyNode::Properties body;
      body.mInertia = dyn::Inertia(kBoxMass, Eigen::Vector3d::Zero(),
                                   Eigen::Vector3d(I[0], I[1], I[2]).asDiagonal().toDenseMatrix());
      const auto pair = skeleton->createJointAndBodyNodePair<dyn::FreeJoint>(
          nullptr, dyn::FreeJoint::Properties(), body);
      add_box(pair.second, kBox, 0.0, kBoxFriction);
      Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
      X.linear() = Eigen::Quaterniond(box.q[0], box.q[1], box.q[2], box.q[3]).toRotationMatrix();
      X.translation() = Eigen::Vector3d(box.p[0], box.p[1], box.p[2]);
      pair.first->setTransform(X);
      bodies_.push_back(pair.second);
      world_->addSkeleton(skeleton);
    }
  }

  void step() override { world_->step(); }

  StackView view() override {
    StackView view;
    std::map<const dyn::BodyNode*, double> forces;
    ground_forces(*world_, [&](const dyn::BodyNode* b, double force) { forces[b] += force; });
    for (const dyn::BodyNode* b : bodies_) {
      const Eigen::Vector3d p = b->getWorldTransform().translation();
      view.centre.push_back({p.x(), p.y(), p.z()});
      view.force.push_back(forces[b]);
      view.depth = std::max(view.depth, depth(b->getWorldTransform(), 0.0, kBox));
      view.energy += b->computeKineticEnergy() + kBoxMass * kGravity * p.z();
    }
    return view;
  }

 private:
  dart::simulation::WorldPtr world_;
  std::vector<dyn::BodyNode*> bodies_;
};

}  // namespace

void add_contact_rows() {
  add_robot_rows("", [] { return std::make_unique<DartRobot>(); });
  add_pendulum_rows("", [](double dt) { return std::make_unique<DartPendulum>(dt); });
  // 20 and more boxes take it seconds to minutes
  add_stack_rows("", 10, [](int n, double dt) { return std::make_unique<DartStack>(n, dt); });
}

}  // namespace kagami::bench
