// Scenes of contact in Bullet: sequential impulses with 10 iterations for robots and chains, 50 for
// stacks. A link's frame is at its mass centre.
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <vector>

#include "tools/bench/contact/free_scenes.hpp"
#include "tools/bench/contact/robot_scene.hpp"
#include "tools/bench/peers/bullet_model.hpp"
#include "tools/bench/peers/contact_rows.hpp"

namespace kagami::bench {
namespace {

constexpr int kGround = -1;  // user index

/// A world with a floor; owns what is added.
class BulletWorld {
 public:
  BulletWorld(double dt, int iterations, double friction)
      : world(&dispatcher_, &broadphase_, &solver_, &configuration_), dt_(dt) {
    world.setGravity(btVector3(0, 0, -kGravity));
    btContactSolverInfo& info = world.getSolverInfo();
    info.m_numIterations = iterations;
    info.m_erp2 = 0.2;
    info.m_splitImpulse = true;
    plane_.setMargin(0);
    floor_.setCollisionShape(&plane_);
    floor_.setFriction(friction);
    floor_.setContactProcessingThreshold(0);
    floor_.setUserIndex(kGround);
    world.addCollisionObject(&floor_, 2, 1);
  }
  ~BulletWorld() {
    for (int i = world.getNumCollisionObjects(); i-- > 0;)
      world.removeCollisionObject(world.getCollisionObjectArray()[i]);
    for (const auto& robot : robots_) world.removeMultiBody(robot.get());
  }
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  btMultiBody& add_robot(const ModelDef& model) {
    robots_.push_back(multibody(model));
    robots_.back()->setCanSleep(false);
    world.addMultiBody(robots_.back().get());
    return *robots_.back();
  }

  btCollisionShape* box(const Triple& size) {
    shapes_.push_back(
        std::make_unique<btBoxShape>(btVector3(size[0] / 2, size[1] / 2, size[2] / 2)));
    shapes_.back()->setMargin(1e-4);
    return shapes_.back().get();
  }

  /// A box at `z` above the link's mass centre; it meets the floor only.
  void add_box(btMultiBody& robot, int link, const Triple& size, double z, double friction,
               int index) {
    btCollisionShape* shape = box(size);
    if (z != 0.0) {
      auto compound = std::make_unique<btCompoundShape>();
      compound->addChildShape(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, z)), shape);
      shape = compound.get();
      shapes_.push_back(std::move(compound));
    }
    colliders_.push_back(std::make_unique<btMultiBodyLinkCollider>(&robot, link));
    btMultiBodyLinkCollider* collider = colliders_.back().get();
    collider->setCollisionShape(shape);
    collider->setFriction(friction);
    collider->setUserIndex(index);
    world.addCollisionObject(collider, 1, 2);
    robot.getLink(link).m_collider = collider;
  }

  /// After joints were set from outside.
  void place(btMultiBody& robot) {
    btAlignedObjectArray<btQuaternion> q;
    btAlignedObjectArray<btVector3> p;
    robot.forwardKinematics(q, p);
    robot.updateCollisionObjectWorldTransforms(q, p);
  }

  btRigidBody* add_rigid(const BoxPose& pose, btCollisionShape* shape, const Triple& I, int index) {
    btRigidBody::btRigidBodyConstructionInfo info(kBoxMass, nullptr, shape,
                                                  btVector3(I[0], I[1], I[2]));
    info.m_startWorldTransform =
        btTransform(btQuaternion(pose.q[1], pose.q[2], pose.q[3], pose.q[0]),
                    btVector3(pose.p[0], pose.p[1], pose.p[2]));
    info.m_friction = std::sqrt(kBoxFriction);  // Bullet multiplies those of a pair
    info.m_linearDamping = info.m_angularDamping = 0;
    rigid_.push_back(std::make_unique<btRigidBody>(info));
    rigid_.back()->setActivationState(DISABLE_DEACTIVATION);
    rigid_.back()->setUserIndex(index);
    world.addRigidBody(rigid_.back().get(), 1, 3);
    return rigid_.back().get();
  }

  void step() { world.stepSimulation(dt_, 0); }

  /// visit(user index, force) for every contact with the floor.
  template <class Visit>
  void ground_forces(Visit visit) {
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const btPersistentManifold* m = dispatcher_.getManifoldByIndexInternal(i);
      const int a = m->getBody0()->getUserIndex();
      const int b = m->getBody1()->getUserIndex();
      if ((a == kGround) == (b == kGround)) continue;
      for (int k = 0; k < m->getNumContacts(); ++k)
        visit(a == kGround ? b : a, m->getContactPoint(k).getAppliedImpulse() / dt_);
    }
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btStaticPlaneShape plane_{btVector3(0, 0, 1), 0};
  btCollisionObject floor_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btMultiBody>> robots_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
  std::vector<std::unique_ptr<btRigidBody>> rigid_;

 public:
  btMultiBodyDynamicsWorld world;

 private:
  double dt_;
};

std::array<double, 9> rotation(const btTransform& X) {
  std::array<double, 9> R = {};
  for (std::size_t k = 0; k < 9; ++k)
    R[k] = X.getBasis()[static_cast<int>(k / 3)][static_cast<int>(k % 3)];
  return R;
}

/// J; the frames must be those of the present joints.
double energy(btMultiBody& robot, const ModelDef& def) {
  const int links = robot.getNumLinks();
  const int base = def.floating() ? 1 : 0;
  std::vector<btVector3> w(static_cast<std::size_t>(links + 1));
  std::vector<btVector3> v(w.size());
  robot.compTreeLinkVelocities(w.data(), v.data());
  double sum = 0.0;
  for (int link = -base; link < links; ++link) {
    const BodyDef& b = def.bodies[static_cast<std::size_t>(link + base)];
    const auto at = static_cast<std::size_t>(link + 1);
    const btVector3 p =
        link < 0 ? robot.getBasePos() : robot.localPosToWorld(link, btVector3(0, 0, 0));
    sum += b.mass * (kGravity * p.z() + .5 * v[at].length2());
    for (int k = 0; k < 3; ++k)
      sum += .5 * b.inertia[static_cast<std::size_t>(k)] * w[at][k] * w[at][k];
  }
  return sum;
}

