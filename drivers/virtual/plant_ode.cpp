#include "drivers/virtual/plant_ode.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

#include "drivers/virtual/plant_ode_impl.hpp"
#include "models/base/errors.hpp"
#include "models/robot/base_pose.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

static_assert(sizeof(dReal) == sizeof(double), "the plant requires ODE in double precision");

// settings of docs/virtual_robot.md, "The plant"
constexpr double kErp = 0.2;
constexpr double kCfm = 1e-10;
constexpr int kMaxContacts = 8;  // per box
constexpr double kContactErp = 0.2;
constexpr double kContactCfm = 1e-3;  // with the ERP: 2e5 N/m, 800 N s/m at 1 ms

// The engine requires one start per process and one per thread that calls it. Its random numbers
// (dWorldStep draws none, collision may) start from a fixed seed.
void start_engine() {
  static const bool is_started = [] {
    if (dInitODE2(0) == 0) throw ModelError("the Open Dynamics Engine cannot be initialised");
    dRandSetSeed(1);
    return true;
  }();
  static_cast<void>(is_started);
}

void write(const Mat3& from, dMatrix3& R) {
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) R[4 * row + column] = from(row, column);
    R[4 * row + 3] = 0.0;
  }
}

void put(dBodyID id, const PlantLink& link, const Placement& place) {
  dMatrix3 R;
  write(place.R_WB, R);
  const Vec3 com = place.p_WB + place.R_WB * link.com;
  dBodySetRotation(id, R);
  dBodySetPosition(id, com.x(), com.y(), com.z());
  dBodySetLinearVel(id, 0.0, 0.0, 0.0);
  dBodySetAngularVel(id, 0.0, 0.0, 0.0);
}

}  // namespace

void start_engine_in_this_thread() noexcept {
  thread_local const bool is_started =
      dAllocateODEDataForThread(static_cast<unsigned>(dAllocateMaskAll)) != 0;
  static_cast<void>(is_started);
}

void PlantOde::State::add_bodies(const std::vector<Placement>& zero) {
  for (std::size_t k = 0; k < body.links.size(); ++k) {
    bodies.push_back(add_body(body.links[k], zero[k]));
  }
}

dBodyID PlantOde::State::add_body(const PlantLink& link, const Placement& place) {
  if (!(link.mass > 0.0)) {
    throw ModelError("joint " + link.joint + ": the mass of the link behind it is " +
                     std::to_string(link.mass) + " kg, expected more than 0");
  }
  const Mat3& I = link.inertia;
  dMass mass;
  dMassSetParameters(&mass, link.mass, 0.0, 0.0, 0.0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2),
                     I(1, 2));
  const dBodyID id = dBodyCreate(world);
  dBodySetMass(id, &mass);
  dBodySetFiniteRotationMode(id, 0);
  dBodySetGyroscopicMode(id, 1);
  dBodySetAutoDisableFlag(id, 0);
  put(id, link, place);
  return id;
}

// the base as a body, boxes on all bodies, the plane z = 0
void PlantOde::State::add_floor(double floor_friction) {
  if (body.boxes.empty())
    throw ModelError("plant on the floor: the robot has no collision box, expected at least one");
  friction = floor_friction;
  friction_at_start = floor_friction;
  base = add_body(body.base, {});
  plane = dCreatePlane(nullptr, 0.0, 0.0, 1.0, 0.0);
  contacts = dJointGroupCreate(0);
}

void PlantOde::State::add_boxes() {
  for (const PlantBox& box : body.boxes) {
    const bool on_base = box.link == kWorld;
    const auto link = static_cast<std::size_t>(on_base ? 0 : box.link);
    const Vec3 p = box.p_BS - (on_base ? body.base.com : body.links[link].com);
    const dGeomID id = dCreateBox(nullptr, box.size.x(), box.size.y(), box.size.z());
    dGeomSetBody(id, on_base ? base : bodies[link]);
    dMatrix3 R;
    write(box.R_BS, R);
    dGeomSetOffsetPosition(id, p.x(), p.y(), p.z());
    dGeomSetOffsetRotation(id, R);
    boxes.push_back(id);
  }
}

