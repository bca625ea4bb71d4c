#include "drivers/virtual/plant_ode.hpp"

#include <ode/ode.h>

#include <Eigen/Geometry>

#include "models/base/errors.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

static_assert(sizeof(dReal) == sizeof(double), "the plant wants ODE in double precision");

// walk-study.md section 7
constexpr double kErp = 0.2;
constexpr double kCfm = 1e-10;

// The engine wants one start per process and one per thread that calls it. Its random numbers
// (dWorldStep draws none, collision may) start from a fixed seed.
void start_engine() {
  static const bool is_started = [] {
    if (dInitODE2(0) == 0) throw ModelError("the Open Dynamics Engine does not start");
    dRandSetSeed(1);
    return true;
  }();
  static_cast<void>(is_started);
}

void start_engine_in_this_thread() noexcept {
  thread_local const bool is_started =
      dAllocateODEDataForThread(static_cast<unsigned>(dAllocateMaskAll)) != 0;
  static_cast<void>(is_started);
}

struct Placement {
  Mat3 R_WB = Mat3::Identity();
  Vec3 p_WB = Vec3::Zero();
};

void put(dBodyID id, const PlantLink& link, const Placement& place) {
  dMatrix3 R;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) R[4 * row + column] = place.R_WB(row, column);
    R[4 * row + 3] = 0.0;
  }
  const Vec3 com = place.p_WB + place.R_WB * link.com;
  dBodySetRotation(id, R);
  dBodySetPosition(id, com.x(), com.y(), com.z());
  dBodySetLinearVel(id, 0.0, 0.0, 0.0);
  dBodySetAngularVel(id, 0.0, 0.0, 0.0);
}

}  // namespace

struct PlantOde::State {
  PlantBody body;
  dWorldID world = nullptr;
  std::vector<dBodyID> bodies;   // per link
  std::vector<dJointID> hinges;  // per link: what no servo drives turns freely

  [[nodiscard]] dJointID hinge(int joint) const noexcept {
    const auto link = body.link_of_joint[static_cast<std::size_t>(joint)];
    return hinges[static_cast<std::size_t>(link)];
  }

  ~State() {
    if (world != nullptr) dWorldDestroy(world);  // its bodies and joints go with it
  }

  // world poses of all links; q per link
  std::vector<Placement> poses(const std::vector<double>& q) const {
    std::vector<Placement> result(body.links.size());
    for (std::size_t k = 0; k < body.links.size(); ++k) {
      const PlantLink& link = body.links[k];
      Placement parent;
      if (link.parent != kWorld) parent = result[static_cast<std::size_t>(link.parent)];
      const Mat3 turn = Eigen::AngleAxisd(q[k], link.axis).toRotationMatrix();
      result[k].R_WB = parent.R_WB * link.R_PB * turn;
      result[k].p_WB = parent.p_WB + parent.R_WB * link.p_PB;
    }
    return result;
  }

  void add_bodies(const std::vector<Placement>& zero);
  void add_hinge(const PlantLink& link, dBodyID child, const Placement& place);
  void add_friction(const PlantLink& link, dBodyID child, const Placement& place, double torque);
  dBodyID parent_body(const PlantLink& link) const {
    return link.parent == kWorld ? nullptr : bodies[static_cast<std::size_t>(link.parent)];
  }
};

void PlantOde::State::add_bodies(const std::vector<Placement>& zero) {
  for (std::size_t k = 0; k < body.links.size(); ++k) {
    const PlantLink& link = body.links[k];
    if (!(link.mass > 0.0)) {
      throw ModelError("joint " + link.joint + ": the link behind it weighs " +
                       std::to_string(link.mass) + " kg, expected more than 0");
    }
    const Mat3& I = link.inertia;
    dMass mass;
    dMassSetParameters(&mass, link.mass, 0.0, 0.0, 0.0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2),
                       I(1, 2));
    bodies.push_back(dBodyCreate(world));
    dBodySetMass(bodies.back(), &mass);
    dBodySetFiniteRotationMode(bodies.back(), 0);
    dBodySetGyroscopicMode(bodies.back(), 1);
    dBodySetAutoDisableFlag(bodies.back(), 0);
    put(bodies.back(), link, zero[k]);
  }
}

