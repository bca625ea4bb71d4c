// kagami-bench-ode: scenes of contact in ODE, which works in maximal coordinates; a body's frame is
// at its mass centre. Robots and chains by dWorldStep (cfm 1e-5, 1e-8), stacks by QuickStep 20.
#include <ode/ode.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tools/bench/contact/free_scenes.hpp"
#include "tools/bench/contact/robot_scene.hpp"
#include "tools/bench/measure.hpp"

namespace kagami::bench {
namespace {

struct OdeSettings {
  double dt;
  double mu;
  double cfm;
  bool quick = false;  ///< QuickStep with 20 iterations
  bool meet_each_other = false;
};

/// Rotation by rows without ODE's padding.
std::array<double, 9> rotation(dBodyID b) {
  const dReal* R = dBodyGetRotation(b);
  return {R[0], R[1], R[2], R[4], R[5], R[6], R[8], R[9], R[10]};
}

class OdeWorld {
 public:
  explicit OdeWorld(const OdeSettings& settings) : settings_(settings) {
    world = dWorldCreate();
    space = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, 0, -9.81);
    dCreatePlane(space, 0, 0, 1, 0);
    dWorldSetERP(world, kErp);
    dWorldSetCFM(world, settings.cfm);
    dWorldSetQuickStepNumIterations(world, 20);
    feedback_.resize(1000);
    feedback_body_.resize(feedback_.size());
  }
  ~OdeWorld() {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space);
    dWorldDestroy(world);
  }
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  void add_body(double mass, const Triple& I, const Triple& p) {
    const dBodyID b = dBodyCreate(world);
    // a number in ODE's pointer. NOLINTNEXTLINE(performance-no-int-to-ptr)
    dBodySetData(b, reinterpret_cast<void*>(bodies.size()));
    dMass m;
    dMassSetParameters(&m, mass, 0, 0, 0, I[0], I[1], I[2], 0, 0, 0);
    dBodySetMass(b, &m);
    dBodySetPosition(b, p[0], p[1], p[2]);
    bodies.push_back(b);
    inertia_.push_back({mass, I});
  }

  /// All joints at zero but the first, which is at `q0` about y; the first body's joint at p0.
  void add_tree(const ModelDef& def, const Triple& p0, double q0) {
    std::vector<Triple> origin;
    const double c = std::cos(q0);
    const double s = std::sin(q0);
    dMatrix3 R;
    dRFromAxisAndAngle(R, 0, 1, 0, q0);
    const auto turned = [&](double x, double y, double z) {  // about the first joint
      const Triple& o = origin[0];
      x -= o[0];
      z -= o[2];
      return Triple{o[0] + c * x + s * z, y, o[2] - s * x + c * z};
    };
    for (const BodyDef& b : def.bodies) {
      Triple o = b.parent < 0 ? p0 : origin[static_cast<std::size_t>(b.parent)];
      for (std::size_t k = 0; k < 3; ++k) o[k] += b.origin[k];
      origin.push_back(o);
      add_body(b.mass, b.inertia, turned(o[0] + b.com[0], o[1] + b.com[1], o[2] + b.com[2]));
      dBodySetRotation(bodies.back(), R);
      if (b.joint == 'f') continue;
      const dJointID hinge = dJointCreateHinge(world, nullptr);
      dJointAttach(hinge, bodies.back(),
                   b.parent < 0 ? nullptr : bodies[static_cast<std::size_t>(b.parent)]);
      const Triple anchor = turned(o[0], o[1], o[2]);
      dJointSetHingeAnchor(hinge, anchor[0], anchor[1], anchor[2]);
      dJointSetHingeAxis(hinge, b.joint == 'x', b.joint == 'y', b.joint == 'z');
      hinges.push_back(hinge);
    }
  }

  /// A box at `z` above the body's mass centre.
  void add_box(int body, const Triple& size, double z) {
    const dGeomID box = dCreateBox(space, size[0], size[1], size[2]);
    dGeomSetBody(box, bodies[static_cast<std::size_t>(body)]);
    if (z != 0.0) dGeomSetOffsetPosition(box, 0, 0, z);
  }

  void step() {
    touched_ = 0;
    dSpaceCollide(space, this, &OdeWorld::meet);
    settings_.quick ? dWorldQuickStep(world, settings_.dt) : dWorldStep(world, settings_.dt);
    dJointGroupEmpty(group_);
  }

  /// visit(body, force) for every contact with the ground.
  template <class Visit>
  void ground_forces(Visit visit) const {
    for (std::size_t k = 0; k < touched_; ++k) visit(feedback_body_[k], feedback_[k].f1[2]);
  }

  [[nodiscard]] double energy() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const dReal* v = dBodyGetLinearVel(bodies[i]);
      const dReal* w = dBodyGetAngularVel(bodies[i]);
      dVector3 w_B;
      dBodyVectorFromWorld(bodies[i], w[0], w[1], w[2], w_B);
      sum += inertia_[i].mass * kGravity * dBodyGetPosition(bodies[i])[2];
      for (std::size_t k = 0; k < 3; ++k)
        sum += .5 * inertia_[i].mass * v[k] * v[k] + .5 * inertia_[i].I[k] * w_B[k] * w_B[k];
    }
    return sum;
  }

  dWorldID world;
  dSpaceID space;
  std::vector<dBodyID> bodies;
  std::vector<dJointID> hinges;

 private:
  static constexpr double kErp = .2;
  struct Inertia {
    double mass;
    Triple I;
  };

  static void meet(void* self, dGeomID a, dGeomID b) { static_cast<OdeWorld*>(self)->meet(a, b); }

  void meet(dGeomID a, dGeomID b) {
    const dBodyID x = dGeomGetBody(a);
    const dBodyID y = dGeomGetBody(b);
    if ((!x && !y) || (x && y && !settings_.meet_each_other)) return;
    dContact contact[8] = {};
    const int count = dCollide(a, b, 8, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      dSurfaceParameters& s = contact[i].surface;
      s.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM;
      s.mu = settings_.mu;
      s.soft_erp = kErp;
      s.soft_cfm = settings_.cfm;
      const dJointID joint = dJointCreateContact(world, group_, &contact[i]);
      dJointAttach(joint, x, y);
      if ((x && y) || touched_ == feedback_.size()) continue;
      dJointSetFeedback(joint, &feedback_[touched_]);
      feedback_body_[touched_++] = reinterpret_cast<std::size_t>(dBodyGetData(x ? x : y));
    }
  }

  OdeSettings settings_;
  dJointGroupID group_;
  std::vector<Inertia> inertia_;
  std::vector<dJointFeedback> feedback_;
  std::vector<std::size_t> feedback_body_;
  std::size_t touched_ = 0;
};