// m; links and base where they are placed
double PlantOde::State::lowest_corner(const std::vector<Placement>& links,
                                      const Placement& root) const {
  double lowest = 1e9;
  for (const PlantBox& box : body.boxes) {
    const Placement& at = box.link == kWorld ? root : links[static_cast<std::size_t>(box.link)];
    const Mat3 R = at.R_WB * box.R_BS;
    const Vec3 middle = at.p_WB + at.R_WB * box.p_BS;
    const double reach = 0.5 * R.row(2).cwiseAbs().dot(box.size.transpose());
    lowest = std::min(lowest, middle.z() - reach);
  }
  return lowest;
}

// the engine's angle jumps by a turn at the half turn; a joint does not
void PlantOde::State::count_turns() noexcept {
  constexpr double kHalfTurn = 3.141592653589793;
  for (std::size_t j = 0; j < turns.size(); ++j) {
    const double angle = dJointGetHingeAngle(hinge(static_cast<int>(j)));
    if (angle - engine_angle[j] > kHalfTurn) --turns[j];
    if (angle - engine_angle[j] < -kHalfTurn) ++turns[j];
    engine_angle[j] = angle;
  }
}

// contacts of this step: boxes in order, each against the plane
void PlantOde::State::touch_floor() noexcept {
  dJointGroupEmpty(contacts);
  std::array<dContact, kMaxContacts> found{};
  for (const dGeomID box : boxes) {
    const int count = dCollide(box, plane, kMaxContacts, &found[0].geom, sizeof(dContact));
    for (int k = 0; k < count; ++k) {
      dContact& contact = found[static_cast<std::size_t>(k)];
      contact.surface.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM;
      contact.surface.mu = friction;
      contact.surface.soft_erp = kContactErp;
      contact.surface.soft_cfm = kContactCfm;
      dJointAttach(dJointCreateContact(world, contacts, &contact), dGeomGetBody(box), nullptr);
    }
  }
}

// ODE: with the child attached first, angle and rate of the hinge are the child's about +axis
void PlantOde::State::add_hinge(const PlantLink& link, dBodyID child, const Placement& place) {
  const dJointID hinge = dJointCreateHinge(world, nullptr);
  dJointAttach(hinge, child, parent_body(link));
  const Vec3 axis = place.R_WB * link.axis;
  dJointSetHingeAnchor(hinge, place.p_WB.x(), place.p_WB.y(), place.p_WB.z());
  dJointSetHingeAxis(hinge, axis.x(), axis.y(), axis.z());
  hinges.push_back(hinge);
}

// dry friction: a motor with rate 0 as target and this torque as limit
dJointID PlantOde::State::add_friction(const PlantLink& link, dBodyID child, const Placement& place,
                                       double torque) {
  const dJointID motor = dJointCreateAMotor(world, nullptr);
  dJointAttach(motor, child, parent_body(link));
  const Vec3 axis = place.R_WB * link.axis;
  dJointSetAMotorNumAxes(motor, 1);
  dJointSetAMotorAxis(motor, 0, 1, axis.x(), axis.y(), axis.z());  // rides on the child
  dJointSetAMotorParam(motor, dParamVel, 0.0);
  dJointSetAMotorParam(motor, dParamFMax, torque);
  return motor;
}

PlantOde::PlantOde(const PlantBody& body, const std::vector<double>& dry_friction,
                   std::optional<double> floor_friction)
    : state_(std::make_unique<State>()) {
  start_engine();
  start_engine_in_this_thread();
  State& s = *state_;
  s.body = body;
  s.world = dWorldCreate();
  s.threading = dThreadingAllocateSelfThreadedImplementation();
  if (s.threading == nullptr) throw ModelError("the Open Dynamics Engine has no threading");
  dWorldSetStepThreadingImplementation(s.world, dThreadingImplementationGetFunctions(s.threading),
                                       s.threading);
  dWorldSetGravity(s.world, body.gravity.x(), body.gravity.y(), body.gravity.z());
  dWorldSetERP(s.world, kErp);
  dWorldSetCFM(s.world, kCfm);
  dWorldSetAutoDisableFlag(s.world, 0);

  const std::vector<Placement> zero = s.poses(std::vector<double>(body.links.size(), 0.0));
  if (floor_friction) s.add_floor(*floor_friction);
  s.add_bodies(zero);
  if (floor_friction) s.add_boxes();
  for (std::size_t k = 0; k < body.links.size(); ++k) {
    s.add_hinge(body.links[k], s.bodies[k], zero[k]);
  }
  for (std::size_t j = 0; j < body.link_of_joint.size(); ++j) {
    const auto k = static_cast<std::size_t>(body.link_of_joint[j]);
    const double friction = j < dry_friction.size() ? dry_friction[j] : 0.0;
    s.friction_rows.push_back(
        friction > 0.0 ? s.add_friction(body.links[k], s.bodies[k], zero[k], friction) : nullptr);
  }
  s.standing = floor_friction ? -s.lowest_corner(zero, {}) : 0.0;
}