// attach (child, parent): angle and rate are the child's about +axis (walk-study.md section 7)
void PlantOde::State::add_hinge(const PlantLink& link, dBodyID child, const Placement& place) {
  const dJointID hinge = dJointCreateHinge(world, nullptr);
  dJointAttach(hinge, child, parent_body(link));
  const Vec3 axis = place.R_WB * link.axis;
  dJointSetHingeAnchor(hinge, place.p_WB.x(), place.p_WB.y(), place.p_WB.z());
  dJointSetHingeAxis(hinge, axis.x(), axis.y(), axis.z());
  hinges.push_back(hinge);
}

// Coulomb friction: a motor that wants rate 0 and has this torque to get it
void PlantOde::State::add_friction(const PlantLink& link, dBodyID child, const Placement& place,
                                   double torque) {
  const dJointID motor = dJointCreateAMotor(world, nullptr);
  dJointAttach(motor, child, parent_body(link));
  const Vec3 axis = place.R_WB * link.axis;
  dJointSetAMotorNumAxes(motor, 1);
  dJointSetAMotorAxis(motor, 0, 1, axis.x(), axis.y(), axis.z());  // rides on the child
  dJointSetAMotorParam(motor, dParamVel, 0.0);
  dJointSetAMotorParam(motor, dParamFMax, torque);
}

PlantOde::PlantOde(const PlantBody& body, const std::vector<double>& coulomb_friction)
    : state_(std::make_unique<State>()) {
  start_engine();
  start_engine_in_this_thread();
  State& s = *state_;
  s.body = body;
  s.world = dWorldCreate();
  dWorldSetGravity(s.world, body.gravity.x(), body.gravity.y(), body.gravity.z());
  dWorldSetERP(s.world, kErp);
  dWorldSetCFM(s.world, kCfm);
  dWorldSetAutoDisableFlag(s.world, 0);

  const std::vector<Placement> zero = s.poses(std::vector<double>(body.links.size(), 0.0));
  s.add_bodies(zero);
  for (std::size_t k = 0; k < body.links.size(); ++k) {
    s.add_hinge(body.links[k], s.bodies[k], zero[k]);
  }
  for (std::size_t j = 0; j < body.link_of_joint.size(); ++j) {
    const auto k = static_cast<std::size_t>(body.link_of_joint[j]);
    const double friction = j < coulomb_friction.size() ? coulomb_friction[j] : 0.0;
    if (friction > 0.0) s.add_friction(body.links[k], s.bodies[k], zero[k], friction);
  }
}

PlantOde::~PlantOde() = default;
PlantOde::PlantOde(PlantOde&&) noexcept = default;

int PlantOde::joint_count() const noexcept {
  return static_cast<int>(state_->body.link_of_joint.size());
}

void PlantOde::place(const std::vector<double>& angles) noexcept {
  std::vector<double> q(state_->body.links.size(), 0.0);
  for (std::size_t j = 0; j < angles.size(); ++j) {
    q[static_cast<std::size_t>(state_->body.link_of_joint[j])] = angles[j];
  }
  const std::vector<Placement> poses = state_->poses(q);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    put(state_->bodies[k], state_->body.links[k], poses[k]);
  }
}

// A limit of infinity makes the row an equation: the torque is limited by num already, and the
// solver gets by without a search for active limits.
void PlantOde::set_row(int joint, const MotorRow& row) noexcept {
  const dJointID hinge = state_->hinge(joint);
  dJointSetHingeParam(hinge, dParamVel, row.speed);
  dJointSetHingeParam(hinge, dParamCFM, row.compliance);
  dJointSetHingeParam(hinge, dParamFMax, row.is_on ? dInfinity : 0.0);
}

void PlantOde::step() noexcept {
  start_engine_in_this_thread();
  dWorldStep(state_->world, kPlantStep);
}

double PlantOde::angle(int joint) const noexcept {
  return dJointGetHingeAngle(state_->hinge(joint));
}

double PlantOde::rate(int joint) const noexcept {
  return dJointGetHingeAngleRate(state_->hinge(joint));
}

}  // namespace kagami::drivers::virtual_robot