class BulletRobot : public RobotSim {
 public:
  BulletRobot() : def_(khr1_standing()), servo_(def_), feet_(feet(def_)) {}

  void reset(double drop) override {
    bullet_ = std::make_unique<BulletWorld>(kRobotStep, 10, kRobotFriction);
    robot_ = &bullet_->add_robot(def_);
    const Triple& com = def_.bodies[0].com;
    robot_->setBasePos(btVector3(com[0], com[1], kRobotHeight + drop + com[2]));
    for (const int foot : feet_)
      bullet_->add_box(*robot_, foot - 1, kSole, sole_z(foot), kRobotFriction, foot);
    bullet_->place(*robot_);
  }

  void step(double a) override {
    for (int k = 0; k < robot_->getNumLinks(); ++k)
      robot_->addJointTorque(k, servo_.tau(k, a, robot_->getJointPos(k), robot_->getJointVel(k)));
    bullet_->step();
  }

  RobotView view() override {
    RobotView view;
    std::size_t corner = 0;
    std::size_t axis = 0;
    for (const int foot : feet_) {
      const btTransform& X = robot_->getLink(foot - 1).m_collider->getWorldTransform();
      for (const double x : {-.5, .5})
        for (const double y : {-.5, .5})
          view.corner_z[corner++] =
              (X * btVector3(x * kSole[0], y * kSole[1], sole_z(foot) - .5 * kSole[2])).z();
      const btVector3 centre = X * btVector3(0, 0, sole_z(foot));
      view.sole_xy[axis++] = centre.x();
      view.sole_xy[axis++] = centre.y();
    }
    bullet_->ground_forces([&](int, double force) {
      view.force += force;
      view.carrying += force > 0.0 ? 1 : 0;
    });
    view.energy = energy(*robot_, def_);
    return view;
  }

 private:
  /// m, the sole's centre above the foot's mass centre.
  [[nodiscard]] double sole_z(int foot) const {
    return kSoleZ - def_.bodies[static_cast<std::size_t>(foot)].com[2];
  }

  ModelDef def_;
  SquatServo servo_;
  std::array<int, 2> feet_;
  std::unique_ptr<BulletWorld> bullet_;
  btMultiBody* robot_ = nullptr;
};

class BulletPendulum : public PendulumSim {
 public:
  explicit BulletPendulum(double dt)
      : def_(ground_pendulum()), bullet_(dt, 10, kLinkFriction), chain_(bullet_.add_robot(def_)) {
    for (int i = 0; i < chain_.getNumLinks(); ++i)
      bullet_.add_box(chain_, i, kLink, 0.0, kLinkFriction, i);
    chain_.setJointPos(0, kFirstAngle);
    bullet_.place(chain_);
  }

  void step() override { bullet_.step(); }

  PendulumView view() override {
    PendulumView view;
    view.energy = energy(chain_, def_);
    view.depth = -1.0;
    for (int i = 0; i < chain_.getNumLinks(); ++i) {
      const btTransform& X = chain_.getLink(i).m_collider->getWorldTransform();
      view.depth = std::max(view.depth, depth_of(X.getOrigin(), rotation(X).data(), kLink));
      view.speed = std::max(view.speed, std::fabs(chain_.getJointVel(i)));
    }
    bullet_.ground_forces([&](int, double force) { view.force += force; });
    return view;
  }

 private:
  ModelDef def_;
  BulletWorld bullet_;
  btMultiBody& chain_;
};

class BulletStack : public StackSimulation {
 public:
  BulletStack(int boxes, double dt) : bullet_(dt, 50, std::sqrt(kBoxFriction)) {
    btCollisionShape* shape = bullet_.box(kBox);
    for (const BoxPose& pose : falling_boxes(boxes))
      bodies_.push_back(bullet_.add_rigid(pose, shape, inertia_, static_cast<int>(bodies_.size())));
  }

  void step() override { bullet_.step(); }

  StackView view() override {
    StackView view;
    view.force.resize(bodies_.size());
    for (const btRigidBody* b : bodies_) {
      const btTransform& X = b->getWorldTransform();
      const btVector3& p = X.getOrigin();
      view.centre.push_back({p.x(), p.y(), p.z()});
      view.depth = std::max(view.depth, depth_of(p, rotation(X).data(), kBox));
      const btVector3 w = b->getAngularVelocity() * X.getBasis();  // in the body's axes
      view.energy += kBoxMass * (kGravity * p.z() + .5 * b->getLinearVelocity().length2());
      for (int k = 0; k < 3; ++k)
        view.energy += .5 * inertia_[static_cast<std::size_t>(k)] * w[k] * w[k];
    }
    bullet_.ground_forces(
        [&](int box, double force) { view.force[static_cast<std::size_t>(box)] += force; });
    return view;
  }

 private:
  Triple inertia_ = box_inertia(kBoxMass, kBox);
  BulletWorld bullet_;
  std::vector<btRigidBody*> bodies_;
};

}  // namespace

void add_contact_rows() {
  add_robot_rows("", [] { return std::make_unique<BulletRobot>(); });
  add_pendulum_rows("", [](double dt) { return std::make_unique<BulletPendulum>(dt); });
  add_stack_rows("", 50, [](int n, double dt) { return std::make_unique<BulletStack>(n, dt); });
}

}  // namespace kagami::bench