class OdeRobot : public RobotSim {
 public:
  OdeRobot() : def_(khr1_standing()), servo_(def_), feet_(feet(def_)) {}

  void reset(double drop) override {
    ode_ = std::make_unique<OdeWorld>(OdeSettings{kRobotStep, kRobotFriction, 1e-5});
    ode_->add_tree(def_, {0, 0, kRobotHeight + drop}, 0.0);
    for (const int foot : feet_) ode_->add_box(foot, kSole, sole_z(foot));
  }

  void step(double a) override {
    for (std::size_t k = 0; k < ode_->hinges.size(); ++k) {
      const dJointID j = ode_->hinges[k];
      dJointAddHingeTorque(j, servo_.tau(static_cast<int>(k), a, dJointGetHingeAngle(j),
                                         dJointGetHingeAngleRate(j)));
    }
    ode_->step();
  }

  RobotView view() override {
    RobotView view;
    std::size_t corner = 0;
    std::size_t axis = 0;
    for (const int foot : feet_) {
      const dBodyID b = ode_->bodies[static_cast<std::size_t>(foot)];
      const dReal* p = dBodyGetPosition(b);
      const std::array<double, 9> R = rotation(b);
      for (const double x : {-.5, .5})
        for (const double y : {-.5, .5})
          view.corner_z[corner++] = p[2] + R[6] * x * kSole[0] + R[7] * y * kSole[1] +
                                    R[8] * (sole_z(foot) - .5 * kSole[2]);
      view.sole_xy[axis++] = p[0] + R[2] * sole_z(foot);
      view.sole_xy[axis++] = p[1] + R[5] * sole_z(foot);
    }
    ode_->ground_forces([&](std::size_t, double force) {
      view.force += force;
      view.carrying += force > 0.0 ? 1 : 0;
    });
    view.energy = ode_->energy();
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
  std::unique_ptr<OdeWorld> ode_;
};

class OdePendulum : public PendulumSim {
 public:
  explicit OdePendulum(double dt) : ode_({dt, kLinkFriction, 1e-8}) {
    const ModelDef def = ground_pendulum();
    ode_.add_tree(def, {}, kFirstAngle);
    for (int i = 0; i < static_cast<int>(def.bodies.size()); ++i) ode_.add_box(i, kLink, 0.0);
  }

  void step() override { ode_.step(); }

  PendulumView view() override {
    PendulumView view;
    view.energy = ode_.energy();
    view.depth = -1.0;
    for (const dBodyID b : ode_.bodies)
      view.depth = std::max(view.depth, depth_of(dBodyGetPosition(b), rotation(b).data(), kLink));
    for (const dJointID j : ode_.hinges)
      view.speed = std::max(view.speed, std::fabs(dJointGetHingeAngleRate(j)));
    ode_.ground_forces([&](std::size_t, double force) { view.force += force; });
    return view;
  }

 private:
  OdeWorld ode_;
};

class OdeStack : public StackSimulation {
 public:
  OdeStack(int boxes, double dt) : ode_({dt, kBoxFriction, 1e-5, true, true}) {
    for (const BoxPose& box : falling_boxes(boxes)) {
      ode_.add_body(kBoxMass, box_inertia(kBoxMass, kBox), box.p);
      const dQuaternion q = {box.q[0], box.q[1], box.q[2], box.q[3]};
      dBodySetQuaternion(ode_.bodies.back(), q);
      ode_.add_box(static_cast<int>(ode_.bodies.size()) - 1, kBox, 0.0);
    }
  }

  void step() override { ode_.step(); }

  StackView view() override {
    StackView view;
    view.energy = ode_.energy();
    view.force.resize(ode_.bodies.size());
    for (const dBodyID b : ode_.bodies) {
      const dReal* p = dBodyGetPosition(b);
      view.centre.push_back({p[0], p[1], p[2]});
      view.depth = std::max(view.depth, depth_of(p, rotation(b).data(), kBox));
    }
    ode_.ground_forces([&](std::size_t body, double force) { view.force[body] += force; });
    return view;
  }

 private:
  OdeWorld ode_;
};

}  // namespace
}  // namespace kagami::bench

int main(int argc, char** argv) {
  using namespace kagami::bench;
  dInitODE();
  // threads of other rows start from this one, which is all that ODE's stepping requires
  add_robot_rows("", [] { return std::make_unique<OdeRobot>(); });
  add_pendulum_rows("", [](double dt) { return std::make_unique<OdePendulum>(dt); });
  add_stack_rows("", 50, [](int n, double dt) { return std::make_unique<OdeStack>(n, dt); });
  return run_rows(argc, argv, "ode 0.16.2");
}