PlantOde::~PlantOde() = default;
PlantOde::PlantOde(PlantOde&&) noexcept = default;

int PlantOde::joint_count() const noexcept {
  return static_cast<int>(state_->body.link_of_joint.size());
}

void PlantOde::place(const std::vector<double>& angles, const Mat3& R_WB) noexcept {
  State& s = *state_;
  std::vector<double> q(s.body.links.size(), 0.0);
  for (std::size_t j = 0; j < angles.size(); ++j) {
    q[static_cast<std::size_t>(s.body.link_of_joint[j])] = angles[j];
  }
  Placement root;
  if (s.base != nullptr) {
    root.R_WB = R_WB;
    root.p_WB.z() = -s.lowest_corner(s.poses(q, root), root);
    put(s.base, s.body.base, root);
  }
  s.turns.assign(s.body.link_of_joint.size(), 0);
  s.engine_angle = angles;
  const std::vector<Placement> poses = s.poses(q, root);
  for (std::size_t k = 0; k < poses.size(); ++k) put(s.bodies[k], s.body.links[k], poses[k]);
}

void PlantOde::hold_base(bool held) noexcept {
  State& s = *state_;
  if (s.base == nullptr || s.is_held == held) return;
  s.is_held = held;
  if (!held) return dBodySetDynamic(s.base);
  dBodySetKinematic(s.base);
  dBodySetLinearVel(s.base, 0.0, 0.0, 0.0);
  dBodySetAngularVel(s.base, 0.0, 0.0, 0.0);
}

// A limit of infinity makes the row an equation: the torque is limited by num already, and the
// solver gets by without a search for active limits.
void PlantOde::set_row(int joint, const MotorRow& row) noexcept {
  const dJointID hinge = state_->hinge(joint);
  dJointSetHingeParam(hinge, dParamVel, row.speed);
  dJointSetHingeParam(hinge, dParamCFM, row.compliance);
  dJointSetHingeParam(hinge, dParamFMax, row.is_on ? dInfinity : 0.0);
}

void PlantOde::set_dry_friction(int joint, double torque) noexcept {
  const dJointID row = state_->friction_rows[static_cast<std::size_t>(joint)];
  if (row != nullptr) dJointSetAMotorParam(row, dParamFMax, torque);
}

void PlantOde::push(const Vec3& force_W) noexcept {
  if (state_->base == nullptr) return;
  dBodyAddForce(state_->base, force_W.x(), force_W.y(), force_W.z());
}

void PlantOde::step() noexcept {
  start_engine_in_this_thread();
  if (state_->base != nullptr) state_->touch_floor();
  dWorldStep(state_->world, kPlantStep);
  state_->count_turns();
}

double PlantOde::angle(int joint) const noexcept {
  constexpr double kTurn = 6.283185307179586;
  return dJointGetHingeAngle(state_->hinge(joint)) +
         kTurn * state_->turns[static_cast<std::size_t>(joint)];
}

double PlantOde::rate(int joint) const noexcept {
  return dJointGetHingeAngleRate(state_->hinge(joint));
}

bool PlantOde::on_floor() const noexcept {
  return state_->base != nullptr;
}

BasePose PlantOde::base() const noexcept {
  const State& s = *state_;
  if (s.base == nullptr) return {};
  const dReal* R = dBodyGetRotation(s.base);
  const dReal* p = dBodyGetPosition(s.base);
  models::Pose X_WB;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) X_WB.R(row, column) = R[4 * row + column];
  }
  X_WB.p = Vec3(p[0], p[1], p[2]) - X_WB.R * s.body.base.com;
  return models::base_pose_of(X_WB);
}

bool PlantOde::fell() const noexcept {
  return on_floor() && models::has_fallen(base(), state_->standing);
}

}  // namespace kagami::drivers::virtual_robot
