// kagami-bench-bullet: Bullet's articulated-body algorithm (btMultiBody, double precision) and its
// step of the four-bar.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

#include <array>
#include <memory>
#include <vector>

#include "tools/bench/measure.hpp"
#include "tools/bench/peers/bullet_model.hpp"
#include "tools/bench/peers/contact_rows.hpp"
#include "tools/bench/shipped.hpp"

namespace kagami::bench {
namespace {

class Subject {
 public:
  explicit Subject(const ModelDef& model)
      : body_(multibody(model)),
        states_(bench_states(model)),
        floating_(model.floating()),
        base_com_(vec3(model.bodies[0].com)),
        world_to_base_(quaternion_of(principal_of(model.bodies[0]).axes.transpose())),
        joints_(model.num_joints()) {}

  void forward_dynamics(int i) {
    set(states_[static_cast<std::size_t>(i)]);
    body_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(0.0, r_, v_, m_, false, false,
                                                                false);
  }

  double checksum() {
    Checksum sum;
    for (int i = 0; i < kStates; ++i) {
      forward_dynamics(i);
      sum.add(&r_[joints_ + 6], joints_);  // the solver leaves the joints' accelerations there
    }
    return sum.value();
  }

 private:
  void set(const StateDef& s) {
    body_->clearForcesAndTorques();
    if (floating_) {
      // Bullet's base frame is at the base's mass centre: v_com = v_o + w x c
      const btVector3 v(s.twist[0], s.twist[1], s.twist[2]);
      const btVector3 w(s.twist[3], s.twist[4], s.twist[5]);
      body_->setBasePos(btVector3(0, 0, 0));
      body_->setWorldToBaseRot(world_to_base_);
      body_->setBaseOmega(w);
      body_->setBaseVel(v + w.cross(base_com_));
      body_->addBaseForce(gravity_ * body_->getBaseMass());
    }
    for (int k = 0; k < joints_; ++k) {
      const auto at = static_cast<std::size_t>(k);
      body_->setJointPos(k, s.q[at]);
      body_->setJointVel(k, s.v[at]);
      body_->addJointTorque(k, s.tau[at]);
      body_->addLinkForce(k, gravity_ * body_->getLinkMass(k));
    }
  }

  std::unique_ptr<btMultiBody> body_;
  std::vector<StateDef> states_;
  bool floating_;
  btVector3 base_com_;
  btQuaternion world_to_base_;
  int joints_;
  btVector3 gravity_ = btVector3(0, 0, -9.81);
  btAlignedObjectArray<btScalar> r_;
  btAlignedObjectArray<btVector3> v_;
  btAlignedObjectArray<btMatrix3x3> m_;
};

/// The general four-bar in a world of its own, closed by a point-to-point constraint. The links
/// carry small shapes that collide with nothing: Bullet finds constraints by its colliders.
class FourBarWorld {
 public:
  explicit FourBarWorld(const FourBar& bar)
      : body_(multibody(bar.tree())),
        tip_(bar.dx(2) / 2, 0, bar.dz(2) / 2),
        pivot_(bar.pivots[3][0], 0, 0),
        closing_(body_.get(), 2, static_cast<btRigidBody*>(nullptr), tip_, pivot_) {
    world_.setGravity(btVector3(0, 0, -9.81));
    world_.getSolverInfo().m_numIterations = 10;
    body_->setCanSleep(false);
    body_->setHasSelfCollision(false);
    world_.addMultiBody(body_.get());
    for (int link = 0; link < 3; ++link) {
      colliders_.push_back(std::make_unique<btMultiBodyLinkCollider>(body_.get(), link));
      colliders_.back()->setCollisionShape(&shape_);
      world_.addCollisionObject(colliders_.back().get(), 1, 2);
      body_->getLink(link).m_collider = colliders_.back().get();
    }
    closing_.setMaxAppliedImpulse(1e9);
    world_.addMultiBodyConstraint(&closing_);
    update();
  }
  ~FourBarWorld() {
    world_.removeMultiBodyConstraint(&closing_);
    for (const auto& collider : colliders_) world_.removeCollisionObject(collider.get());
    world_.removeMultiBody(body_.get());
  }
  FourBarWorld(const FourBarWorld&) = delete;
  FourBarWorld& operator=(const FourBarWorld&) = delete;

  void step() { world_.stepSimulation(1e-3, 0); }
  /// For gap() and energy().
  void update() { body_->forwardKinematics(rotations_, origins_); }
  double gap() const { return (body_->localPosToWorld(2, tip_) - pivot_).length(); }
  double energy() const {
    std::array<btVector3, 4> omega, v;  // of the base and the links, in each one's own frame
    body_->compTreeLinkVelocities(omega.data(), v.data());
    double sum = 0;
    for (int link = 0; link < 3; ++link) {
      const auto at = static_cast<std::size_t>(link + 1);
      const double mass = body_->getLinkMass(link);
      sum += 0.5 * mass * v[at].length2();
      sum += 0.5 * omega[at].dot(body_->getLinkInertia(link) * omega[at]);
      sum += 9.81 * mass * body_->localPosToWorld(link, btVector3(0, 0, 0)).z();
    }
    return sum;
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  btBoxShape shape_{btVector3(0.005, 0.005, 0.005)};
  std::unique_ptr<btMultiBody> body_;
  btVector3 tip_, pivot_;
  btMultiBodyPoint2Point closing_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
  btAlignedObjectArray<btQuaternion> rotations_;
  btAlignedObjectArray<btVector3> origins_;
};

/// Bullet steps semi-implicitly, and in no other way.
void add_four_bar() {
  add_row("four_bar/semi_implicit", [](benchmark::State& state) {
    const FourBar bar;
    FourBarWorld checked(bar);
    const auto step = [&] {
      checked.step();
      checked.update();
    };
    watch_four_bar(
        state, step, [&] { return checked.gap(); }, [&] { return checked.energy(); });
    FourBarWorld timed(bar);
    measure(state, [&](int) { timed.step(); });
  });
}

}  // namespace
}  // namespace kagami::bench

int main(int argc, char** argv) {
  using namespace kagami::bench;
  std::vector<ModelDef> models = compared_models();
  for (const ModelDef& robot : shipped_models())
    if (!robot.has_rotors()) models.push_back(robot);  // Bullet has no place for them
  for (const ModelDef& model : models)
    add_row(model.name + "/forward_dynamics", [model](benchmark::State& state) {
      Subject s(model);
      state.counters["checksum"] = s.checksum();
      measure(state, [&](int i) { s.forward_dynamics(i); });
    });
  add_four_bar();
  add_contact_rows();
  const int v = btGetVersion();  // 324 = 3.24
  return run_rows(argc, argv, "bullet " + std::to_string(v / 100) + "." + std::to_string(v % 100));
}
